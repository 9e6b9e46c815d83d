"""What a measure of error means in plain words."""

import math

from pages._ui.wording.numbers import metres


def density_error(error: float) -> str:
    """Say what a mean relative error means."""
    if not math.isfinite(error):
        return "There is no zone with visits to compare."
    if error > 1:
        return "A zone's count at one time is typically wrong by more than its own size."
    return f"A zone's count of 100 at one time is typically off by {100 * error:.0f}."


_RHYTHMS = (
    (0.95, "Peaks and nights of a zone are kept almost exactly."),
    (0.8, "Peaks and nights of a zone are kept, details blur."),
    (0.4, "The rhythm is blurred."),
    (-1.0, "The rhythm of most zones is lost."),
)


def density_rhythm(correlation: float) -> str:
    """Say what a mean correlation over the week means."""
    if not math.isfinite(correlation):
        return "No rhythm is left: the private series do not vary."
    return next(words for least, words in _RHYTHMS if correlation >= least)


def density_displacement(distance_m: float) -> str:
    """Say what an earth mover's distance means."""
    if not math.isfinite(distance_m):
        return "The private map is empty: nothing to compare."
    return f"As if every visit had moved by {metres(distance_m)} on average."
