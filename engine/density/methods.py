"""The methods of the density; `release`, `draw_noise`, `compute_cost` and `scores` of any."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from .. import metrics
from ..arrays import Floats
from ..contract import Method, resolve_noise
from ..datasets import Dataset
from ..errors import ParameterError
from ..parameters import (
    FOURIER_METHODS,
    GAUSSIAN_METHODS,
    HOURS_PER_WEEK,
    USED_FIELDS,
    DensityMethod,
    DensityParameters,
)
from ..privacy_cost import PrivacyCost
from . import mechanism
from .accounting import fourier_cost, laplace_cost
from .aggregates import tower_tree
from .mechanism import DensityNoise, DensityRelease
from .multiscale import multiscale_cost, multiscale_release

_FOURIER_LIMITATIONS = (
    "All places of a cluster share one weekly profile: a market or a station in it keeps its "
    "visits, but not its own profile.",
    "Half of ε is spent on totals (in a release mostly more), however many people there are.",
    "The profile is measured on at most ℓ visits per person.",
)


def _public_arguments(dataset: Dataset) -> dict[str, Any]:
    """Return the public facts of `dataset` that a method's `cost` may need; it takes them all."""
    return {
        "cover_size": dataset.tessellation.cover_size,
        "max_visits_cap": dataset.metadata.max_visits_cap,
        "clips": dataset.metadata.multiscale_clips,
    }


_fourier_method = partial(
    Method[DensityRelease],
    release=mechanism.fourier_release,
    limitations=_FOURIER_LIMITATIONS,
    scales_up=lambda parameters: parameters.scaling,
    cost=fourier_cost,
    public_arguments=_public_arguments,
)
_laplace_method = partial(
    Method[DensityRelease],
    used_fields=USED_FIELDS["lpa"],
    release=mechanism.laplace_release,
    cost=laplace_cost,
)

# in the order of menus: recommended ones, then P1's own (Algorithm 4, §5.3, §5.2), errata corrected
METHODS: dict[DensityMethod, Method[DensityRelease]] = {
    "efpag_joint": _fourier_method(
        name="Fourier perturbation, joint choice (after Acs & Castelluccia 2014)",
        short_name="Fourier, joint choice",
        description="Describes the week of each place by a few waves (Fourier coefficients), as "
        "many for all places, and adds noise to them. Short peaks can be lost. Provably stays "
        "within the published ε.",
        visit_limits=(14, 30, 100),
        used_fields=USED_FIELDS["efpag_joint"],
    ),
    "multiscale": Method(
        name="Multiscale Gaussian (this project)",
        short_name="Multiscale Gaussian",
        description="Counts visits in tables with Gaussian noise: in all, by tower for the whole "
        "week, and by hour for the city. With enough visits it also counts districts and towers by "
        "hour. The noisy number of all visits decides how exact each table is. Differences that "
        "could be noise are evened out; clear differences are kept. Nobody is sampled: the visits "
        "of a person with many are scaled down together. Published and proved ε are the same.",
        visit_limits=(30,),  # ℓ is not used
        used_fields=USED_FIELDS["multiscale"],
        release=multiscale_release,
        limitations=(
            "A place that differs from its neighbours is smoothed towards them unless the "
            "difference clearly exceeds the noise.",
            "The visits of people with many visits count less, so places visited mostly by them "
            "look too small.",
            "With few people and ε = 0.1, visits can be displaced further (EMD) than with the "
            "Fourier method.",
            "Places with very few visits keep large relative errors.",
            "With few visits a place, at small ε, all places share the city's weekly profile.",
        ),
        cost=multiscale_cost,
        public_arguments=_public_arguments,
    ),
    "efpag": _fourier_method(
        name="Fourier perturbation, Gaussian (EFPAG)",
        short_name="EFPAG",
        used_fields=USED_FIELDS["efpag"],
    ),
    "efpa": _fourier_method(
        name="Fourier perturbation, Laplace (EFPA)",
        short_name="EFPA",
        used_fields=USED_FIELDS["efpa"],
    ),
    "lpa": _laplace_method(name="Laplace noise on cells (baseline)", short_name="Laplace, cells"),
    "towers_laplace": _laplace_method(
        name="Laplace noise on towers (baseline)", short_name="Laplace, towers"
    ),
    "zones_laplace": _laplace_method(
        name="Laplace noise on zones (baseline)", short_name="Laplace, zones"
    ),
}


def release(
    dataset: Dataset,
    parameters: DensityParameters,
    *,
    rng: np.random.Generator | None = None,
    noise: DensityNoise | None = None,
) -> DensityRelease:
    """Return one release of the density of `dataset`; its counts are finite and at least 0.

    Exactly one of `rng` and `noise` (from `draw_noise`) is needed. Equal states of `rng` give equal
    releases; whoever knows the state can subtract the noise. Unit of privacy: one person, the whole
    week, added or removed. Raises `ParameterError` if the noise does not fit, and `DatasetError` if
    the dataset has no density data.
    """
    draw = partial(draw_noise, dataset, parameters)
    noise_values = resolve_noise(rng, noise, lambda generator: draw(rng=generator))
    shapes = noise_shapes(dataset, parameters.method)
    if {name: values.shape for name, values in noise_values.items()} != shapes:
        rule = f"noise must be drawn for the method '{parameters.method}' and this dataset"
        remedy = "draw it with density.draw_noise"
        raise ParameterError(rule, value="noise of other shapes", remedy=remedy)
    return METHODS[parameters.method].release(dataset, parameters, noise_values)


def draw_noise(
    dataset: Dataset, parameters: DensityParameters, *, rng: np.random.Generator
) -> DensityNoise:
    """Return the noise of one release: standard variates, whatever the parameters beside `method`.

    By name, in the shapes of `noise_shapes`: Gumbel for the choices of k; Gaussian for `multiscale`
    and the coefficients of `efpag` and `efpag_joint`; else Laplace. Totals come first: equal states
    give `efpa` and `efpag` equal totals, and equal clusters at the same τ.
    """
    method, noise_values = parameters.method, DensityNoise()
    for name, shape in noise_shapes(dataset, method).items():
        if name.endswith("choice"):
            noise_values[name] = rng.gumbel(size=shape)
        elif method == "multiscale" or (name == "coefficients" and method in GAUSSIAN_METHODS):
            noise_values[name] = rng.standard_normal(shape)
        else:
            noise_values[name] = rng.laplace(size=shape)
    return noise_values


def noise_shapes(dataset: Dataset, method: DensityMethod) -> dict[str, tuple[int, ...]]:
    """Return the shapes of a method's noise in the order of the draws, also of stages it skips."""
    tower_count, cover_size = len(dataset.towers), dataset.tessellation.cover_size
    week = HOURS_PER_WEEK
    if method == "multiscale":
        district_count = int(tower_tree(dataset).districts.max()) + 1
        small = {"visit_total": (1,), "tower_totals": (tower_count,), "city": (week,)}
        return {**small, "districts": (district_count, week), "towers": (tower_count, week)}
    row_counts = {"zones_laplace": len(dataset.zones), "towers_laplace": tower_count}
    series_name = "coefficients" if method in FOURIER_METHODS else "counts"
    return {
        "single_visits": (tower_count,),
        "visit_total": (1,),
        "cell_totals": (cover_size,),
        series_name: (row_counts.get(method, cover_size), week),
        "joint_choice": (week,),
        "cluster_choice": (cover_size if method in ("efpa", "efpag") else 0, week),
    }


def compute_cost(dataset: Dataset, parameters: DensityParameters) -> PrivacyCost:
    """Return the stages and total privacy losses of a release, from public facts alone."""
    method = METHODS[parameters.method]
    return method.cost(parameters, **method.public_arguments(dataset))


@dataclass(frozen=True, eq=False, kw_only=True)
class DensityScores:
    """Errors of one density release against the truth; confidential unless simulated.

    `error` and `correlation`, shape (zones,), are the mean relative error over the hours, NaN
    without visits, and Pearson's correlation over the hours, NaN of a constant series. Over all
    zones and hours, X true, `mean_absolute_error` is the mean of |X̂ − X|, `total_error`
    |Σ X̂ − Σ X| / Σ X and `common_part` the Sørensen index 2·Σ min(X̂, X) / (Σ X̂ + Σ X).
    `is_empty`: the release has the flag `NO_POSITIVE_TOTAL`.
    """

    error: Floats
    correlation: Floats
    mean_absolute_error: float
    total_error: float
    common_part: float
    is_empty: bool

    @property
    def mean_error(self) -> float:
        """Mean relative error over the zones that have one; NaN if none has, or if all are 0."""
        return float("nan") if self.is_empty else metrics.mean_of_finite(self.error)

    @property
    def mean_correlation(self) -> float:
        """Mean correlation over the zones that have one; NaN where none has."""
        return metrics.mean_of_finite(self.correlation)


def scores(truth: Floats, release: DensityRelease) -> DensityScores:
    """Return the errors of `release` against the `truth` of its dataset, both (zones, 168)."""
    absolute_errors = np.abs(release.counts - truth)
    common = metrics.common_part(absolute_errors.sum(), release.counts.sum(), truth.sum())
    return DensityScores(
        error=metrics.mean_relative_error(truth, release.counts),
        correlation=metrics.pearson_correlation(truth, release.counts),
        mean_absolute_error=float(absolute_errors.mean()),
        total_error=metrics.total_error(truth, release.counts),
        common_part=float(common),
        is_empty=mechanism.NO_POSITIVE_TOTAL in release.flags,
    )
