"""Cached aggregates on disk: the only data that mechanisms read."""

from .dataset import Dataset, dataset_name, find_folder, find_same_people, has_people, load, save
from .installed import available, data_root, data_roots, parse_output_folder
from .memo import memoise
from .metadata import Metadata
from .trip_counts import RANK_BUCKET, TripCounts, Trips

__all__ = [
    "RANK_BUCKET",
    "Dataset",
    "Metadata",
    "TripCounts",
    "Trips",
    "available",
    "data_root",
    "data_roots",
    "dataset_name",
    "find_folder",
    "find_same_people",
    "has_people",
    "load",
    "memoise",
    "parse_output_folder",
    "save",
]
