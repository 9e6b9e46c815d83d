"""Error hour by hour: relative error, and how far visits seem to move (P1, figure 9)."""

from collections.abc import Iterator, Mapping

import numpy as np
import streamlit as st

from engine.density import mean_of_known
from engine.parameters import FOURIER_METHODS, DensityParameters
from engine.resolution import block_names, resolution_of
from pages._ui import jobs
from pages._ui.cache import density as cached_density
from pages._ui.density import charts as density_charts
from pages._ui.density import wording as density_wording
from pages._ui.density.settings import Chosen
from pages._ui.jobs import Job, Step
from pages._ui.shell.settings import Seed
from pages._ui.wording.labels import SHORT_METHODS
from pages._ui.wording.numbers import metres


def draw(chosen: Chosen) -> None:
    """Draw both errors over the week for this setting and three others."""
    compared = _compared(chosen)
    names = block_names(resolution_of(chosen.key).hours)
    st.markdown("**When are the private counts wrong?** Relative error of every hour")
    errors = {
        name: cached_density.error_by_hour(chosen.key, parameters, chosen.seed)
        for name, parameters in compared.items()
    }
    density_charts.hours(
        errors,
        names,
        title="Relative error, log scale",
        share=True,
        key="density_hours_error",
        alt_text="Mean relative error over zones for each hour of the week, by method",
    )
    warned = any("▲" in name for name in compared)
    mark = f" {density_wording.MARK} {density_wording.EQUALISE}" if warned else ""
    st.caption(density_wording.LOOK["hours"] + mark)

    st.markdown("**How far do visits seem to move?** Earth mover's distance of every hour")
    work = jobs.job(
        "hours",
        _steps,
        chosen.key,
        tuple(compared.items()),
        chosen.seed,
    )

    def show(running: Job) -> None:
        jobs.progress(running, "Methods computed", "hours")
        errors: Mapping[str, np.ndarray] = running.result or {}
        if not errors:
            return
        density_charts.hours(
            errors,
            names,
            title="Metres",
            key="density_hours_distance",
            alt_text="Earth mover's distance in metres for each hour of the week, by method",
        )
        means = "; ".join(f"{name} {metres(mean_of_known(part))}" for name, part in errors.items())
        st.caption(f"Mean over the week: {means}. {density_wording.LOOK['distance']}")

    jobs.live("hours", work, show)


def _compared(chosen: Chosen) -> dict[str, DensityParameters]:
    """Return this setting and up to three others, by name."""
    current = chosen.parameters
    name = f"this setting ({SHORT_METHODS[current.method]})"
    methods = {name: current}
    if current.method != "lpa":
        methods["Laplace on the cover (LPA)"] = chosen.vary(method="lpa")
    if current.method != "efpa":
        methods["EFPA"] = chosen.vary(method="efpa")
    if current.method in FOURIER_METHODS and (current.scaling or current.smoothing):
        methods["no scaling, no smoothing"] = chosen.vary(scaling=False, smoothing=False)
    return {
        f"{name} ▲" if _exceeds(chosen, parameters) else name: parameters
        for name, parameters in methods.items()
    }


def _exceeds(chosen: Chosen, parameters: DensityParameters) -> bool:
    """Whether more is proved of a method than the slider's ε."""
    return cached_density.ledger(chosen.key, parameters).exceeds(chosen.epsilon)


def _steps(
    key: str, compared: tuple[tuple[str, DensityParameters], ...], seed: Seed
) -> Iterator[Step]:
    errors: dict[str, np.ndarray] = {}
    for name, parameters in compared:
        hours = np.full(len(block_names(resolution_of(key).hours)), np.nan)
        at = 0
        for part in cached_density.distances(key, parameters, seed):
            hours[at : at + len(part)] = part
            at += len(part)
            yield Step(len(errors), len(compared), dict(errors))
        errors[name] = hours
        yield Step(len(errors), len(compared), dict(errors))
