"""Fourier perturbation (P1, Algorithms 1 to 4 in order) and Laplace noise (P1 §5.2, §5.3).

P1 is corrected by errata D1 to D7; symbols are those of `engine.density`. Confidential inputs are
two counts of the dataset, X and H̃, and those of `engine.density.aggregates`. Everything else is
noise, public geometry or post-processing.
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
"""Noise of one release by name, before it is multiplied by a stage's scale; see `draw_noise`."""

NO_POSITIVE_TOTAL = "no noisy total is above 0, so all counts are 0"
ONE_CLUSTER = "all cells form one cluster: before the last merge one was below the minimum"


@dataclass(frozen=True, eq=False, kw_only=True)
class DensityRelease:
    """One released density with its noisy intermediate results; None where a method has none.

    `counts`, shape (zones, 168), at least 0, estimate all visits by zone and hour for `multiscale`
    and with improved scaling; otherwise they estimate pre-sampled visits alone and are too low.
    `flags` may hold `NO_POSITIVE_TOTAL` or `ONE_CLUSTER`. `cover_counts`, shape (cover, 168), are
    noisy series, `cell_totals` Ŝ, `visit_total` K̂ and `clusters` each cell's cluster, from 0. By
    cluster: `coefficient_counts` k and `cluster_profiles`, shape (clusters, 168), smoothed if the
    parameters say so (sums are then near 1). `cluster_minimum` is τ.
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
    cluster_profiles: Floats | None = None
    cluster_minimum: float | None = None


def laplace_release(
    dataset: Dataset, parameters: DensityParameters, noise: DensityNoise
) -> DensityRelease:
    """Return a density with Laplace noise of scale ℓ/ε on each count (P1 §5.2, §5.3)."""
    visit_limit, tessellation = parameters.max_visits_per_user, dataset.tessellation
    cost = accounting.laplace_cost(parameters)
    noise_values = stage_noise_scale(cost.stages, cost.stages[0].query) * noise["counts"]
    cover_counts = None
    if parameters.method == "zones_laplace":
        counts = presampled_counts(dataset, visit_limit) + noise_values
    elif parameters.method == "towers_laplace":
        counts = tessellation.overlap.T @ (tower_series(dataset, visit_limit) + noise_values)
    else:
        cover_counts = cover_series(dataset, visit_limit) + noise_values
        counts = tessellation.to_zones @ cover_counts
    return DensityRelease(
        parameters=parameters, counts=np.maximum(counts, 0.0), cost=cost, cover_counts=cover_counts
    )


def fourier_release(
    dataset: Dataset, parameters: DensityParameters, noise: DensityNoise
) -> DensityRelease:
    """Return a density by Algorithm 1: totals, clusters, noisy profiles, scaling, smoothing."""
    tessellation = dataset.tessellation
    cover_size = tessellation.cover_size
    cap = dataset.metadata.max_visits_cap
    cost = accounting.fourier_cost(parameters, cover_size=cover_size, max_visits_cap=cap)
    cell_totals, visit_total = estimate_cell_totals(dataset, parameters, cost, noise)
    cluster_minimum = accounting.cluster_minimum(parameters)
    empty_release = DensityRelease(
        parameters=parameters,
        counts=np.zeros((len(dataset.zones), HOURS_PER_WEEK)),
        cost=cost,
        flags=(NO_POSITIVE_TOTAL,),
        cover_counts=np.zeros((cover_size, HOURS_PER_WEEK)),
        cell_totals=cell_totals,
        visit_total=visit_total,
        cluster_minimum=cluster_minimum,
    )
    if not (cell_totals > 0).any():
        return empty_release
    centres, areas = tessellation.cover_centres_m, tessellation.cover_areas_m2
    clusters = cluster_cells(cell_totals, centres, areas, cluster_minimum)
    series = cover_series(dataset, parameters.max_visits_per_user)
    noisy_series, coefficient_counts = perturb_series(series, clusters, parameters, noise)
    profiles = to_shares(noisy_series)
    if parameters.smoothing:
        profiles = smooth_nights(profiles)
    cover_counts = np.maximum(cell_totals, 0.0)[:, None] * profiles[clusters]
    return replace(
        empty_release,
        counts=tessellation.to_zones @ cover_counts,
        flags=(ONE_CLUSTER,) if len(profiles) == 1 < cover_size else (),
        cover_counts=cover_counts,
        clusters=clusters,
        coefficient_counts=coefficient_counts,
        cluster_profiles=profiles,
    )


def estimate_cell_totals(
    dataset: Dataset, parameters: DensityParameters, cost: PrivacyCost, noise: DensityNoise
) -> tuple[Floats, float | None]:
    """Return Ŝ, the noisy total of each cell of the cover, and K̂ (Algorithm 2, at ε/2).

    With the improved scaling (§5.4.1) Ŝ are the towers' noisy shares of single visits (H̃), times
    K̂. The shares are of H̃'s own noisy sum, never of the true number of people (erratum D6). If
    that sum or K̂ is not above 0, every total is 0. Without that scaling K̂ is None.
    """
    if not parameters.scaling:
        cell_noise = stage_noise_scale(cost.stages, Query.COVER_TOTALS) * noise["cell_totals"]
        return cell_noise + cover_series(dataset, parameters.max_visits_per_user).sum(axis=1), None
    single_visits = stage_noise_scale(cost.stages, Query.SINGLE_VISITS) * noise["single_visits"]
    single_visits += dataset.single_visit_by_tower
    noisy_people = math.fsum(single_visits)
    visit_total = float(dataset.truth_by_tower.sum())
    visit_total += stage_noise_scale(cost.stages, Query.ALL_VISITS) * float(noise["visit_total"][0])
    if noisy_people <= 0 or visit_total <= 0:
        return np.zeros(dataset.tessellation.cover_size), visit_total
    return dataset.tessellation.to_cover @ (single_visits / noisy_people * visit_total), visit_total


def cluster_cells(
    cell_totals: Floats, centres_m: Floats, areas_m2: Floats, cluster_minimum: float
) -> Integers:
    """Return the cluster of each cell of the cover, numbered from 0 (Algorithm 3).

    The cluster of the least total is merged with the nearest one by centroids (P1, footnote 5; ties
    to the lower first cell: that of the lowest number) until every total reaches τ or one cluster
    is left. Inputs are noisy totals, perhaps negative, and public geometry: it costs no privacy.
    """
    size = cluster_count = len(cell_totals)
    if cluster_minimum == 0:
        return np.arange(size)
    merged_into = list(range(size))
    cluster_totals: list[float] = cell_totals.tolist()
    heap = [(total, cell) for cell, total in enumerate(cluster_totals)]
    heapq.heapify(heap)
    centres, areas = centres_m.T.copy(), areas_m2.copy()  # stored at a cluster's first cell
    while cluster_count > 1:
        total, cluster = heapq.heappop(heap)
        if merged_into[cluster] != cluster or total != cluster_totals[cluster]:
            continue  # entry from before a merge
        if total >= cluster_minimum:
            break
        east, north = centres - centres[:, cluster, None]
        squared_distances = east * east + north * north
        squared_distances[cluster] = np.inf
        neighbour = int(squared_distances.argmin())
        target, source = min(cluster, neighbour), max(cluster, neighbour)
        areas[target] += areas[source]
        weight = areas[source] / areas[target]
        centres[:, target] += (centres[:, source] - centres[:, target]) * weight
        centres[:, source] = np.inf  # at infinite distance
        merged_into[source] = target
        cluster_totals[target] += cluster_totals[source]
        heapq.heappush(heap, (cluster_totals[target], target))
        cluster_count -= 1
    for cell in range(size):  # a cluster always merges into one with a lower first cell
        merged_into[cell] = merged_into[merged_into[cell]]
    return np.unique(np.array(merged_into, dtype=np.int64), return_inverse=True)[1]


def perturb_series(
    series: Floats, clusters: Integers, parameters: DensityParameters, noise: DensityNoise
) -> tuple[Floats, Integers]:
    """Return the clusters' noisy series by EFPA or EFPAG (Algorithm 4), and their k."""
    order = np.argsort(clusters, kind="stable")
    starts = np.flatnonzero(np.diff(clusters[order], prepend=-1))
    first_cells = order[starts]
    coefficients = to_coefficients(np.add.reduceat(series[order], starts, axis=0))
    coefficient_counts = choose_coefficient_counts(coefficients, parameters, noise, first_cells)
    scale = np.full((len(coefficient_counts), 1), accounting.coefficient_scale(parameters))
    if parameters.method == "efpa":
        scale *= np.sqrt(coefficient_counts)[:, None]
    noisy = coefficients + scale * noise["coefficients"][first_cells]
    is_kept = coefficient_counts[:, None] >= accounting.COEFFICIENT_COUNTS
    return to_series(np.where(is_kept, noisy, 0.0)), coefficient_counts


def choose_coefficient_counts(
    coefficients: Floats, parameters: DensityParameters, noise: DensityNoise, first_cells: Integers
) -> Integers:
    """Return each cluster's k (`efpag_joint`: one for all); Gumbel noise draws it exactly."""
    logits = selection_logits(coefficients, parameters)
    if parameters.method == "efpag_joint":
        return np.full(len(coefficients), 1 + np.argmax(logits[0] + noise["joint_choice"]))
    return 1 + np.argmax(logits + noise["cluster_choice"][first_cells], axis=1)


def selection_logits(coefficients: Floats, parameters: DensityParameters) -> Floats:
    """Return the unnormalised log-probabilities of k = 1 … 168, one row a choice.

    P(k) ∝ exp(−ε_E·u(k)/(4·Δ₂)), ε_E = ε/2, Δ₂ = √ℓ. The expected error u(k) = L₂ norm of the
    coefficients beyond k + expected norm of the noise on the first k has sensitivity Δ₂ (Algorithm
    4, line 3; erratum D3). The joint choice has one row: u of all clusters, as sensitive (D1).
    """
    squares, cluster_count = coefficients**2, 1
    if parameters.method == "efpag_joint":
        squares, cluster_count = squares.sum(axis=0, keepdims=True), len(coefficients)
    dropped_squares = np.zeros_like(squares)
    dropped_squares[:, :-1] = np.cumsum(squares[:, :0:-1], axis=1)[:, ::-1]
    errors = np.sqrt(dropped_squares) + accounting.expected_noise_norms(parameters, cluster_count)
    return errors * (-parameters.epsilon / 8 / math.sqrt(parameters.max_visits_per_user))


def to_coefficients(series: Floats) -> Floats:
    """Return the orthonormal discrete cosine transform (type II) of each row."""
    return np.asarray(dct(series, type=2, norm="ortho", axis=1))


def to_series(coefficients: Floats) -> Floats:
    """Return the inverse of `to_coefficients`, row by row."""
    return np.asarray(idct(coefficients, type=2, norm="ortho", axis=1))
