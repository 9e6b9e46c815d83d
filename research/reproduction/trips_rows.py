"""P2's figure 2 and Table S2, beside ours."""

from collections.abc import Iterator, Mapping

from engine.datasets import Dataset
from engine.origin_destination.exact.expected import Population
from research.reproduction import trips as measured
from research.reproduction.published import (
    P2_MEDIAN_ABSOLUTE,
    P2_MEDIAN_RELATIVE,
    P2_THRESHOLD,
    TABLE_S2,
)
from research.reproduction.trips import ABSOLUTE_SHOWN, READINGS, RELATIVE_SHOWN, TripsPlan
from research.rows import Published, Row, row

POPULATION_WORDS: dict[Population, str] = {
    "all": "all pairs",
    "travelled": "pairs with a trip",
    "large": f"pairs of at least {P2_THRESHOLD} trips",
}
BOUND = 3.0
"""Points: what the generator was allowed at the share of the data that are not private."""


def figure_2(dataset: Dataset, plan: TripsPlan) -> Iterator[Row]:
    """Yield the median errors of figure 2, its distributions, and the reading nearest to P2's."""
    table = "P2, figure 2"
    for epsilon, medians in measured.median_errors(dataset, plan).items():
        for population, errors in medians.items():
            setting = f"{POPULATION_WORDS[population]}, ε = {epsilon:g}"
            printed = population == "all"
            absolute = P2_MEDIAN_ABSOLUTE.get(epsilon) if printed else None
            relative = P2_MEDIAN_RELATIVE.get(epsilon) if printed else None
            yield row(table, "median error, trips, exact law", setting, errors.absolute, absolute)
            yield row(table, "median error, trips, drawn", setting, errors.drawn_absolute)
            what = "median relative error, exact law"
            yield row(table, what, setting, errors.relative, relative)
            yield row(table, "median relative error, drawn", setting, errors.drawn_relative)
            what = "median error of the true count, drawn"
            yield row(table, what, setting, errors.drawn_to_truth)
    for epsilon, cut in measured.median_errors_cut(dataset, plan).items():
        setting = f"at least {P2_THRESHOLD} in both, noise cut to whole trips, ε = {epsilon:g}"
        yield row(table, "median error, trips, drawn", setting, cut.absolute)
        yield row(table, "median relative error, drawn", setting, cut.relative)
        yield row(table, "flows", setting, cut.flows)
    for epsilon, (absolute, relative) in measured.distributions(dataset, plan).items():
        for most, share in zip(ABSOLUTE_SHOWN, absolute, strict=True):
            yield row(table, f"share of pairs off by ≤ {most} trips", f"ε = {epsilon:g}", share)
        for most, share in zip(RELATIVE_SHOWN, relative, strict=True):
            what = f"share of pairs off by ≤ {100 * most:g}%"
            yield row(table, what, f"ε = {epsilon:g}", share)
    for epsilon in plan.epsilons:
        for label, _, absolute, relative in measured.median_errors_by_size(dataset, epsilon, plan):
            setting = f"flows of {label}, ε = {epsilon:g}"
            yield row(table, "median error, trips, drawn", setting, absolute)
            yield row(table, "median relative error, drawn", setting, relative)
    sizes = measured.sizes_of_flows(dataset)
    yield row(table, "share of pairs without a trip", "true", sizes.empty)
    yield row(table, f"median flow of at least {P2_THRESHOLD}", "true", sizes.median_large)


def table_s2(loaded: Mapping[str, Dataset], plan: TripsPlan) -> Iterator[Row]:
    """Yield the shares of counts below 15, by every reading of "O–D matrix counts"."""
    for name, dataset in loaded.items():
        column, shares = TABLE_S2[name], measured.small_shares(dataset, plan)
        for reading, words in READINGS.items():
            table = f"P2, Table S2, {words}"
            true = 100 * shares.true[reading]
            printed = Published(column.not_private, BOUND, "P2, Table S2")
            yield row(table, "% of counts below 15", f"{column.label}, not private", true, printed)
            for place, epsilon in enumerate(plan.epsilons):
                expected = 100 * shares.expected[reading][place]
                printed = Published(column.private[place], BOUND, "P2, Table S2")
                setting = f"{column.label}, ε = {epsilon:g}"
                yield row(table, "% of counts below 15", setting, expected, printed)
        for place, epsilon in enumerate(plan.epsilons):
            setting = f"{column.label}, ε = {epsilon:g}"
            drawn = shares.drawn[place]
            yield row("P2, Table S2, drawn", "share of counts below 15", setting, drawn)
            low, high = measured.possible_shares(column.not_private, epsilon)
            table = "P2, Table S2, what Algorithm 1 can make of the printed share"
            yield row(table, "% below 15, least", setting, low)
            yield row(table, "% below 15, most", setting, high)
            yield row(
                "P2, Table S2, causes", "share lifted over τ", setting, shares.revealed[place]
            )
            yield row("P2, Table S2, causes", "share pushed below τ", setting, shares.lost[place])
        mean, least = measured.least_share_by_mean(column)
        yield row("P2, Table S2, causes", "mean trips a daily pair", column.label, mean)
        yield row("P2, Table S2, causes", "% below 15 at least (Markov)", column.label, least)
        yield row("P2, Table S2, causes", "share of empty pairs", column.label, shares.empty)
