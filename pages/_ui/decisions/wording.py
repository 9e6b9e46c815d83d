"""What the page says in words."""

import math

from engine.decisions.judge import AidJudgement, EpidemicJudgement
from engine.decisions.rules import NEVER, Comparison
from engine.parameters import ODParameters
from pages._ui.wording.numbers import counted, number, percent

NO_CURVE = (
    "Our method reads every release cell by cell, which takes too long for every ε; the curve is "
    "drawn for the papers' method."
)
CAUSES = {
    "trimming": "because trips beyond T are trimmed",
    "suppression": "because small flows are suppressed",
    "noise": "because of noise on flows that exist",
    "phantoms": "because of phantom flows, which noise invents",
}


def duration(days: float) -> str:
    """Write a number of days, in weeks from two weeks on.

    Examples
    --------
    >>> duration(1), duration(13), duration(-56)
    ('1 day', '13 days', '8 weeks')
    """
    size = abs(days)
    if size >= 14:
        return f"{number(round(size / 7))} weeks"
    return f"{number(round(size))} day{'' if round(size) == 1 else 's'}"


def shift(days: float) -> str:
    """Write a shift of the first acting day."""
    if not math.isfinite(days):
        return "–"
    if round(days) == 0:
        return "on time"
    return f"{duration(days)} {'early' if days < 0 else 'late'}"


def people(parameters: ODParameters, left_out: int) -> str:
    """Say among whom the epidemic spreads, and what that costs."""
    without = f", without the {left_out:,} zones in which nobody lives" if left_out else ""
    return (
        f"Populations: homes in the same data{without}; a release adds Laplace noise of scale 1/ε "
        f"to each, which costs a person's home ε = {parameters.epsilon:g} more. Without any travel "
        "the epidemic of P2's values peaks at 24.1%, barely above the 20% at which zones act: "
        "small changes flip many decisions."
    )


def epidemic_verdict(
    judged: EpidemicJudgement, compared: Comparison, parameters: ODParameters, origin: str
) -> str:
    """Say how decisions would go, and why."""
    at, never = f"At ε = {parameters.epsilon:g}", float(compared.never_acting_accuracy)
    text = (
        f"{at}, {percent(judged.accuracy)} of zone-days are decided as with the true data – never "
        f"acting would get {percent(never)}. {_timing(judged, origin)}"
    )
    phantom = (compared.first != NEVER) & (compared.first_true == NEVER)
    zones = float(phantom.sum(axis=-1).mean())
    if zones >= 0.5:
        text += f" Phantom flows make {counted(round(zones), 'zone')} act that never should."
    return text


def _timing(judged: EpidemicJudgement, origin: str) -> str:
    moved = duration(judged.shift_days) if judged.timing else ""
    return {
        "early": f"Phantom flows carry the epidemic from {origin} too fast: the middle zone begins "
        f"to act {moved} early.",
        "late": f"Without the trips that are trimmed or hidden the epidemic from {origin} seems "
        f"slower: the middle zone begins to act {moved} late.",
        "on time": "The middle zone begins to act on the right day.",
        "": "No zone acts both in truth and in the release.",
    }[judged.timing]


def aid_verdict(judged: AidJudgement, epsilon: float, k: int) -> str:
    """Say where help would go and how large the movement would seem."""
    if math.isnan(judged.overlap):
        return "Nobody left the affected area on these days, so there is nothing to decide."
    direction, off = "high" if judged.total_error > 0 else "low", abs(judged.total_error)
    size = "the total reads right"
    if off >= 0.0005:
        size = f"the total reads {percent(off)} too {direction}"
    cause = CAUSES.get(judged.main_cause, "") if off >= 0.005 else ""
    chosen = f"{percent(judged.overlap)} of the {k} main destinations are named on an average day"
    if k == 1:
        chosen = f"the first destination is named on {percent(judged.overlap)} of days"
    return f"At ε = {epsilon:g}, {chosen}; {size}{', mainly ' if cause else ''}{cause}."
