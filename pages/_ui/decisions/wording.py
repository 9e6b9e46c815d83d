"""What the page says in words."""

import math
from collections.abc import Sequence
from datetime import date

from engine.decisions.judgement import AidJudgement, EpidemicJudgement
from engine.parameters import ODParameters
from pages._ui.wording.numbers import counted, inert, number, percent

BARELY = (
    "Without any travel the epidemic of these defaults peaks at 24.1% on day 85, barely above the "
    "20% at which zones act: small changes of the curves flip many decisions."
)
CAUSES = {
    "trimming": "because trips beyond T are trimmed",
    "suppression": "because small flows are suppressed",
    "noise": "because of noise on flows that exist",
    "phantoms": "because of phantom flows, which noise invents",
}


def title(question: str, name: str) -> str:
    """Write the title of a view with the dataset it shows.

    Examples
    --------
    >>> title("Where help goes", "rwanda")
    'Where help goes: rwanda'
    """
    return f"{question}: {inert(name)}"


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


def period(days: Sequence[date], ends: tuple[int, int]) -> str:
    """Write a range of days, given by the positions of its ends."""
    first, last = (days[day] for day in ends)
    return f"{first:%d %b %Y} to {last:%d %b %Y}"


def epidemic_verdict(
    judged: EpidemicJudgement, parameters: ODParameters, origin: str, *, estimate: bool
) -> str:
    """Say how decisions would go, and why."""
    epsilon = parameters.epsilon
    if judged.never_acting == 1:
        if judged.needless:
            return (
                f"At ε = {epsilon:g}, zones would act on {number(judged.needless)} zone-days; with "
                "the true data none would."
            )
        return f"At ε = {epsilon:g}, no zone acts, and none should."
    text = (
        f"At ε = {epsilon:g}, {percent(judged.accuracy)} of zone-days are decided as with the true "
        f"data – never acting would get {percent(judged.never_acting)}."
    )
    if estimate:
        text = f"First estimate, from the expected flows: {text[0].lower()}{text[1:]}"
    text = f"{text} {_timing(judged, parameters, origin)}"
    if judged.phantom >= 0.5:
        zones = counted(round(judged.phantom), "zone")
        text += f" Phantom flows make {zones} act that never should."
    return text


def left_out(parameters: ODParameters) -> str:
    """Say what a release leaves out whatever its noise; empty where that is nothing.

    Examples
    --------
    >>> left_out(ODParameters(epsilon=1.0)), left_out(ODParameters(epsilon=1.0, unit="trip"))
    ('the trips that are trimmed or suppressed', 'the flows that are suppressed')
    >>> left_out(ODParameters(epsilon=1.0, suppression_threshold=0))
    'the trips that are trimmed'
    """
    trims, suppresses = parameters.unit != "trip", parameters.suppression_threshold > 1
    if trims:
        return f"the trips that are trimmed{' or suppressed' if suppresses else ''}"
    return "the flows that are suppressed" if suppresses else ""


def _timing(judged: EpidemicJudgement, parameters: ODParameters, origin: str) -> str:
    if judged.timing == "early":
        return (
            f"Phantom flows carry the epidemic from {origin} too fast: the middle zone begins to "
            f"act {duration(judged.shift_days)} early."
        )
    if judged.timing == "late":
        missing = left_out(parameters)
        why = f"Without {missing}" if missing else "Under the noise"
        return (
            f"{why} the epidemic from {origin} seems slower: the middle zone begins to act "
            f"{duration(judged.shift_days)} late."
        )
    if judged.timing == "on time":
        return "The middle zone begins to act on the right day."
    return "No zone acts both in truth and in the release."


def shift(days: float) -> str:
    """Write a shift of the first acting day."""
    if not math.isfinite(days):
        return "–"
    if round(days) == 0:
        return "on time"
    return f"{duration(days)} {'early' if days < 0 else 'late'}"


def aid_verdict(judged: AidJudgement, epsilon: float, k: int) -> str:
    """Say where help would go and how large the movement would seem."""
    if math.isnan(judged.overlap):
        return "Nobody left the affected area on these days, so there is nothing to decide."
    direction = "high" if judged.total_error > 0 else "low"
    size = (
        f"the total reads {percent(abs(judged.total_error))} too {direction}"
        if abs(judged.total_error) >= 0.0005
        else "the total reads right"
    )
    cause = "" if abs(judged.total_error) < 0.005 else f", mainly {CAUSES[judged.main_cause]}"
    if k == 1:
        chosen = f"the first destination is named with probability {percent(judged.overlap)}"
    else:
        chosen = (
            f"{percent(judged.overlap)} of the {k} main destinations are named on an average day"
        )
    return f"At ε = {epsilon:g}, {chosen}; {size}{cause}."
