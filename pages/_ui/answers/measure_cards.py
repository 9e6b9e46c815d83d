"""The papers' measures of one setting, the same on home and on the pages of both mechanisms."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import streamlit as st

from engine import metrics
from engine.contract import Setting
from engine.origin_destination import has_suppression
from engine.origin_destination.scores import score_expectation
from engine.text import setting_text as words
from engine.text.numbers import decimal, metres, percent, trip_count
from engine.utility import DENSITY_DRAWS
from pages._ui.answers import cached
from pages._ui.app import catalogue, parallel
from pages._ui.app.session import session
from pages._ui.components import cards
from pages._ui.components.cards import Card
from pages._ui.settings import offers, seeds
from pages._ui.settings.seeds import Seed

HOUR_STEP = 7
"""The earth mover's distance is that of every 7th hour of the week: each hour of a day once."""
_DRAWN_NOTE, _EXPECTED_NOTE = "of the draw shown", "expected"


def draw(setting: Setting, tail: Sequence[Card] = (), *, day: int = 0) -> None:
    """Draw the numbers, of one `day` where they are drawn."""
    pinned = pinned_setting(setting)
    if pinned is not None:
        name = offers.entry_of(pinned).name
        prefix = "" if pinned.selection == setting.selection else f"{name}, "
        st.caption(f"Pinned: {prefix}{words.format_controls(pinned)}")
    if words.is_flows(setting):
        pins = [] if pinned is None else _flow_cards(pinned, 0)
        cards.draw([*_add_pinned(_flow_cards(setting, day), pins), *tail])
        return
    pins = [] if pinned is None else _density_cards(pinned, seeds.seed(offers.entry_of(pinned)), [])
    seed = seeds.seed(offers.entry_of(setting))
    draws = [(setting, seed, repeat) for repeat in range(DENSITY_DRAWS)]
    work = parallel.submit("moved", mean_displacement, draws, delay_s=parallel.REST_S)

    def part(done: list[float], running: bool) -> None:
        distances = [] if running else done
        cards.draw([*_add_pinned(_density_cards(setting, seed, distances), pins), *tail])

    parallel.draw_live("moved", work, part)


def pinned_setting(setting: Setting) -> Setting | None:
    """Return the other setting of the same product that is pinned, while its dataset is there."""
    kind, entries = type(setting.parameters), catalogue.entries().values()
    pins = [s for s in session().pins if type(s.parameters) is kind and s != setting]
    return next((s for s in pins if any(s.dataset_id == e.key.dataset_id for e in entries)), None)


def _add_pinned(cards: list[Card], pinned_cards: Sequence[Card]) -> list[Card]:
    """Return the cards with the pinned setting's numbers in small."""
    for i, card in enumerate(pinned_cards):
        if card.value != "…":
            small = f"{cards[i].interval} · pinned: {card.value}"
            cards[i] = replace(cards[i], interval=small)
    return cards


def mean_displacement(setting: Setting, seed: Seed, repeat: int) -> float:
    """Return the mean earth mover's distance of one draw over hours of the week, in metres."""
    draw = cached.draw_release if repeat else cached.release
    true, private = cached.truth(setting), draw(setting, seed, repeat).counts
    between = cached.dataset(cached.view_key(setting)).tessellation.zone_distances_m
    positive = np.maximum(private[:, ::HOUR_STEP], 0.0)
    distances = metrics.earth_movers_distance(true[:, ::HOUR_STEP], positive, between)
    return metrics.mean_of_finite(distances)


def _density_cards(setting: Setting, seed: Seed, distances_m: Sequence[float]) -> list[Card]:
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
    error = card("Relative error (MRE)", [scores.mean_error for scores in draws], percent, meaning)
    meaning = "1: a zone's peaks and nights hold; 0: lost."
    rhythm = card(
        "Rhythm kept (Pearson r)", [scores.mean_correlation for scores in draws], decimal, meaning
    )
    meaning = f"As if every visit had moved so far on average, in every {HOUR_STEP}th hour."
    away = card("Displacement (EMD)", distances_m, metres, meaning)
    meaning = "All visits of the week are off by this share."
    total = card("Error of the total", [scores.total_error for scores in draws], percent, meaning)
    return [error, rhythm, away, total]


def _flow_cards(setting: Setting, day: int) -> list[Card]:
    exact, floor = cached.expected(setting), setting.parameters.min_shown_count
    hides = "Suppression: pairs" if has_suppression(setting.parameters) else "Pairs"
    is_estimate = cached.method_of(setting).number_kind == "estimated"
    if exact is None:
        seed = seeds.seed(offers.entry_of(setting))
        scores, how = cached.scores(setting, seed, day=day), _DRAWN_NOTE
    else:
        scores, how = score_expectation(exact), _EXPECTED_NOTE
    count = cached.matrix_count(setting)
    if count > 1:
        step = setting.time.aggregation
        how += f", all {count} {step}s" if exact is not None else f", {step} {day + 1} of {count}"
    wrong = f"{scores.lost_flows:,.0f} · {scores.phantom_flows:,.0f}"
    off = "too uncertain to draw" if is_estimate else "shown as 0"
    empty = "Pairs that may be empty" if is_estimate else f"{hides} shown as 0"
    pairs = "Of all ordered pairs of zones." + " They stay in the file." * is_estimate
    large = f"Of {floor} trip{'s' * (floor != 1)} or more"
    lost = "among them" if is_estimate else "shown as 0"
    meaning = f"{large} {lost}; shown although nobody travelled."
    relative = f"|private − true| / true on average, also of those {off}."
    return [
        Card(
            "Mean error of a flow", trip_count(scores.mean_error), how, "Over all pairs of zones."
        ),
        Card(f"Relative error, flows of {floor}+", percent(scores.relative_error), how, relative),
        Card(empty, percent(scores.zero_share), how, pairs),
        Card("Lost · phantom flows", wrong, how, meaning),
    ]
