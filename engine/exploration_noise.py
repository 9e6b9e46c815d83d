"""Noise for exploring, on NumPy generators.

A generator's samplers are fast and reproducible; they are not hardened against floating-point
attacks (erratum O5). A release that leaves the building takes its noise from a vetted library
instead. The order of draws is fixed, so that the same state of a generator gives the same noise.
"""

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from .arrays import Float32s
from .errors import ParameterError

NoiseT = TypeVar("NoiseT")


def resolve_noise(
    rng: np.random.Generator | None,
    noise: NoiseT | None,
    draw: Callable[[np.random.Generator], NoiseT],
) -> NoiseT:
    """Return `noise`, or `draw(rng)`: exactly one of `rng` and `noise` must be given."""
    if noise is not None and rng is None:
        return noise
    if noise is None and rng is not None:
        return draw(rng)
    raise ParameterError(
        "exactly one of rng and noise must be given",
        value="neither" if rng is None else "both",
        remedy="pass rng=np.random.default_rng(seed), or noise that was drawn before",
    )


def standard_laplace(rng: np.random.Generator, pair: Float32s, *, out: Float32s) -> None:
    """Fill `out` with Laplace variates in memory `pair`, twice as quickly as ``rng.laplace``."""
    rng.standard_exponential(out=pair, dtype=np.float32)
    np.subtract(pair[0], pair[1], out=out)
