"""Noise of a release: whole numbers from OpenDP's exact samplers, never from NumPy.

OpenDP samples discrete Laplace and discrete Gaussian variates in exact rational arithmetic from the
operating system's entropy (Canonne, Kamath and Steinke 2020), so neither floating point nor a seed
leaks anything. `laplace_epsilon` returns the privacy loss that OpenDP's own privacy map states for
a scale, rounded up; it is at least sensitivity / scale.
"""

import math
from importlib.metadata import version
from typing import Any

import numpy as np
import opendp.prelude as opendp

from engine import validation
from engine.arrays import Integers

LIBRARY = "OpenDP"
VERSION = version("opendp")

_AT_ONCE = 2**18  # whole numbers handed over in one call: bounds the memory of Python's integers

opendp.enable_features("contrib")


def discrete_laplace(counts: Integers, scale: float) -> Integers:
    """Return `counts` plus discrete Laplace noise, P(z) ∝ exp(−|z|/scale).

    Parameters
    ----------
    counts : int array, any shape
        Exact counts (confidential).
    scale : float
        Sensitivity / ε, in the unit of the counts; finite and above 0.

    Returns
    -------
    int array, the same shape

    Examples
    --------
    >>> import numpy as np
    >>> discrete_laplace(np.array([[3, 5]]), scale=1e-9).tolist()
    [[3, 5]]
    """
    return _noisy(_laplace(scale), counts)


def discrete_gaussian(counts: Integers, sigma: float) -> Integers:
    """Return `counts` plus discrete Gaussian noise, P(z) ∝ exp(−z²/(2σ²)).

    Parameters
    ----------
    counts : int array, any shape
    sigma : float
        Finite and above 0, in the unit of the counts.
    """
    return _noisy(gaussian(sigma), counts)


def laplace_epsilon(sensitivity: int, scale: float) -> float:
    """Return the ε that OpenDP states for counts of this L₁ sensitivity and scale, rounded up.

    Examples
    --------
    >>> laplace_epsilon(5, 10.0)
    0.5
    """
    return float(_laplace(scale).map(sensitivity))


def gaussian(sigma: float) -> Any:
    """Return OpenDP's measurement of discrete Gaussian noise, with its privacy map."""
    scale = validation.finite_above("sigma", sigma, 0, "it is the noise's standard deviation")
    space = opendp.vector_domain(opendp.atom_domain(T="i64")), opendp.l2_distance(T=float)
    return opendp.m.make_gaussian(*space, scale)


def _laplace(scale: float) -> Any:
    number = validation.finite_above("scale", scale, 0, "it is the sensitivity over ε")
    space = opendp.vector_domain(opendp.atom_domain(T="i64")), opendp.l1_distance(T="i64")
    return opendp.m.make_laplace(*space, number)


def _noisy(measurement: Any, counts: Integers) -> Integers:
    flat = np.array(counts, dtype=np.int64).ravel()  # a copy: OpenDP takes no read-only arrays
    pieces = np.array_split(flat, max(1, math.ceil(flat.size / _AT_ONCE)))
    noisy = [np.asarray(measurement(piece), dtype=np.int64) for piece in pieces if piece.size]
    if not noisy:
        return np.zeros(counts.shape, dtype=np.int64)
    return np.concatenate(noisy).reshape(counts.shape)
