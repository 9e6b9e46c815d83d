"""Private spatio-temporal density of a week (P1, made exact by errata D1 to D7)."""

from ..parameters import DensityParameters
from .accounting import (
    as_released,
    at_equal_proved_epsilon,
    default_cluster_minimum,
    delta_is_large,
    proved_epsilon,
)
from .aggregates import cover_series, presampled, truth
from .mechanism import NOISE_EXCEEDS_DATA, ONE_CLUSTER, DensityRelease
from .methods import METHODS, draw_noise, ledger, plan, release
from .scoring import DensityScores, scores

__all__ = [
    "METHODS",
    "NOISE_EXCEEDS_DATA",
    "ONE_CLUSTER",
    "DensityParameters",
    "DensityRelease",
    "DensityScores",
    "as_released",
    "at_equal_proved_epsilon",
    "cover_series",
    "default_cluster_minimum",
    "delta_is_large",
    "draw_noise",
    "ledger",
    "plan",
    "presampled",
    "proved_epsilon",
    "release",
    "scores",
    "truth",
]
