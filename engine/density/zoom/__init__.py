"""Density counted at five zoom levels by one Gaussian mechanism, read by statistics.

`measure` is the only step that sees counts; `read` is a pure function of what it returns and of
public geometry. ``docs/mechanisms.md`` has the proof, the tables and where it loses.
"""

from .measure import (
    DEFAULTS,
    TABLES,
    NoisyTable,
    NoisyTables,
    ZoomConstants,
    ZoomNoise,
    measure,
    measure_with,
    noise_scale,
)
from .reading import Reading, read
from .tree import Tree, build_tree

__all__ = [
    "DEFAULTS",
    "TABLES",
    "NoisyTable",
    "NoisyTables",
    "Reading",
    "Tree",
    "ZoomConstants",
    "ZoomNoise",
    "build_tree",
    "measure",
    "measure_with",
    "noise_scale",
    "read",
]
