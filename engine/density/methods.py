"""The methods of the density and the functions of `engine.contract` over them."""

from functools import partial
from typing import Any

import numpy as np

from ..contract import Method
from ..datasets import Dataset
from ..errors import ParameterError
from ..exploration_noise import resolve_noise
from ..parameters import (
    GAUSSIAN_METHODS,
    HOURS_PER_WEEK,
    USED_FIELDS,
    DensityMethod,
    DensityParameters,
)
from ..privacy_ledger import Ledger
from .accounting import fourier_ledger, laplace_ledger
from .aggregates import tower_tree
from .mechanism import DensityNoise, DensityRelease, fourier_release, laplace_release
from .multiscale import multiscale_ledger, multiscale_release

_SHARED_RHYTHM = (
    "All places of a cluster share one weekly rhythm: a market or a station in it disappears.",
    "At least half of ε is spent on totals, however many people there are.",
    "The rhythm is measured on at most ℓ visits per person.",
)


def _public_arguments(dataset: Dataset) -> dict[str, Any]:
    return {
        "cover_size": dataset.tessellation.cover_size,
        "max_visits_cap": dataset.metadata.max_visits_cap,
        "clips": dataset.metadata.multiscale_clips,
    }


_fourier = partial(
    Method[DensityRelease],
    release=fourier_release,
    limitations=_SHARED_RHYTHM,
    ledger=fourier_ledger,
    public_arguments=_public_arguments,
)
_laplace = partial(
    Method[DensityRelease],
    used_fields=USED_FIELDS["lpa"],
    release=laplace_release,
    ledger=laplace_ledger,
)

# recommended method and multiscale Gaussian first; then P1's Algorithm 4, §5.3 and §5.2
METHODS: dict[DensityMethod, Method[DensityRelease]] = {
    "efpag_joint": _fourier(
        name="Fourier perturbation, joint choice (after Acs & Castelluccia 2014)",
        short_name="Fourier, joint choice",
        used_fields=USED_FIELDS["efpag_joint"],
    ),
    "multiscale": Method(
        name="Multiscale Gaussian (this project)",
        short_name="Multiscale Gaussian",
        description="Counts visits at five scales, from single towers to the whole city, with "
        "Gaussian "
        "noise. Differences that could be noise are evened out; clear differences are kept.",
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
        ),
        ledger=multiscale_ledger,
        public_arguments=_public_arguments,
        is_own=True,
    ),
    "efpag": _fourier(
        name="Fourier perturbation, Gaussian (EFPAG)",
        short_name="EFPAG",
        used_fields=USED_FIELDS["efpag"],
    ),
    "efpa": _fourier(
        name="Fourier perturbation, Laplace (EFPA)",
        short_name="EFPA",
        used_fields=USED_FIELDS["efpa"],
    ),
    "lpa": _laplace(name="Laplace noise on cells (baseline)", short_name="Laplace, cells"),
    "towers_laplace": _laplace(
        name="Laplace noise on towers (baseline)", short_name="Laplace, towers"
    ),
    "zones_laplace": _laplace(
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
    """Return one release of the density of `dataset` under `parameters`.

    Parameters
    ----------
    rng : numpy Generator
        Equal states give equal releases; whoever knows the state can subtract the noise.
    noise : dict of arrays
        In place of `rng`: noise from `draw_noise`, reused with these parameters.

    Returns
    -------
    DensityRelease
        Finite everywhere. Unit of privacy: one person, the whole week, added or removed.

    Raises
    ------
    ParameterError
        Unless exactly one of `rng` and `noise` is given, or if the noise does not fit.
    DatasetError
        If the dataset has no density data.
    """
    noise_values = resolve_noise(
        rng, noise, lambda generator: draw_noise(dataset, parameters, rng=generator)
    )
    shapes = noise_shapes(dataset, parameters.method)
    if {name: values.shape for name, values in noise_values.items()} != shapes:
        raise ParameterError(
            f"noise must be drawn for the method '{parameters.method}' and this dataset",
            value="that of another",
            remedy="draw it with density.draw_noise",
        )
    return METHODS[parameters.method].release(dataset, parameters, noise_values)


def draw_noise(
    dataset: Dataset, parameters: DensityParameters, *, rng: np.random.Generator
) -> DensityNoise:
    """Return the noise of one release of a method, reusable with its other parameters.

    By name, in the shapes of `noise_shapes`: Gumbel for the choices of k; Gaussian for `multiscale`
    and the ``counts`` of `efpag` and `efpag_joint`; else Laplace. Totals come first: equal states
    give `efpa` and `efpag` equal totals, and equal clusters at the same τ.
    """
    method, noise_values = parameters.method, DensityNoise()
    for name, shape in noise_shapes(dataset, method).items():
        if name.endswith("choice"):
            noise_values[name] = rng.gumbel(size=shape)
        elif method == "multiscale" or (name == "counts" and method in GAUSSIAN_METHODS):
            noise_values[name] = rng.standard_normal(shape)
        else:
            noise_values[name] = rng.laplace(size=shape)
    return noise_values


def noise_shapes(dataset: Dataset, method: DensityMethod) -> dict[str, tuple[int, ...]]:
    """Return the shapes of a method's noise by name, in the order of the draws."""
    towers, cover = len(dataset.towers), dataset.tessellation.cover_size
    week = HOURS_PER_WEEK
    if method == "multiscale":
        districts = int(tower_tree(dataset).districts.max()) + 1
        small = {"visits": (1,), "weeks": (towers,), "city": (week,)}
        return {**small, "districts": (districts, week), "towers": (towers, week)}
    cells = {"zones_laplace": len(dataset.zones), "towers_laplace": towers}.get(method, cover)
    choices = cover if method in ("efpa", "efpag") else 0
    return {
        "histogram": (towers,),
        "visits": (1,),
        "cell_totals": (cover,),
        "counts": (cells, week),
        "joint_choice": (week,),
        "cluster_choice": (choices, week),
    }


def plan(dataset: Dataset, parameters: DensityParameters) -> Ledger:
    """Return the stages and costs of a release from public facts; reads no count."""
    method = METHODS[parameters.method]
    return method.ledger(parameters, **method.public_arguments(dataset))


def ledger(parameters: DensityParameters, **public: Any) -> Ledger:
    """Return stages, shares and totals of a release with these parameters, before any draw.

    `public` are the public facts of the cost: ``cover_size`` |ℂ|, ``max_visits_cap`` K_max and, for
    `multiscale`, ``clips``. A method ignores those that it does not need.
    """
    return METHODS[parameters.method].ledger(parameters, **public)
