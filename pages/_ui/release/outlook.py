"""What a release can be used for before it is made: by its noise, or by the data on request."""

import streamlit as st

from engine.release import Ledger, Outlook, Plan, ReleaseError, fits, fitting_epsilon
from engine.usability import judge_drawn_trips
from pages._ui.cache import density as cached_density
from pages._ui.cache import estimates as cached_estimates
from pages._ui.cache import trips as cached_trips
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
from pages._ui.wording import verdict
from pages._ui.wording.verdict import Finding

_DRAWS = 3


def draw(
    plan: Plan, outlooks: tuple[Outlook, ...], settings: Settings, entry: Entry, ledger: Ledger
) -> None:
    """Draw the verdict of the noise, the largest ε that fits, and home's verdict on request."""
    st.markdown("**What the noise allows**")
    ends = sorted(outlooks, key=lambda one: one.near_from)
    shown = ends if len(ends) < 3 else [ends[0], ends[-1]]
    say = st.warning if any(one.misleads for one in shown) else st.info
    say(" ".join(map(noise_alone, shown)), icon=":material/grain:")
    st.caption(NOISE_ALONE)
    _largest_epsilon(plan, entry, ledger)
    if plan.product == "report":
        return
    if st.toggle(
        "Judge it by the data, as home does",
        key=f"release_judge_{entry.name}",  # off for every other dataset
        help=LEAK,
        on_change=session().judged_on_release.add,  # before what the left column says of it
        args=(entry.name,),
    ):
        with st.spinner("Reading the data …"):
            finding = _by_data(plan, settings, entry)
        level, sentence = verdict.headline([finding])
        st.html(cards.verdict_html(level, sentence, verdict.remedies([finding]), of=entry.name))
        st.warning(LEAK, icon=":material/policy:")


def _largest_epsilon(plan: Plan, entry: Entry, ledger: Ledger) -> None:
    """Offer the largest ε that fits where more than what is set does; less is a way out."""
    try:
        budget = ledger.covering(entry.name)
    except ReleaseError:
        return
    most = fitting_epsilon(plan, budget)
    stop = None if most is None else nearest_stop_below(most, EPSILON_SLIDER)
    if stop is not None and stop > plan.epsilon and fits(plan, budget):
        st.button(
            f"Use ε = {stop:g}, the largest that fits",
            key="release_most",
            icon=":material/tune:",
            on_click=use_settings,
            kwargs={"epsilon": stop},
        )


def _by_data(plan: Plan, settings: Settings, entry: Entry) -> Finding:
    """Return home's verdict on the same settings; it reads the data."""
    key, noise = entry.key, seed(entry)
    if plan.product.startswith("density"):
        method = "zoom" if plan.product == "density-zoom" else "towers_laplace"
        return verdict.density(cached_density.judged(key, settings.density(method=method), noise))
    parameters = settings.trips()
    window = declared(parameters)
    if plan.product == "od":
        judged = cached_trips.numbers(key, parameters, window).judged
        return verdict.trips(judged, parameters)
    *_, draws = cached_estimates.repeated(key, parameters, noise, window, _DRAWS)
    judged = judge_drawn_trips(cached_trips.truth(key, window), draws.near)
    return verdict.drawn_trips(judged, parameters, draws.published, draws.ours)
