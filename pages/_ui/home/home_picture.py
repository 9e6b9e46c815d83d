"""Home's picture of one setting: true beside private, with what is invented and lost marked."""

import numpy as np

from engine.contract import Setting
from engine.origin_destination.scores import LARGE_FLOW_TRIPS
from engine.text import setting_text as words
from engine.text.numbers import hour_of_week
from pages._ui.answers import cached
from pages._ui.app import cache
from pages._ui.components import marks, picture
from pages._ui.components.maps import largest_flows
from pages._ui.settings import fields
from pages._ui.settings.seeds import Seed


@cache.memoize
def setting_picture(
    setting: Setting, seed: Seed, *, is_difference: bool = False
) -> picture.Picture:
    """Return the largest flows of the first matrix, or the visits of one hour."""
    key = cached.view_key(setting)
    shapes = cached.read(picture.shapes, key)
    release = cached.release(setting, seed)
    epsilon = setting.parameters.epsilon
    if not words.is_flows(setting):
        hour = fields.HOUR.default
        true = cached.truth(setting)[:, hour]
        private = np.maximum(release.counts[:, hour], 0.0)
        topic = f"visits in the hour from {hour_of_week(hour)}"
        return picture.zones_picture(
            shapes, true, private, topic=topic, epsilon=epsilon, is_difference=is_difference
        )
    counts = release.shown_counts[0]
    texts: dict[tuple[int, int], str] = {}
    if marks.has_ranges(release):
        pairs = largest_flows(counts, picture.MAX_FLOWS)
        reads = zip(*(part.tolist() for part in pairs), marks.texts(release, pairs), strict=True)
        texts = {(start, end): text for start, end, text in reads}
    when = ""
    if cached.matrix_count(setting) > 1:
        in_week = "in the week from" if setting.time.aggregation == "week" else "on"
        when = f" {in_week} {cached.dataset(key).metadata.periods[0]:%-d %B}"
    return picture.flows_picture(
        shapes,
        cached.truth(setting, 0),
        counts,
        floor=LARGE_FLOW_TRIPS,
        epsilon=epsilon,
        when=when,
        words=texts,
        estimated=marks.has_ranges(release),
        is_difference=is_difference,
        say=setting.say_counts,
    )
