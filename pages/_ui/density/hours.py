"""Error hour by hour: relative error, and how far visits seem to move (P1, figure 9)."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import streamlit as st

from engine.arrays import Floats
from engine.metrics import mean_of_known
from engine.parameters import DensityMethod, DensityParameters
from engine.resolution import Key, block_names
from pages._ui import jobs
from pages._ui.cache import density as cached_density, verbs
from pages._ui.density import wording as density_wording
from pages._ui.drawing import charts
from pages._ui.drawing.charts import Axis
from pages._ui.jobs import Job, Step
from pages._ui.shell.settings import Seed
from pages._ui.views.context import Density
from pages._ui.wording.labels import SHORT_METHODS
from pages._ui.wording.numbers import metres

_BASELINES: tuple[DensityMethod, ...] = ("lpa", "efpa")


def draw(context: Density) -> None:
    """Draw both errors over the week for this setting and three others."""
    compared = _compared(context)
    names = block_names(context.key.resolution.hours)
    st.markdown("**When are the private counts wrong?** Relative error of every hour")
    errors = {name: cached_density.error_by_hour(*one.asked) for name, one in compared.items()}
    known = [one for part in errors.values() for one in part if one > 0] or [1.0]
    _draw(
        errors,
        names,
        of=charts.multiples("Relative error, log scale", min(known), max(known)),
        key="density_hours_error",
        alt="Mean relative error over zones for each hour of the week, by method",
    )
    warned = any("▲" in name for name in compared)
    mark = f" {density_wording.MARK} {density_wording.EQUALISE}" if warned else ""
    st.caption(density_wording.LOOK["hours"] + mark)

    st.markdown("**How far do visits seem to move?** Earth mover's distance of every hour")
    work = jobs.job(
        "hours",
        _steps,
        context.key,
        tuple((name, one.parameters) for name, one in compared.items()),
        context.seed,
    )

    def show(running: Job) -> None:
        jobs.progress(running, "Methods computed", "hours")
        errors: Mapping[str, Floats] = running.result or {}
        if not errors:
            return
        _draw(
            errors,
            names,
            of=Axis(title="Metres", tip=",.0f"),
            key="density_hours_distance",
            alt="Earth mover's distance in metres for each hour of the week, by method",
        )
        means = "; ".join(f"{name} {metres(mean_of_known(part))}" for name, part in errors.items())
        st.caption(f"Mean over the week: {means}. {density_wording.LOOK['distance']}")

    jobs.live("hours", work, show)


def _draw(
    series: Mapping[str, Floats], names: Sequence[str], *, of: Axis, key: str, alt: str
) -> None:
    """Draw one curve a method over the week; the first is the setting on the page."""
    if of.kind == "log":
        series = {name: np.where(part > 0, part, np.nan) for name, part in series.items()}
    x, at = charts.week(names)
    charts.curve(charts.lines(series), x=x, at=at, of=of, key=key, alt=alt)


def _compared(context: Density) -> dict[str, Density]:
    """Return this setting and up to three others; ▲: more is proved than the slider's ε."""
    current = context.parameters
    name = f"this setting ({SHORT_METHODS[current.method]})"
    methods = {name: context}
    for other in _BASELINES:
        if other != current.method:
            methods[SHORT_METHODS[other]] = context.vary(method=other)
    if "scaling" in context.method.uses and (current.scaling or current.smoothing):
        methods["no scaling, no smoothing"] = context.vary(scaling=False, smoothing=False)
    return {
        f"{name} ▲" if verbs.ledger(*one.exact).exceeds(one.epsilon) else name: one
        for name, one in methods.items()
    }


def _steps(
    key: Key, compared: tuple[tuple[str, DensityParameters], ...], seed: Seed
) -> Iterator[Step]:
    errors: dict[str, Floats] = {}
    for name, parameters in compared:
        hours = np.full(len(block_names(key.resolution.hours)), np.nan)
        at = 0
        for part in cached_density.distances(key, parameters, seed):
            hours[at : at + len(part)] = part
            at += len(part)
            yield Step(len(errors), len(compared), dict(errors))
        errors[name] = hours
        yield Step(len(errors), len(compared), dict(errors))
