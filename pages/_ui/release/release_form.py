"""What is released: the setting as home judged it, its plan, and how its settings were chosen."""

import html
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from engine.contract import Setting
from engine.errors import ExplorerError
from engine.release import WRITERS, ReleasePlan, list_warnings, plan as planned_of, render_words
from engine.release.plan import CONFIDENCE
from engine.release.statement import format_error_bar
from engine.report import ReportParameters
from engine.resolution import FINEST
from engine.synthetic.twin_inputs import format_inputs
from engine.text.numbers import count_noun, join_words, make_inert
from engine.text.setting_text import describe_guesses
from engine.text.utility_text import describe_utility, format_hundred
from pages._ui.answers import cached, recommendation, report_datasets, spans
from pages._ui.app import catalogue
from pages._ui.app.catalogue import Entry
from pages._ui.app.session import session
from pages._ui.components import tables
from pages._ui.frame import layout
from pages._ui.release.release_text import JUDGED, LEAK, NOTHING_YET, SEE_BIAS, SUMS, TUNING_CHOICES
from pages._ui.settings import current, fields, offers, seeds, widgets

FLOWS, DENSITY, REPORT = "Origin–destination", "Density", "Mobility report"


def choose_setting() -> tuple[Setting, Entry] | None:
    """Draw the choice of a product; return its setting, or say what the dataset lacks for it."""
    products = FLOWS, spans.PRODUCT, DENSITY, REPORT
    name = widgets.choose("What to release", products, "release_product")
    if name == REPORT:
        entry = report_datasets.choose_entry()
        setting = report_datasets.report_setting(entry)
    elif name == DENSITY:
        entry, setting = offers.entry_for("density"), current.density()
    else:
        entry, setting = offers.entry_for("trips"), current.flows()
    layout.draw_banners([entry], NOTHING_YET)
    if entry is not None and setting is None and name == REPORT:
        report_datasets.explain_missing(entry)
        return None
    if entry is None or setting is None:
        st.info("This dataset cannot give this product. Choose another dataset in the sidebar.")
        return None
    if name == spans.PRODUCT:
        setting = spans.pick_spans(setting, len(cached.dataset(setting.selection).zones))
        return None if setting is None else (setting, entry)
    return (_choose_days(setting, entry) if name == FLOWS else setting), entry


def _choose_days(setting: Setting, entry: Entry) -> Setting:
    """Draw which of the declared days are released; of real people first those within the risk."""
    days = entry.metadata.days
    if len(days) < 2:
        return setting
    within_count = len(days)
    is_daily = (setting.parameters.unit, setting.time.aggregation) == ("person-day", "day")
    if is_daily and not entry.metadata.simulated:
        within_count = count_days_within(setting, len(days), fields.value(fields.RISK))
    first, last = st.select_slider(
        "Days to release",
        options=range(len(days)),
        value=(0, max(within_count, 1) - 1),
        format_func=lambda day: f"{days[day]:%d %b %Y}",
        key=f"release_days_{entry.name}",
        help="If a person's day is protected, a person pays ε for every released day.",
    )
    if within_count < len(days):
        limit = f"{format_hundred(fields.value(fields.RISK))} correct guesses in 100"
        count = f"at most {count_noun(within_count, 'day')}" if within_count else "not one day"
        st.caption(
            f"At ε = {setting.parameters.epsilon:g} a day, {count} of {len(days)} can be released "
            f"within your risk limit ({limit}). A smaller ε allows more days."
        )
    return _with_days(setting, first, last, len(days))


def _with_days(setting: Setting, first: int, last: int, day_count: int) -> Setting:
    """Return a setting of some days; all of them have no positions, so that its key is home's."""
    if (first, last) == (0, day_count - 1):
        return setting
    when = replace(setting.time, first_position=first, last_position=last)
    return replace(setting, selection=replace(setting.selection, time=when))


def count_days_within(setting: Setting, day_count: int, limit: float) -> int:
    """Return the largest number of days whose release keeps a person's risk, by public facts."""

    def exceeds(count: int) -> bool:
        return cached.risk(_with_days(setting, 0, count - 1, day_count)).max_guess_rate > limit

    return bisect_left(range(1, day_count + 1), True, key=exceeds)


def make_plan(setting: Setting) -> ReleasePlan | None:
    """Return the plan; say what of the setting cannot be released, with what mends it."""
    try:
        plan = planned_of(setting, cached.full_dataset(setting))
        if plan.suppresses and st.toggle("Sums before suppression", key="release_sums", help=SUMS):
            plan = planned_of(setting, cached.full_dataset(setting), sums_before_suppression=True)
        return plan
    except ExplorerError as problem:
        st.error(make_inert(str(problem), None), icon=":material/error:")
    zones = "od_zones" if hasattr(setting.parameters, "unit") else "density_zones"
    label, values = "Use the dataset's own zones", {zones: FINEST}
    if isinstance(setting.parameters, ReportParameters):
        label, values = "Derive what can be derived", {"report_preset": "derived"}
    elif setting.parameters.method not in WRITERS:
        methods = cached.product_of(setting).METHODS
        method = next(key for key in methods if key in WRITERS)
        label = f"Release by {methods[method].short_name}"
        values = {"od_method" if zones == "od_zones" else "variant": method}
    elif setting.zone_level == FINEST:
        return None
    st.button(label, key="release_mend", on_click=current.set_values, kwargs=values)
    return None


def ask_trips(plan: ReleasePlan, entry: Entry) -> ReleasePlan:
    """Ask for the public number of trips of flows; return the plan that states it."""
    if not plan.is_flows:
        return plan
    source = plan.setting.dataset_id
    question = "Public estimate of the number of trips in these days"
    if entry.metadata.people_once:
        question = "How many people live and work in different zones, as far as is publicly known?"
    trips = st.number_input(
        question,
        min_value=1,
        value=None,
        key=f"release_trips_{entry.name}",
        **fields.PERSIST,
        help="A public number, for example from a survey. It is stated with the release and "
        "compared with what noise alone would show. Your data are not used.",
    )
    if trips is None:
        session().trips_per_day.pop(source, None)
        return plan
    session().trips_per_day[source] = trips / len(plan.metadata.days)
    dataset, sums = cached.full_dataset(plan.setting), plan.has_sums
    return planned_of(plan.setting, dataset, trips=int(trips), sums_before_suppression=sums)


def draw(plan: ReleasePlan, entry: Entry) -> None:
    """Draw what will be released, as home showed it, and how near it is by the noise alone."""
    names = ("title", "seen", "numbers", "contribution", "beyond")
    title, scope, numbers, contribution, beyond = render_words(plan, *names)
    name = make_inert(entry.name)
    st.markdown(f"**{title}** · **{name}** · {make_inert(scope, None)}")
    if isinstance(plan.parameters, ReportParameters):
        st.caption(f"It holds: {join_words([part.label for part in plan.parameters.analyses])}.")
    _draw_judgement(plan, entry)
    draw_warnings(list_warnings(plan))
    rows, noise = plan.error_bars, _describe_noise(plan)
    first, large = rows[0], next((row for row in rows if "picked" in row.quantity), None)
    wider = f" Of {large.quantity}: ± {format_error_bar(large.half_width)}." if large else ""
    trims = plan.unit != "trip" and not plan.metadata.people_once
    bar = f"± {format_error_bar(first.half_width)}, computed from the noise"
    noun = "visits" if plan.product.startswith("density") else "trips"
    counted = f", of its counted {noun}" * trims
    what, _, how = first.quantity.partition(", ")
    quantity = f"{what} picked in advance{f', {how}' if how else ''}{counted}"
    rare = " A small one that is shown is within it less often." * plan.suppresses
    lines = (
        (f"Error bar ({CONFIDENCE:.0%})", bar, f"For {quantity}.{rare}{wider}"),
        ("Noise", noise, contribution),
        ("Noisy numbers", f"{plan.cell_count:,}", numbers),
    )
    tables.draw_rows(("Property", "Number", "Meaning"), lines)
    with st.expander("Expected accuracy and bias", icon=":material/straighten:"):
        st.caption("Computed from the noise only. Your data were not used for this table.")
        sizes = ["" if row.truncated_count is None else f"{row.truncated_count:,}" for row in rows]
        columns = {
            "Number": [row.quantity for row in rows],
            **({"Counted size": sizes} if any(sizes) else {}),
            f"{CONFIDENCE:.0%} error bar": [
                f"± {format_error_bar(row.half_width)}" for row in rows
            ],
        }
        if any(sizes):
            columns["Shown"] = [f"{row.shown_probability:.1%}" for row in rows]
            columns["Bar holds, if shown"] = [
                f"{min(row.coverage, CONFIDENCE):.1%}" for row in rows
            ]
        tables.draw(columns)
        st.markdown(f"{beyond} {SEE_BIAS}")


def _describe_noise(plan: ReleasePlan) -> str:
    """Return each kind of noise with its scale, or the range of its scales."""
    if plan.is_flows:
        first, *others = plan.stages
        beyond = "".join(f" and {stage.scale:.4g} (trips beyond)" for stage in others)
        return f"{first.noise}, scale {first.scale:.4g}{beyond}"
    scales: dict[str, list[float]] = {}
    for stage in plan.stages:
        scales.setdefault(stage.noise, []).append(stage.scale)
    return "; ".join(
        f"{kind}, scale {min(some):,.4g}{f' to {max(some):,.4g}' if len(set(some)) > 1 else ''}"
        for kind, some in scales.items()
    )


def draw_warnings(warnings: Sequence[str]) -> None:
    """Draw warnings as a list: one line each, its first sentence, which opens."""
    items = ""
    for title, _, rest in (text.partition(". ") for text in warnings):
        summary = f"<summary>{html.escape(title)}</summary>"
        items += f"<li><details>{summary}{html.escape(rest)}</details></li>"
    if items:
        st.html(f'<ul class="warnings" aria-label="Warnings">{items}</ul>')


def _draw_judgement(plan: ReleasePlan, entry: Entry) -> None:
    """Draw utility and risk in home's words; utility of real people when asked."""
    risk = describe_guesses(cached.risk(plan.setting).max_guess_rate, plan.setting)
    risk += " (a coin: 50), from this release alone"
    is_read = entry.metadata.simulated or st.session_state.get(f"release_judge_{entry.name}", False)
    if plan.product == "report" or not is_read:
        st.markdown(f"After publication, {risk}.")
    else:
        utility = cached.utility(plan.setting, seeds.utility_seed(entry))
        judgement = make_inert(describe_utility(utility, plan.setting), None)
        st.markdown(f"{judgement} After publication, {risk}.")
    if plan.product != "report" and not entry.metadata.simulated:
        st.toggle(
            "Show its utility from the data, as home does",
            key=f"release_judge_{entry.name}",  # off for every other dataset
            help=LEAK,
            on_change=session().judged_names.add,  # before what the statement says of it is drawn
            args=(entry.name,),
        )
        if is_read:
            st.warning(LEAK, icon=":material/policy:")
            if plan.setting.time.compared_days is None:
                recommendation.draw(plan.setting, key="release")


def ask_tuning(plan: ReleasePlan, entry: Entry) -> tuple[str, str]:
    """Draw how settings were chosen; return a key of `TUNING_CHOICES` and the custodian's words."""
    twin = find_twin(plan, entry)
    is_read = entry.name in session().judged_names  # more is known of the data than of the settings
    how = "twin" if twin and not is_read else "these data"
    fresh = how != session().tuning_source  # a record came, or no longer holds
    session().tuning_source = how
    # Streamlit forgets what a widget held while another page was shown
    for key, first in (("release_tuned", how), ("release_note", "")):
        st.session_state[key] = first if fresh else st.session_state.get(key, first)
    chosen = st.selectbox(
        "How were ε and the other settings chosen?",
        list(TUNING_CHOICES),
        format_func=TUNING_CHOICES.__getitem__,
        key="release_tuned",
    )
    note = st.text_input(
        "Details in your own words",
        key="release_note",
        placeholder="such as the days that were looked at",
    )
    if chosen == "twin":
        note = "; ".join(filter(None, (note, _ask_twin(twin))))
    if is_read:
        st.caption(JUDGED)
    return str(chosen), note


def find_twin(plan: ReleasePlan, entry: Entry) -> str:
    """Return the twin whose recommendation the whole setting is; nothing where any part differs."""
    choice = session().twin_choice
    if choice is None or entry.is_twin:
        return ""
    twin, base = choice
    here = replace(base, selection=replace(base.selection, dataset_id=plan.setting.dataset_id))
    return twin if twin in catalogue.entries() and here == plan.setting else ""


def _ask_twin(twin: str) -> str:
    """Ask which twin it was, that whose setting was taken first, and return what it is made of."""
    twins = {
        name: inputs
        for name, entry in catalogue.entries().items()
        if (inputs := entry.metadata.scenario.get("twin"))
    }
    if not twins:
        st.caption("The twin is not available here. Describe what it was made of.")
        return ""
    first = list(twins).index(twin) if twin in twins else 0
    words = format_inputs(
        twins[st.selectbox("Which twin?", list(twins), first, key="release_twin")]
    )
    st.caption(f"The statement will also say: {make_inert(words, None)}")
    return words
