"""P1's scheme as plain, slow code, written from the text and the errata D1 to D6.

Nothing here is shared with the engine but Voronoi cells: loops over cells, hours and coefficients,
an explicit cosine matrix, polygons merged by shapely, and one scipy root search a fit. Noise is
handed in.
"""

import math
from dataclasses import dataclass

import numpy as np
import shapely
from scipy import optimize

from engine import geography

N = 168


@dataclass
class Result:
    totals: list[float]
    clusters: list[list[int]]
    kept: list[int]
    cover: np.ndarray
    zones: np.ndarray


def cover_cells(towers, zones, places) -> list:
    """Polygons of the cover: towers' cells without the covered zones, then those zones."""
    crs = geography.projected_crs(zones)
    polygons, points = zones.geometry.to_crs(crs).to_numpy(), towers.geometry.to_crs(crs)
    cells = geography.voronoi_cells(points, shapely.union_all(polygons)).to_numpy()
    covered = polygons[places.cover_zones]
    rests = shapely.difference(cells[places.cover_towers], shapely.union_all(covered))
    return [*rests, *covered]


def to_zones(overlap: np.ndarray, towers: np.ndarray) -> np.ndarray:
    """Formula (1)."""
    result = np.zeros((overlap.shape[1], towers.shape[1]))
    for j, zone in zip(*np.nonzero(overlap), strict=True):
        result[zone] += overlap[j, zone] * towers[j]
    return result


def to_cover(places, towers: np.ndarray) -> np.ndarray:
    """Erratum D2: covered zones take their share of each visit, towers keep the rest."""
    overlap = places.overlap.toarray()
    rests = [
        (1 - sum(overlap[j, zone] for zone in places.cover_zones)) * towers[j]
        for j in places.cover_towers
    ]
    zones = [
        sum(overlap[j, zone] * towers[j] for j in range(len(towers))) for zone in places.cover_zones
    ]
    return np.array(rests + zones)


def from_cover(places, cover: np.ndarray) -> np.ndarray:
    """Erratum D2: a covered zone keeps its series, the others share the towers' rests."""
    overlap = places.overlap.toarray()
    covered = list(places.cover_zones)
    result = np.zeros((overlap.shape[1], cover.shape[1]))
    for zone in range(overlap.shape[1]):
        if zone in covered:
            result[zone] = cover[len(places.cover_towers) + covered.index(zone)]
            continue
        for row, j in enumerate(places.cover_towers):
            if overlap[j, zone] > 0:
                rest = 1 - sum(overlap[j, other] for other in covered)
                result[zone] += cover[row] * overlap[j, zone] / rest
    return result


def gaussian_delta(epsilon: float, ratio: float) -> float:
    """The least δ at ε with Δ₂/σ = ratio (Balle & Wang 2018, Theorem 8)."""

    def phi(x: float) -> float:
        return math.erfc(-x / math.sqrt(2)) / 2

    away = epsilon / ratio
    return phi(ratio / 2 - away) - math.exp(epsilon) * phi(-ratio / 2 - away)


def sigma(epsilon: float, delta: float, kept: int, gaussian: str) -> float:
    if gaussian == "classical":
        half = epsilon / 2
        return math.sqrt(8 * kept * math.log(4 / delta) / half**2)
    share, sensitivity = epsilon / 4, math.sqrt(kept)
    low, high = 1e-3, 1e9
    for _ in range(200):
        middle = math.sqrt(low * high)
        small = gaussian_delta(share, sensitivity / middle) > delta
        low, high = (middle, high) if small else (low, middle)
    return high


def noise_of_kept(p, k: int, clusters: int) -> float:
    """The second term of u(k): the root of the expected squared noise of k coefficients."""
    if p.method == "efpa":  # the variance of Laplace noise is twice the square of its scale
        scale = 2 * math.sqrt(k) * math.sqrt(p.max_visits_per_user) / (p.epsilon / 2)
        return math.sqrt(k * 2 * scale**2)
    s = sigma(p.epsilon, p.delta, p.max_visits_per_user, p.gaussian)
    return math.sqrt(k * clusters) * s


def totals(dataset, p, noise) -> list[float]:
    places = dataset.tessellation
    if not p.scaling:
        series = to_cover(places, dataset.presampled_by_tower(p.max_visits_per_user))
        scale = 2 * p.max_visits_per_user / p.epsilon
        return [sum(row) + scale * z for row, z in zip(series, noise["cell_totals"], strict=True)]
    half = p.epsilon / 2
    histogram = [
        h + 2 / half * z
        for h, z in zip(dataset.single_visit_by_tower, noise["single_visits"], strict=True)
    ]
    cap = dataset.metadata.max_visits_cap
    visits = dataset.truth_by_tower.sum() + 2 * cap / half * noise["visit_total"][0]
    if sum(histogram) <= 0 or visits <= 0:
        return [0.0] * (len(places.cover_towers) + len(places.cover_zones))
    by_tower = np.array([[h / sum(histogram) * visits] for h in histogram])
    return to_cover(places, by_tower)[:, 0].tolist()


def cluster(totals: list[float], polygons, minimum: float) -> list[list[int]]:
    """Algorithm 3, with centres of merged polygons."""
    clusters = [[i] for i in range(len(totals))]
    if minimum == 0:
        return clusters
    sums = list(totals)
    while len(clusters) > 1 and min(sums) < minimum:
        least = sums.index(min(sums))
        centres = [shapely.union_all([polygons[i] for i in c]).centroid for c in clusters]
        others = [c for c in range(len(clusters)) if c != least]
        nearest = min(others, key=lambda c: centres[c].distance(centres[least]))
        keep, gone = sorted((least, nearest))
        clusters[keep] = sorted(clusters[keep] + clusters[gone])
        sums[keep] += sums[gone]
        del clusters[gone], sums[gone]
        order = sorted(range(len(clusters)), key=lambda c: clusters[c][0])
        clusters, sums = [clusters[c] for c in order], [sums[c] for c in order]
    return clusters


COSINES = np.array(
    [
        [
            math.sqrt((1 if i == 0 else 2) / N) * math.cos(math.pi * (2 * t + 1) * i / (2 * N))
            for t in range(N)
        ]
        for i in range(N)
    ]
)
"""Orthonormal DCT-II: F = COSINES @ X and X = COSINES.T @ F."""


def log_weights(spectra: list[np.ndarray], p) -> list[float]:
    """Exponents of the exponential mechanism for k = 1 … 168 over the given clusters together."""
    half = p.epsilon / 2
    result = []
    for k in range(1, N + 1):
        tail = math.sqrt(sum(float((spectrum[k:] ** 2).sum()) for spectrum in spectra))
        utility = tail + noise_of_kept(p, k, len(spectra))
        result.append(-half * utility / (4 * math.sqrt(p.max_visits_per_user)))
    return result


def choose(weights: list[float], gumbels: np.ndarray) -> int:
    return 1 + max(range(N), key=lambda i: weights[i] + gumbels[i])


def perturb(spectrum: np.ndarray, k: int, p, variates: np.ndarray) -> np.ndarray:
    """Algorithm 4, lines 4 and 5."""
    if p.method == "efpa":
        scale = 2 * math.sqrt(k) * math.sqrt(p.max_visits_per_user) / (p.epsilon / 2)
    else:
        scale = sigma(p.epsilon, p.delta, p.max_visits_per_user, p.gaussian)
    padded = [spectrum[i] + scale * variates[i] if i < k else 0.0 for i in range(N)]
    return COSINES.T @ np.array(padded)


GRID = np.linspace(-40, 40, 801)


def fit(y: np.ndarray) -> np.ndarray:
    """Least squares a·exp(b·x) by roots of the derivative; |b| = 40 stands for the limits."""
    x = np.arange(len(y)) * 1.0

    def place(b: np.ndarray | float) -> np.ndarray:  # from the largest value, for full precision
        return np.where(np.asarray(b)[..., None] < 0, x, x - x[-1])

    def power(b: np.ndarray | float) -> np.ndarray:
        return np.exp(np.asarray(b)[..., None] * place(b))

    def fitted(b: float) -> np.ndarray:
        return power(b) * (y @ power(b)) / (power(b) @ power(b))

    def slope(b: np.ndarray | float) -> np.ndarray:  # of the squared error, up to a factor > 0
        p, at = power(b), place(b)
        middle = (p * p * at).sum(axis=-1) / (p * p).sum(axis=-1)
        return -(((at - middle[..., None]) * p) @ y)

    if not y.any():
        return y * 0.0
    signs = slope(GRID)
    ends = [(-40.0, signs[0] >= 0), (40.0, signs[-1] <= 0)]
    candidates = [b for b, is_best in ends if is_best] + GRID[signs == 0].tolist()
    for i in np.flatnonzero((signs[:-1] < 0) & (signs[1:] > 0)):
        candidates.append(optimize.brentq(slope, GRID[i], GRID[i + 1], xtol=1e-15, rtol=1e-15))
    return min((fitted(b) for b in candidates), key=lambda values: ((values - y) ** 2).sum())


def smooth(series: np.ndarray) -> np.ndarray:
    """P1 §5.4.2, day by day; hour 4 is the mean of both fits."""
    result = series.copy()
    for midnight in range(0, N, 24):
        night, dawn = fit(series[midnight : midnight + 5]), fit(series[midnight + 4 : midnight + 7])
        result[midnight : midnight + 4] = night[:4]
        result[midnight + 4] = (night[4] + dawn[0]) / 2
        result[midnight + 5 : midnight + 7] = dawn[1:]
    return result


def release(dataset, p, noise) -> Result:
    """Algorithms 1 and 2 for `efpa`, `efpag` and `efpag_joint`; every cell is smoothed itself."""
    places = dataset.tessellation
    s_hat = totals(dataset, p, noise)
    minimum = p.cluster_minimum
    if minimum is None:
        minimum = math.sqrt(N) * noise_of_kept(p, N, 1) / math.sqrt(N) / 0.01
    clusters = cluster(s_hat, cover_cells(dataset.towers, dataset.zones, places), minimum)
    series = to_cover(places, dataset.presampled_by_tower(p.max_visits_per_user))
    spectra = [COSINES @ sum(series[i] for i in members) for members in clusters]
    if p.method == "efpag_joint":
        kept = [choose(log_weights(spectra, p), noise["joint_choice"])] * len(clusters)
    else:
        kept = [
            choose(log_weights([spectrum], p), noise["cluster_choice"][members[0]])
            for spectrum, members in zip(spectra, clusters, strict=True)
        ]
    cover = np.zeros(series.shape)
    for members, spectrum, k in zip(clusters, spectra, kept, strict=True):
        noisy = perturb(spectrum, k, p, noise["coefficients"][members[0]]).clip(0)
        for i in members:
            if s_hat[i] > 0:
                shape = noisy / noisy.sum() if noisy.sum() > 0 else np.full(N, 1 / N)
                cover[i] = s_hat[i] * shape
                if p.smoothing:
                    cover[i] = smooth(cover[i])
    return Result(s_hat, clusters, kept, cover, from_cover(places, cover))


def laplace(dataset, p, noise) -> np.ndarray:
    """The naive mechanisms of P1 §5.2 and LPA on the cover (§5.3)."""
    places = dataset.tessellation
    towers = dataset.presampled_by_tower(p.max_visits_per_user)
    scaled = p.max_visits_per_user / p.epsilon * noise["counts"]
    if p.method == "zones_laplace":
        zones = to_zones(places.overlap.toarray(), towers) + scaled
    elif p.method == "towers_laplace":
        zones = to_zones(places.overlap.toarray(), towers + scaled)
    else:
        zones = from_cover(places, to_cover(places, towers) + scaled)
    return zones.clip(0)
