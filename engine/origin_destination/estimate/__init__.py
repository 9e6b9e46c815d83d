"""Origin–destination matrices read by statistics, at the published method's privacy.

`measurement` is the only module that sees counts: it adds whole-number noise to every cell.
`prediction`, `grid`, `law`, `reading` and `assisted` work on noisy cells and public geometry;
`statements` holds what is true of them whatever the world is like.
"""

from ..sums import cell_reach, total_reach
from .measurement import (
    CAPPED_SHARE,
    CAPPED_TRIPS,
    Measurement,
    buys_capped_count,
    ledger,
    measure,
    measure_with,
)
from .release import LIKELY_EMPTY, EstimateRelease, intervals, read_days, read_measurement, release
from .statements import FALSE_DISCOVERIES, certain_flows, may_all_be_noise

__all__ = [
    "CAPPED_SHARE",
    "CAPPED_TRIPS",
    "FALSE_DISCOVERIES",
    "LIKELY_EMPTY",
    "EstimateRelease",
    "Measurement",
    "buys_capped_count",
    "cell_reach",
    "certain_flows",
    "intervals",
    "ledger",
    "may_all_be_noise",
    "measure",
    "measure_with",
    "read_days",
    "read_measurement",
    "release",
    "total_reach",
]
