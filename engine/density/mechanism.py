"""The density mechanism: from confidential aggregates to a private week of every zone (P1)."""

from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Floats, Integers
from ..datasets import Dataset
from ..errors import ParameterError
from ..ledger import Ledger
from ..parameters import HOURS_PER_WEEK, DensityParameters
from . import accounting, fourier
from .aggregates import cover_series, presampled, tower_series, tower_tree
from .clustering import cluster_cells
from .draws import DensityNoise
from .gaussian import gaussian_strength
from .scaling import cell_totals
from .smoothing import smooth_nights
from .zoom.costs import zoom_ledger
from .zoom.measure import DEFAULTS, ZoomConstants, measure
from .zoom.reading import Reading, read, shares

NOISE_EXCEEDS_DATA = "the noise exceeds the data"
ONE_CLUSTER = "all cells form one cluster: their total is below the cluster minimum"


@dataclass(frozen=True, eq=False, kw_only=True)
class DensityRelease:
    """A private density and everything on the way to it; all of it is private.

    Attributes
    ----------
    counts : array, shape (zones, 168)
        Private visits by zone and hour, at least 0, in the order of ``dataset.zones``.
    flags : tuple of str
        `NOISE_EXCEEDS_DATA` (the release is zero everywhere), `ONE_CLUSTER`.
    cover_counts : array, shape (cover, 168), or None
        Private series of the cover, negative counts of `lpa` as drawn; None for the two naive
        methods.
    cell_totals : array, shape (cover,), or None
        Ŝ, noisy totals; None for Laplace methods.
    visits : float or None
        K̂, the noisy number of all visits; None without the improved scaling.
    clusters : int array, shape (cover,), or None
        Cluster of every cell of the cover.
    coefficients_kept : int array, shape (clusters,), or None
        k, the number of Fourier coefficients each cluster keeps.
    shapes : array, shape (clusters, 168), or None
        Each cluster's private week, normalised to sum 1 and then smoothed.
    cluster_minimum : float or None
        τ as used.
    reading : Reading or None
        What `zoom` read from its noisy tables: sizes and weeks of all towers.
    """

    parameters: DensityParameters
    counts: Floats
    ledger: Ledger
    flags: tuple[str, ...] = ()
    cover_counts: Floats | None = None
    cell_totals: Floats | None = None
    visits: float | None = None
    clusters: Integers | None = None
    coefficients_kept: Integers | None = None
    shapes: Floats | None = None
    cluster_minimum: float | None = None
    reading: Reading | None = None


def zoom_release(
    dataset: Dataset,
    parameters: DensityParameters,
    noise: DensityNoise,
    constants: ZoomConstants = DEFAULTS,
) -> DensityRelease:
    """Release with the method `zoom`, its constants given: measure, then read.

    ℓ, τ, scaling, smoothing and the calibration of the Gaussian have no meaning here.
    """
    tables, tree = dataset.zoom_tables, tower_tree(dataset)
    if noise.zoom is None or noise.zoom.towers.shape != tables.towers.shape:
        raise ParameterError(
            f"noise must be drawn for 'zoom' and {len(tables.towers)} towers, got that of another "
            "method or dataset; draw it with DensityNoise.draw"
        )
    strength = gaussian_strength(parameters.epsilon, parameters.delta)
    noisy = measure(tables, strength, noise.zoom.add, constants)
    reading = read(noisy, tree, constants)
    return DensityRelease(
        parameters=parameters,
        counts=dataset.tessellation.overlap.T @ reading.by_tower,
        ledger=zoom_ledger(
            parameters, max_visits_cap=dataset.metadata.max_visits_cap, city_clip=noisy.city_clip
        ),
        flags=() if reading.visits > 0 else (NOISE_EXCEEDS_DATA,),
        visits=reading.visits,
        reading=reading,
    )


def laplace_release(
    dataset: Dataset, parameters: DensityParameters, noise: DensityNoise
) -> DensityRelease:
    """Add Laplace noise ℓ/ε to each count of the zones, the towers or the cover (P1 §5.2, §5.3).

    Negative counts of zones are set to 0 at the very end,
    where that distorts least.
    """
    kept, places = parameters.max_visits_per_user, dataset.tessellation
    scale = kept / parameters.epsilon
    cover_counts = None
    if parameters.method == "zones_laplace":
        counts = _noisy(presampled(dataset, kept), scale, noise)
    elif parameters.method == "towers_laplace":
        counts = places.overlap.T @ _noisy(tower_series(dataset, kept), scale, noise)
    else:
        cover_counts = _noisy(cover_series(dataset, kept), scale, noise)
        counts = places.to_zones @ cover_counts
    return DensityRelease(
        parameters=parameters,
        counts=np.maximum(counts, 0.0),
        ledger=accounting.laplace_ledger(parameters),
        cover_counts=cover_counts,
    )


def fourier_release(
    dataset: Dataset, parameters: DensityParameters, noise: DensityNoise
) -> DensityRelease:
    """Run Algorithm 1 of P1: totals, clusters, perturbed shapes, scaling back, mapping."""
    places = dataset.tessellation
    size = places.cover_size
    noise.require(size, 0 if parameters.method == "efpag_joint" else size)
    totals = cell_totals(dataset, parameters, noise)
    minimum = parameters.cluster_minimum
    if minimum is None:
        minimum = fourier.default_cluster_minimum(parameters)
    started = DensityRelease(
        parameters=parameters,
        counts=np.zeros((len(dataset.zones), HOURS_PER_WEEK)),
        ledger=accounting.fourier_ledger(
            parameters, cover_size=size, max_visits_cap=dataset.metadata.max_visits_cap
        ),
        flags=(NOISE_EXCEEDS_DATA,),
        cover_counts=np.zeros((size, HOURS_PER_WEEK)),
        cell_totals=totals.cells,
        visits=totals.visits,
        cluster_minimum=minimum,
    )
    if not (totals.cells > 0).any():
        return started
    clusters = cluster_cells(totals.cells, places.cover_centres_m, places.cover_areas_m2, minimum)
    shapes, kept = _shapes(dataset, parameters, noise, clusters)
    cover_counts = np.maximum(totals.cells, 0.0)[:, None] * shapes[clusters]
    return replace(
        started,
        counts=places.to_zones @ cover_counts,
        flags=(ONE_CLUSTER,) if len(shapes) == 1 < size else (),
        cover_counts=cover_counts,
        clusters=clusters,
        coefficients_kept=kept,
        shapes=shapes,
    )


def _shapes(
    dataset: Dataset, parameters: DensityParameters, noise: DensityNoise, clusters: Integers
) -> tuple[Floats, Integers]:
    """Perturb the clusters' series, normalise them and smooth their nights (stages 4 to 7)."""
    series = cover_series(dataset, parameters.max_visits_per_user)
    order = np.argsort(clusters, kind="stable")
    starts = np.flatnonzero(np.diff(clusters[order], prepend=-1))
    lowest = order[starts]
    coefficients = fourier.to_coefficients(np.add.reduceat(series[order], starts, axis=0))
    kept = fourier.choose_kept(coefficients, parameters, noise, lowest)
    noisy = fourier.to_series(fourier.perturb(coefficients, kept, parameters, noise, lowest))
    shapes = shares(noisy)
    return (smooth_nights(shapes) if parameters.smoothing else shapes), kept


def _noisy(series: Floats, scale: float, noise: DensityNoise) -> Floats:
    noise.require(len(series), 0)
    return series + scale * noise.counts
