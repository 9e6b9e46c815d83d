"""P2's Tables 2, 3 and S3 and the data of its figures S1 to S3, beside ours."""

from collections.abc import Iterator, Mapping

import numpy as np

from engine import origin_destination as od
from engine.datasets import Dataset
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
from research.reproduction import decisions as measured
from research.reproduction.decisions import Aid, DecisionsPlan
from research.rows import Published, Row, Spread, row

LEVELS = {"provinces": "afghanistan-2020", "districts": "afghanistan-2020-districts"}


def rows(loaded: Mapping[str, Dataset], plan: DecisionsPlan) -> Iterator[Row]:
    """Yield every figure of the two uses: acting in an epidemic, aid after a shock."""
    for level, name in LEVELS.items():
        if name in loaded:
            yield from _epidemic(level, loaded[name], plan)
    for name in EVENTS:
        if name in loaded:
            yield from _aid(name, loaded[name], plan)


def _epidemic(level: str, dataset: Dataset, plan: DecisionsPlan) -> Iterator[Row]:
    result = measured.epidemics(dataset, plan)
    if result is None:
        return
    for place, (kind, zone) in enumerate(result.origins.items()):
        start = f"{level}, from {zone}"
        for epsilon, comparison in result.drawn.items():
            setting, printed = f"{start}, ε = {epsilon:g}", TABLE_2[kind, level, epsilon]
            for name in ("accuracy", "precision", "recall"):
                over, (mean, deviation) = getattr(comparison, name), getattr(printed, name)
                ours = 100 * float(np.mean(over.mean[:, place]))
                spread = 100 * float(np.mean(over.standard_deviation[:, place]))
                half = Published(mean, 0.5, f"P2, Table 2 (± {deviation} over zones)")
                yield row("P2, Table 2", f"{name}, %, mean over zones", setting, ours, half)
                what = f"{name}, %, standard deviation over zones"
                yield row("P2, Table 2", what, setting, spread)
                undefined = float(np.mean(over.undefined[:, place]))
                yield row("P2, Table 2", f"zones without {name}", setting, undefined)
            never = 100 * float(comparison.never_acting_accuracy[place])
            yield row("P2, Table 2", "accuracy of never acting, %", setting, never)
            shift = float(np.nanmedian(comparison.shift[:, place]))
            yield row("P2, figure S1", "median shift of the first acting day", setting, shift)
        quiet = result.quiet
        wrong = (quiet.missed + quiet.needless)[place].sum()
        yield row("P2, figure S1", "peak prevalence, %", start, 100 * result.highest[place])
        yield row("P2, figure S1", "zone-days that act", start, quiet.acting_true[place].sum())
        yield row("P2, figure S1", "wrong zone-days from suppression alone", start, wrong)


def _aid(name: str, dataset: Dataset, plan: DecisionsPlan) -> Iterator[Row]:
    event = EVENTS[name]
    exact = measured.by_epsilon(dataset, measured.trip_level(1.0), plan.most)
    if exact is None:
        return
    known = exact[EPSILONS[0]].totals
    printed = Published(TRUE_TOTALS[name], 0.5, "P2, Table 3")
    yield row("P2, Table 3", "trips out, not private", event, known.together.true, printed)
    for epsilon, published in zip(EPSILONS, TABLE_3[name], strict=True):
        one = exact[epsilon]
        setting = f"{event}, ε = {epsilon:g}"
        yield from _migration("P2, Table 3", setting, published, one, plan.k)
        for day, (true, expected) in enumerate(
            zip(one.totals.by_day.true, one.totals.by_day.expected, strict=True)
        ):
            yield row("P2, figure S2", f"trips out on day {day + 1}, expected", setting, expected)
            if epsilon == EPSILONS[0]:
                yield row("P2, figure S2", f"trips out on day {day + 1}, true", event, true)
        for k in range(1, plan.most + 1):
            what = f"expected overlap of the first {k}, %"
            yield row("P2, figure S3", what, setting, 100 * _overlap(one, k))
    percentiles = measured.percentile_trips(dataset)
    for (other, percentile), columns in TABLE_S3.items():
        trips = PRINTED_T.get((other, percentile), percentiles.get(percentile))
        if other != name or trips is None:
            continue
        base = od.ODParameters(
            epsilon=1.0, max_trips_per_user=trips, suppression_threshold=measured.THRESHOLD
        )
        result = measured.by_epsilon(dataset, base, plan.k)
        for epsilon, published in zip(EPSILONS, columns, strict=True):
            if result is not None:
                setting = f"{event}, {percentile}%, T = {trips}, ε = {epsilon:g}"
                yield from _migration("P2, Table S3", setting, published, result[epsilon], plan.k)


def _migration(table: str, setting: str, published: Migration, ours: Aid, k: int) -> Iterator[Row]:
    together = ours.totals.together
    total = Spread(float(together.expected), float(together.standard_deviation))
    yield row(table, "trips out, total", setting, total, Published(published.total, 0.5, table))
    source = table if published.corrected is None else f"{table}, misprint corrected (E2)"
    error = published.error if published.corrected is None else published.corrected
    size = 100 * abs(ours.error)
    yield row(table, "error of the total, %", setting, size, Published(error, 0.005, source))
    overlap = 100 * _overlap(ours, k)
    what = f"expected overlap of the first {k}, %"
    yield row(table, what, setting, overlap, Published(published.top, 0.005, table))


def _overlap(result: Aid, k: int) -> float:
    return float(np.nanmean(result.overlap[k - 1]))
