"""Home's picture of one setting: true beside private, with what is invented and lost marked."""

import numpy as np

from engine.contract import Setting
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
    said: dict[tuple[int, int], str] = {}
    if marks.has(release):
        pairs = largest_flows(shown, picture.LARGEST)
        reads = zip(*(part.tolist() for part in pairs), marks.words(release, pairs), strict=True)
        said = {(start, end): text for start, end, text in reads}
    about = {"least": setting.parameters.least_shown, "epsilon": epsilon, "words": said}
    return picture.of_flows(drawn, cached.truth(setting, 0), shown, **about)
