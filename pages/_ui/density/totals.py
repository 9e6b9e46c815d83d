"""Totals with and without sampling one visit a person (P1, figure 6)."""

from collections.abc import Iterator

import pandas as pd
import streamlit as st

from engine.density.scoring import TotalErrors
from engine.parameters import DensityParameters
from engine.resolution import Key
from pages._ui import jobs
from pages._ui.cache import density as cached_density
from pages._ui.cache.draws import REPEATS
from pages._ui.density import charts as density_charts, wording as density_wording
from pages._ui.density.charts import Band
from pages._ui.jobs import Job, Step
from pages._ui.shell.settings import Seed
from pages._ui.views.context import Density

EPSILONS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 5.0, 10.0)
_CURVES = {"sampled": "one visit a person, scaled to all", "plain": "all visits, no sampling"}
_MEASURES = (
    Band("shares", "shares_sd", "Share of visits put at a wrong tower", percent=True),
    Band("totals", "totals_sd", "Relative error of a tower's total", percent=True),
)


def draw(context: Density) -> None:
    """Draw the error of the towers' shares and totals over ε, by repeated draws."""
    st.markdown("**Why are totals estimated from one visit of each person?**")
    epsilons = sorted({*EPSILONS, context.epsilon})
    # figure 6 is of the improved scaling, whatever the method on the page is
    plain = context.as_charged(method="efpag_joint", scaling=True, smoothing=True)
    work = jobs.job(
        "totals",
        _steps,
        context.key,
        tuple(plain.vary(epsilon=one).parameters for one in epsilons),
        context.seed,
    )

    def show(running: Job) -> None:
        jobs.progress(running, f"{REPEATS} draws at each ε", "totals")
        table = _table(running.result or {})
        if table.empty:
            return
        density_charts.bands(
            table, _MEASURES, context.epsilon, key="density_totals", alt="with and without sampling"
        )
        st.caption(
            f"{density_wording.LOOK['totals']} ε is the total of the release, of which the totals "
            f"get half; means and standard deviations over "
            f"{density_wording.repeats(int(table['repeats'].min()), running.running)}."
        )

    jobs.live("totals", work, show)


def _steps(key: Key, settings: tuple[DensityParameters, ...], seed: Seed) -> Iterator[Step]:
    errors: dict[float, list[TotalErrors]] = {one.epsilon: [] for one in settings}
    for repeat in range(REPEATS):
        for one in settings:
            errors[one.epsilon].append(cached_density.total_errors(key, one, seed, repeat))
        done = {epsilon: tuple(part) for epsilon, part in errors.items()}
        yield Step(repeat + 1, REPEATS, done)


def _table(errors: dict[float, tuple[TotalErrors, ...]]) -> pd.DataFrame:
    rows = []
    for epsilon, draws in errors.items():
        for approach, name in _CURVES.items():
            shares = pd.Series([getattr(one, approach).shares for one in draws], dtype=float)
            totals = pd.Series([getattr(one, approach).totals for one in draws], dtype=float)
            rows.append(
                {
                    "epsilon": epsilon,
                    "curve": name,
                    "kind": "",
                    "repeats": len(draws),
                    "shares": shares.mean(),
                    "shares_sd": shares.std(),
                    "totals": totals.mean(),
                    "totals_sd": totals.std(),
                }
            )
    return pd.DataFrame(rows)
