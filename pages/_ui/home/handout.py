"""A handout of one page, made by the server: a sentence to quote, the picture, the limits."""

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from html import escape

import streamlit as st

from engine import privacy
from engine.origin_destination import has_suppression
from engine.parameters import ODParameters
from engine.text import setting_text as words
from engine.text.dataset_text import NOT_A_RELEASE, SIMULATED_BANNER, count_zones
from engine.text.glossary import GLOSSARY, find_meaning
from engine.text.numbers import count_noun
from engine.text.privacy_text import name_subject, name_versions
from engine.text.utility_text import MOSTLY_NOISE, describe_utility, scales_up
from pages._ui.answers import assessments, cached, recommendation
from pages._ui.answers.assessments import Assessment
from pages._ui.components.gauges import gauges_html
from pages._ui.components.picture import STYLE as PICTURE_STYLE, Picture

_STYLE = """
@page { margin: 9mm } @media print { body { zoom: 0.88 } } @media screen { html { padding: 12mm } } html { font-size: 14px } * { box-sizing: border-box; print-color-adjust: exact; -webkit-print-color-adjust: exact }
body { font: 10.5px/1.34 sans-serif; color: #1c1c1c; background: #fff; max-width: 192mm; margin: 0 auto }
h1 { font-size: 15px; margin: 0 } h2 { font-size: 10.5px; margin: 6px 0 1px; text-transform: uppercase; letter-spacing: .04em }
blockquote { font-size: 16px; line-height: 1.3; font-weight: 600; margin: 8px 0; padding-left: 12px; border-left: 4px solid #2a6f97 }
p, ul { margin: 2px 0 } ul { padding-left: 16px } .small { color: #444 } .sides { --tall: 42mm } /* one page of A4 */
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 0 14px }
.gauges { display: grid; grid-template-columns: repeat(3, 1fr); gap: 10px; margin: 6px 0 } .gauge { display: flex; flex-direction: column; justify-content: space-between } .gauge .name { font-weight: 700 } .gauge .words b { font-size: 16px }
.gauge .scale { position: relative; height: 10px; border-radius: 3px; margin: 4px 0 2px } .gauge .note { display: none } /* the answers below say it */
.gauge .sign { position: absolute; margin-left: 2px; font: 700 8px/10px sans-serif; color: #fff; text-shadow: 0 0 2px #000, 0 0 2px #000 }
.hint { display: none } .gauge .needle { position: absolute; top: -3px; bottom: -3px; width: 4px; margin-left: -2px; background: #1c1c1c; outline: 1px solid #fff }
"""  # noqa: E501
_PRIOR = 0.1
_NEXT_STEP = (
    "to publish such numbers of real people, the custodian of their data makes the release on the "
    "page Release. It draws the noise once and charges the cost to a declared budget."
)
_PASS_ON = "Of simulated people, so it may be passed on."
_NOT_CHECKED = (
    "Maps drawn with other noise (the shares above are expected values or means of draws)",
    (
        "Releases of the same people's data beyond a second one: each adds to the risk, and none "
        "of it expires"
    ),
    (
        "People missing from the data, such as those without a phone, and errors made when the "
        "data were collected"
    ),
    "Single areas: the shares are of all trips, and quiet areas lose more",
    "What a wrong decision based on these numbers would cost",
)


def draw_buttons(answer: Assessment, picture: Picture) -> None:
    """Draw the buttons that save the handout and its numbers.

    A file that a page offers is served to whoever knows its address, so that data of real people
    have none. One that is made when its button is pressed is swept before it is fetched if other
    sessions run meanwhile.
    """
    if not answer.entry.metadata.simulated:
        return
    readable = assessments.describe_flows(answer)
    count = len(cached.dataset(answer.setting.selection).zones)
    advice = recommendation.describe_advice(answer.setting)
    flows, epsilon = words.is_flows(answer.setting), answer.setting.parameters.epsilon
    name = f"{answer.entry.name}-{'flows' if flows else 'density'}-epsilon-{epsilon:g}"
    files = {
        "Handout": (page_html(answer, picture, readable, count, advice), "handout", "html"),
        "CSV": (figures_csv(answer), "figures", "csv"),
    }
    for label, (text, content, kind) in files.items():
        file, key = f"{content}-{name}.{kind}", f"home_{label.lower()}"
        st.download_button(
            label, text, file, mime=f"text/{kind}", key=key, type="tertiary", help=_PASS_ON
        )


def quote_assessment(answer: Assessment, zones: int) -> str:
    """Return sentences that are true without the page around them."""
    setting, utility = answer.setting, answer.utility
    product = f"{words.describe_product(setting, zones)} are published"
    days = answer.risk.releases
    guesses = privacy.format_guess_limit(answer.risk.max_guess_rate)
    data = f"anywhere in the data of {days} days" if days > 1 else "in the data"
    about = f"whether a person is {data}"
    if not answer.risk.covers_person:
        about = "whether a single trip is in the data; people who make many are protected less"
    return (
        f"Suppose that {product} {words.describe_time(setting)}, in a test with simulated people "
        f"({answer.entry.name}). {describe_utility(utility, setting)} An attacker "
        f"who knows everyone else's data guesses correctly {guesses} times in 100 (a coin: 50) "
        f"{about}."
    )


def page_html(
    answer: Assessment, picture: Picture, reliability: str, count: int, advice: str
) -> str:
    """Return the handout as one file that needs no other."""
    setting, entry = answer.setting, answer.entry
    flows, data = words.is_flows(setting), entry.metadata
    zones, when = count_zones(setting.zone_level, count), words.describe_time(setting)
    product = words.describe_product(setting, count)
    title = f"{product[0].upper()}{product[1:]} {when}: {entry.name}"
    who = words.WHO[setting.parameters.unit] if flows else words.WHO["person"]
    levers = words.format_controls(setting)
    signs = [s for s in "εδTτℓ" if f"{s} " in levers or (s == "δ" and answer.risk.delta)]
    terms = [*(["retained", "genuine"] if flows else []), *signs]
    method = cached.method_of(setting)
    meanings = [f"{word}: {find_meaning(word, setting)}" for word in terms if word in GLOSSARY]
    if flows and "τ" not in signs:
        meanings.append(f"τ: not used by {method.short_name}")
    meanings += [f"{method.short_name}: {method.description}"] if method.description else []
    tables = len(setting.time.days_per_matrix(len(data.days))) if flows else 1
    cells = f"{count:,} zones × 168 hours"
    if flows:
        inside = setting.say_counts("trips within a zone are left out")
        cells = f"{count * (count - 1):,} pairs of zones; {inside}"
    if flows and scales_up(setting):
        cells += ". One more noisy number of each counts trips beyond T and is not published"
    lines = [
        f"{zones} {when}. {words.describe_method(setting)}",
        (
            f"Unit of privacy: {who}. Period of the data: {data.first_day:%-d %B} to "
            f"{data.last_day:%-d %B %Y}"
        ),
        f"The release would have {count_noun(tables, 'table')} of {cells}",
    ]
    banner = f"{data.description}. {NOT_A_RELEASE}".replace("**", "")
    if SIMULATED_BANNER not in banner:
        banner = f"{SIMULATED_BANNER}. {banner}"
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{PICTURE_STYLE}{_STYLE}</style></head><body><h1>{escape(title)}</h1>"
        f'<p class="small">{escape(banner)}</p>'
        f"<blockquote>“{escape(quote_assessment(answer, count))}”</blockquote>"
        f"<p><b>Current setting: {assessments.describe_standing(answer)}.</b></p>"
        f"{f'<p><b>Recommended:</b> {escape(advice)}</p>' if advice else ''}"
        f"{gauges_html(assessments.make_gauges(answer), name=entry.name)}{picture.html()}"
        f"<h2>If you are asked</h2>{_list_html(_answer_questions(answer, reliability))}"
        f"<h2>The setting</h2>{_list_html(lines)}"
        f'<div class="pair"><div><h2>What it means</h2>{_list_html(meanings)}</div>'
        f"<div><h2>Not looked at</h2>{_list_html(_NOT_CHECKED)}</div></div>"
        f"<p><b>Next:</b> {_NEXT_STEP}</p>"
        f'<p class="small">Mobility Privacy Explorer, {datetime.now(UTC):%-d %B %Y}</p>'
        "</body></html>"
    )


def _answer_questions(answer: Assessment, reliability: str) -> list[str]:
    """Return what a minister is asked, and an answer that holds without the page."""
    setting, risk, whom = answer.setting, answer.risk, name_subject(answer.risk)
    present, version, group = map(
        privacy.format_guess_limit,
        (risk.max_guess_rate, risk.max_version_guess_rate, risk.max_group_guess_rate),
    )
    learns = (
        f"An attacker who sees the release and knows everyone else's data guesses whether {whom} "
        f"is in it. The guess is correct {present} times in 100 (a coin: 50). Which of two "
        f"{name_versions(risk)}: {version}. Whether {privacy.GROUP_SIZE} people who travel "
        f"together are in it: {group}."
    )
    one_day = assessments.compute_one_day_guess_rate(answer)
    if one_day is not None:
        learns += f" Of one day alone: {privacy.format_guess_limit(one_day)}."
    if not risk.delta:
        belief = privacy.Guarantee(epsilon=risk.epsilon).max_posterior_belief(_PRIOR)
        learns += (
            " These rates are over all that can come out. After the most revealing result, however "
            f"rare, a belief of {_PRIOR:.0%} that {whom} is in the data can rise to at most "
            f"{math.ceil(1000 * belief) / 10:g}%."
        )
    retained, _, genuine = describe_utility(answer.utility, setting).partition(". ")
    parts = retained, assessments.describe_limit(answer), genuine, _add_up(answer), reliability
    right = " ".join(f"{part.removesuffix('.')}." for part in parts if part)
    good, fair = answer.utility.verdict_limits
    return [
        f"What is protected? {assessments.describe_unit(answer)}. Homes and families are protected "
        f"less, and each further release adds to the risk.{_describe_second_release(answer)}",
        f"What can an attacker learn? {learns}",
        f"How much is right? {right}",
        "Is anything published? No, this is a test with simulated people.",
        "Who set the grades? The authors of this program, by convention and not by law. Privacy is "
        f"strong up to {privacy.STRONG_GUESS:.0%} correct guesses and moderate up to "
        f"{privacy.WEAK_GUESS:.0%}. Utility is good from {good:.0%} and fair from {fair:.0%}.",
    ]


def _describe_second_release(answer: Assessment) -> str:
    """Return the guarantee of two such releases of flows; empty if single trips are protected."""
    setting, parameters = answer.setting, answer.setting.parameters
    if not isinstance(parameters, ODParameters) or parameters.unit == "trip":
        return ""
    days: Sequence[int] = [1]
    if parameters.unit == "person-day":
        days = setting.time.days_per_matrix(len(answer.entry.metadata.days))
    by_day = replace(parameters, unit="person-day")
    twice = privacy.flow_release_risk(by_day, [*days, *days])
    rates = answer.risk.max_guess_rate, twice.max_guess_rate
    once, again = map(privacy.format_guess_limit, rates)
    guess = f", and the guess below is correct {again} times in 100" if again != once else ""
    return f" With a second such release of the same people ε is {twice.epsilon:.4g}{guess}."


def _add_up(answer: Assessment) -> str:
    """Return what becomes of all trips between the dataset's zones.

    Empty where no zones are merged, and where what is retained is mostly chance.
    """
    utility, setting = answer.utility, answer.setting
    is_chance = utility.true <= 0 or utility.genuine < MOSTLY_NOISE
    if utility.crossing_share >= 1 or is_chance:
        return ""
    inside = round(100 * (1 - utility.crossing_share))
    kept = round(100 * utility.crossing_share * utility.retained)
    return setting.say_counts(
        f"Larger zones leave out {inside} of 100 trips between the dataset's own zones; {kept} are "
        f"retained and {100 - inside - kept} lost."
    )


def figures_csv(answer: Assessment) -> str:
    """Return the setting and its numbers as a table of two columns."""
    setting, utility = answer.setting, answer.utility
    out = io.StringIO()
    rows = csv.writer(out)
    rows.writerow(("what", "value"))
    about = {
        "dataset": answer.entry.name,
        "zones": setting.zone_level,
        "time": words.describe_time(setting),
    }
    used = dict(vars(setting.parameters))
    if words.is_flows(setting) and not has_suppression(setting.parameters):
        del used["suppression_threshold"]
    numbers = {
        "retained": utility.retained,
        "standard error of retained": utility.standard_errors[0],
        "genuine": utility.genuine,
        "standard error of genuine": utility.standard_errors[1],
        "common part (CPC)": utility.common_part,
        "crossing": utility.crossing_share,
        "max_correct_guesses": answer.risk.max_guess_rate,
    }
    rows.writerows({**about, **used, **numbers}.items())
    rows.writerow(("note", NOT_A_RELEASE.replace("**", "")))
    return out.getvalue()


def _list_html(lines: Sequence[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in lines) + "</ul>"
