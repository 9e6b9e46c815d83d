"""What a measure of error means in plain words."""

import math

from pages._ui.wording.numbers import metres

MEAN_ERROR = "Mean error, all pairs of zones"


def trip_labels(flows: str) -> dict[str, str]:
    """Return the names of a matrix's large numbers by their field, each with whom it is of.

    Examples
    --------
    >>> trip_labels("15+")["visible_share"]
    'All trips: in shown flows of 15+'
    """
    return {
        "median_error": f"Median error, flows of {flows}",
        "relative_error": f"Relative error, flows of {flows}",
        "zero_share": "Pairs of zones that read 0",
        "visible_share": f"All trips: in shown flows of {flows}",
    }


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


def flow_error(error: float) -> str:
    """Say what the relative error of flows means."""
    if not math.isfinite(error):
        return "There are no flows to compare."
    if error > 1:
        return "Flows are off by more than their own size on average."
    return f"These flows are off by {100 * error:.0f} in 100 on average, suppressed ones included."
