"""Cached aggregates on disk: the only data a mechanism ever sees.

Examples
--------
>>> from engine import datasets
>>> datasets.load("demo-city").metadata.simulated
True
"""

from .dataset import Dataset, load, save
from .installed import available, data_root, describe
from .memory import remembered
from .metadata import FORMAT_VERSION, Metadata
from .tripcounts import RANK_BUCKET, TripCounts

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
    "remembered",
    "save",
]
