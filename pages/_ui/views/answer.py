"""What every page says of one setting: two gauges, and the verdict on what is set."""

from dataclasses import dataclass
from typing import Any

import streamlit as st

from engine import origin_destination as od, privacy
from engine.contract import Setting
from engine.metrics import common_part
from engine.privacy import GROUP, STRONG_GUESS, WEAK_GUESS, Risk
from engine.steps import Level
from engine.use import Use, readable_from
from pages._ui import cached, state
from pages._ui.drawing import cards
from pages._ui.drawing.gauges import Gauge
from pages._ui.shell.catalogue import Entry
from pages._ui.views import recommend
from pages._ui.wording import use as words
from pages._ui.wording.numbers import number, percent, scientific

PRIVACY_RULE = (
    f"Privacy is called strong while an attacker is right in at most {STRONG_GUESS:.0%} of guesses "
    f"– halfway from a coin toss to certainty –, moderate up to {WEAK_GUESS:.0%}, and weak above; "
    "where single trips are protected it is never strong."
)
_BANDS: tuple[tuple[float, Level], ...] = (
    (STRONG_GUESS, "good"),
    (WEAK_GUESS, "partly"),
    (1.0, "noisy"),
)
"""Of guesses; the first is not of single trips."""

_STANDINGS = {
    ("strong", True): "private and usable",
    ("moderate", True): "moderately private, usable",
    ("weak", True): "too open",
    ("strong", False): "too private: too little is left",
    ("moderate", False): "neither private enough nor usable",
    ("weak", False): "neither private nor usable",
}


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A setting with its two axes."""

    setting: Setting
    entry: Entry
    use: Use
    risk: Risk


def of(setting: Setting) -> Answer:
    """Return what is known of a setting: the same numbers on every page."""
    entry = state.entry_of(setting)
    use = cached.use(setting, state.use_seed(entry))
    return Answer(setting=setting, entry=entry, use=use, risk=cached.risk(setting))


def gauges(answer: Answer) -> list[Gauge]:
    """Return what the guarantee is worth and what the numbers can be used for."""
    return [_privacy(answer), _use(answer)]


def draw(setting: Setting) -> None:
    """Draw the verdict on what is set, and what to choose where it is not usable."""
    known = of(setting)
    sentence = words.as_set(known.use, setting, known.risk.best_guess)
    st.html(verdict_html(known, sentence, f"{protects(known)}. {readable(known)}"))
    if known.use.level == "noisy":
        recommend.draw(setting, key="verdict")


def verdict_html(answer: Answer, sentence: str, note: str) -> str:
    """Return the verdict on what is set, as good as the worse of both sides."""
    sides = (answer.risk.level, answer.use.level)
    steps: tuple[Level, ...] = ("noisy", "partly", "good")
    return cards.verdict_html(
        next(one for one in steps if one in sides),
        sentence,
        note,
        title=f"As it is set: {standing(answer)}",
        rule=f"{PRIVACY_RULE} {words.USE_RULE}",
    )


def standing(answer: Answer) -> str:
    """Say in a few words whether what is set is private and usable."""
    risk, use = answer.risk, answer.use
    in_part = " in part" if use.level == "partly" and risk.strength != "weak" else ""
    if use.level == "noisy" and use.released > words.MUCH_MORE:
        return f"too much noise, {risk.strength} privacy"
    return f"{_STANDINGS[risk.strength, use.level != 'noisy']}{in_part}"


def protects(answer: Answer) -> str:
    """Say whom ε protects, and for how long."""
    risk, asked = answer.risk, answer.setting.parameters
    spent = f", δ = {scientific(risk.delta)}" if risk.delta else ""
    total = f"ε = {number(risk.epsilon, 4)}{spent}"
    if not words.is_flows(answer.setting):
        return f"{total} protects a person's whole week of visits"
    if asked.unit == "person-day":
        noise = (
            "each under its own noise" if answer.setting.when.step == "day" else "under one noise"
        )
        days = "" if risk.releases == 1 else f"; {risk.releases} days {noise}: {total}"
        return f"ε = {asked.epsilon:g} protects a person's day{days}"
    whom = "single trips, and less whoever makes many"
    return f"{total} protects {'a person, all days' if asked.unit == 'person' else whom}"


def covered(answer: Answer) -> str:
    """Say whom ε protects, what an attacker guesses from, and of several together."""
    return (
        f"{protects(answer)}. An attacker guesses from all that is released. {GROUP} who travel "
        f"together, as in a household: {privacy.guesses(answer.risk.group_guess)}."
    )


def readable(answer: Answer) -> str:
    """Say which flows can be read by themselves, by the law of the noise."""
    setting = answer.setting
    if not words.is_flows(setting):
        return ""
    if cached.method_of(setting).expected is None:
        cells, *_ = od.ledger(setting.parameters).stages
        law = od.NoiseLaw(cells.epsilon / cells.sensitivity, "discrete_laplace")
        return words.estimated(int(law.reach(0.05)))
    return words.readable(_readable_from(setting), answer.use)


@cached.once
def _readable_from(setting: Setting) -> int | None:
    return readable_from(setting, cached.ingested(setting))


@cached.once
def _left(setting: Setting) -> float:
    """Return the common part after trimming, without any noise; 1 where it is made up for."""
    exact = cached.expected(setting)
    if exact is None:
        return 1.0
    dropped, true = exact.histogram.trimmed_trips, exact.histogram.true_trips
    return common_part(dropped, true - dropped, true)


def _privacy(answer: Answer) -> Gauge:
    risk = answer.risk
    together = privacy.guesses(risk.group_guess).removesuffix(" of 100 guesses")
    together = together.removeprefix("at most ")
    *most, right, of, hundred, _ = privacy.guesses(risk.best_guess).split()
    data = "the data" if risk.releases == 1 else f"these {risk.releases} days"
    whose = f"whether {'a person' if risk.covers_person else 'a trip'} is in {data}"
    return Gauge(
        name=f"Privacy: {risk.strength}",
        level=risk.level,
        sentence=f"{' '.join(most)} *{right} {of} {hundred}* guesses {whose} are right",
        rule=f"{covered(answer)} {PRIVACY_RULE}",
        note=f"{protects(answer)}; family of {GROUP}: {together}",
        value=risk.best_guess,
        low=0.5,
        high=1.0,
        bands=_BANDS if risk.covers_person else _BANDS[1:],
        ends=("50: a coin", "100: certainty"),
    )


def _use(answer: Answer) -> Gauge:
    use, flows = answer.use, words.is_flows(answer.setting)
    what, one = ("trips", "flow") if flows else ("visits", "zone")
    every = f"{what} between zones" if flows else what
    right = "where they were" if flows else "where and when they were"
    crossing = " that cross zones" if use.crossing < 1 else ""
    left = _left(answer.setting) if flows else 1.0
    good, partly = use.limits
    drawn: Any = f"by draws, standard error {percent(use.error)}" if use.error else "exact"
    return Gauge(
        name=f"Use: {words.USE[use.level]}",
        level=use.level,
        sentence=f"*{words.right(use)} of 100* {what}{crossing} are {right}",
        rule=f"{percent(use.share)}, {drawn}. {words.USE_RULE} {readable(answer)}",
        note=f"{percent(use.share)}, {drawn}: of all {every}, not of each {one}"
        + (f"; {words.hundred(use.crossing)} in 100 cross zones" if use.crossing < 1 else "")
        + (f"; T alone leaves {words.hundred(left)}" if left < 0.995 else ""),
        value=use.share,
        low=0.0,
        high=1.0,
        bands=((partly, "noisy"), (good, "partly"), (1.0, "good")),
        ends=("0", "100"),
    )
