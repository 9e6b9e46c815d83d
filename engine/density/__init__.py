"""Private spatio-temporal density of a week (Acs & Castelluccia 2014, P1; errata D1 to D7)."""

from ..parameters import DensityParameters
from .accounting import (
    as_released,
    default_cluster_minimum,
    is_delta_large,
    match_proved_epsilon,
    proved_epsilon,
)
from .aggregates import cover_series, presampled_counts, truth
from .mechanism import NOISE_EXCEEDS_DATA, ONE_CLUSTER, DensityRelease
from .methods import METHODS, compute_cost, draw_noise, release
from .scoring import DensityScores, scores

__all__ = [
    "METHODS",
    "NOISE_EXCEEDS_DATA",
    "ONE_CLUSTER",
    "DensityParameters",
    "DensityRelease",
    "DensityScores",
    "as_released",
    "compute_cost",
    "cover_series",
    "default_cluster_minimum",
    "draw_noise",
    "is_delta_large",
    "match_proved_epsilon",
    "presampled_counts",
    "proved_epsilon",
    "release",
    "scores",
    "truth",
]
