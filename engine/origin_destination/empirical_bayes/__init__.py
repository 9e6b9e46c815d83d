"""Origin–destination matrices read by statistics, at the published method's privacy.

`measurement` is the only module that sees counts: it adds whole-number noise to every cell. The
others work on noisy cells and public geometry; what is true of them whatever the world is like
stands in `engine.origin_destination.statements`.
"""

from .measurement import (
    EXCESS_SHARE,
    Measurement,
    ReleaseTotals,
    ledger,
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
    release,
    scale_up,
    state_scale_up,
)

__all__ = [
    "EXCESS_SHARE",
    "EmpiricalBayesRelease",
    "Measurement",
    "ReleaseTotals",
    "ScaleUp",
    "estimate_days",
    "estimate_from_measurement",
    "iterate_intervals",
    "ledger",
    "max_excess_count",
    "measure",
    "measure_with",
    "release",
    "scale_up",
    "state_scale_up",
]
