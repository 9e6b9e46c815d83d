"""Private spatio-temporal density of a week (P1, made exact by errata D1 to D7)."""

from ..parameters import DensityParameters
from .accounting import at_equal_proved_epsilon, delta_is_large, proved_epsilon
from .aggregates import by_zone, cover_series, presampled, truth
from .draws import DensityNoise
from .mechanism import NOISE_EXCEEDS_DATA, ONE_CLUSTER, DensityRelease
from .methods import METHODS, draw_noise, ledger, plan, release
from .scales import default_cluster_minimum
from .scoring import DensityScores, scores

__all__ = [
    "METHODS",
    "NOISE_EXCEEDS_DATA",
    "ONE_CLUSTER",
    "DensityNoise",
    "DensityParameters",
    "DensityRelease",
    "DensityScores",
    "at_equal_proved_epsilon",
    "by_zone",
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
