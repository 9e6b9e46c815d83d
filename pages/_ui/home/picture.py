"""Home's picture of one setting: true beside private, with what is invented and lost marked."""

from typing import Any

import numpy as np

from engine import resolution
from engine.contract import Setting
from engine.datasets import Dataset
from pages._ui import cached
from pages._ui.drawing import marks, picture
from pages._ui.drawing.maps import largest_flows
from pages._ui.wording import use as words

MAP_HOUR, MAP_HOUR_NAME = 2 * 24 + 18, "Wednesday 18:00–19:00"
"""The hour on the map: a public choice, not the fullest hour."""


@cached.once
def of(setting: Setting, seed: cached.Seed) -> picture.Picture:
    """Return the largest flows of the first matrix, or the visits of one hour."""
    at = cached.view(setting)
    drawn = cached.of(picture.shapes, at)
    release = cached.release(setting, seed)
    epsilon = setting.parameters.epsilon
    if not words.is_flows(setting):
        true = cached.truth(setting)[:, MAP_HOUR]
        private = np.maximum(release.counts[:, MAP_HOUR], 0.0)
        what = f"visits, {MAP_HOUR_NAME}"
        return picture.of_zones(drawn, true, private, what=what, epsilon=epsilon)
    shown = release.as_shown[0]
    about: dict[str, Any] = {"note": picture.ADDED_UP}
    if marks.has(release):
        pairs = largest_flows(shown, picture.LARGEST)
        reads = zip(*(part.tolist() for part in pairs), marks.words(release, pairs), strict=True)
        said = {(start, end): text for start, end, text in reads}
        about = {"words": said, "note": picture.OURS_ADDED_UP}
    least, near = setting.parameters.least_shown, cached.of(groups, at)
    about |= {"least": least, "epsilon": epsilon, "groups": near}
    return picture.of_flows(drawn, cached.truth(setting, 0), shown, **about)


def groups(dataset: Dataset) -> tuple[picture.Group, ...]:
    """Return groups of neighbouring zones, for where the zones lie too close."""
    known = resolution.group_levels(dataset.zones)
    return tuple(picture.Group(picture.shapes(one), one.labels) for one in known)
