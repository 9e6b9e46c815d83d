"""Utility over ε by repeated releases: how many visits are kept (figure 7), methods (figure 8)."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from engine import density, sweeping
from engine.contract import Seen
from engine.parameters import DensityParameters
from pages._ui import jobs
from pages._ui.cache import datasets as cached_datasets, verbs
from pages._ui.cache.draws import REPEATS, generator
from pages._ui.density import charts as density_charts, wording as density_wording
from pages._ui.density.charts import Band
from pages._ui.drawing import tables
from pages._ui.jobs import Job, Step
from pages._ui.shell.settings import Seed
from pages._ui.views.context import Density
from pages._ui.wording.numbers import counted, fixed, percent

EPSILONS = (0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 4.0, 10.0)
KEPT = (10, 30, 168)
_COMPARED = {"methods": "Methods", "kept": "Visits kept (ℓ)"}
ERROR = Band("error", "error_sd", "Relative error (MRE), log scale", percent=True)
RHYTHM = Band("pearson", "pearson_sd", "Correlation (Pearson r)")


@dataclass(frozen=True)
class Curve:
    """One curve of a sweep: its name, its line style and its settings but for ε."""

    name: str
    kind: str
    context: Density


def draw(context: Density) -> None:
    """Draw utility over ε by method, with and without the improvements, or by ℓ."""
    by = st.segmented_control(
        "Compare", list(_COMPARED), format_func=_COMPARED.__getitem__, default="methods",
        required=True, key="density_sweep",
    )  # fmt: skip
    if by == "methods":
        plain = context.vary(method="efpa", scaling=False, smoothing=False)
        curves = [Curve(one.method.short, "", one) for one in context.methods]
        curves.append(Curve(plain.method.short, "no scaling, no smoothing", plain))
    else:
        staged = context if "scaling" in context.method.uses else context.vary(method="efpag_joint")
        curves = [
            Curve(f"ℓ = {limit}", one.method.short, one.vary(max_visits_per_user=limit))
            for one in (staged, context.vary(method="lpa"))
            for limit in KEPT
        ]
    _draw(by, context, curves, density_wording.LOOK[by])


def _draw(name: str, context: Density, curves: Sequence[Curve], look: str) -> None:
    """Draw both measures of some curves over ε, and their values at the slider's."""
    settings = tuple(
        curve.context.vary(epsilon=epsilon).parameters for curve in curves for epsilon in EPSILONS
    )
    work = jobs.job(name, _steps, context.key, settings, context.seed)

    def show(running: Job) -> None:
        jobs.progress(running, f"{REPEATS} releases at each point", name)
        table = _table(curves, tuple(running.result or ()))
        if table.empty:
            st.caption("The first curve follows in a moment …")
            return
        density_charts.bands(
            table,
            (ERROR, RHYTHM),
            context.epsilon,
            key=f"density_{name}",
            alt="mean and standard deviation",
        )
        _at_slider(context, table, settings)
        repeats = int(table["repeats"].min())
        axis = (
            "best proved total of every method" if context.proved is not None else "published total"
        )
        blank = int(table["blank"].sum())
        dropped = (
            f" {counted(blank, 'release')} read zero everywhere, because the noise exceeded the "
            "data; they are left out of the means."
            if blank
            else ""
        )
        st.caption(
            f"{look} ε is the {axis}; lines are means, bands one standard deviation over "
            f"{density_wording.repeats(repeats, running.running)} with the same noise at every "
            f"ε.{dropped} {density_wording.ABOVE_FOUR}"
        )

    jobs.live(name, work, show)


def _at_slider(
    context: Density, table: pd.DataFrame, settings: Sequence[DensityParameters]
) -> None:
    """Draw the curves' values at the computed ε nearest to the slider's, best first."""
    distance = (table["epsilon"] / context.epsilon).map(math.log).abs()
    near = table.loc[distance == distance.min()].sort_values("error")
    at = near["epsilon"].iloc[0]
    proved = [
        density_wording.marked(verbs.ledger(context.key, settings[i]).proved_epsilon, at)
        for i in near["setting"]
    ]
    every = list(near.itertuples())
    tables.draw(
        {
            f"At ε = {at:g}": [
                f"{row.curve} · {row.kind}" if row.kind else row.curve for row in every
            ],
            "Relative error (MRE), mean ± sd": [
                _with_spread(row.error, row.error_sd, percent) for row in every
            ],
            "Pearson r, mean ± sd": [
                _with_spread(row.pearson, row.pearson_sd, fixed, density_charts.small)
                for row in every
            ],
            density_wording.PROVED: proved,
        }
    )
    if any("▲" in one for one in proved):
        st.caption(f"{density_wording.MARK} {density_wording.EQUALISE}")


def _with_spread(
    mean: float,
    spread: float,
    write: Callable[[float], str],
    write_spread: Callable[[float], str] | None = None,
) -> str:
    text = write(mean)
    return text if math.isnan(spread) else f"{text} ± {(write_spread or write)(spread)}"


def _steps(key: Seen, settings: Sequence[DensityParameters], seed: Seed) -> Iterator[Step]:
    finished: list[sweeping.Point] = []
    draws = [generator(seed, "density", repeat) for repeat in range(REPEATS)]  # as on the cards
    results = sweeping.sweep(density, cached_datasets.dataset(key), settings, REPEATS, rng=draws)
    total = REPEATS * len(settings)
    for result in results:
        finished.append(result)
        yield Step(len(finished), total, tuple(finished))


def _table(curves: Sequence[Curve], results: Sequence[sweeping.Point]) -> pd.DataFrame:
    """Return one row for every curve and ε that has a result; ε is the one on the axis."""
    places = [(curve, epsilon) for curve in curves for epsilon in EPSILONS]
    rows = []
    drawn: dict[int, list[density.DensityScores]] = {}
    for point in results:
        drawn.setdefault(point.setting, []).append(point.scores)
    for index, scored in sorted(drawn.items()):
        curve, epsilon = places[index]
        errors = pd.Series([one.mean_error for one in scored])
        rhythms = pd.Series([one.mean_correlation for one in scored])
        rows.append(
            {
                "epsilon": epsilon,
                "curve": curve.name,
                "kind": curve.kind,
                "setting": index,
                "repeats": len(scored),
                "blank": sum(one.exceeded for one in scored),
                "error": errors.mean(),
                "error_sd": errors.std(),
                "pearson": rhythms.mean(),
                "pearson_sd": rhythms.std(),
            }
        )
    return pd.DataFrame(rows)
