"""What every page says of one setting: the gauges of privacy, of what is retained and genuine."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from engine import privacy
from engine.contract import Setting
from engine.density import is_delta_large
from engine.parameters import EPSILON_STOPS
from engine.privacy import GROUP_SIZE, STRONG_GUESS, WEAK_GUESS, Guarantee, Risk
from engine.text import setting_text as words, utility_text as texts
from engine.text.numbers import join_words, number, scientific
from engine.text.privacy_text import describe_gauge_guesses, describe_gauge_note, name_versions
from engine.utility import ReliableFlows, Utility, count_reliable_flows, share_within_limit
from engine.verdict import Verdict, rate_value
from pages._ui.answers import cached, recommendation
from pages._ui.app import cache
from pages._ui.app.catalogue import Entry
from pages._ui.components.gauges import Gauge, gauges_html
from pages._ui.settings import current, offers, seeds

PRIVACY_RULE = (
    f"Privacy is called strong up to {STRONG_GUESS:.0%} correct guesses of an attacker, halfway "
    f"from a coin toss to certainty. It is moderate up to {WEAK_GUESS:.0%} and weak above. It is "
    "never strong if only single trips are protected. These grades are conventions. They grade "
    "this question alone: which of two homes or routes is guessed more often."
)
_BANDS: tuple[tuple[float, Verdict], ...] = (
    (STRONG_GUESS, "good"),
    (WEAK_GUESS, "partly"),
    (1.0, "noisy"),
)
"""Of guesses; the first is not of single trips."""
NOTED_LOSS = 0.005
"""Half a point of retained trips: a smaller loss is not worth a sentence."""


@dataclass(frozen=True, kw_only=True)
class Assessment:
    """A setting with its two axes."""

    setting: Setting
    entry: Entry
    utility: Utility
    risk: Risk


def assess_setting(setting: Setting) -> Assessment:
    """Return utility and risk of a setting: the same numbers on every page."""
    entry = offers.entry_of(setting)
    utility = cached.utility(setting, seeds.utility_seed(entry))
    return Assessment(setting=setting, entry=entry, utility=utility, risk=cached.risk(setting))


def make_gauges(answer: Assessment) -> list[Gauge]:
    """Return the gauges of privacy, of what is retained and of what is genuine."""
    return [_privacy_gauge(answer), _retained_gauge(answer), _genuine_gauge(answer)]


def draw_gauges(setting: Setting) -> Assessment:
    """Draw the gauges of what is set, with the numbers of a pinned setting; return the answer."""
    answer = assess_setting(setting)
    gauges, pinned = make_gauges(answer), current.pinned_setting(setting)
    if pinned is not None:
        pinned_gauges = make_gauges(assess_setting(pinned))
        gauges = [
            replace(gauge, pinned=other.amount)
            for gauge, other in zip(gauges, pinned_gauges, strict=True)
        ]
    st.html(gauges_html(gauges, name=answer.entry.name))
    return answer


def draw(setting: Setting) -> None:
    """Draw the gauges of what is set, and what to choose where it is not usable."""
    answer = draw_gauges(setting)
    note, meaning = words.describe_choice(answer.utility, setting), describe_flows(answer)
    st.caption(f"{note} {describe_unit(answer)}. {meaning.partition('. ')[2]}")
    if answer.utility.verdict == "noisy":
        recommendation.draw(setting, key="verdict")


def describe_standing(answer: Assessment) -> str:
    """Return in a few words how private and how useful the setting is."""
    verdict, _, shortfall = texts.describe_verdict(answer.utility).partition(", ")
    which = f": {shortfall}" if shortfall else ""
    return f"{answer.risk.strength} privacy of presence, {verdict} utility{which}"


def describe_unit(answer: Assessment) -> str:
    """Return whom ε protects, and for how long."""
    risk, parameters = answer.risk, answer.setting.parameters
    spent = f", δ = {scientific(risk.delta)}" if risk.delta else ""
    total = f"ε = {number(risk.epsilon, 4)}{spent}"
    if not words.is_flows(answer.setting):
        return f"{total} protects one person's visits of the whole week"
    if parameters.unit == "person-day":
        noise = (
            "each with its own noise"
            if answer.setting.time.aggregation == "day"
            else "with one noise for all"
        )
        days = "" if risk.releases == 1 else f"; all {risk.releases} days, {noise}: {total}"
        return f"ε = {parameters.epsilon:g} protects a person's day{days}"
    whom = "single trips only. A person with many trips is protected less"
    return f"{total} protects {'a person, all days' if parameters.unit == 'person' else whom}"


def describe_risk(answer: Assessment) -> str:
    """Return whom ε protects, the basis of an attacker's guesses, and the risk of a family."""
    many_days = ""
    if compute_one_day_guess_rate(answer) is not None:
        many_days = (
            " Over days with noise of their own, guesses improve less than "
            f"ε = {number(answer.risk.epsilon, 4)} allows."
        )
    return (
        f"{describe_unit(answer)}.{many_days} The attacker sees everything that is released and "
        "knows everyone else's data; in or out is equally likely to them. For "
        f"{GROUP_SIZE} people who travel together, such as a household: "
        f"{privacy.format_guess_rate(answer.risk.max_group_guess_rate)} are correct. Which of two "
        f"{name_versions(answer.risk)} is guessed correctly in "
        f"{privacy.format_guess_rate(answer.risk.max_version_guess_rate)}."
    )


def describe_flows(answer: Assessment) -> str:
    """Return which flows are reliable by themselves, or how the method's numbers are read."""
    setting, method = answer.setting, cached.method_of(answer.setting)
    if not method.has_flow_distribution:
        sizes = texts.describe_accurate_size(answer.utility) if words.is_flows(setting) else ""
        numbers = method.describe_numbers(cached.compute_cost(setting))
        return setting.say_counts(f"{sizes} {numbers}".strip())
    reliable = _count_reliable(setting)
    sentences = f"{texts.describe_reliable(reliable)}. {texts.explain_reliable(reliable)}"
    return setting.say_counts(sentences)


@cache.memoize
def _count_reliable(setting: Setting) -> ReliableFlows:
    return count_reliable_flows(setting, cached.full_dataset(setting))


@cache.memoize
def _share_within_limit(setting: Setting) -> float:
    return share_within_limit(setting, cached.full_dataset(setting))


def describe_limit(answer: Assessment) -> str:
    """Return the share that T or ℓ drops, or that it is estimated; empty if it is hardly any."""
    setting = answer.setting
    is_flows, used_fields = words.is_flows(setting), cached.method_of(setting).used_fields
    sign, field = ("T", "max_trips_per_user") if is_flows else ("ℓ", "max_visits_per_user")
    if field not in used_fields:
        return ""
    share = _share_within_limit(setting)
    limit = f"{sign} = {getattr(setting.parameters, field)}"
    if texts.scales_up(setting):
        counted = texts.format_hundred(share)
        return f"{counted}% are counted ({limit}) and scaled up, as in a survey"
    if share >= 0.995:
        return ""
    causes = {"suppression_threshold": "suppression", "smoothing": "smoothing"}
    all_causes = ["noise", *(cause for name, cause in causes.items() if name in used_fields)]
    others = f", {join_words(all_causes)} others" * (answer.utility.retained < share)
    return f"{limit} drops {texts.format_hundred(1 - share)}%{others}"


def _describe_suppression(answer: Assessment) -> str:
    """Return that a larger ε retains less, where τ suppresses what noise had lifted over it."""
    setting, utility = answer.setting, answer.utility
    larger = [epsilon for epsilon in EPSILON_STOPS if epsilon > setting.parameters.epsilon]
    method = cached.method_of(setting)
    if utility.verdict == "good" or "suppression_threshold" not in method.used_fields or not larger:
        return ""
    with_less_noise = cached.utility(
        setting.with_epsilon(larger[0]), seeds.utility_seed(answer.entry)
    )
    if with_less_noise.retained > utility.retained - NOTED_LOSS:
        return ""
    threshold = setting.parameters.suppression_threshold
    return (
        f"A larger ε retains fewer trips: τ = {threshold} then suppresses small flows that noise "
        "lifts over it now"
    )


def _privacy_gauge(answer: Assessment) -> Gauge:
    risk, people = answer.risk, answer.entry.metadata.people_public
    note = describe_gauge_note(risk, compute_one_day_guess_rate(answer))
    if people is not None and is_delta_large(risk.delta, people):
        note = f"δ is too large: above 1 in {people:,} people. {note}"
    return Gauge(
        name=f"Privacy of presence: {risk.strength}",
        level=risk.verdict,
        sentence=describe_gauge_guesses(risk, mark="*"),
        rule=f"{describe_risk(answer)} {PRIVACY_RULE}",
        note=note,
        amount=privacy.format_guess_limit(risk.max_guess_rate),
        value=risk.max_guess_rate,
        low=0.5,
        high=1.0,
        bands=_BANDS if risk.covers_person else _BANDS[1:],
    )


def compute_one_day_guess_rate(answer: Assessment) -> float | None:
    """Return the rate of right guesses about one day where each of several has its own noise."""
    if answer.risk.releases == 1 or answer.setting.time.aggregation != "day":
        return None
    return Guarantee(epsilon=answer.setting.parameters.epsilon).max_guess_rate


def _retained_gauge(answer: Assessment) -> Gauge:
    utility, setting = answer.utility, answer.setting
    notes = (
        _describe_suppression(answer),
        describe_limit(answer),
        texts.describe_crossing(utility, setting),
    )
    return _utility_gauge(
        answer,
        "retained",
        utility.retained,
        texts.describe_retained(utility, setting, mark="*"),
        notes,
        texts.format_retained(utility),
    )


def _genuine_gauge(answer: Assessment) -> Gauge:
    utility, setting = answer.utility, answer.setting
    mostly_noise = utility.genuine < texts.MOSTLY_NOISE
    notes = (
        f"Mostly noise: {texts.describe_invented(utility, setting)}" if mostly_noise else "",
        words.describe_excess(utility, setting),
        describe_flows(answer).partition(". ")[0],
        texts.describe_precision(utility, "genuine") if utility.draws else "",
    )
    sentence = texts.describe_genuine(utility, setting, mark="*")
    amount = texts.format_genuine(utility)
    return _utility_gauge(answer, "genuine", utility.genuine, sentence, notes, amount)


def _utility_gauge(
    answer: Assessment, name: str, share: float, sentence: str, notes: Sequence[str], amount: str
) -> Gauge:
    utility = answer.utility
    good, fair = utility.verdict_limits
    level = (
        utility.verdict if name == utility.shortfall else rate_value(share, good=good, fair=fair)
    )
    meaning = describe_flows(answer).partition(". ")[2]
    rule = f"{texts.describe_both_shares(utility)}. {answer.setting.say_counts(texts.UTILITY_RULE)}"
    verdict = texts.VERDICTS[level] if share == share else "not applicable"
    if name == utility.shortfall:
        verdict += f", so utility is {verdict}"
    return Gauge(
        name=f"{name.capitalize()}: {verdict}",
        level=level,
        sentence=sentence,
        rule=f"{rule} {meaning}",
        note=" ".join(texts.to_sentence(note.removesuffix(".")) for note in notes if note),
        value=share,
        low=0.0,
        high=1.0,
        bands=((fair, "noisy"), (good, "partly"), (1.0, "good")),
        amount=amount,
    )
