"""Private origin–destination matrices: Laplace with suppression (P2) and empirical Bayes."""

from ..parameters import ODParameters
from . import calculators, empirical_bayes
from .exact import compute_error_grid, compute_truncation_curve
from .matrices import compute_histogram, truncated_matrices, truth
from .methods import (
    METHODS,
    compute_cost,
    draw_noise,
    expected,
    has_suppression,
    iterate_release,
    release,
    scores,
)
from .noise_distribution import NoiseDistribution, NoiseName

__all__ = [
    "METHODS",
    "NoiseDistribution",
    "NoiseName",
    "ODParameters",
    "calculators",
    "compute_cost",
    "compute_error_grid",
    "compute_histogram",
    "compute_truncation_curve",
    "draw_noise",
    "empirical_bayes",
    "expected",
    "has_suppression",
    "iterate_release",
    "release",
    "scores",
    "truncated_matrices",
    "truth",
]
