"""The papers' measures of flows and density, side by side: laws and means, never one draw."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import streamlit as st

from engine import geography, metrics
from engine.arrays import Floats
from engine.contract import Setting
from engine.datasets import Dataset
from engine.density import DensityScores
from engine.origin_destination import has_suppression
from engine.origin_destination.scores import (
    LARGE_FLOW_TRIPS,
    TripScores,
    score_draw,
    score_expectation,
)
from engine.text import setting_text as words
from engine.text.numbers import decimal, metres, number, percent, trip_count
from engine.utility import DENSITY_DRAWS
from pages._ui.answers import cached, theorems
from pages._ui.app import cache, parallel
from pages._ui.components import tables
from pages._ui.components.picture import UNCERTAIN
from pages._ui.components.tables import Cell
from pages._ui.settings import current, offers, seeds
from pages._ui.settings.seeds import Seed

HOUR_STEP = 7
"""The earth mover's distance is that of every 7th hour of the week: each hour of a day once."""
DRAWS = DENSITY_DRAWS
_INLINE_ZONES = 40
"""Up to so many zones the draws take less time than a reader notices; else workers make them."""
_MAX_EMD_ZONES = 500
_MAX_CELLS = 20_000_000
_EMPTY = Cell("–")
_MEAN_OF_DRAWS = f"Mean of {DRAWS} draws, so small differences are chance."
Column = dict[str, Cell]


class DrawnMeasures(NamedTuple):
    """Measures of one draw: errors of flows, their correlation, and the displacement."""

    scores: TripScores | None
    correlation: float
    displacement_m: float


def draw_table(flows: Setting | None, density: Setting | None) -> None:
    """Draw the measures of both mechanisms as one table, and ε by both theorems."""
    settings = {"Flows": flows, "Density": density}

    def show(columns: dict[str, Column]) -> None:
        if flows is not None:
            columns["Flows"] |= theorems.compare_epsilons(flows)
        labels = list(dict.fromkeys(label for column in columns.values() for label in column))
        names = {s.dataset_id for s in settings.values() if s is not None}
        heads = [
            Cell(name, _describe_column(s, has_name=len(names) > 1)) for name, s in settings.items()
        ]
        rows = [
            (label, [columns[name].get(label, _EMPTY) for name in settings]) for label in labels
        ]
        st.html(tables.number_table_html(heads, rows))

    _draw_when_known("numbers", settings, show)


def draw_strip(setting: Setting, extra: Column | None = None) -> None:
    """Draw the measures of one setting in a line, those of a pinned one under it."""

    def show(columns: dict[str, Column]) -> None:
        column = columns["set"] | (extra or {})
        is_exact = cached.method_of(setting).has_flow_distribution
        draws = "" if is_exact else f", means of {DRAWS} draws"
        title = f"{_describe_column(setting, has_name=True)}{draws}"
        st.html(tables.strip_html(list(column.items()), title=title))

    _draw_when_known("strip", {"set": setting}, show)


def _draw_when_known(
    name: str, settings: dict[str, Setting | None], show: Callable[[dict[str, Column]], None]
) -> None:
    """Draw the columns of settings, again when the draws are there that some numbers need."""
    pieces: dict[Setting, list[tuple[Setting, Seed, int]]] = {}
    quick: dict[tuple[Setting, Seed, int], DrawnMeasures] = {}
    for setting in settings.values():
        for candidate in (setting, None if setting is None else current.pinned_setting(setting)):
            if candidate is not None and _is_drawable(candidate):
                seed = seeds.seed(offers.entry_of(candidate))
                pieces[candidate] = [(candidate, seed, repeat) for repeat in range(DRAWS)]
                if _is_quick(candidate):
                    for piece in pieces[candidate]:
                        quick[piece] = cache.compute(measure_draw, *piece)
    all_pieces = [piece for parts in pieces.values() for piece in parts]
    job = parallel.submit(name, measure_draw, all_pieces, delay_s=parallel.REST_S)

    def part(_: list[DrawnMeasures], running: bool) -> None:
        results = dict(quick)
        if not running:
            results |= zip(all_pieces, job.ordered_results, strict=False)

        def make(setting: Setting) -> Column:
            drawn = [results[piece] for piece in pieces.get(setting, ()) if piece in results]
            make_column = _flow_column if words.is_flows(setting) else _density_column
            return make_column(setting, drawn)

        columns: dict[str, Column] = {}
        for key, setting in settings.items():
            columns[key] = {} if setting is None else make(setting)
            pinned = None if setting is None else current.pinned_setting(setting)
            for label, cell in ({} if pinned is None else make(pinned)).items():
                if label in columns[key]:
                    note = f"pinned: {cell.value}"
                    columns[key][label] = columns[key][label]._replace(note=note)
        show(columns)

    parallel.draw_live(name, job, part)


def _is_drawable(setting: Setting) -> bool:
    zones = len(cached.dataset(cached.view_key(setting)).zones)
    return cached.matrix_count(setting) * zones**2 <= _MAX_CELLS


def _is_quick(setting: Setting) -> bool:
    zones = len(cached.dataset(cached.view_key(setting)).zones)
    return zones <= _INLINE_ZONES and cached.method_of(setting).has_flow_distribution


def _describe_column(setting: Setting | None, *, has_name: bool) -> str:
    """Return of which data and times the numbers of a column are."""
    if setting is None:
        return "no data"
    count = cached.matrix_count(setting)
    times = f"all {count} {setting.time.aggregation}s" if count > 1 else ""
    name = offers.entry_of(setting).name if has_name else ""
    return ", ".join(text for text in (name, times) if text)


def measure_draw(setting: Setting, seed: Seed, repeat: int) -> DrawnMeasures:
    """Return the measures of one draw, of flows over all matrices."""
    draw = cached.draw_release if repeat else cached.release
    if not words.is_flows(setting):
        true, private = cached.truth(setting), draw(setting, seed, repeat).counts
        positive = np.maximum(private[:, ::HOUR_STEP], 0.0)
        distances = cached.read(_centre_distances_m, cached.view_key(setting))
        moved = metrics.earth_movers_distance(true[:, ::HOUR_STEP], positive, distances)
        return DrawnMeasures(None, float("nan"), metrics.mean_of_finite(moved))
    days = range(cached.matrix_count(setting))
    releases = [draw(setting, seed, repeat, day) for day in days]
    true = np.stack([cached.truth(setting, day) for day in days])
    private = np.concatenate([release.point_estimates for release in releases])
    is_shown = np.concatenate([release.is_shown for release in releases])
    for_sums = np.concatenate([release.counts for release in releases])
    off = ~np.eye(true.shape[-1], dtype=bool)
    correlation = displacement = float("nan")
    if len(off) > 1:
        correlations = metrics.pearson_correlation(
            true[:, off].astype(np.float64), private[:, off].astype(np.float64)
        )
        correlation = metrics.mean_of_finite(correlations)
    if len(off) <= _MAX_EMD_ZONES:
        true_departures, departures = (
            np.maximum(counts * off, 0).sum(axis=2).T.astype(np.float64)
            for counts in (true, for_sums)
        )
        distances = cached.read(_centre_distances_m, cached.view_key(setting))
        moved = metrics.earth_movers_distance(true_departures, departures, distances)
        displacement = metrics.mean_of_finite(moved)
    return DrawnMeasures(score_draw(true, private, is_shown, for_sums), correlation, displacement)


def _centre_distances_m(dataset: Dataset) -> Floats:
    return geography.centre_distances_m(dataset.zones)


def _mean(values: Sequence[float]) -> float:
    """Return the mean of the finite values; NaN without any, and before there are draws."""
    return metrics.mean_of_finite(np.array(values, dtype=np.float64))


def _drawn(drawn: Sequence[DrawnMeasures], text: str, note: str, meaning: str) -> Cell:
    """Return a number that draws are needed for: an ellipsis before there are any."""
    return Cell(text if drawn else "…", note, f"{meaning} {_MEAN_OF_DRAWS}")


def mean_total_error(setting: Setting) -> float:
    """Return the relative error of all visits of a density, the mean of its draws."""
    return _mean([scores.total_error for scores in _density_scores(setting)])


def _density_scores(setting: Setting) -> list[DensityScores]:
    seed = seeds.seed(offers.entry_of(setting))
    return [cached.scores(setting, seed, repeat) for repeat in range(DRAWS)]


def _density_column(setting: Setting, drawn: Sequence[DrawnMeasures]) -> Column:
    scores = _density_scores(setting)
    return {
        "Mean error": Cell(
            f"{number(_mean([s.mean_absolute_error for s in scores]))} visits",
            "",
            f"|private − true| of a zone in an hour of the week. {_MEAN_OF_DRAWS}",
        ),
        "Relative error (MRE)": Cell(
            percent(_mean([s.mean_error for s in scores])),
            "",
            "|private − true| / true of a zone in an hour; true is at least 0.1% of the zone's "
            f"week. {_MEAN_OF_DRAWS}",
        ),
        "Pearson correlation (r)": Cell(
            decimal(_mean([s.mean_correlation for s in scores])),
            "over hours",
            f"Mean over zones: 1 if peaks and nights hold, 0 if they are lost. {_MEAN_OF_DRAWS}",
        ),
        "Displacement (EMD)": _drawn(
            drawn,
            metres(_mean([draw.displacement_m for draw in drawn])),
            "of visits",
            "Earth mover's distance: as if every visit had moved so far. Computed for every "
            f"{HOUR_STEP}th hour of the week.",
        ),
    }


def _flow_column(setting: Setting, drawn: Sequence[DrawnMeasures]) -> Column:
    exact, floor = cached.expected(setting), setting.parameters.min_shown_count
    draws = [draw.scores for draw in drawn if draw.scores is not None]
    how = "Expected, by the exact law."
    if exact is not None:
        scores = score_expectation(exact)
    elif draws:
        means = {
            name: _mean([getattr(score, name) for score in draws])
            for name in TripScores.__dataclass_fields__
        }
        scores, how = TripScores(**means), _MEAN_OF_DRAWS
    else:
        scores = None

    def cell(write: Callable[[TripScores], str], note: str, meaning: str) -> Cell:
        texts = "…" if scores is None else write(scores), note, f"{meaning} {how}"
        return Cell(*map(setting.say_counts, texts))

    is_estimate = cached.method_of(setting).number_kind == "estimated"
    suppresses = has_suppression(setting.parameters)
    hidden = "suppressed" if suppresses else UNCERTAIN if is_estimate else "shown as 0"
    large = f"flows ≥ {LARGE_FLOW_TRIPS} trips"
    why = (
        f": their noisy count is below {floor:,}. Noise lifts small flows over τ and pushes larger "
        "ones below"
        * suppresses
        + ": they may well be empty. Maps leave them out, files keep the estimates" * is_estimate
    )
    zeros = hidden[0].upper() + hidden[1:]
    return {
        "Mean error": cell(
            lambda s: trip_count(s.mean_error), "", "|private − true| over all pairs of zones."
        ),
        "Relative error (MRE)": cell(
            lambda s: percent(s.relative_error),
            large,
            f"|private − true| / true, of those {hidden}, too.",
        ),
        "Pearson correlation (r)": _drawn(
            drawn,
            decimal(_mean([draw.correlation for draw in drawn])),
            "over pairs",
            "1 if flows keep their proportions, even if all are too low. Over all ordered pairs of "
            "zones, mean over matrices.",
        ),
        "Displacement (EMD)": _drawn(
            drawn,
            metres(_mean([draw.displacement_m for draw in drawn])),
            "of departures",
            "Earth mover's distance: as if every departure had moved so far; between the middles "
            "of zones.",
        ),
        zeros: cell(
            lambda s: percent(s.zero_share),
            "of pairs",
            f"Share of all ordered pairs {hidden}{why}.",
        ),
        setting.say_counts(f"Lost of {LARGE_FLOW_TRIPS}+ trips · phantom"): cell(
            lambda s: f"{s.lost_flows:,.0f} of {s.large_flows:,.0f} · {s.phantom_flows:,.0f}",
            "",
            f"Lost: {large}, {hidden}, whatever τ is. Phantom: shown although nobody travelled.",
        ),
    }
