"""The papers' measures of one setting, the same on home and on the pages of both mechanisms."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import streamlit as st

from engine import metrics
from engine.contract import Setting
from engine.origin_destination import has_suppression
from engine.origin_destination.scores import score_expectation
from engine.utility import DENSITY_DRAWS
from pages._ui import cached, state
from pages._ui.drawing import cards
from pages._ui.drawing.cards import Card
from pages._ui.jobs import pieces
from pages._ui.shell import catalogue
from pages._ui.shell.session import session
from pages._ui.wording import use as words
from pages._ui.wording.numbers import fixed, metres, percent, trip_count

EVERY_HOURS = 7
"""The earth mover's distance is that of every 7th hour of the week: each hour of a day once."""
_DRAWN, _EXPECTED = "of the draw shown", "expected"


def draw(setting: Setting, more: Sequence[Card] = (), *, day: int = 0) -> None:
    """Draw the numbers, of one `day` where they are drawn."""
    other = pinned(setting)
    if other is not None:
        at = "" if other.selection == setting.selection else f"{state.entry_of(other).name}, "
        st.caption(f"Pinned: {at}{words.levers(other)}")
    if words.is_flows(setting):
        beside = [] if other is None else _flows(other, 0)
        cards.row([*_beside(_flows(setting, day), beside), *more])
        return
    beside = [] if other is None else _density(other, state.seed(state.entry_of(other)), [])
    seed = state.seed(state.entry_of(setting))
    draws = [(setting, seed, repeat) for repeat in range(DENSITY_DRAWS)]
    work = pieces.ask("moved", moved, draws, delay_s=pieces.RESTED_S)

    def part(done: list[float], running: bool) -> None:
        distances = [] if running else done
        cards.row([*_beside(_density(setting, seed, distances), beside), *more])

    pieces.live("moved", work, part)


def pinned(setting: Setting) -> Setting | None:
    """Return the other setting of the same product that is pinned, while its dataset is there."""
    kind, known = type(setting.parameters), catalogue.entries().values()
    kept = [one for one in session().pinned if type(one.parameters) is kind and one != setting]
    return next(
        (one for one in kept if any(one.dataset_id == e.key.dataset_id for e in known)), None
    )


def _beside(shown: list[Card], others: Sequence[Card]) -> list[Card]:
    """Return the cards with the pinned setting's numbers in small."""
    for at, other in enumerate(others):
        if other.value != "…":
            small = f"{shown[at].interval} · pinned: {other.value}"
            shown[at] = replace(shown[at], interval=small)
    return shown


def moved(setting: Setting, seed: cached.Seed, repeat: int) -> float:
    """Return the mean earth mover's distance of one draw over hours of the week, in metres."""
    draw = cached.draw if repeat else cached.release
    true, private = cached.truth(setting), draw(setting, seed, repeat).counts
    between = cached.dataset(cached.view(setting)).tessellation.zone_distances_m
    shown = np.maximum(private[:, ::EVERY_HOURS], 0.0)
    apart = metrics.earth_movers_distance(true[:, ::EVERY_HOURS], shown, between)
    return metrics.mean_of_finite(apart)


def _density(setting: Setting, seed: cached.Seed, distances_m: Sequence[float]) -> list[Card]:
    """Return means over the draws with their range; a single draw may be better by luck."""
    draws = [cached.scores(setting, seed, repeat) for repeat in range(DENSITY_DRAWS)]

    def card(
        label: str, values: Sequence[float], write: Callable[[float], str], meaning: str
    ) -> Card:
        finite = [value for value in values if np.isfinite(value)]
        if not finite:
            return Card(label, "–" if len(values) else "…", "", meaning)
        ends = f"{write(min(finite))} to {write(max(finite))} in {len(finite)} draws"
        return Card(label, write(float(np.mean(finite))), ends, meaning)

    meaning = "A zone's count in an hour is off by so much."
    error = card("Relative error (MRE)", [one.mean_error for one in draws], percent, meaning)
    meaning = "1: a zone's peaks and nights hold; 0: lost."
    rhythm = card(
        "Rhythm kept (Pearson r)", [one.mean_correlation for one in draws], fixed, meaning
    )
    meaning = f"As if every visit had moved so far on average, in every {EVERY_HOURS}th hour."
    away = card("Displacement (EMD)", distances_m, metres, meaning)
    meaning = "All visits of the week are off by this share."
    total = card("Error of the total", [one.total_error for one in draws], percent, meaning)
    return [error, rhythm, away, total]


def _flows(setting: Setting, day: int) -> list[Card]:
    exact, least = cached.expected(setting), setting.parameters.min_shown_count
    hides = has_suppression(setting.parameters)
    if exact is None:
        seed = state.seed(state.entry_of(setting))
        scores, how = cached.scores(setting, seed, day=day), _DRAWN
    else:
        scores, how = score_expectation(exact), _EXPECTED
    count = cached.matrices(setting)
    if count > 1:
        step = setting.time.aggregation
        how += f", all {count} {step}s" if exact is not None else f", {step} {day + 1} of {count}"
    wrong = f"{scores.lost_flows:,.0f} · {scores.phantom_flows:,.0f}"
    off = "that read 0" if hides else "too uncertain to draw"
    empty = "Suppression: pairs that read 0" if hides else "Pairs that may be empty"
    pairs = "Of all ordered pairs of zones." + " They stay in the file." * (not hides)
    large = f"Of {least} trip{'s' * (least != 1)} or more"
    meaning = (
        f"{large} {'that read 0' if hides else 'among them'}; shown although nobody travelled."
    )
    relative = f"|private − true| / true on average, of those {off}, too."
    return [
        Card(
            "Mean error of a flow", trip_count(scores.mean_error), how, "Over all pairs of zones."
        ),
        Card(f"Relative error, flows of {least}+", percent(scores.relative_error), how, relative),
        Card(empty, percent(scores.zero_share), how, pairs),
        Card("Lost · phantom flows", wrong, how, meaning),
    ]
