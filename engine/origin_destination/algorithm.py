"""Algorithm 1 of P2 (Kohli, Aiken and Blumenstock), once: trimmed counts, noise, suppression.

Three samplers make the whole-number noise: `rounded_laplace` for exploring; the same in single
precision, with room to work in, for the millions of draws of decisions; and, for what leaves the
building, OpenDP's exact discrete Laplace noise (`engine.release.noise`). The rest is the same.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Booleans, Counts, Floats, Integers
from ..errors import ParameterError
from ..parameters import ODParameters

Sampler = Callable[[Counts], Counts]
"""Adds whole-number noise of scale T/ε to each trimmed count."""

EXACT_COUNTS = 2.0**23
"""Counts below it are whole numbers in single precision, with as much noise as they are large."""

_LARGEST_NOISE = 2.0**62
_PIECE = 2**15


def algorithm_1(
    kept: Counts, parameters: ODParameters, sampler: Sampler
) -> tuple[Counts, Booleans]:
    """Return noisy counts, and which are shown; the others are released as 0.

    Parameters
    ----------
    kept : array
        Trimmed counts (step 1, `engine.origin_destination.kept`), without a diagonal or with one of
        zeros; removing one unit of protection changes them by at most T in L₁. Confidential.
    parameters : ODParameters
        Of the published method; τ is used.
    sampler : callable
        Adds the noise (step 2).

    Returns
    -------
    noisy : array, shape of `kept`
        Whole numbers of either sign; sums of them are unbiased.
    shown : bool array, same shape
        Noisy counts of at least τ′ = max(τ, 1) (step 3).

    Examples
    --------
    >>> noisy, shown = algorithm_1(
    ...     np.array([20, 3]), ODParameters(epsilon=1.0), lambda kept: kept + 1)
    >>> noisy.tolist(), shown.tolist()
    ([21, 4], [True, False])
    """
    require_published(parameters)
    noisy = sampler(kept)
    return noisy, noisy >= parameters.least_shown


def require_published(parameters: ODParameters) -> None:
    """Raise `ParameterError` for another method: Algorithm 1 and its law would answer for it."""
    if parameters.method != "published":
        raise ParameterError(
            "method must be 'published' for Algorithm 1 and its exact law",
            value=repr(parameters.method),
            remedy="draw it with od.release, or replace the method to compare with",
        )


def rounded_laplace(
    standard: NDArray[np.floating[Any]],
    scale: float,
    *,
    room: NDArray[np.floating[Any]] | None = None,
    out: Floats | None = None,
) -> Sampler:
    """Return the sampler that rounds count + Laplace noise half up: count + ⌊scale·η + ½⌋.

    Parameters
    ----------
    standard : array
        η, standard Laplace variates, one a count, in double or single precision.
    scale : float
        T/ε.
    room : array of the type of `standard`, optional
        To work in. Noise in single precision above 2²⁴ trips loses its last digits.
    out : array, optional
        For sums with counts that single precision does not hold.

    Examples
    --------
    >>> rounded_laplace(np.array([0.3, -2.0]), 2.0)(np.array([5, 5]))
    array([6, 1])
    """

    def add(kept: Counts) -> Counts:
        if kept.dtype.kind == "i":  # adding whole numbers loses no digit
            return _add_whole(kept, standard, scale)
        noise = np.multiply(standard, scale, out=room)
        noise += 0.5
        np.floor(noise, out=noise)
        if noise.dtype == np.float32 and kept.max(initial=0) < EXACT_COUNTS:
            noise += kept.astype(np.float32)
            return noise
        return np.add(noise, kept, out=out)

    return add


def _add_whole(kept: Counts, standard: NDArray[np.floating[Any]], scale: float) -> Integers:
    """Add in pieces that a processor's cache holds: twice as quick for millions of cells."""
    whole = np.empty(kept.shape, dtype=np.int64)
    flat, counts, variates = whole.reshape(-1), kept.reshape(-1), standard.reshape(-1)
    for start in range(0, len(flat), _PIECE):
        piece = slice(start, start + _PIECE)
        noise = variates[piece] * scale
        noise += 0.5
        np.floor(noise, out=noise)
        np.clip(noise, -_LARGEST_NOISE, _LARGEST_NOISE, out=noise)
        np.add(noise.astype(np.int64), counts[piece], out=flat[piece])
    return whole
