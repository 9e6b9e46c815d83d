"""P2's Tables 2, 3 and S3 and the data of its figures S1 to S3 beside ours, on simulated people."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from engine import decisions, origin_destination as od
from engine.arrays import Floats
from engine.datasets import Dataset
from engine.decisions.epidemic import scenario_origins, suppressed_epidemic
from engine.decisions.published import (
    EPSILONS,
    EVENTS,
    PRINTED_T,
    TABLE_2,
    TABLE_3,
    TABLE_S3,
    TRUE_TOTALS,
    Migration,
)
from engine.decisions.scoring import Comparison, concatenate
from research.reproduction.trips import settings
from research.rows import Published, Row, Spread, row

LEVELS = {"provinces": "afghanistan-2020", "districts": "afghanistan-2020-districts"}
FINE_ZONES = 100
EPIDEMIC, AID = "P2, Table 2", "P2, Table 3"


@dataclass(frozen=True)
class DecisionsPlan:
    """How many releases are drawn, how many destinations ranked (figure S3), and for Table 3."""

    draws: int = 20
    fine_draws: int = 3
    most: int = 10
    k: int = 3
    seed: int = 2024


def rows(loaded: Mapping[str, Dataset], plan: DecisionsPlan) -> Iterator[Row]:
    """Yield every figure of the two uses: acting in an epidemic, aid after a shock."""
    for level, name in LEVELS.items():
        if name in loaded and "epidemic_origins" in loaded[name].metadata.scenario:
            yield from _epidemic(level, loaded[name], plan)
    for name in EVENTS:
        if name in loaded and "shock" in loaded[name].metadata.scenario:
            yield from _aid(name, loaded[name], plan)


def _epidemic(level: str, dataset: Dataset, plan: DecisionsPlan) -> Iterator[Row]:
    kinds = scenario_origins(dataset)
    origins = list(kinds.values())
    names = dict(zip(dataset.zones["zone_id"].astype(str), dataset.zones["name"], strict=True))
    true = decisions.true_epidemic(dataset, origins).prevalence
    quiet = suppressed_epidemic(dataset, origins, None, settings(1.0)).prevalence
    suppressed = decisions.compare(true, quiet)
    drawn = _compared(dataset, origins, true, plan)
    for place, (kind, zone) in enumerate(kinds.items()):
        start = f"{level}, from {names[zone]}"
        for epsilon, comparison in drawn.items():
            setting, printed = f"{start}, ε = {epsilon:g}", TABLE_2[kind, level, epsilon]
            for name in ("accuracy", "precision", "recall"):
                over, (mean, deviation) = getattr(comparison, name), getattr(printed, name)
                ours = 100 * float(np.mean(over.mean[:, place]))
                spread = 100 * float(np.mean(over.standard_deviation[:, place]))
                half = Published(mean, 0.5, f"P2, Table 2 (± {deviation} over zones)")
                yield row(EPIDEMIC, f"{name}, %, mean over zones", setting, ours, half)
                what = f"{name}, %, standard deviation over zones"
                yield row(EPIDEMIC, what, setting, spread)
                undefined = float(np.mean(over.undefined[:, place]))
                yield row(EPIDEMIC, f"zones without {name}", setting, undefined)
            never = 100 * float(comparison.never_acting_accuracy[place])
            yield row(EPIDEMIC, "accuracy of never acting, %", setting, never)
            shift = float(np.nanmedian(comparison.shift[:, place]))
            yield row("P2, figure S1", "median shift of the first acting day", setting, shift)
        wrong = (suppressed.missed + suppressed.needless)[place].sum()
        yield row("P2, figure S1", "peak prevalence, %", start, 100 * true[place].max())
        yield row("P2, figure S1", "zone-days that act", start, suppressed.acting_true[place].sum())
        yield row("P2, figure S1", "wrong zone-days from suppression alone", start, wrong)


def _compared(
    dataset: Dataset, origins: list[str], true: Floats, plan: DecisionsPlan
) -> dict[float, Comparison]:
    """Return what releases get wrong by ε; arrays of shape (draws, origins, zones)."""
    draws = plan.draws if len(dataset.zones) < FINE_ZONES else plan.fine_draws
    blocks = decisions.private_epidemics(
        dataset,
        origins,
        None,
        [settings(epsilon) for epsilon in EPSILONS],
        draws,
        rng=np.random.default_rng(plan.seed),
    )
    parts = [[decisions.compare(true, one) for one in block] for block in blocks]
    return {
        epsilon: concatenate([block[place] for block in parts], axis=0)
        for place, epsilon in enumerate(EPSILONS)
    }


def _aid(name: str, dataset: Dataset, plan: DecisionsPlan) -> Iterator[Row]:
    event = EVENTS[name]
    exact = _exact(dataset, settings(1.0), plan.most)
    for epsilon, published in zip(EPSILONS, TABLE_3[name], strict=True):
        totals, overlap = exact[epsilon]
        if epsilon == EPSILONS[0]:
            known, printed = totals.together.true, Published(TRUE_TOTALS[name], 0.5, AID)
            yield row(AID, "trips out, not private", event, known, printed)
        setting = f"{event}, ε = {epsilon:g}"
        yield from _migration(AID, setting, published, exact[epsilon], plan.k)
        by_day = zip(totals.by_day.true, totals.by_day.expected, strict=True)
        for day, (true, expected) in enumerate(by_day):
            yield row("P2, figure S2", f"trips out on day {day + 1}, expected", setting, expected)
            if epsilon == EPSILONS[0]:
                yield row("P2, figure S2", f"trips out on day {day + 1}, true", event, true)
        for k in range(1, plan.most + 1):
            what = f"expected overlap of the first {k}, %"
            yield row("P2, figure S3", what, setting, 100 * float(np.nanmean(overlap[k - 1])))
    percentiles = dataset.metadata.scenario.get("marginals", {}).get("daily_trips_percentiles", {})
    for (other, percentile), columns in TABLE_S3.items():
        trips = PRINTED_T.get((other, percentile), percentiles.get(str(percentile)))
        if other != name or trips is None:
            continue
        base = replace(settings(1.0), unit="person-day", max_trips_per_user=int(trips))
        exact = _exact(dataset, base, plan.k)
        for epsilon, published in zip(EPSILONS, columns, strict=True):
            setting = f"{event}, {percentile}%, T = {trips}, ε = {epsilon:g}"
            yield from _migration("P2, Table S3", setting, published, exact[epsilon], plan.k)


Aid = tuple[decisions.ShockTotals, Floats]
"""Exact figures of one release of the trips out of an area: totals; overlap, shape (k, days)."""


def _exact(dataset: Dataset, base: od.ODParameters, most: int) -> dict[float, Aid]:
    """Return the figures of the shock that a dataset names, at P2's three ε."""
    figures: dict[float, Aid] = {}
    for epsilon in EPSILONS:
        at = base.at(epsilon)
        leaving = decisions.outflow(dataset, decisions.shock(dataset), at)
        law = decisions.selection_probability(leaving, at, most)
        figures[epsilon] = decisions.shock_totals(leaving, at), law.overlap
    return figures


def _migration(table: str, setting: str, published: Migration, ours: Aid, k: int) -> Iterator[Row]:
    together, overlap = ours[0].together, ours[1]
    total = Spread(float(together.expected), float(together.standard_deviation))
    yield row(table, "trips out, total", setting, total, Published(published.total, 0.5, table))
    source = table if published.corrected is None else f"{table}, misprint corrected (E2)"
    error = published.error if published.corrected is None else published.corrected
    size = 100 * abs(float(together.bias / together.true))
    yield row(table, "error of the total, %", setting, size, Published(error, 0.005, source))
    what, top = f"expected overlap of the first {k}, %", Published(published.top, 0.005, table)
    yield row(table, what, setting, 100 * float(np.nanmean(overlap[k - 1])), top)
