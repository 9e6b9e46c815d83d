"""Cached aggregates on disk: the only data a mechanism ever sees.

Examples
--------
>>> from engine import datasets
>>> datasets.load("demo-city").metadata.simulated
True
"""

from engine.datasets.dataset import RANK_BUCKET, Dataset, TripCounts, load, save
from engine.datasets.installed import available, data_root, describe
from engine.datasets.metadata import FORMAT_VERSION, Metadata

__all__ = [
    "FORMAT_VERSION",
    "RANK_BUCKET",
    "Dataset",
    "Metadata",
    "TripCounts",
    "available",
    "data_root",
    "describe",
    "load",
    "save",
]
