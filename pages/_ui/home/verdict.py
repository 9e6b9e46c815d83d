"""The stage in words: two gauges and one sentence."""

from engine.privacy import GROUP, PRECEDENTS, STRONG_GUESS, WEAK_GUESS, Guarantee, Strength
from engine.steps import GOOD_SHARE, SOME_SHARE, Level
from pages._ui.drawing.gauges import Gauge
from pages._ui.home.side import Side
from pages._ui.wording.numbers import number, percent, scientific
from pages._ui.wording.privacy import guess
from pages._ui.wording.verdict import USE_RULE

STANDINGS = {
    "balanced": "Private and usable",
    "leaning_open": "Moderately private",
    "too_open": "Too open",
    "too_private": "Too private",
    "neither": "Neither private nor usable",
}
_STRENGTH: dict[Strength, tuple[Level, str]] = {
    "strong": ("good", "strong"),
    "moderate": ("partly", "moderate"),
    "weak": ("noisy", "weak"),
}
_USE: dict[Level, str] = {"good": "good", "partly": "in part", "noisy": "too little"}
_HIDDEN: dict[Strength, str] = {
    "strong": "is well hidden",
    "moderate": "is hidden only in part",
    "weak": "is hardly hidden",
}
PRIVACY_RULE = (
    f"Privacy is called strong while the best guess stays at {STRONG_GUESS:.0%} or below – halfway "
    f"from a coin toss to certainty –, moderate up to {WEAK_GUESS:.0%}, and weak above, where an "
    "attacker errs less than once in 20 times; where single trips are protected it is never strong."
)
CONVENTIONS = (
    f"{PRIVACY_RULE} {USE_RULE} All of these are conventions, explained in docs/use.md "
    "(How the gauges judge) and held in one place each: `engine/privacy`, `engine/steps.py`."
)


def gauges(side: Side) -> list[Gauge]:
    """Return what the guarantee is worth and what the numbers can be used for."""
    return [_privacy(side), _use(side)]


def _privacy(side: Side) -> Gauge:
    risk = side.risk
    level, word = _STRENGTH[risk.strength]
    return Gauge(
        name=f"Privacy: {word}",
        level=level,
        sentence=f"*{guess(risk.best_guess, 1)}* is an attacker's best guess",
        rule=f"{covered(side)} {companions(side)} {PRIVACY_RULE}",
        note=released(side),
        value=risk.best_guess,
        low=0.5,
        high=1.0,
        bands=((STRONG_GUESS, "good"), (WEAK_GUESS, "partly"), (1.0, "noisy")),
        ends=("50%: a coin toss", "100%: certainty"),
        ticks=[
            (
                Guarantee(epsilon=known.epsilon).best_guess,
                f"{known.name}: ε = {known.epsilon:g} for {known.unit}",
            )
            for known in PRECEDENTS
        ],
    )


def _use(side: Side) -> Gauge:
    flows = side.part == "trips"
    what = "of trips lie in usable flows" if flows else "of zones have usable counts"
    noise = (
        "Usable: shown, and off by at most a quarter in 95% of draws."
        if flows
        else "Usable: off by at most 30% on average, with the week's rhythm kept."
    )
    return Gauge(
        name=f"Use: {_USE[side.level]}",
        level=side.level,
        sentence=f"*{percent(side.usable)}* {what}",
        rule=f"{noise} {USE_RULE}",
        note="" if flows else "of this draw",
        value=side.usable,
        low=0.0,
        high=1.0,
        bands=((SOME_SHARE, "noisy"), (GOOD_SHARE, "partly"), (1.0, "good")),
        ends=("0%", "100%"),
    )


def released(side: Side) -> str:
    """Say in a few words what the best guess is made of: everything declared to be released."""
    total = f"ε = {number(side.risk.epsilon, 4)}"
    if side.part == "density":
        spent = f", δ = {scientific(side.risk.delta)}" if side.risk.delta else ""
        return f"from the whole week, {total}{spent}"
    if side.unit == "trip":
        return f"of one trip, {total}"
    days = side.risk.releases
    return f"from all {days} days, {total} in all" if days > 1 else f"from one matrix, {total}"


def covered(side: Side) -> str:
    """Say what everything released is, what it costs in all, and where known uses stand."""
    risk = side.risk
    total = number(risk.epsilon, 4)
    least, most = (f"{PRECEDENTS[end].epsilon:g}" for end in (0, -1))
    known = f"White marks: known uses, ε = {least} to {most}, most for a person's day."
    if side.part == "density":
        spent = f", δ = {scientific(risk.delta)}" if risk.delta else ""
        return f"The declared density: one week, ε = {total}{spent} for a person. {known}"
    if side.unit == "trip":
        return f"Of one trip, ε = {total}; a person with many is protected less. {known}"
    if risk.releases > 1:
        what = f"{risk.releases} daily matrices"
        if side.entry.key.when.step != "day":
            matrices = len(side.entry.metadata.periods)
            what = f"{risk.releases} days, added up to {matrices}"
        return f"All declared flows: {what}, in all ε = {total} for a person. {known}"
    return f"All declared flows: one matrix, ε = {total} for a person. {known}"


def companions(side: Side) -> str:
    """Say what is left of the promise to one where several are in or out together."""
    what = {"trip": "trips made", "": "people who go about"}.get(side.unit, "people who travel")
    return (
        f"{GROUP} {what} together, as in a household: {guess(side.risk.group_guess, 1)} at "
        f"{GROUP} × ε = {number(GROUP * side.risk.epsilon, 4)}."
    )


def standing(side: Side) -> tuple[Level, str]:
    """Return the worse of both sides, and where the setting stands in a word or two."""
    strength = side.risk.strength
    if side.level == "noisy":
        standing = "too_private" if strength == "strong" else "neither"
    else:
        by_strength = {"strong": "balanced", "moderate": "leaning_open", "weak": "too_open"}
        standing = by_strength[strength]
    in_part = standing == "balanced" and side.level == "partly"
    sides = (side.risk.level, side.level)
    return (
        next(one for one in ("noisy", "partly", "good") if one in sides),
        "Private, usable in part" if in_part else STANDINGS[standing],
    )


def sentence(side: Side) -> str:
    """Return the one sentence beside the picture."""
    strength = side.risk.strength
    who = "a single trip" if side.unit == "trip" else "a person"
    hidden = f"{who} {_HIDDEN[strength]}"
    share = percent(side.usable)
    use = (
        f"{share} of trips lie in flows that can be used"
        if side.part == "trips"
        else f"the counts of {share} of zones can be used"
    )
    at = f"At ε = {side.epsilon:g},"
    if side.level == "noisy":
        link = "but" if strength == "strong" else "and still"
        return f"{at} {hidden}, {link} too little is left to use: {use}."
    return f"{at} {use}, {'and' if strength == 'strong' else 'but'} {hidden}."
