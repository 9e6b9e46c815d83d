"""Origin–destination matrices read by statistics, at the published method's privacy.

`measurement` is the only module that sees counts: it adds whole-number noise to every cell.
`prediction`, `law`, `reading` and `assisted` work on noisy cells and public geometry; `statements`
holds what is true of them whatever the world is like.
"""

from ..sums import cell_reach, total_reach
from .measurement import (
    BEYOND_SHARE,
    COUNTED_TO,
    Measurement,
    counts_beyond,
    ledger,
    measure,
    measure_with,
)
from .release import LIKELY_EMPTY, EstimateRelease, intervals, read_days, read_measurement, release
from .statements import FALSE_DISCOVERIES, certain_flows

__all__ = [
    "BEYOND_SHARE",
    "COUNTED_TO",
    "FALSE_DISCOVERIES",
    "LIKELY_EMPTY",
    "EstimateRelease",
    "Measurement",
    "cell_reach",
    "certain_flows",
    "counts_beyond",
    "intervals",
    "ledger",
    "measure",
    "measure_with",
    "read_days",
    "read_measurement",
    "release",
    "total_reach",
]
