"""Fourier perturbation (P1, Algorithms 1 to 4 in order) and Laplace noise (P1 §5.2, §5.3).

Exact by errata D1 to D7 (``docs/density.md``). Confidential inputs come from
`engine.density.aggregates` alone; everything else is noise, public geometry or post-processing.
"""

import heapq
import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.fft import dct, idct

from ..arrays import Floats, Integers
from ..datasets import Dataset
from ..parameters import HOURS_PER_WEEK, DensityParameters
from ..privacy_cost import PrivacyCost, Query, stage_noise_scale
from . import accounting
from .aggregates import cover_series, presampled_counts, tower_series
from .multiscale_estimation import to_shares
from .smoothing import smooth_nights

DensityNoise = dict[str, Floats]
"""Standard variates of one release by name, in units of the scales; see `draw_noise`."""

NOISE_EXCEEDS_DATA = "the noise exceeds the data"
ONE_CLUSTER = "all cells form one cluster: their total is below the cluster minimum"


@dataclass(frozen=True, eq=False, kw_only=True)
class DensityRelease:
    """One released density with its private intermediate results; None where a method has none.

    `counts`, shape (zones, 168), are visits by zone and hour, at least 0. `flags` may hold
    `NOISE_EXCEEDS_DATA` (all counts are 0) and `ONE_CLUSTER`. `visit_total` is K̂, `cell_totals` Ŝ
    and `cover_counts` the noisy series of the cover. `cluster_shapes` are weeks of sum 1 before
    smoothing, `coefficient_counts` k and `cluster_minimum` τ.
    """

    parameters: DensityParameters
    counts: Floats
    cost: PrivacyCost
    flags: tuple[str, ...] = ()
    cover_counts: Floats | None = None
    cell_totals: Floats | None = None
    visit_total: float | None = None
    clusters: Integers | None = None
    coefficient_counts: Integers | None = None
    cluster_shapes: Floats | None = None
    cluster_minimum: float | None = None


def laplace_release(
    dataset: Dataset, parameters: DensityParameters, noise: DensityNoise
) -> DensityRelease:
    """Return a density with Laplace noise ℓ/ε on each count (P1 §5.2, §5.3).

    Negative counts of zones become 0 only at the end, where that distorts least.
    """
    visit_limit, places = parameters.max_visits_per_user, dataset.tessellation
    cost = accounting.laplace_cost(parameters)
    noise_values = stage_noise_scale(cost.stages, cost.stages[0].kind) * noise["counts"]
    cover_counts = None
    if parameters.method == "zones_laplace":
        counts = presampled_counts(dataset, visit_limit) + noise_values
    elif parameters.method == "towers_laplace":
        counts = places.overlap.T @ (tower_series(dataset, visit_limit) + noise_values)
    else:
        cover_counts = cover_series(dataset, visit_limit) + noise_values
        counts = places.to_zones @ cover_counts
    return DensityRelease(
        parameters=parameters, counts=np.maximum(counts, 0.0), cost=cost, cover_counts=cover_counts
    )


def fourier_release(
    dataset: Dataset, parameters: DensityParameters, noise: DensityNoise
) -> DensityRelease:
    """Return a density by Algorithm 1: totals, clusters, noisy shapes, scaling, smoothing."""
    places, kept_visits = dataset.tessellation, parameters.max_visits_per_user
    size = places.cover_size
    cost = accounting.fourier_cost(
        parameters, cover_size=size, max_visits_cap=dataset.metadata.max_visits_cap
    )
    totals, visits = estimate_cell_totals(dataset, parameters, cost, noise)
    minimum = parameters.cluster_minimum
    if minimum is None:
        minimum = accounting.default_cluster_minimum(parameters)
    nothing = DensityRelease(
        parameters=parameters,
        counts=np.zeros((len(dataset.zones), HOURS_PER_WEEK)),
        cost=cost,
        flags=(NOISE_EXCEEDS_DATA,),
        cover_counts=np.zeros((size, HOURS_PER_WEEK)),
        cell_totals=totals,
        visit_total=visits,
        cluster_minimum=minimum,
    )
    if not (totals > 0).any():
        return nothing
    clusters = cluster_cells(totals, places.cover_centres_m, places.cover_areas_m2, minimum)
    noisy, coefficient_counts = perturb_series(
        cover_series(dataset, kept_visits), clusters, parameters, noise
    )
    shapes = to_shares(noisy)  # X̂^E/‖X̂^E‖₁, negatives first to 0
    if parameters.smoothing:
        shapes = smooth_nights(shapes)
    cover_counts = np.maximum(totals, 0.0)[:, None] * shapes[clusters]
    return replace(
        nothing,
        counts=places.to_zones @ cover_counts,
        flags=(ONE_CLUSTER,) if len(shapes) == 1 < size else (),
        cover_counts=cover_counts,
        clusters=clusters,
        coefficient_counts=coefficient_counts,
        cluster_shapes=shapes,
    )


def estimate_cell_totals(
    dataset: Dataset, parameters: DensityParameters, cost: PrivacyCost, noise: DensityNoise
) -> tuple[Floats, float | None]:
    """Return Ŝ, the noisy total of each cell of the cover, and K̂ (Algorithm 2, ε′ = ε/2).

    With the improved scaling (§5.4.1) the towers' shares, of one visit a person (H̃), are
    multiplied by K̂, the noisy number of visits. The histogram is divided by its own noisy sum,
    never by the true number of people (erratum D6). All totals are 0 where the noise exceeds the
    data.
    """
    if not parameters.scaling:
        totals = stage_noise_scale(cost.stages, Query.COVER_TOTALS) * noise["cell_totals"]
        return totals + cover_series(dataset, parameters.max_visits_per_user).sum(axis=1), None
    histogram = stage_noise_scale(cost.stages, Query.TOWER_SHARES) * noise["histogram"]
    histogram += dataset.single_visit_by_tower
    people = math.fsum(histogram)
    visits = float(dataset.truth_by_tower.sum())
    visits += stage_noise_scale(cost.stages, Query.ALL_VISITS) * float(noise["visits"][0])
    if people <= 0 or visits <= 0:
        return np.zeros(dataset.tessellation.cover_size), visits
    return dataset.tessellation.to_cover @ (histogram / people * visits), visits


def cluster_cells(
    totals: Floats, centres_m: Floats, areas_m2: Floats, cluster_minimum: float
) -> Integers:
    """Return the cluster of each cell of the cover, from noisy totals (Algorithm 3).

    The cluster of the least total is merged with the nearest one (centroid of all polygons, P1
    footnote 5; ties to the lowest cell) until every total reaches τ. Inputs are noisy totals,
    perhaps negative, and public geometry, so it costs no privacy.
    """
    size = live = len(totals)
    if cluster_minimum == 0:
        return np.arange(size)
    merged_into = list(range(size))
    current: list[float] = totals.tolist()
    heap = [(total, cell) for cell, total in enumerate(current)]
    heapq.heapify(heap)
    centres, areas = centres_m.T.copy(), areas_m2.copy()  # stored at a cluster's lowest cell
    offset, distance = np.empty_like(centres), np.empty(size)
    while live > 1:
        total, cluster = heapq.heappop(heap)
        if merged_into[cluster] != cluster or total != current[cluster]:
            continue  # entry from before a merge
        if total >= cluster_minimum:
            break
        np.subtract(centres, centres[:, cluster, None], offset)
        np.multiply(offset, offset, offset)
        np.add(offset[0], offset[1], distance)
        distance[cluster] = np.inf
        neighbour = int(distance.argmin())
        target, source = min(cluster, neighbour), max(cluster, neighbour)
        areas[target] += areas[source]
        centres[:, target] += (centres[:, source] - centres[:, target]) * (
            areas[source] / areas[target]
        )
        centres[:, source] = np.inf  # at infinite distance
        merged_into[source] = target
        current[target] += current[source]
        heapq.heappush(heap, (current[target], target))
        live -= 1
    for cell in range(size):  # clusters always merge into one with a lower cell
        merged_into[cell] = merged_into[merged_into[cell]]
    return np.unique(np.array(merged_into, dtype=np.int64), return_inverse=True)[1]


def perturb_series(
    series: Floats, clusters: Integers, parameters: DensityParameters, noise: DensityNoise
) -> tuple[Floats, Integers]:
    """Return the clusters' weeks after EFPA or EFPAG (Algorithm 4), and their k.

    The first k coefficients of the orthonormal DCT-II, which keeps L₂ distances, get noise; the
    others become 0. A cluster uses the noise of its lowest cell.
    """
    order = np.argsort(clusters, kind="stable")
    starts = np.flatnonzero(np.diff(clusters[order], prepend=-1))
    lowest = order[starts]
    coefficients = to_coefficients(np.add.reduceat(series[order], starts, axis=0))
    coefficient_counts = choose_coefficient_counts(coefficients, parameters, noise, lowest)
    scale = np.full((len(coefficient_counts), 1), accounting.coefficient_scale(parameters))
    if parameters.method == "efpa":
        scale *= np.sqrt(coefficient_counts)[:, None]
    noisy = coefficients + scale * noise["counts"][lowest]
    return to_series(
        np.where(coefficient_counts[:, None] >= accounting.COEFFICIENT_COUNTS, noisy, 0.0)
    ), coefficient_counts


def choose_coefficient_counts(
    coefficients: Floats, parameters: DensityParameters, noise: DensityNoise, rows: Integers
) -> Integers:
    """Return each cluster's number k of coefficients, by the exponential mechanism.

    `efpag_joint` makes one choice for all clusters; `rows` are the clusters' rows of the noise.
    """
    logits = selection_logits(coefficients, parameters)
    if parameters.method == "efpag_joint":
        return np.full(len(coefficients), 1 + np.argmax(logits[0] + noise["joint_choice"]))
    return 1 + np.argmax(logits + noise["cluster_choice"][rows], axis=1)


def selection_logits(coefficients: Floats, parameters: DensityParameters) -> Floats:
    """Return the unnormalised log-probabilities of k = 1 … 168, one row a choice.

    P(k) ∝ exp(−ε_E·u(k)/(4·Δ₂)) with u(k) = √(Σ_{i>k} F_i²) + noise(k), of sensitivity Δ₂
    (Algorithm 4, line 3; erratum D3). The joint choice has one row: u of all clusters' coefficients
    together, also of sensitivity Δ₂ (erratum D1).
    """
    squares, clusters = coefficients**2, 1
    if parameters.method == "efpag_joint":
        squares, clusters = squares.sum(axis=0, keepdims=True), len(coefficients)
    tails = np.zeros_like(squares)
    tails[:, :-1] = np.cumsum(squares[:, :0:-1], axis=1)[:, ::-1]
    losses = np.sqrt(tails) + accounting.noise_terms(parameters, clusters)
    return losses * (-parameters.epsilon / 8 / math.sqrt(parameters.max_visits_per_user))


def to_coefficients(series: Floats) -> Floats:
    """Return the orthonormal DCT-II of each row."""
    return np.asarray(dct(series, type=2, norm="ortho", axis=1))


def to_series(coefficients: Floats) -> Floats:
    """Return the inverse of `to_coefficients`, row by row."""
    return np.asarray(idct(coefficients, type=2, norm="ortho", axis=1))
