"""Datasets opened once: their tables, and zones ready to draw."""

from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

import numpy as np

from engine import resolution
from engine.contract import Seen
from engine.datasets import Dataset
from engine.resolution.groups import Groups
from pages._ui.cache import scope as cached_scope
from pages._ui.drawing import maps
from pages._ui.drawing.maps import Outlines
from pages._ui.drawing.svg import sketches, stage

T = TypeVar("T")


@cached_scope.resource(max_entries=16, show_spinner="Opening the dataset …")
def dataset(key: Seen) -> Dataset:
    """Open one version of a dataset, or a coarser view of it; tables are read on first use."""
    whole = resolution.finest(key)
    if key == whole:
        return resolution.open_seen(key)
    return resolution.open_seen(
        key, lambda _: dataset(whole)
    )  # views share what their base has read


@cached_scope.resource(max_entries=8, show_spinner=False)
def outlines(key: Seen) -> Outlines:
    """Return the zones ready to draw: simplified, rounded to 5 decimals, names escaped."""
    return maps.outlines(dataset(key))


@cached_scope.resource(max_entries=8, show_spinner=False)
def group_outlines(key: Seen) -> tuple[Outlines, ...]:
    """Return the groups of zones ready to draw, finest first."""
    return tuple(maps.outlines_of(one.zones) for one in groups(key))


@cached_scope.resource(max_entries=8, show_spinner=False)
def zone_names(key: Seen) -> dict[str, str]:
    """Return the names of the zones by their ids, in their order; a name used twice has its id."""
    zones = dataset(key).zones
    return dict(zip(zones["zone_id"].astype(str), _names(zones), strict=True))


def _names(zones: Any) -> list[str]:
    ids, names = zones["zone_id"].astype(str), zones["name"].astype(str)
    double = names.duplicated(keep=False)
    return [
        f"{name} ({zone})" if twice else name
        for zone, name, twice in zip(ids, names, double, strict=True)
    ]


@cached_scope.resource(max_entries=8, show_spinner=False)
def sketch(key: Seen) -> sketches.Shapes:
    """Return the zones of the small maps."""
    return _sketch(dataset(key).zones)


@cached_scope.resource(max_entries=8, show_spinner=False)
def groups(key: Seen) -> tuple[Groups, ...]:
    """Return groups of neighbouring zones for maps seen from far away, finest first."""
    return resolution.group_levels(dataset(key).zones)


@cached_scope.resource(max_entries=8, show_spinner=False)
def group_sketches(key: Seen) -> tuple[stage.Group, ...]:
    """Return the groups of the picture of home."""
    return tuple(stage.Group(_sketch(one.zones), one.labels) for one in groups(key))


def _sketch(zones: Any) -> sketches.Shapes:
    return sketches.shapes(zones.geometry.to_numpy(), _names(zones), 1 / 400)


def frozen(value: T) -> T:
    """Return what is kept for all who ask, with every array in it read-only."""
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    elif isinstance(value, list | tuple):
        for part in value:
            frozen(part)
    elif isinstance(value, dict):
        frozen(list(value.values()))
    elif is_dataclass(value):
        frozen([getattr(value, field.name) for field in fields(value)])
    return value
