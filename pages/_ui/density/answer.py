"""The Density page's switches, and what its setting is good for: use, errors, proved ε."""

from typing import Any

import numpy as np
import streamlit as st

from engine import density, metrics
from engine.contract import Setting
from engine.parameters import HOURS_PER_WEEK, gaussian_for
from pages._ui import cached, state
from pages._ui.drawing import cards
from pages._ui.drawing.cards import Card
from pages._ui.jobs import pieces
from pages._ui.wording.numbers import fixed, metres, number, percent, scientific
from pages._ui.wording.privacy import ANALYTIC_NOTE

HELP = {
    "scaling": "Totals from one visit of each person, scaled to all visits (P1 §5.4.1).",
    "smoothing": "Hours 0 to 6 are fitted exponentials (P1 §5.4.2), which costs nothing.",
    "gaussian": "The least Gaussian noise that is (ε, δ)-DP, for every ε (Balle & Wang 2018). Off: "
    "that of P1's Theorem 3, up to a total ε of 4.",
}
ZOOM = (
    "Our method counts once at five zoom levels, from single masts to the whole city, and believes "
    "only what stands clear of the noise: small differences between neighbours are evened out, the "
    "others are kept. Nobody is sampled, and published and proved ε are the same."
)
NO_STAGES = "This method adds Laplace noise to every count and has no further stages."
EXCEEDS = (
    "**The noise exceeds the data**: the noisy totals are not above zero, so the release is zero "
    "everywhere. A larger ε or more people are needed."
)
ONE_CLUSTER = (
    ":material/info: **All cells form one cluster**: together they are below the cluster minimum "
    "of {} visits, so every zone gets the same weekly rhythm."
)
_HOURS = 24
"""Hours of the earth mover's distance that are computed at a time."""


def switches() -> None:
    """Draw the switches of the papers' stages in the sidebar."""
    method, epsilon = state.value(state.VARIANT), state.value(state.EPSILON)
    uses = density.METHODS[method].uses
    fixed_noise = "gaussian" not in uses or gaussian_for(method, epsilon) == "analytic"
    with st.sidebar.expander("Stages and noise", icon=":material/account_tree:"):
        for field, name, off in (
            (state.SCALING, "scaling", "scaling" not in uses),
            (state.SMOOTHING, "smoothing", "smoothing" not in uses),
            (state.GAUSSIAN, "gaussian", fixed_noise),
        ):
            state.draw(field, help=HELP[name], disabled=off)


def draw(setting: Setting) -> None:
    """Draw what the setting is good for, and its large numbers."""
    entry = state.entry_of(setting)
    seed = state.seed(entry)
    release, use = cached.release(setting, seed), cached.use(setting, state.use_seed(entry))
    sentence = f"Of 100 visits {100 * use.share:.0f} are where and when they were."
    if np.isnan(use.share):
        sentence = "There are no visits to hold."
    good, partly = (f"{100 * limit:.0f}" for limit in use.limits)
    rule = f"Good from {good}, in part from {partly}: a flat week has 74. Mean of draws."
    name = state.entry_of(setting).name
    st.html(cards.verdict_html(use.level, sentence, rule, of=name))
    for flag in release.flags:
        if flag == density.NOISE_EXCEEDS_DATA:
            st.error(EXCEEDS, icon=":material/error:")
        else:
            st.caption(ONE_CLUSTER.format(number(release.cluster_minimum or 0)))
    hours = [(setting, seed, start) for start in range(0, HOURS_PER_WEEK, _HOURS)]
    work = pieces.ask("density_moved", moved, hours, delay_s=1.0)

    def show(done: list[float], running: bool) -> None:
        distance = "…" if running else metres(metrics.mean_of_known(np.array(done)))
        cards.row(_cards(setting, seed, distance))

    pieces.live("density_moved", work, show)
    for note in _notes(setting):
        st.caption(note)


def moved(setting: Setting, seed: cached.Seed, start: int) -> float:
    """Return the mean earth mover's distance of some hours of the draw shown, in metres."""
    some = slice(start, start + _HOURS)
    true, private = cached.truth(setting), cached.release(setting, seed).counts
    between = cached.dataset(cached.view(setting)).tessellation.zone_distances_m
    shown = np.maximum(private[:, some], 0.0)
    return metrics.mean_of_known(metrics.earth_movers_distance(true[:, some], shown, between))


def _cards(setting: Setting, seed: cached.Seed, distance: str) -> list[Card]:
    scores, ledger = cached.scores(setting, seed), cached.ledger(setting)
    failing = f" at δ = {scientific(ledger.delta)}" if ledger.delta else ""
    return [
        Card("Relative error (MRE)", percent(scores.mean_error), "", "Mean over zones and hours."),
        Card("Rhythm kept (Pearson r)", fixed(scores.mean_correlation), "", "Mean over zones."),
        Card("Displacement (EMD)", distance, "", "How far visits seem to move on average."),
        Card("Error of the total", percent(scores.total_error), "", "All visits of the week."),
        Card(
            "Proved privacy loss (ε)",
            f"{ledger.proved_epsilon:.3g}",
            f"charged {setting.parameters.epsilon:g}",
            f"For one person's whole week; by simple composition {ledger.pure_epsilon:.3g}"
            f"{failing}.",
        ),
    ]


def _notes(setting: Setting) -> list[str]:
    parameters: Any = setting.parameters
    method, ledger = cached.method_of(setting), cached.ledger(setting)
    notes: list[str] = []
    if ledger.exceeds(parameters.epsilon):
        notes.append(
            f":material/warning: The best proved total is ε = {ledger.proved_epsilon:.3g}, above "
            f"the {parameters.epsilon:g} on the slider, which promises more than is proved."
        )
    if "gaussian" in method.uses and parameters.gaussian == "analytic":
        notes.append(ANALYTIC_NOTE)
    if method.ours:
        notes.append(ZOOM)
    elif "scaling" not in method.uses:
        notes.append(NO_STAGES)
    return notes
