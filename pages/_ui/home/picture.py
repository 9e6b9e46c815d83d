"""Home's picture of one setting: true beside private, with what is invented and lost marked."""

import numpy as np

from engine.contract import Setting
from pages._ui import cached, state
from pages._ui.drawing import marks, picture
from pages._ui.drawing.maps import largest_flows
from pages._ui.wording import use as words
from pages._ui.wording.numbers import hour_of_week


@cached.once
def of(setting: Setting, seed: cached.Seed) -> picture.Picture:
    """Return the largest flows of the first matrix, or the visits of one hour."""
    at = cached.view(setting)
    drawn = cached.of(picture.shapes, at)
    release = cached.release(setting, seed)
    epsilon = setting.parameters.epsilon
    if not words.is_flows(setting):
        hour = state.HOUR.default
        true = cached.truth(setting)[:, hour]
        private = np.maximum(release.counts[:, hour], 0.0)
        what = f"visits in the hour from {hour_of_week(hour)}"
        return picture.of_zones(drawn, true, private, what=what, epsilon=epsilon)
    shown = release.shown_counts[0]
    said: dict[tuple[int, int], str] = {}
    if marks.has(release):
        pairs = largest_flows(shown, picture.LARGEST)
        reads = zip(*(part.tolist() for part in pairs), marks.words(release, pairs), strict=True)
        said = {(start, end): text for start, end, text in reads}
    about = {"least": setting.parameters.min_shown_count, "epsilon": epsilon, "words": said}
    about["estimated"] = marks.has(release)
    if cached.matrices(setting) > 1:
        in_week = "in the week from" if setting.time.aggregation == "week" else "on"
        about["when"] = f" {in_week} {cached.dataset(at).metadata.periods[0]:%-d %B}"
    return picture.of_flows(drawn, cached.truth(setting, 0), shown, **about)
