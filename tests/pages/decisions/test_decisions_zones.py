"""Zones to act in: home and Decisions say one number, and ε follows from a decision on visits."""

import numpy as np

from engine import datasets, density
from engine.parameters import EPSILON_STOPS, DensityParameters
from pages._ui.cache.draws import generator
from pages._ui.shell.settings import SIMULATED_SEED

PAGE = "pages/4_Decisions.py"
FLOWS = {"decisions_most": "7", "epsilon": "0.2"}
VISITS = {
    "home_shown": "density",
    "decisions_counts": "visits",
    "decisions_rule": "act-above",
    "decisions_limit_visits": "2",
    "epsilon": "3",
}


def right(true, released, k):
    """Share of the k zones with most visits in truth that a release names."""
    first, named = ({*np.argsort(-one, kind="stable")[:k]} for one in (true, released))
    return len(first & named) / k


def test_epsilon_follows_from_a_decision_on_visits(open_page, settled):
    app = open_page(
        PAGE,
        decisions_view="ε-from-a-decision",
        decisions_kind="zones-to-act-in",
        decisions_counts="visits",
        decisions_right_at="60",
        epsilon="10",
    )
    app = settled(app)
    button = app.button(key="decisions_use")
    chosen = float(button.label.removeprefix("Use ε = "))
    demo = datasets.load("demo-city")
    true = density.truth(demo).sum(axis=1)
    met = {}
    for epsilon in EPSILON_STOPS:
        at = DensityParameters(epsilon=1.0, delta=1e-7, max_visits_per_user=30).at(epsilon)
        releases = [
            density.release(demo, at, rng=generator((SIMULATED_SEED, 0), "density", n))
            for n in range(40)
        ]
        shares = [right(true, np.maximum(one.counts, 0).sum(axis=1), 5) for one in releases]
        met[epsilon] = sum(one >= 0.6 for one in shares)
    # of 40 releases 40 show a share of 90% with 95% confidence, 39 do not (0.9^40 + 40·0.1·0.9^39)
    holds = [epsilon for epsilon in EPSILON_STOPS if met[epsilon] == 40]
    assert 0 < len(holds) < len(EPSILON_STOPS)
    assert chosen == min(e for e in holds if all(met[o] == 40 for o in EPSILON_STOPS if o >= e))
    button.click().run()
    assert app.session_state["session"].tuned_on["dataset"] == "demo-city"
    assert app.session_state["session"].tuned_on["target"] == "60% of these decisions"
