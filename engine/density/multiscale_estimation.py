"""Estimation of the multiscale Gaussian from its noisy tables, along a public tree of towers.

It shrinks differences between neighbours that noise can explain. Sizes of towers come first, level
by level; then the city's week in rhythms (patterns of days × harmonics of a day, 28 groups); then
the towers' weeks as differences of halves; last, residuals of single cells. It is post-processing.
"""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.sparse import csr_array

from ..arrays import Floats, Integers
from ..errors import ParameterError

HOUR_GROUPS = ((0, 0), (1, 1), (2, 2), (3, 3), (4, 5), (6, 8), (9, 12))
"""First and last harmonic of a day in each frequency band."""
CITY_ERRORS, TOWER_ERRORS = 2.0, 3.5
"""Standard errors by which groups of the city's week, and differences of halves or single cells,
must exceed the noise."""
REGION_LEVEL = 3
"""Tree level whose totals the last shrinkage of sizes preserves: 8 regions."""
MIN_WEIGHT, MIN_HOUR_SHARE = 0.3, 0.1
"""Least tower weight in the comparison of weeks, in noises of one tower's size; least share of an
hour in their reference week, relative to an even hour."""


@dataclass(frozen=True, eq=False)
class NoisyTable:
    """One measured table in visits; `sigma` is the standard deviation of each cell's noise."""

    values: Floats
    sigma: float

    @property
    def total(self) -> float:
        """Sum of the table, at least its own noise, so that it can divide."""
        return max(float(self.values.sum()), self.sigma * math.sqrt(self.values.size))


@dataclass(frozen=True, eq=False, kw_only=True)
class NoisyTables:
    """All measured tables of `multiscale`, already private; the visit total K̂ can be negative."""

    towers: NoisyTable
    districts: NoisyTable
    city: NoisyTable
    weeks: NoisyTable
    visit_total: float


@dataclass(frozen=True, eq=False)
class Tree:
    """A balanced binary tree over public tower positions.

    `first` and `second`, shape (splits, towers), hold 1 where a tower lies in that half of a split,
    coarse splits first; `level` of a split is 0 for the whole region. `nodes`, shape (levels + 1,
    towers), are each tower's node by level; the last level has single towers.
    """

    first: csr_array
    second: csr_array
    level: Integers
    nodes: Integers

    @property
    def district_depth(self) -> int:
        """Half the depth of the tree, with about √towers nodes."""
        return (len(self.nodes) - 1) // 2

    @property
    def districts(self) -> Integers:
        """District of each tower, from 0, shape (towers,)."""
        return self.nodes[self.district_depth]


def build_tree(positions: Floats) -> Tree:
    """Return the tree that splits the longer side at the median, down to single towers.

    `positions` are longitude and latitude in degrees. Only their order decides the halves, and
    sides compare at the mean latitude, so every machine builds the same tree.
    """
    towers = len(positions)
    if positions.shape != (towers, 2) or towers == 0 or not np.isfinite(positions).all():
        raise ParameterError(
            f"positions must be finite, one row a tower, got shape {positions.shape}; take them "
            "from the dataset's towers"
        )
    stretch = np.array([np.cos(np.radians(positions[:, 1].mean())), 1.0])
    parts = [np.arange(towers)]
    nodes = [np.zeros(towers, dtype=np.int64)]
    halves: tuple[list[Integers], list[Integers]] = [], []
    level: list[int] = []
    while any(len(part) > 1 for part in parts):
        finer: list[Integers] = []
        for part in parts:
            if len(part) == 1:
                finer.append(part)
                continue
            sides = np.ptp(positions[part], axis=0) * stretch
            order = part[np.argsort(positions[part, np.argmax(sides)], kind="stable")]
            # parts keep the towers' own order, which breaks ties
            for half, chosen in zip(halves, np.split(order, [len(part) // 2]), strict=True):
                half.append(np.sort(chosen))
                finer.append(half[-1])
            level.append(len(nodes) - 1)
        parts = finer
        numbers = np.empty(towers, dtype=np.int64)
        for number, part in enumerate(parts):
            numbers[part] = number
        nodes.append(numbers)
    first, second = (_tower_membership(parts, towers) for parts in halves)
    return Tree(first, second, np.array(level, dtype=np.int64), np.array(nodes))


def halves_to_towers(tree: Tree, weights: Floats) -> csr_array:
    """Return the map from differences of halves to towers, shape (towers, splits).

    It keeps the weighted mean of every node; the halves of a split differ by the difference.
    """
    first, second = tree.first @ weights, tree.second @ weights
    to_first, to_second = second / (first + second), first / (first + second)
    return csr_array((tree.first * to_first[:, None] - tree.second * to_second[:, None]).T)


def _tower_membership(halves: list[Integers], towers: int) -> csr_array:
    ends = np.cumsum([0, *(len(half) for half in halves)])
    columns = np.concatenate([*halves, np.zeros(0, dtype=np.int64)])
    return csr_array((np.ones(len(columns)), columns, ends), shape=(len(halves), towers))


def estimate_visits(noisy: NoisyTables, tree: Tree) -> Floats:
    """Return the visits by tower and hour, shape (towers, 168), at least 0."""
    sizes, size_noise = estimate_tower_shares(noisy.weeks, tree)
    city = estimate_city_week(noisy.city)
    weights = np.maximum(sizes, MIN_WEIGHT * size_noise)
    weeks = estimate_tower_weeks(noisy, tree, weights, city)
    weeks = add_cell_residuals(noisy.towers, sizes, weeks)
    return max(noisy.visit_total, 0.0) * sizes[:, None] * weeks


def estimate_tower_shares(weeks: NoisyTable, tree: Tree) -> tuple[Floats, float]:
    """Return the towers' shares of all visits, of sum 1, and the measurement noise of one share."""
    towers = len(weeks.values)
    counts, noise = weeks.values / weeks.total, weeks.sigma / weeks.total
    first, second = tree.first.sum(axis=1), tree.second.sum(axis=1)
    differences = tree.first @ counts / first - tree.second @ counts / second
    variances = noise**2 * (1 / first + 1 / second)
    for level in np.unique(tree.level):  # shrunk by s/(s + v), s the level's signal variance
        at_level = tree.level == level
        signal = estimate_signal_variance(
            differences[at_level, None] ** 2, variances[at_level], np.ones(1), 0.0
        )
        differences[at_level] *= signal / (signal + variances[at_level])
    sizes = np.maximum(1 / towers + halves_to_towers(tree, np.ones(towers)) @ differences, 0.0)
    # shares within the noise go to 0; their region keeps its total
    shrunk = sizes**3 / (sizes**2 + noise**2)
    region = tree.nodes[min(REGION_LEVEL, len(tree.nodes) - 1)]
    region_before, region_after = (
        np.bincount(region, weights=values) for values in (sizes, shrunk)
    )
    back = np.divide(
        region_before, region_after, out=np.zeros_like(region_before), where=region_after > 0
    )
    return to_shares(shrunk * back[region]), noise


@cache
def week_basis() -> tuple[Floats, Integers]:
    """Return an orthonormal basis of the week, shape (168, 168), and the group of each column.

    Group 7·(pattern of days) + (band), ascending; the patterns are all days, weekend, Saturday–
    Sunday and weekdays. A group shrinks as a whole, so any basis of it serves.
    """
    weekend, contrast = np.array([-2.0] * 5 + [5.0] * 2), np.array([0.0] * 5 + [1.0, -1.0])
    five = np.arange(5) + 0.5
    weekdays = [[*np.cos(np.pi * k * five / 5), 0.0, 0.0] for k in range(1, 5)]
    days = np.array([np.ones(7), weekend, contrast, *weekdays])
    hours = 2 * np.pi * np.arange(24) / 24
    both = (np.cos, np.sin)  # sines of 0 and 12 are 0
    waves = [(k, f(k * hours)) for k in range(13) for f in both if k % 12 or f is np.cos]
    columns = np.array([np.outer(day, wave).ravel() for day in days for _, wave in waves])
    pattern = np.repeat([0, 1, 2, 3, 3, 3, 3], len(waves))
    band = [next(i for i, (_, last) in enumerate(HOUR_GROUPS) if k <= last) for k, _ in waves]
    basis = (columns / np.linalg.norm(columns, axis=1, keepdims=True)).T
    groups = len(HOUR_GROUPS) * pattern + np.tile(band, len(days))
    order = np.argsort(groups, kind="stable")
    basis, groups = basis[:, order], groups[order]
    basis.flags.writeable = groups.flags.writeable = False
    return basis, groups


def estimate_city_week(noisy: NoisyTable) -> Floats:
    """Return the city's week, shape (168,), from groups above the noise (James & Stein 1961)."""
    basis, groups = week_basis()
    coefficients, noise = basis.T @ noisy.values, noisy.sigma**2
    sizes = np.bincount(groups).astype(np.float64)
    sums = np.bincount(groups, weights=coefficients**2)
    is_significant = sums / sizes > noise * noise_upper_bound(sizes, CITY_ERRORS)
    shrinkage = 1.0 - np.maximum(sizes - 2, 0.0) * noise / np.maximum(sums, noise)
    factors = np.where(is_significant, np.maximum(shrinkage, 0.0), 0.0)
    factors[0] = 1.0
    return to_shares(basis @ (coefficients * factors[groups]))


def to_shares(series: Floats) -> Floats:
    """Return the series clipped at 0 and divided by their sums; even where the sum is 0."""
    positive = np.maximum(series, 0.0)
    sums = positive.sum(axis=-1, keepdims=True)
    even = np.full_like(positive, 1.0 / positive.shape[-1])
    return np.divide(positive, sums, out=even, where=sums > 0)


def estimate_tower_weeks(noisy: NoisyTables, tree: Tree, weights: Floats, city: Floats) -> Floats:
    """Return the week of each tower, shape (towers, 168), of sum 1; `weights` are above 0.

    A coefficient of a difference shrinks by s/(s + its noise), s one signal variance a group.
    Rhythms are relative to the city's week, so that they are small in quiet hours; QR makes them
    orthonormal again, so the noise stays even.
    """
    differences, noise = _halves_difference(noisy.towers, tree.first, tree.second, weights)
    above = np.flatnonzero(tree.level < tree.district_depth)
    members = np.eye(tree.districts.max() + 1)[tree.districts]
    first, second = ((half[above] @ members > 0) * 1.0 for half in (tree.first, tree.second))
    coarse, coarse_noise = _halves_difference(noisy.districts, first, second, members.T @ weights)
    share = noise[above] / (noise[above] + coarse_noise)  # by precision
    differences[above] += share[:, None] * (coarse - differences[above])
    noise[above] = share * coarse_noise
    basis, groups = week_basis()
    basis = np.linalg.qr(basis * np.maximum(city, MIN_HOUR_SHARE / len(city))[:, None])[0]
    coefficients = differences @ basis
    in_group = np.eye(groups.max() + 1)[groups]
    components = in_group.sum(axis=0)
    squares = coefficients**2 @ in_group / components
    signal = estimate_signal_variance(squares, noise, components, TOWER_ERRORS)[groups]
    shrunk = (coefficients * signal / (signal + noise[:, None])) @ basis.T
    return to_shares(city + halves_to_towers(tree, weights) @ shrunk)


def _halves_difference(
    table: NoisyTable, first: csr_array | Floats, second: csr_array | Floats, weights: Floats
) -> tuple[Floats, Floats]:
    """Return the difference of the halves' visits by hour per weight, and its noise variance."""
    scaled = table.values / table.total
    first_weight, second_weight = (first @ weights)[:, None], (second @ weights)[:, None]
    noise = (
        first.sum(axis=1) / first_weight[:, 0] ** 2 + second.sum(axis=1) / second_weight[:, 0] ** 2
    )
    return first @ scaled / first_weight - second @ scaled / second_weight, (
        table.sigma / table.total
    ) ** 2 * noise


def add_cell_residuals(table: NoisyTable, sizes: Floats, weeks: Floats) -> Floats:
    """Return the weeks with the residuals of single cells that exceed the noise."""
    fit = table.total * sizes[:, None] * weeks
    residuals, noise = table.values - fit, table.sigma**2
    excess = (residuals**2 - noise).sum() / fit.sum()
    if excess <= TOWER_ERRORS * np.sqrt(2.0 * fit.size) * noise / fit.sum():
        return weeks
    cells = fit + residuals * excess * fit / (excess * fit + noise)
    is_significant = cells.max(axis=1, keepdims=True) > 0
    return np.where(is_significant, to_shares(cells), weeks)


def noise_upper_bound(components: Floats, errors: float) -> Floats:
    """Return the quantile of mean squares of noise at `errors` (Wilson & Hilferty 1931)."""
    spread = 2.0 / (9.0 * components)
    return (1.0 - spread + errors * np.sqrt(spread)) ** 3


def estimate_signal_variance(
    squares: Floats, noise: Floats, components: Floats, errors: float
) -> Floats:
    """Return the signal variance of differences by group; 0 where noise explains them.

    `squares`, shape (differences, groups), are mean squares over the `components` of each
    difference, whose noise has the variance `noise`.
    """
    if len(noise) == 0:
        return np.zeros(len(components))
    root = np.sqrt(noise)
    freedom = components * (1 / root).sum() ** 2 / (1 / noise).sum()
    weighted = (squares / (noise * root)[:, None]).sum(axis=0)
    clear = weighted > (1 / root).sum() * noise_upper_bound(freedom, errors)
    signal = np.zeros(len(components))
    weights = np.repeat(1 / (noise * root)[:, None], len(components), axis=1)
    for _ in range(3):
        excess = (weights * (squares - noise[:, None])).sum(axis=0) / weights.sum(axis=0)
        signal = np.maximum(excess, 0.0)
        weights = 1 / (signal + noise[:, None]) ** 2
    return np.where(clear, signal, 0.0)
