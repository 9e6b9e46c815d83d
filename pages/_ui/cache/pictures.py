"""Cached pictures of home's stage: one for each dataset, setting and draw."""

from typing import Any

import numpy as np

from engine.parameters import DensityParameters, ODParameters
from engine.resolution import block_at, resolution_of
from pages._ui.cache import density as cached_density
from pages._ui.cache import estimates as cached_estimates
from pages._ui.cache import scope as cached_scope
from pages._ui.cache import trips as cached_trips
from pages._ui.cache.datasets import group_sketches, sketch
from pages._ui.cache.window import Window
from pages._ui.drawing import marks
from pages._ui.drawing.groups import OURS_ADDED_UP
from pages._ui.drawing.maps import largest_flows
from pages._ui.drawing.svg import stage
from pages._ui.shell.settings import Seed

MAP_HOUR = 2 * 24 + 18
"""The hour on the map: Wednesday 18:00 to 19:00, a public choice, not the fullest hour."""


@cached_scope.resource(max_entries=128, show_spinner=False)
def density(key: str, parameters: DensityParameters, seed: Seed) -> stage.Picture:
    """Return the visits of one hour, true and private."""
    block, when = block_at(resolution_of(key).hours, MAP_HOUR)
    private = cached_density.release(key, parameters, seed).counts[:, block]
    return stage.zone_picture(
        sketch(key),
        cached_density.truth(key)[:, block],
        np.maximum(private, 0.0),
        what=f"visits, {when}",
        epsilon=parameters.epsilon,
    )


@cached_scope.resource(max_entries=128, show_spinner=False)
def trips(
    key: str, parameters: ODParameters, seed: Seed, window: Window, zone: int | None = None
) -> stage.Picture:
    """Return the largest flows, true and private, of all zones or of one."""
    true = cached_trips.truth(key, window)
    private = cached_trips.drawn(key, parameters, seed, window).counts
    judged = _judged(parameters)
    picture = stage.flow_picture(sketch(key), true, private, **judged, zone=zone)
    if zone is not None:
        return picture
    return stage.grouped(picture, true, private, group_sketches(key), **judged)


@cached_scope.resource(max_entries=64, show_spinner=False)
def estimates(
    key: str, parameters: ODParameters, seed: Seed, window: Window, zone: int | None = None
) -> stage.Picture:
    """Return the largest flows, true and as our own method reads and shows them."""
    ours = cached_estimates.release(key, parameters, seed, window)
    shown = np.where(marks.shown(ours), ours.typical[0], 0.0)
    pairs = largest_flows(shown, stage.LARGEST)
    reads = zip(*(part.tolist() for part in pairs), marks.words(ours, pairs), strict=True)
    words = {(origin, destination): text for origin, destination, text in reads}
    true, judged = cached_trips.truth(key, window), _judged(parameters)
    picture = stage.flow_picture(sketch(key), true, shown, **judged, words=words, zone=zone)
    if zone is not None:
        return picture
    sums = np.where(marks.shown(ours), ours.counts[0], 0.0)
    return stage.grouped(picture, true, sums, group_sketches(key), **judged, note=OURS_ADDED_UP)


def _judged(parameters: ODParameters) -> dict[str, Any]:
    """Return from how many trips on a flow should be shown, and ε."""
    return {"least": parameters.least_shown, "epsilon": parameters.epsilon}
