"""What a measure of error means in plain words."""

import math

from engine.origin_destination import reading
from engine.parameters import ODParameters
from pages._ui.wording.numbers import metres


def flow_reading(parameters: ODParameters) -> str:
    """Say how a flow, 40 or one large enough to be shown, will usually read."""
    flow = max(40, 2 * parameters.suppression_threshold)
    usual = reading(flow, parameters)
    told = f"{flow:,}" if parameters.unit == "trip" else f"{flow:,} after trimming"
    if usual.high == 0:
        return f"A flow of {told} is usually suppressed."
    low = f"{usual.low:,}" if usual.low else "0 (suppressed)"
    return f"A flow of {told} will usually read between {low} and {usual.high:,}."


def density_error(error: float) -> str:
    """Say what a mean relative error means."""
    if not math.isfinite(error):
        return "There is no zone with visits to compare."
    if error > 1:
        return "A zone's hourly count is typically wrong by more than its own size."
    return f"A zone's hourly count of 100 is typically off by {100 * error:.0f}."


def density_rhythm(correlation: float) -> str:
    """Say what a mean correlation over the week means."""
    if not math.isfinite(correlation):
        return "No rhythm is left: the private series do not vary."
    if correlation >= 0.95:
        return "Peaks and nights of a zone are kept almost exactly."
    if correlation >= 0.8:
        return "Peaks and nights of a zone are kept, details blur."
    return "The rhythm is blurred." if correlation >= 0.4 else "The rhythm of most zones is lost."


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
