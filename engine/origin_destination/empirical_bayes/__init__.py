"""Empirical-Bayes estimates of matrices, at the privacy of Laplace with suppression.

`measurement` is the only module that sees counts: it adds whole-number noise to every cell. The
others use noisy cells and public geometry; `engine.origin_destination.noise_bounds` holds the
statements that need no model.
"""

from .measurement import (
    EXCESS_SHARE,
    Measurement,
    estimation_cost,
    max_excess_count,
    measure,
    measure_with,
)
from .release import (
    EmpiricalBayesRelease,
    ScaleUp,
    estimate_days,
    estimate_from_measurement,
    iterate_intervals,
    iterate_release,
    release,
    scale_up,
    state_scale_up,
)

__all__ = [
    "EXCESS_SHARE",
    "EmpiricalBayesRelease",
    "Measurement",
    "ScaleUp",
    "estimate_days",
    "estimate_from_measurement",
    "estimation_cost",
    "iterate_intervals",
    "iterate_release",
    "max_excess_count",
    "measure",
    "measure_with",
    "release",
    "scale_up",
    "state_scale_up",
]
