"""Decisions on zones in words."""

from engine.decisions import MostZones
from engine.decisions.scoring import Comparison
from engine.decisions.zones import ZoneRule, ZonesJudgement
from pages._ui.wording.numbers import counted, number, percent


def rule_words(rule: ZoneRule, *, flows: bool) -> str:
    """Say what follows the number of a rule.

    Examples
    --------
    >>> rule_words(MostZones(k=3), flows=True)
    'zones in which most trips arrive'
    """
    if isinstance(rule, MostZones):
        zones = "zone" if rule.k == 1 else "zones"
        what = "in which most trips arrive" if flows else "with most visits in the week"
        return f"{zones} {what}"
    if flows:
        return "trips that arrive in a zone"
    return "visits to a zone in an hour"


def zone_words(compared: Comparison, judged: ZonesJudgement) -> list[str]:
    """Say of each zone what should be decided and what is, in lines of a label and a text."""
    moments, missed, needless = compared.days, judged.missed_share, judged.needless_share
    words: list[str] = []
    for zone, due in enumerate(compared.acting_true.tolist()):
        share = float(judged.acting_share[zone])
        if moments == 1:
            words.append(f"true: {'act' if due else 'leave'}\nprivate: acts in {percent(share)}")
            continue
        wrong = (number(float(one[zone]) * max(due, 1)) for one in (missed, needless))
        lines = zip(
            ("private", "missed", "needless"), (number(share * moments), *wrong), strict=True
        )
        words.append("\n".join([f"true: {due}", *(f"{label}: {text}" for label, text in lines)]))
    return words


def counts_words(judged: ZonesJudgement, *, flows: bool) -> dict[str, str]:
    """Return the legend of a picture of decisions: what is due, missed and needless."""
    one = "zone" if flows else "zone-hour"
    return {
        "acted": f"acts (due: {counted(judged.acting, one)})",
        "missed": f"missed: {number(judged.missed)} a release",
        "needless": f"needless: {number(judged.needless)} a release",
    }


def sentence(epsilon: float, rule: ZoneRule, judged: ZonesJudgement) -> str:
    """Say how far a decision can be taken with a release.

    What is right is the lower of two shares: of what is due, and of what is done.
    """
    if not judged.acting:
        nothing = "In truth nowhere is so much, so nobody should act"
        return f"{nothing}; a release acts {number(judged.needless)} times."
    help_goes = isinstance(rule, MostZones)
    what = (
        "of the help goes to the right zones" if help_goes else "of what is done and due is right"
    )
    span = f"{percent(judged.low)} to {percent(judged.high)} over {judged.draws} draws"
    if judged.low == judged.high:
        span = f"in each of {judged.draws} draws"
    return f"At ε = {epsilon:g}, {percent(judged.right)} {what} ({span})."
