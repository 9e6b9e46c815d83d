"""Origin–destination matrices read by statistics, at the published method's privacy.

`measurement` is the only module that sees counts: it adds whole-number noise to every cell. The
others work on noisy cells and public geometry; what is true of them whatever the world is like
stands in `engine.origin_destination.statements`.
"""

from .measurement import (
    BEYOND_SHARE,
    Measurement,
    ReleaseTotals,
    counts_beyond,
    ledger,
    measure,
    measure_with,
)
from .release import (
    EstimateRelease,
    ScaleUp,
    intervals,
    read_days,
    read_measurement,
    release,
    scale_up,
    state_scale_up,
)

__all__ = [
    "BEYOND_SHARE",
    "EstimateRelease",
    "Measurement",
    "ReleaseTotals",
    "ScaleUp",
    "counts_beyond",
    "intervals",
    "ledger",
    "measure",
    "measure_with",
    "read_days",
    "read_measurement",
    "release",
    "scale_up",
    "state_scale_up",
]
