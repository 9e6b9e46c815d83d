"""What is released: the setting as home judged it, its plan, and how its settings were chosen."""

from dataclasses import replace

import streamlit as st

from engine.contract import Setting
from engine.errors import ExplorerError
from engine.release import WRITERS, ReleasePlan, plan as planned_of, render_words
from engine.release.plan import CONFIDENCE
from engine.release.statement import format_error_bar
from engine.report import ReportParameters
from engine.resolution import FINEST
from engine.synthetic.twin_inputs import format_inputs
from engine.text.numbers import join_words
from engine.text.setting_text import describe_guesses
from engine.text.utility import describe_utility
from pages._ui.answers import cached, report_datasets, spans
from pages._ui.app import catalogue
from pages._ui.app.catalogue import Entry
from pages._ui.app.session import session
from pages._ui.components import cards, tables
from pages._ui.components.cards import Card
from pages._ui.frame import layout
from pages._ui.release.release_text import JUDGED, LEAK, NOTHING_YET, SEE_BIAS, SUMS, TUNING_CHOICES
from pages._ui.settings import current, offers, seeds, widgets

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
        st.info("This dataset has nothing of the kind to release: choose another in the sidebar.")
        return None
    if name == spans.PRODUCT:
        setting = spans.pick_spans(setting, len(cached.dataset(setting.selection).zones))
        return None if setting is None else (setting, entry)
    return (_choose_days(setting, entry) if name == FLOWS else setting), entry


def _choose_days(setting: Setting, entry: Entry) -> Setting:
    """Draw which of the declared days are released; all of them until some are chosen."""
    days = entry.metadata.days
    if len(days) < 2:
        return setting
    first, last = st.select_slider(
        "Days to release",
        options=range(len(days)),
        value=(0, len(days) - 1),
        format_func=lambda day: f"{days[day]:%d %b %Y}",
        key=f"release_days_{entry.name}",
        help="A person pays for every day of a release that protects person-days.",
    )
    if (first, last) == (0, len(days) - 1):
        return setting
    when = replace(setting.time, first_position=first, last_position=last)
    return replace(setting, selection=replace(setting.selection, time=when))


def make_plan(setting: Setting) -> ReleasePlan | None:
    """Return the plan; say what of the setting cannot be released, with what mends it."""
    try:
        plan = planned_of(setting, cached.full_dataset(setting))
        if plan.suppresses and st.toggle("Sums before suppression", key="release_sums", help=SUMS):
            plan = planned_of(setting, cached.full_dataset(setting), sums_before_suppression=True)
        return plan
    except ExplorerError as problem:
        st.error(str(problem), icon=":material/error:")
    zones = "od_zones" if hasattr(setting.parameters, "unit") else "density_zones"
    label, values = "Take the dataset's own zones", {zones: FINEST}
    if isinstance(setting.parameters, ReportParameters):
        label, values = "Ask nothing twice", {"report_preset": "derived"}
    elif setting.parameters.method not in WRITERS:
        methods = cached.product_of(setting).METHODS
        method = next(key for key in methods if key in WRITERS)
        label = f"Release by {methods[method].short_name}"
        values = {"od_method" if zones == "od_zones" else "variant": method}
    elif setting.zone_level == FINEST:
        return None
    st.button(label, key="release_mend", on_click=current.set_values, kwargs=values)
    return None


def draw(plan: ReleasePlan, entry: Entry) -> None:
    """Draw what will be released, as home showed it, and how near it is by the noise alone."""
    names = ("title", "seen", "numbers", "contribution", "beyond")
    title, scope, numbers, contribution, beyond = render_words(plan, *names)
    st.markdown(f"**{title}** · **{entry.name}** · {scope}")
    if isinstance(plan.parameters, ReportParameters):
        st.caption(f"It holds: {join_words([part.label for part in plan.parameters.analyses])}.")
    _draw_judgement(plan, entry)
    rows, stage = plan.error_bars, plan.stages[0]
    first, large = rows[0], next((row for row in rows if "picked" in row.quantity), None)
    wider = f" Of {large.quantity}: ± {format_error_bar(large.half_width)}." if large else ""
    cards.draw(
        [
            Card(
                f"Error bar ({CONFIDENCE:.0%})",
                f"± {format_error_bar(first.half_width)}",
                "by the law of the noise",
                f"Of {first.quantity}{', within the limit' * (plan.unit != 'trip')}.{wider}",
            ),
            Card("Noise", f"scale {stage.scale:.4g}", stage.noise, contribution),
            Card("Noisy numbers", f"{plan.cell_count:,}", "", numbers),
        ]
    )
    with st.expander("Expected accuracy and bias", icon=":material/straighten:"):
        st.caption("From the noise alone: nothing in your data was looked at for this table.")
        sizes = ["" if row.truncated_count is None else f"{row.truncated_count:,}" for row in rows]
        columns = {
            "Number": [row.quantity for row in rows],
            **({"Counted size": sizes} if any(sizes) else {}),
            f"{CONFIDENCE:.0%} error bar": [
                f"± {format_error_bar(row.half_width)}" for row in rows
            ],
            "Shown": [f"{row.shown_probability:.1%}" for row in rows],
            "Bar holds, if shown": [f"{min(row.coverage, CONFIDENCE):.1%}" for row in rows],
        }
        tables.draw(columns)
        st.markdown(f"{beyond} {SEE_BIAS}")


def _draw_judgement(plan: ReleasePlan, entry: Entry) -> None:
    """Draw utility and risk in home's words; utility of real people when asked."""
    risk = describe_guesses(cached.risk(plan.setting).max_guess_rate, plan.setting)
    risk += " (a coin: 50) from this release alone"
    is_read = entry.metadata.simulated or st.session_state.get(f"release_judge_{entry.name}", False)
    if plan.product == "report" or not is_read:
        st.markdown(f"After publication, {risk}.")
    else:
        utility = cached.utility(plan.setting, seeds.utility_seed(entry))
        st.markdown(f"{describe_utility(utility, plan.setting)} After publication, {risk}.")
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
        "In your words", key="release_note", placeholder="such as the days that were looked at"
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
    st.caption(f"The statement will also say: {words}")
    return words
