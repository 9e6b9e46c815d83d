"""`multiscale` written out plainly: people one by one, numbers straight from docs/density.md."""

import math
from fractions import Fraction

import numpy as np
from scipy.linalg import orth
from scipy.optimize import brentq

from engine.datasets.multiscale_tables import CITY_CLIPS_SQUARED, MultiscaleTables

HOURS = 168
BANDS = ((0,), (1,), (2,), (3,), (4, 5), (6, 7, 8), (9, 10, 11, 12))


def clipped_sums(visits, positions, cap: int = 840, seed: int = 0) -> MultiscaleTables:
    """Count raw visits {person: [(tower, hour), …]}, at most `cap` of a person's at random."""
    kept = []
    for person, raw in visits.items():
        records = sorted(set(raw))
        order = np.random.default_rng([seed, person]).permutation(len(records))
        kept.append([records[i] for i in order[:cap]])
    return sums_of(kept, positions, cap)


def sums_of(
    people, positions, cap: int = 840, squared: float = 10.0, share: Fraction = Fraction(63, 64)
) -> MultiscaleTables:
    """Add up the distinct (tower, hour) records of people, one after the other."""
    district = {t: d for d, node in enumerate(district_nodes(positions)) for t in node}
    towers, districts = len(positions), len(set(district.values()))
    tables = MultiscaleTables(
        towers=np.zeros((towers, HOURS), dtype=np.int64),
        districts=np.zeros((districts, HOURS), dtype=np.int64),
        city=np.zeros((len(CITY_CLIPS_SQUARED), HOURS), dtype=np.int64),
        tower_totals=np.zeros(towers, dtype=np.int64),
        visit_total=sum(map(len, people)),
        max_visits_cap=cap,
    )
    for records in people:
        # what the sum of visits tells of him is taken off, in whole 1/1024
        room = Fraction(math.floor(1024 * (1 - share * Fraction(len(records), cap) ** 2)))
        room /= 1024
        add(tables.towers, [(t, h) for t, h in records], Fraction(squared) * room)
        add(tables.districts, [(district[t], h) for t, h in records], Fraction(squared) * room)
        add(tables.tower_totals, [(t,) for t, _ in records], Fraction(squared) * room)
        for row, one in zip(tables.city, CITY_CLIPS_SQUARED, strict=True):
            add(row, [(h,) for _, h in records], Fraction(one) * Fraction(squared) / 10 * room)
    return tables


def add(table: np.ndarray, cells: list, clip_squared: Fraction) -> None:
    """Add v scaled down to the clip: the largest weight of whole 1/1024 within it."""
    counts = {cell: cells.count(cell) for cell in set(cells)}
    squares = sum(n * n for n in counts.values())
    if not squares:
        return
    weight = min(1024, math.isqrt(clip_squared * 1024**2 // squares))
    for cell, n in counts.items():
        table[cell] += n * weight


def split(node: list[int], positions) -> tuple[list[int], list[int]]:
    stretch = math.cos(math.radians(np.mean([lat for _, lat in positions])))
    sides = [np.ptp([positions[t][axis] for t in node]) for axis in (0, 1)]
    axis = 0 if sides[0] * stretch >= sides[1] else 1
    order = sorted(node, key=lambda t: (positions[t][axis], t))
    half = len(node) // 2
    return sorted(order[:half]), sorted(order[half:])


def levels(positions) -> list[list[list[int]]]:
    """Return the nodes at every level, single towers carried on."""
    parts = [[list(range(len(positions)))]]
    while any(len(node) > 1 for node in parts[-1]):
        halves = [split(node, positions) if len(node) > 1 else (node,) for node in parts[-1]]
        parts.append([half for pair in halves for half in pair])
    return parts


def district_nodes(positions) -> list[list[int]]:
    tree = levels(positions)
    return tree[(len(tree) - 1) // 2]


def signal(squares, noises, components: int, errors: float) -> float:
    """The signal variance of differences with mean squares q and noise v."""
    if not squares:
        return 0.0
    freedom = components * sum(v**-0.5 for v in noises) ** 2 / sum(1 / v for v in noises)
    bound = (1 - 2 / (9 * freedom) + errors * math.sqrt(2 / (9 * freedom))) ** 3
    seen = sum(v**-1.5 * q for q, v in zip(squares, noises, strict=True))
    if seen <= bound * sum(v**-0.5 for v in noises):
        return 0.0
    weights = [v**-1.5 for v in noises]
    for _ in range(3):
        above = sum(w * (q - v) for w, q, v in zip(weights, squares, noises, strict=True))
        s = max(above / sum(weights), 0.0)
        weights = [(s + v) ** -2 for v in noises]
    return s


def rhythms() -> list[np.ndarray]:
    """An orthonormal basis of each of the 28 groups, by projection rather than by formula."""
    day = np.arange(7)
    weekend = (day >= 5) - 2 / 7
    patterns = [
        np.ones((7, 1)),
        weekend[:, None],
        ((day == 5) * 1.0 - (day == 6))[:, None],
        np.vstack([np.eye(5) - 0.2, np.zeros((2, 5))]),
    ]
    hour = np.arange(24)
    weeks = []
    for pattern in patterns:
        for band in BANDS:
            waves = [f(2 * np.pi * k * hour / 24) for k in band for f in (np.cos, np.sin)]
            weeks.append(orth(np.kron(pattern, np.array(waves).T), rcond=1e-9))
    return weeks


def normalised(series: np.ndarray) -> np.ndarray:
    series = np.maximum(series, 0)
    return series / series.sum() if series.sum() > 0 else np.full(len(series), 1 / len(series))


def read(noisy, positions):
    """Return visits, sizes, city's week and towers' weeks from the noisy tables."""
    sizes, noise_of_one = read_sizes(noisy.tower_totals, positions)
    city = read_city(noisy.city.values, noisy.city.sigma)
    if noisy.towers is None:
        return noisy.visit_total, sizes, city, np.tile(city, (len(positions), 1))
    weights = [max(n, 0.3 * noise_of_one) for n in sizes]
    weeks = read_weeks(noisy, positions, weights, city)
    return noisy.visit_total, sizes, city, single_cells(noisy.towers, sizes, weeks)


def read_sizes(table, positions):
    """The smoothed sizes, or the projected ones if Stein's estimate of their error is less."""
    total = max(table.values.sum(), table.sigma * math.sqrt(len(positions)))
    y, sigma = table.values / total, table.sigma / total
    smoothed, learnt = smooth_sizes(y, sigma, positions)
    nearest = brentq(lambda cut: np.maximum(y - cut, 0).sum() - 1, y.min() - 1, y.max())
    projected = np.maximum(y - nearest, 0)
    slopes, step = [], 1e-6 * sigma  # by brute force, with what is learnt held
    for move in step * np.eye(len(y)):
        above, below = (smooth_sizes(y + m, sigma, positions, learnt)[0] for m in (move, -move))
        slopes.append(((above - below) @ move) / (2 * step**2))
    errors = [
        ((y - smoothed) ** 2).sum() + 2 * sigma**2 * sum(slopes),
        ((y - projected) ** 2).sum() + 2 * sigma**2 * ((projected > 1e-12).sum() - 1),
    ]
    clear = 3 * 2 * sigma * math.sqrt(((smoothed - projected) ** 2).sum())
    return projected if errors[0] - errors[1] > clear else smoothed, sigma


def smooth_sizes(y, sigma, positions, learnt=None):
    """Sizes down the tree, and halves, signals and factors learnt; with those, before the sum."""
    tree, halves = learnt[0] if learnt else nodes_and_halves(positions)
    signals, factors = [], []
    mean = {tuple(tree[0][0]): 1 / len(positions)}
    for depth, parts in enumerate(halves):
        gaps = [y[a].mean() - y[b].mean() for _, a, b in parts]
        noises = [sigma**2 * (1 / len(a) + 1 / len(b)) for _, a, b in parts]
        s = learnt[1][depth] if learnt else signal([gap**2 for gap in gaps], noises, 1, 0.0)
        signals.append(s)
        for (node, a, b), gap, v in zip(parts, gaps, noises, strict=True):
            gap *= s / (s + v)
            mean[tuple(a)] = mean[tuple(node)] + gap * len(b) / len(node)
            mean[tuple(b)] = mean[tuple(node)] - gap * len(a) / len(node)
    sizes = np.array([max(mean[(t,)], 0) for t in range(len(positions))])
    shrunk = sizes**3 / (sizes**2 + sigma**2)
    for number, region in enumerate(tree[min(3, len(tree) - 1)]):
        whole = shrunk[region].sum()
        factor = sizes[region].sum() / whole if whole > 0 else 1.0
        factors.append(learnt[2][number] if learnt else factor)
        shrunk[region] *= factors[-1]
    return shrunk if learnt else normalised(shrunk), ((tree, halves), signals, factors)


def nodes_and_halves(positions):
    """Return the nodes at every level, and by level those that are split with both halves."""
    tree = levels(positions)
    halves = [
        [(node, *split(node, positions)) for node in nodes if len(node) > 1] for nodes in tree[:-1]
    ]
    return tree, halves


def read_city(hours, sigma):
    week = np.zeros(HOURS)
    for index, basis in enumerate(rhythms()):
        x, m, v = basis.T @ hours, basis.shape[1], sigma**2
        bound = v * (1 - 2 / (9 * m) + 2 * math.sqrt(2 / (9 * m))) ** 3
        if index == 0:
            week += basis @ x
        elif (x**2).mean() > bound:
            week += basis @ x * max(0, 1 - max(m - 2, 0) * v / (x**2).sum())
    return normalised(week)


def read_weeks(noisy, positions, weights, city):
    tree = levels(positions)
    districts = district_nodes(positions)
    parts = [
        (node, *difference(noisy, node, positions, weights, districts))
        for nodes in tree[:-1]
        for node in nodes
        if len(node) > 1
    ]
    scaled = np.maximum(city, 0.1 / HOURS)[:, None]
    before = np.zeros((HOURS, 0))
    kept = [np.zeros(HOURS) for _ in parts]
    for group in rhythms():
        columns = scaled * group
        columns = columns - before @ (before.T @ columns)
        basis = np.linalg.svd(columns, full_matrices=False)[0]
        before = np.hstack([before, basis])
        x = [basis.T @ gap for _, _, _, gap, _ in parts]
        noises = [v for *_, v in parts]
        s = signal([(c**2).mean() for c in x], noises, basis.shape[1], 3.5)
        for i, (c, v) in enumerate(zip(x, noises, strict=True)):
            kept[i] = kept[i] + basis @ c * s / (s + v)
    week = {tuple(tree[0][0]): city}
    for (node, a, b, _, _), gap in zip(parts, kept, strict=True):
        one, other = sum(weights[t] for t in a), sum(weights[t] for t in b)
        week[tuple(a)] = week[tuple(node)] + gap * other / (one + other)
        week[tuple(b)] = week[tuple(node)] - gap * one / (one + other)
    return np.array([normalised(week[(t,)]) for t in range(len(positions))])


def difference(noisy, node, positions, weights, districts):
    """Return halves, difference of their weeks per weight, and noise, by precision."""
    a, b = split(node, positions)
    one, other = sum(weights[t] for t in a), sum(weights[t] for t in b)
    differences = []
    for table, members in (
        (noisy.towers, [[t] for t in range(len(positions))]),
        (noisy.districts, districts),
    ):
        inside = [
            [i for i, member in enumerate(members) if set(member) <= set(half)] for half in (a, b)
        ]
        if sum(len(members[i]) for half in inside for i in half) < len(node):
            continue  # below the districts
        total = max(table.values.sum(), table.sigma * math.sqrt(table.values.size))
        gap = table.values[inside[0]].sum(0) / one - table.values[inside[1]].sum(0) / other
        noise = len(inside[0]) / one**2 + len(inside[1]) / other**2
        differences.append((gap / total, noise * (table.sigma / total) ** 2))
    precision = sum(1 / v for _, v in differences)
    return a, b, sum(gap / v for gap, v in differences) / precision, 1 / precision


def single_cells(table, sizes, weeks):
    total = max(table.values.sum(), table.sigma * math.sqrt(table.values.size))
    fit = total * sizes[:, None] * weeks
    left, v = table.values - fit, table.sigma**2
    excess = (left**2 - v).sum() / fit.sum()
    if excess <= 3.5 * math.sqrt(2 * fit.size) * v / fit.sum():
        return weeks
    cells = fit + left * excess * fit / (excess * fit + v)
    return np.array(
        [normalised(row) if row.max() > 0 else week for row, week in zip(cells, weeks, strict=True)]
    )
