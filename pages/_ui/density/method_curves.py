"""Utility over ε by repeated releases: methods (P1, figure 8), visits kept (figure 7)."""

from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from engine import density
from engine.contract import Setting
from engine.parameters import DensityParameters, choose_calibration
from engine.text.numbers import decimal, percent
from pages._ui.answers import cached
from pages._ui.app import cache, parallel
from pages._ui.components import charts, tables
from pages._ui.components.charts import Axis
from pages._ui.settings import fields, offers, seeds, widgets
from pages._ui.settings.seeds import Seed

EPSILONS = (0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 4.0, 10.0)
VISIT_LIMITS = (10, 30, 168)
REPEATS = 5
CAPTIONS = {
    "Methods": "The gap between the curves is the gain of a method (P1, figure 8).",
    "Visits kept (ℓ)": "With scaling up, the Fourier curves lie close together for every ℓ. "
    "Those of plain Laplace noise spread out (P1, figure 7).",
}


def draw(setting: Setting) -> None:
    """Draw error and rhythm over ε by method or by ℓ, and the values at the slider's ε."""
    left_col, right_col = st.columns([2, 3], vertical_alignment="bottom")
    with left_col:
        comparison = widgets.choose("Compare", list(CAPTIONS), "density_sweep", has_title=True)
    equal = right_col.toggle(
        "Compare at equal proved ε",
        key="density_equal",
        help="Each method runs with the ε at which its best proved total equals the value on the "
        "axis. Methods then give the same protection, not just the same label.",
        **fields.LINKED,
    )
    curves = _method_settings(setting) if comparison == "Methods" else _limit_settings(setting)
    seed = seeds.seed(offers.entry_of(setting))
    points = [
        (_at_epsilon(setting, e, equal=equal), seed)
        for setting in curves.values()
        for e in EPSILONS
    ]
    work = parallel.submit("density_sweep", mean_scores, points, delay_s=1.0)

    def show(_done: list[Any], _running: bool) -> None:
        values = results_in_place(work).reshape(len(curves), -1, 3)
        _draw_curves(list(curves), values, setting.parameters.epsilon)

    parallel.draw_live(
        "density_sweep", work, show, noun=f"Mean of {REPEATS} releases at each point"
    )
    st.caption(
        "Lines are means over draws, with the same noise at every ε. Releases that are zero "
        "everywhere are left out. Above ε = 4 the Gaussian methods use the analytic Gaussian. "
        + CAPTIONS[comparison]
    )
    method = cached.method_of(setting)
    if method.limitations:
        st.caption(f"{method.name}: {' '.join(method.limitations)}")


def results_in_place(job: parallel.Job) -> np.ndarray:
    """Return three numbers of each piece at its place, NaN where they are still to come."""
    values = np.full((len(job.pieces), 3), np.nan)
    for i, result in job.results.items():
        values[i] = result
    return values


def mean_scores(setting: Setting, seed: Seed) -> tuple[float, ...]:
    """Return mean relative error, correlation and common part over some draws of a setting."""
    draws = [cached.scores(setting, seed, repeat) for repeat in range(REPEATS)]
    usable = [draw for draw in draws if not draw.is_empty]
    errors = [(draw.mean_error, draw.mean_correlation, draw.common_part) for draw in usable]
    return tuple(np.mean(errors, axis=0)) if errors else (np.nan,) * 3


def _method_settings(setting: Setting) -> dict[str, Setting]:
    curves = {row.short_name: _vary(setting, method=key) for key, row in density.METHODS.items()}
    plain = _vary(setting, method="efpa", scaling=False, smoothing=False)
    return {**curves, "EFPA without sampling and clusters": plain}


def _limit_settings(setting: Setting) -> dict[str, Setting]:
    staged = setting.parameters.method
    if "scaling" not in density.METHODS[staged].used_fields:
        staged = DensityParameters.method
    return {
        f"ℓ = {limit}, {density.METHODS[method].short_name}": _vary(
            setting, method=method, max_visits_per_user=limit
        )
        for method in (staged, "lpa")
        for limit in VISIT_LIMITS
    }


def _vary(setting: Setting, **changes: Any) -> Setting:
    plain = replace(setting.parameters, gaussian="classical", epsilon=1.0)
    return replace(setting, parameters=replace(plain, **changes))


def _at_epsilon(setting: Setting, epsilon: float, *, equal: bool) -> Setting:
    gaussian = choose_calibration(setting.parameters.method, epsilon, "classical")
    parameters = replace(setting.parameters, epsilon=epsilon, gaussian=gaussian)
    if equal:
        size = cached.dataset(cached.view_key(setting)).tessellation.cover_size
        parameters = cache.compute(density.match_proved_epsilon, parameters, epsilon, size)
    return replace(setting, parameters=parameters)


def _draw_curves(names: list[str], values: np.ndarray, epsilon: float) -> None:
    errors = values[..., 0][np.isfinite(values[..., 0])]
    if not len(errors):
        st.caption("The first curve follows in a moment …")
        return
    axes = (
        charts.multiple_axis("Relative error (MRE), log scale", errors.min(), errors.max()),
        Axis(title="Correlation (Pearson r)", form=",~f", ticks=6, zero=False),
    )
    for measure, (column, axis) in enumerate(zip(st.columns(2, gap="large"), axes, strict=True)):
        with column:
            charts.draw_curve(
                charts.make_lines(dict(zip(names, values[..., measure], strict=True))),
                x=EPSILONS,
                y_axis=axis,
                current=epsilon,
                legend=measure == 0,
                key=f"density_sweep_{measure}",
                alt=f"{axis.title} over epsilon",
                height=400,
            )
    near = int(np.argmin(np.abs(np.log(np.array(EPSILONS) / epsilon))))
    order = np.argsort(values[:, near, 0])
    heads = (f"At ε = {EPSILONS[near]:g}", "Relative error (MRE)", "Pearson r", "Common part (CPC)")
    rows = [(names[i], *values[i, near]) for i in order]
    tables.draw_rows(heads, [(name, percent(e), decimal(r), percent(c)) for name, e, r, c in rows])
