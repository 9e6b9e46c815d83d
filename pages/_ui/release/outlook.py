"""What a release can be used for before it is made: by its noise, or by the data on request."""

import streamlit as st

from engine import origin_destination as od
from engine.parameters import DensityParameters
from engine.release import BudgetLedger, Plan, Product, ReleaseError, fitting_epsilon
from engine.report import ReportParameters
from engine.usability import judge_drawn_trips
from pages._ui.cache import (
    datasets as cached_datasets,
    density as cached_density,
    trips as cached_trips,
    verbs,
)
from pages._ui.cache.window import declared
from pages._ui.drawing import cards
from pages._ui.release.wording import LEAK, NOISE_ALONE, noise_alone
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.session import session
from pages._ui.shell.settings import (
    EPSILON_SLIDER,
    Settings,
    nearest_stop_below,
    seed,
    use_settings,
)
from pages._ui.views import context as contexts, way_out
from pages._ui.wording import verdict
from pages._ui.wording.verdict import Finding

_DRAWS = 3


def draw(
    plan: Plan, product: Product, settings: Settings, entry: Entry, ledger: BudgetLedger
) -> None:
    """Draw the verdict of the noise, the largest ε that fits, and home's verdict on request."""
    st.markdown("**What the noise allows**")
    outlooks = product.outlook(cached_datasets.dataset(entry.key))
    ends = sorted(outlooks, key=lambda one: one.near_from)
    shown = ends if len(ends) < 3 else [ends[0], ends[-1]]
    say = st.warning if any(one.misleads for one in shown) else st.info
    say(" ".join(map(noise_alone, shown)), icon=":material/grain:")
    st.caption(NOISE_ALONE)
    _largest_epsilon(plan, product, entry, ledger)
    if isinstance(product.parameters, ReportParameters):
        return
    if st.toggle(
        "Judge it by the data, as home does",
        key=f"release_judge_{entry.name}",  # off for every other dataset
        help=LEAK,
        on_change=session().judged.add,  # before what the left column says of it
        args=(entry.name,),
    ):
        with st.spinner("Reading the data …"):
            finding = _by_data(product, settings, entry)
        level, sentence = verdict.headline([finding])
        st.html(cards.verdict_html(level, sentence, verdict.remedies([finding]), of=entry.name))
        if level == "noisy":
            density = plan.product.startswith("density")
            wanted = settings.density() if density else settings.trips()
            way_out.draw(contexts.of(entry, wanted), key="release")
        st.warning(LEAK, icon=":material/policy:")


def _largest_epsilon(plan: Plan, product: Product, entry: Entry, ledger: BudgetLedger) -> None:
    """Offer the largest ε that fits where more than what is set does; less is a way out."""
    try:
        budget = ledger.covering(entry.name)
    except ReleaseError:
        return
    most = fitting_epsilon(cached_datasets.dataset(entry.key), product, budget)
    stop = None if most is None else nearest_stop_below(most, EPSILON_SLIDER)
    if stop is not None and stop > plan.epsilon:
        st.button(
            f"Use ε = {stop:g}, the largest that fits",
            key="release_most",
            icon=":material/tune:",
            on_click=use_settings,
            kwargs={"epsilon": stop},
        )


def _by_data(product: Product, settings: Settings, entry: Entry) -> Finding:
    """Return home's verdict on the same settings; it reads the data."""
    key, noise = entry.key, seed(entry)
    if isinstance(product.parameters, DensityParameters):
        return verdict.density(cached_density.judged(key, product.parameters, noise))
    parameters = settings.trips()
    window = declared(parameters)
    if od.METHODS[product.parameters.method].expected is not None:
        judged = cached_trips.numbers(key, parameters, window).judged
        return verdict.trips(judged, parameters)
    methods = (parameters, settings.trips(method="estimate"))
    *_, (other, own) = cached_trips.repeated(key, methods, noise, window, _DRAWS)
    judged = judge_drawn_trips(verbs.truth(key, window), own.near)
    return verdict.drawn_trips(judged, parameters, other.scores, own.scores)
