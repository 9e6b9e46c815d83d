"""Estimation of the multiscale Gaussian from its noisy tables, along a public tree of towers.

It shrinks differences between the two halves of a node that noise can explain. First come the
towers' shares of all visits, level by level; where the tree does not help they are projected. Then
comes the city's profile (168 shares of hours) in *rhythms*, products of a pattern of days and a
harmonic of the day, in 28 groups. If hours of towers were measured, then come the towers' profiles,
as differences of halves in those rhythms; last, residuals of single entries (tower × hour). All of
it is post-processing.
"""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.sparse import csr_array

from ..arrays import Floats, Integers

HARMONIC_BANDS = ((0, 0), (1, 1), (2, 2), (3, 3), (4, 5), (6, 8), (9, 12))
"""First and last harmonic of a day (cycles in 24 hours) in each frequency band."""
CITY_Z_THRESHOLD, TOWER_Z_THRESHOLD = 2.0, 3.5
"""A mean square is signal if it exceeds that of noise by so many standard errors: of the city's
groups; of differences between halves' profiles, and of entries."""
PROJECTION_Z_THRESHOLD = 3.0
"""Shares are projected if that reduces the estimated squared error by so many standard errors."""


@dataclass(frozen=True, eq=False)
class NoisyTable:
    """Visits of people scaled down to the clip, with noise of standard deviation `sigma`."""

    values: Floats
    sigma: float

    @property
    def total(self) -> float:
        """Sum of the values, at least its noise's standard deviation, so that it can divide."""
        return max(float(self.values.sum()), self.sigma * math.sqrt(self.values.size))


@dataclass(frozen=True, eq=False, kw_only=True)
class NoisyTables:
    """The noisy tables of `multiscale`; the visit total K̂ can be negative.

    With few visits a tower, towers and districts by hour are not measured.
    """

    towers: NoisyTable | None
    districts: NoisyTable | None
    city: NoisyTable
    tower_totals: NoisyTable
    visit_total: float


@dataclass(frozen=True, eq=False)
class TowerTree:
    """A balanced binary tree over public tower positions.

    A split cuts a node in halves: `first_halves` and `second_halves`, shape (splits, towers), are 1
    where a tower lies in that half, coarse splits first. `level`, shape (splits,), is 0 for the
    split of the whole city. `nodes`, shape (levels + 1, towers), are each tower's node by level,
    from the whole city to single towers.
    """

    first_halves: csr_array
    second_halves: csr_array
    level: Integers
    nodes: Integers

    @property
    def district_depth(self) -> int:
        """Level of the districts: half the depth of the tree, with about √towers nodes."""
        return (len(self.nodes) - 1) // 2

    @property
    def districts(self) -> Integers:
        """District, a group of neighbouring towers, of each tower; from 0, shape (towers,)."""
        return self.nodes[self.district_depth]


def build_tree(positions: Floats) -> TowerTree:
    """Return the tree that halves the longer side at the median, the same on every machine."""
    tower_count = len(positions)
    stretch = np.array([np.cos(np.radians(positions[:, 1].mean())), 1.0])
    parts = [np.arange(tower_count)]  # towers of each node of one level, ascending
    nodes = [np.zeros(tower_count, dtype=np.int64)]
    halves: tuple[list[Integers], list[Integers]] = [], []
    level: list[int] = []
    while any(len(part) > 1 for part in parts):
        finer_parts: list[Integers] = []
        for part in parts:
            if len(part) == 1:
                finer_parts.append(part)
                continue
            sides = np.ptp(positions[part], axis=0) * stretch
            order = part[np.argsort(positions[part, np.argmax(sides)], kind="stable")]
            # the towers' own order breaks ties
            for half, members in zip(halves, np.split(order, [len(part) // 2]), strict=True):
                half.append(np.sort(members))
                finer_parts.append(half[-1])
            level.append(len(nodes) - 1)
        parts = finer_parts
        node_numbers = np.empty(tower_count, dtype=np.int64)
        for number, part in enumerate(parts):
            node_numbers[part] = number
        nodes.append(node_numbers)
    first, second = (_tower_membership(parts, tower_count) for parts in halves)
    return TowerTree(first, second, np.array(level, dtype=np.int64), np.array(nodes))


def difference_map(tree: TowerTree, weights: Floats) -> csr_array:
    """Return the matrix from differences of halves to towers' values, which keeps nodes' means."""
    first, second = tree.first_halves @ weights, tree.second_halves @ weights
    to_first, to_second = second / (first + second), first / (first + second)
    moves = tree.first_halves * to_first[:, None] - tree.second_halves * to_second[:, None]
    return csr_array(moves.T)


def _tower_membership(halves: list[Integers], tower_count: int) -> csr_array:
    """Return 1 where a tower is in a half, shape (halves, towers)."""
    ends = np.cumsum([0, *(len(half) for half in halves)])
    columns = np.concatenate([*halves, np.zeros(0, dtype=np.int64)])
    return csr_array((np.ones(len(columns)), columns, ends), shape=(len(halves), tower_count))


def estimate_visits(noisy: NoisyTables, tree: TowerTree) -> Floats:
    """Return the estimated visits by tower and hour, shape (towers, 168), at least 0."""
    tower_shares, share_noise = estimate_tower_shares(noisy.tower_totals, tree)
    city_profile = estimate_city_profile(noisy.city)
    profiles = city_profile[None]
    if noisy.towers is not None and noisy.districts is not None:
        weights = np.maximum(tower_shares, 0.3 * share_noise)
        hours = noisy.towers, noisy.districts
        profiles = estimate_tower_profiles(*hours, tree, weights, city_profile)
        profiles = add_entry_residuals(noisy.towers, tower_shares, profiles)
    return max(noisy.visit_total, 0.0) * tower_shares[:, None] * profiles


def estimate_tower_shares(tower_totals: NoisyTable, tree: TowerTree) -> tuple[Floats, float]:
    """Return the towers' shares of all visits, and the noise's σ of one share before shrinkage.

    They are smoothed along the tree, or projected where that is clearly closer to the true shares
    by Stein's unbiased estimate of the squared error (Stein 1981).
    """
    noisy_shares = tower_totals.values / tower_totals.total
    noise = tower_totals.sigma / tower_totals.total
    smoothed, smoothed_freedom = smooth_tower_shares(noisy_shares, noise, tree)
    projected = project_to_shares(noisy_shares)
    excess = ((noisy_shares - smoothed) ** 2 - (noisy_shares - projected) ** 2).sum()
    excess += 2 * noise**2 * (smoothed_freedom - (np.count_nonzero(projected) - 1))
    deviation = 2 * noise * np.linalg.norm(smoothed - projected)
    is_closer = excess > PROJECTION_Z_THRESHOLD * deviation
    return projected if is_closer else smoothed, noise


def project_to_shares(noisy_shares: Floats) -> Floats:
    """Return the nearest shares, at least 0 and of sum 1: all less one number, negatives to 0."""
    descending = np.sort(noisy_shares)[::-1]
    reductions = (np.cumsum(descending) - 1) / np.arange(1, len(descending) + 1)
    return np.maximum(noisy_shares - reductions[descending > reductions][-1], 0.0)


def smooth_tower_shares(
    noisy_shares: Floats, noise: float, tree: TowerTree
) -> tuple[Floats, float]:
    """Return the shares smoothed along the tree, and their degrees of freedom.

    These are the sum of each share's slope by its own noisy one, as if the signal variances of the
    levels and the totals of the regions were known.
    """
    tower_count = len(noisy_shares)
    first, second = tree.first_halves.sum(axis=1), tree.second_halves.sum(axis=1)
    first_means, second_means = (
        tree.first_halves / first[:, None],
        tree.second_halves / second[:, None],
    )
    halves_difference = csr_array(first_means - second_means)
    differences = halves_difference @ noisy_shares
    variances, shrinkage = noise**2 * (1 / first + 1 / second), np.zeros(len(differences))
    for level in np.unique(tree.level):  # shrunk by s/(s + v), s the level's signal variance
        at_level = tree.level == level
        squares = differences[at_level, None] ** 2
        signal = estimate_signal_variance(squares, variances[at_level], np.ones(1), 0.0)
        shrinkage[at_level] = signal / (signal + variances[at_level])
    to_towers = difference_map(tree, np.ones(tower_count))
    tower_shares = np.maximum(1 / tower_count + to_towers @ (shrinkage * differences), 0.0)
    slopes = to_towers.multiply(halves_difference.T) @ shrinkage
    # shares far below the noise go to 0; their region, of 8, keeps its total
    squares = tower_shares**2
    shrunk = squares * tower_shares / (squares + noise**2)
    slopes *= squares * (squares + 3 * noise**2) / (squares + noise**2) ** 2
    region = tree.nodes[min(3, len(tree.nodes) - 1)]
    before, after = (np.bincount(region, weights=values) for values in (tower_shares, shrunk))
    factors = np.divide(before, after, out=np.zeros_like(before), where=after > 0)
    restoring_factors = factors[region]
    return to_shares(shrunk * restoring_factors), float((slopes * restoring_factors).sum())


@cache
def week_basis() -> tuple[Floats, Integers]:
    """Return an orthonormal basis of the week, shape (168, 168), and the group of each column.

    A column is a rhythm; its group is 7·pattern + band, ascending. Patterns of days are 0: all
    days, 1: weekend against weekdays, 2: Saturday against Sunday, 3: differences between weekdays.
    A group shrinks as a whole, so it may have any orthonormal basis.
    """
    weekend, saturday = np.array([-2.0] * 5 + [5.0] * 2), np.array([0.0] * 5 + [1.0, -1.0])
    weekday_phase = np.arange(5) + 0.5
    weekdays = [[*np.cos(np.pi * k * weekday_phase / 5), 0.0, 0.0] for k in range(1, 5)]
    days = np.array([np.ones(7), weekend, saturday, *weekdays])
    hours = 2 * np.pi * np.arange(24) / 24
    functions = (np.cos, np.sin)  # sines of harmonics 0 and 12 are 0
    waves = [(k, f(k * hours)) for k in range(13) for f in functions if k % 12 or f is np.cos]
    columns = np.array([np.outer(day, wave).ravel() for day in days for _, wave in waves])
    pattern = np.repeat([0, 1, 2, 3, 3, 3, 3], len(waves))
    band = [next(i for i, (_, last) in enumerate(HARMONIC_BANDS) if k <= last) for k, _ in waves]
    basis = (columns / np.linalg.norm(columns, axis=1, keepdims=True)).T
    groups = len(HARMONIC_BANDS) * pattern + np.tile(band, len(days))
    order = np.argsort(groups, kind="stable")
    basis, groups = basis[:, order], groups[order]
    basis.flags.writeable = groups.flags.writeable = False
    return basis, groups


def estimate_city_profile(noisy: NoisyTable) -> Floats:
    """Return the city's profile, shape (168,), from groups above the noise (James & Stein 1961)."""
    basis, groups = week_basis()
    coefficients, noise_variance = basis.T @ noisy.values, noisy.sigma**2
    sizes = np.bincount(groups).astype(np.float64)
    sums = np.bincount(groups, weights=coefficients**2)
    is_significant = sums / sizes > noise_variance * noise_upper_bound(sizes, CITY_Z_THRESHOLD)
    shrinkage = 1.0 - np.maximum(sizes - 2, 0.0) * noise_variance / np.maximum(sums, noise_variance)
    factors = np.where(is_significant, np.maximum(shrinkage, 0.0), 0.0)
    factors[0] = 1.0  # the mean of the week
    return to_shares(basis @ (coefficients * factors[groups]))


def to_shares(series: Floats) -> Floats:
    """Return the series, negatives first set to 0, divided by their sums; equal where that is 0."""
    positive = np.maximum(series, 0.0)
    sums = positive.sum(axis=-1, keepdims=True)
    even = np.full_like(positive, 1.0 / positive.shape[-1])
    return np.divide(positive, sums, out=even, where=sums > 0)


def estimate_tower_profiles(
    towers: NoisyTable,
    districts: NoisyTable,
    tree: TowerTree,
    weights: Floats,
    city_profile: Floats,
) -> Floats:
    """Return the profile of each tower, shape (towers, 168); the towers' `weights` are above 0.

    Differences of halves come from the towers' table; in levels above the districts they are
    averaged with those of the districts' table, by precision. A coefficient shrinks by s/(s + v), v
    its noise variance and s one signal variance a group. Rhythms are multiplied by the city's
    profile, so that they are small in quiet hours; QR makes them orthonormal again, so that noise
    stays equal in all.
    """
    halves = tree.first_halves, tree.second_halves
    differences, variances = _halves_difference(towers, *halves, weights)
    above = np.flatnonzero(tree.level < tree.district_depth)
    members = np.eye(tree.districts.max() + 1)[tree.districts]  # (towers, districts)
    first, second = ((half[above] @ members > 0) * 1.0 for half in halves)
    district_weights = members.T @ weights
    by_district, district_noise = _halves_difference(districts, first, second, district_weights)
    precision_share = variances[above] / (variances[above] + district_noise)
    differences[above] += precision_share[:, None] * (by_district - differences[above])
    variances[above] = precision_share * district_noise
    basis, groups = week_basis()
    hour_factors = np.maximum(city_profile, 0.1 / len(city_profile))
    basis = np.linalg.qr(basis * hour_factors[:, None])[0]
    coefficients = differences @ basis
    in_group = np.eye(groups.max() + 1)[groups]
    component_counts = in_group.sum(axis=0)
    squares = coefficients**2 @ in_group / component_counts
    signals = estimate_signal_variance(squares, variances, component_counts, TOWER_Z_THRESHOLD)
    signal = signals[groups]
    shrunk = (coefficients * signal / (signal + variances[:, None])) @ basis.T
    return to_shares(city_profile + difference_map(tree, weights) @ shrunk)


def _halves_difference(
    table: NoisyTable, first: csr_array | Floats, second: csr_array | Floats, weights: Floats
) -> tuple[Floats, Floats]:
    """Return the differences of halves, (splits, 168) per weight, and their noise variances."""
    values, variance = table.values / table.total, (table.sigma / table.total) ** 2
    first_weight, second_weight = first @ weights, second @ weights
    noise_factors = first.sum(axis=1) / first_weight**2 + second.sum(axis=1) / second_weight**2
    difference = first @ values / first_weight[:, None] - second @ values / second_weight[:, None]
    return difference, variance * noise_factors


def add_entry_residuals(table: NoisyTable, tower_shares: Floats, profiles: Floats) -> Floats:
    """Return the profiles with shrunk residuals of entries, if these exceed the noise at all."""
    fit = table.total * tower_shares[:, None] * profiles
    residuals, noise_variance = table.values - fit, table.sigma**2
    excess = (residuals**2 - noise_variance).sum() / fit.sum()
    if excess <= TOWER_Z_THRESHOLD * np.sqrt(2.0 * fit.size) * noise_variance / fit.sum():
        return profiles
    entries = fit + residuals * excess * fit / (excess * fit + noise_variance)
    has_visits = entries.max(axis=1, keepdims=True) > 0
    return np.where(has_visits, to_shares(entries), profiles)


def noise_upper_bound(component_counts: Floats, z_threshold: float) -> Floats:
    """Return the mean square of normals at `z_threshold` deviations (Wilson & Hilferty 1931)."""
    variance = 2.0 / (9.0 * component_counts)
    return (1.0 - variance + z_threshold * np.sqrt(variance)) ** 3


def estimate_signal_variance(
    squares: Floats, noise_variances: Floats, component_counts: Floats, z_threshold: float
) -> Floats:
    """Return the signal variance of each group of differences; 0 where noise explains them."""
    if len(noise_variances) == 0:
        return np.zeros(len(component_counts))
    noise = np.sqrt(noise_variances)
    # degrees of freedom of a sum of squares in which precise ones weigh more (Satterthwaite 1946)
    freedom = component_counts * (1 / noise).sum() ** 2 / (1 / noise_variances).sum()
    weighted = (squares / (noise_variances * noise)[:, None]).sum(axis=0)
    is_significant = weighted > (1 / noise).sum() * noise_upper_bound(freedom, z_threshold)
    signal = np.zeros(len(component_counts))
    weights = np.repeat(1 / (noise_variances * noise)[:, None], len(component_counts), axis=1)
    for _ in range(3):  # from the second on, weights are by the last signal variance
        excess = (weights * (squares - noise_variances[:, None])).sum(axis=0) / weights.sum(axis=0)
        signal = np.maximum(excess, 0.0)
        weights = 1 / (signal + noise_variances[:, None]) ** 2
    return np.where(is_significant, signal, 0.0)
