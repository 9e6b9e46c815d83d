"""Cached pictures of home's stage: one for each dataset, setting and draw."""

from typing import Any

import numpy as np

from engine import origin_destination as od
from engine.arrays import Floats
from engine.contract import Seen
from engine.origin_destination import laws
from engine.parameters import DensityParameters, ODParameters
from pages._ui.cache import scope as cached_scope, trips as cached_trips, verbs
from pages._ui.cache.datasets import group_sketches, sketch
from pages._ui.cache.window import Window
from pages._ui.drawing import marks
from pages._ui.drawing.groups import ADDED_UP, OURS_ADDED_UP
from pages._ui.drawing.maps import largest_flows
from pages._ui.drawing.svg import stage
from pages._ui.shell.settings import Seed
from pages._ui.wording.places import hour_names

MAP_HOUR = 2 * 24 + 18
"""The hour on the map: Wednesday 18:00 to 19:00, a public choice, not the fullest hour."""


@cached_scope.resource(max_entries=128, show_spinner=False)
def density(key: Seen, parameters: DensityParameters, seed: Seed) -> stage.Picture:
    """Return the visits of one hour, true and private."""
    block, when = MAP_HOUR, hour_names()[MAP_HOUR]
    private = verbs.release(key, parameters, seed).counts[:, block]
    return stage.zone_picture(
        sketch(key),
        verbs.truth(key)[:, block],
        np.maximum(private, 0.0),
        what=f"visits, {when}",
        epsilon=parameters.epsilon,
    )


@cached_scope.resource(max_entries=128, show_spinner=False)
def trips(
    key: Seen, parameters: ODParameters, seed: Seed, window: Window, zone: int | None = None
) -> stage.Picture:
    """Return the largest flows, true and private, of all zones or of one."""
    true = verbs.truth(key, window)
    private = cached_trips.drawn(key, parameters, seed, window).counts
    judged = _judged(parameters)
    ends = flow_ends(key, parameters, window)
    picture = stage.flow_picture(sketch(key), true, private, **judged, zone=zone, ends=ends)
    if zone is not None:
        return picture
    return stage.grouped(picture, true, private, group_sketches(key), **judged)


@cached_scope.resource(max_entries=64, show_spinner=False)
def estimates(
    key: Seen, parameters: ODParameters, seed: Seed, window: Window, zone: int | None = None
) -> stage.Picture:
    """Return the largest flows, true and as a method without an exact law shows them."""
    release: Any = verbs.release(key, parameters, seed, window)
    shown, words, note = release.as_shown[0], {}, ADDED_UP
    if marks.has(release):
        pairs = largest_flows(shown, stage.LARGEST)
        reads = zip(*(part.tolist() for part in pairs), marks.words(release, pairs), strict=True)
        words = {(origin, destination): text for origin, destination, text in reads}
        note = OURS_ADDED_UP
    true, judged = verbs.truth(key, window), _judged(parameters)
    picture = stage.flow_picture(sketch(key), true, shown, **judged, words=words, zone=zone)
    if zone is not None:
        return picture
    sums = np.where(release.shown[0], release.counts[0], 0.0)
    return stage.grouped(picture, true, sums, group_sketches(key), **judged, note=note)


def flow_ends(key: Seen, parameters: ODParameters, window: Window) -> stage.Ends:
    """Return between which numbers 90% of all releases of each flow lie, by the exact law."""
    trims = ODParameters(
        epsilon=1.0, unit=parameters.unit, max_trips_per_user=parameters.max_trips_per_user
    )
    kept = verbs.of(od.kept, key, trims, **window.arguments)[0]
    law = od.NoiseLaw(1 / parameters.noise_scale)
    return lambda at: laws.released_range(law, kept[at], parameters.suppression_threshold, 0.9)


def ranges(
    key: Seen,
    parameters: Any,
    seed: Seed,
    window: Window | None,
    ends: tuple[Floats, Floats],
    zone: int | None = None,
    *,
    wide: bool = True,
) -> stage.Picture:
    """Return the truth beside how wide the range is in which 90% of draws lie.

    Parameters
    ----------
    ends : tuple of arrays
        The least and the most that are released of every zone or flow.
    wide : bool
        Else beside the private numbers, with the range said of each.
    """
    verb: Any = verbs  # with a window or without

    def at(places: Any) -> tuple[Floats, Floats]:
        return ends[0][places], ends[1][places]

    true, release = verb.truth(key, window), verb.release(key, parameters, seed, window)
    if window is None:
        block, when = MAP_HOUR, hour_names()[MAP_HOUR]
        private = np.maximum(release.counts[:, block], 0.0)
        what = f"visits, {when}"
        named = {"what": what, "epsilon": parameters.epsilon, "ends": at, "wide": wide}
        return stage.zone_picture(sketch(key), true[:, block], private, **named)
    shown, judged = release.as_shown[0], _judged(parameters)
    return stage.flow_picture(sketch(key), true, shown, **judged, zone=zone, ends=at, wide=wide)


def _judged(parameters: ODParameters) -> dict[str, Any]:
    """Return from how many trips on a flow should be shown, and ε."""
    return {"least": parameters.least_shown, "epsilon": parameters.epsilon}
