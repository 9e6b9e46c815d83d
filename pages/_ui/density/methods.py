"""Utility over ε by repeated releases: methods (P1, figure 8), visits kept (figure 7)."""

from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from engine import density
from engine.contract import Setting
from engine.parameters import gaussian_for
from pages._ui import cached, state
from pages._ui.drawing import charts, tables
from pages._ui.drawing.charts import EPSILON, STROKES, Axis, Line
from pages._ui.drawing.colours import SERIES
from pages._ui.jobs import pieces
from pages._ui.wording.numbers import fixed, percent

EPSILONS = (0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 4.0, 10.0)
KEPT = (10, 30, 168)
REPEATS = 5
_COMPARED = ("Methods", "Visits kept (ℓ)")


def draw(setting: Setting) -> None:
    """Draw error and rhythm over ε by method or by ℓ, and the values at the slider's ε."""
    left, right = st.columns([2, 3], vertical_alignment="bottom")
    by = left.segmented_control(
        "Compare",
        _COMPARED,
        default=_COMPARED[0],
        required=True,
        key="density_sweep",
        **state.LINKED,
    )
    equal = right.toggle(
        "At equal proved ε",
        key="density_equal",
        help="Run every method at the ε whose best proved total equals that on the axis, so that "
        "methods are compared at the same protection instead of the same label.",
        **state.LINKED,
    )
    curves = _methods(setting) if by == _COMPARED[0] else _kept(setting)
    seed = state.seed(state.entry_of(setting))
    points = [
        (_at(one, epsilon, equal=equal), seed) for one in curves.values() for epsilon in EPSILONS
    ]
    work = pieces.ask("density_sweep", scored, points, delay_s=1.0)

    def show(done: list[Any], running: bool) -> None:
        del running
        # what is known, by position: pieces may come in another order
        known = {at: work.known[at] for at in sorted(work.known)} if done else {}
        _draw(list(curves), known, setting)

    pieces.live("density_sweep", work, show, what=f"{REPEATS} releases at each point")
    st.caption(
        "Lines are means over draws with the same noise at every ε. Releases that read zero "
        "everywhere are left out. Above ε = 4 Gaussian methods take the analytic Gaussian. "
        + (
            "The distance between the curves is what a method gains at the same ε (P1, figure 8)."
            if by == _COMPARED[0]
            else "The Fourier curves lie close together, however many visits are kept; those of "
            "plain Laplace noise fan out (P1, figure 7)."
        )
    )


def scored(setting: Setting, seed: cached.Seed) -> tuple[float, float, float]:
    """Return mean relative error, correlation and common part over some draws of a setting."""
    drawn = [cached.scores(setting, seed, repeat) for repeat in range(REPEATS)]
    each = [(one.mean_error, one.mean_correlation, one.common_part) for one in drawn]
    known = [one for one in each if not np.isnan(one[0])]
    means = np.mean(known, axis=0).tolist() if known else [np.nan] * 3
    return means[0], means[1], means[2]


def _methods(setting: Setting) -> dict[str, Setting]:
    entry = state.entry_of(setting)
    offered = {key: one for key, one in density.METHODS.items() if one.offered(entry)}
    curves = {one.short: _vary(setting, method=key) for key, one in offered.items()}
    curves["EFPA, no scaling or smoothing"] = _vary(
        setting, method="efpa", scaling=False, smoothing=False
    )
    return curves


def _kept(setting: Setting) -> dict[str, Setting]:
    staged = setting.parameters.method
    if "scaling" not in density.METHODS[staged].uses:
        staged = "efpag_joint"
    return {
        f"ℓ = {limit}, {density.METHODS[method].short}": _vary(
            setting, method=method, max_visits_per_user=limit
        )
        for method in (staged, "lpa")
        for limit in KEPT
    }


def _vary(setting: Setting, **changes: Any) -> Setting:
    plain = replace(setting.parameters, gaussian="classical", epsilon=1.0)
    return replace(setting, parameters=replace(plain, **changes))


def _at(setting: Setting, epsilon: float, *, equal: bool) -> Setting:
    asked: Any = setting.parameters
    gaussian = gaussian_for(asked.method, epsilon, asked.gaussian)
    asked = replace(asked, epsilon=epsilon, gaussian=gaussian)
    if equal:
        size = cached.dataset(cached.view(setting)).tessellation.cover_size
        asked = cached.computed(density.at_equal_proved_epsilon, asked, epsilon, size)
    return replace(setting, parameters=asked)


def _draw(names: list[str], known: dict[int, Any], setting: Setting) -> None:
    values = np.full((len(names), len(EPSILONS), 3), np.nan)
    for at, one in known.items():
        values[divmod(at, len(EPSILONS))] = one
    if not np.isfinite(values[..., 0]).any():
        st.caption("The first curve follows in a moment …")
        return

    def lines(measure: int) -> list[Line]:
        return [
            Line(
                name=name,
                x=EPSILONS,
                y=values[place, :, measure],
                colour=SERIES[place % len(SERIES)],
                dash=STROKES[place % len(STROKES)],
            )
            for place, name in enumerate(names)
        ]

    charts.legend(lines(0))
    errors = values[..., 0][np.isfinite(values[..., 0])]
    axes = (
        charts.multiples("Relative error (MRE), log scale", errors.min() / 2, errors.max()),
        Axis(title="Correlation (Pearson r)", form=",~f", ticks=6, zero=False),
    )
    for measure, (column, axis) in enumerate(zip(st.columns(2, gap="large"), axes, strict=True)):
        with column:
            charts.curve(
                lines(measure),
                at=EPSILON,
                of=axis,
                current=setting.parameters.epsilon,
                legend=False,
                on_pick=lambda epsilon: state.put(epsilon=float(epsilon)),
                key=f"density_sweep_{measure}",
                alt=f"{axis.title} over epsilon",
                height=360,
            )
    near = int(np.argmin(np.abs(np.log(np.array(EPSILONS) / setting.parameters.epsilon))))
    order = np.argsort(values[:, near, 0])
    tables.draw(
        {
            f"At ε = {EPSILONS[near]:g}": [names[i] for i in order],
            "Relative error (MRE)": [percent(values[i, near, 0]) for i in order],
            "Pearson r": [fixed(values[i, near, 1]) for i in order],
            "Common part": [percent(values[i, near, 2]) for i in order],
        },
        key="density_methods",
    )
