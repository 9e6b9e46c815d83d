"""Utility over ε by repeated releases: how many visits are kept (figure 7), methods (figure 8)."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from engine.density import sweep
from engine.parameters import FOURIER_METHODS, DensityParameters
from pages._ui import jobs
from pages._ui.cache import datasets as cached_datasets
from pages._ui.cache import density as cached_density
from pages._ui.cache.draws import REPEATS, generator
from pages._ui.density import charts as density_charts
from pages._ui.density import wording as density_wording
from pages._ui.density.charts import Band
from pages._ui.density.settings import Chosen
from pages._ui.jobs import Job, Step
from pages._ui.shell.settings import Seed
from pages._ui.wording.labels import SHORT_METHODS
from pages._ui.wording.numbers import counted, fixed, percent

EPSILONS = (0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 4.0, 10.0)
KEPT = (10, 30, 168)
ERROR = Band("error", "error_sd", "Relative error (MRE), log scale", percent=True, log=True)
RHYTHM = Band("pearson", "pearson_sd", "Correlation (Pearson r)")


@dataclass(frozen=True)
class Curve:
    """One curve of a sweep: its name, its line style and its settings over ε."""

    name: str
    kind: str
    settings: tuple[DensityParameters, ...]


def kept(chosen: Chosen) -> None:
    """Draw utility over ε for ℓ of 10, 30 and 168, beside plain Laplace noise (figure 7)."""
    st.markdown("**Does it matter how many visits of a person are kept?**")
    published = chosen.parameters.method
    published = published if published in FOURIER_METHODS else "efpag_joint"
    curves = [
        Curve(
            f"ℓ = {limit}",
            SHORT_METHODS[method],
            over_epsilon(chosen, method=method, max_visits_per_user=limit),
        )
        for method in (published, "lpa")
        for limit in KEPT
    ]
    draw("kept", chosen, curves, density_wording.LOOK["kept"])


def methods(chosen: Chosen) -> None:
    """Draw utility over ε for the methods, with and without the improvements (figure 8)."""
    st.markdown("**Which method loses least at the same ε?**")
    plain = {"scaling": False, "smoothing": False}
    named = {
        "EFPAG, joint": {"method": "efpag_joint"},
        "EFPAG": {"method": "efpag"},
        "EFPA": {"method": "efpa"},
        "EFPA−, no scaling or smoothing": {"method": "efpa", **plain},
        **({"Zoom (ours)": {"method": "zoom"}} if chosen.has_zoom else {}),
        "Laplace on the cover (LPA)": {"method": "lpa"},
        "Laplace on zones": {"method": "zones_laplace"},
    }
    curves = [Curve(name, "", over_epsilon(chosen, **changes)) for name, changes in named.items()]
    draw("methods", chosen, curves, density_wording.LOOK["methods"])


def over_epsilon(chosen: Chosen, **changes: object) -> tuple[DensityParameters, ...]:
    """Return the settings of one curve."""
    return tuple(chosen.vary(epsilon=epsilon, **changes) for epsilon in EPSILONS)


def draw(name: str, chosen: Chosen, curves: Sequence[Curve], look: str) -> None:
    settings = tuple(setting for curve in curves for setting in curve.settings)
    work = jobs.job(name, _steps, chosen.key, settings, chosen.seed)

    def show(running: Job) -> None:
        jobs.progress(running, f"{REPEATS} releases at each point", name)
        table = _table(curves, settings, tuple(running.result or ()))
        if table.empty:
            st.caption("The first curve follows in a moment …")
            return
        dashes = tuple(dict.fromkeys(curve.kind for curve in curves))
        series = {
            "curves": list(dict.fromkeys(curve.name for curve in curves)),
            "dashes": dashes if len(dashes) > 1 else (),
        }
        density_charts.legend(**series)
        for column, measure in zip(st.columns(2, gap="large"), (ERROR, RHYTHM), strict=True):
            with column:
                density_charts.bands(
                    table,
                    measure,
                    chosen.epsilon,
                    key=f"density_{name}_{measure.mean}",
                    alt_text=f"{measure.title} over epsilon, mean and standard deviation",
                    **series,
                )
        _at_slider(chosen, table, settings)
        repeats = int(table["repeats"].min())
        axis = "best proved total of every method" if chosen.equal else "published total"
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


def _at_slider(chosen: Chosen, table: pd.DataFrame, settings: Sequence[DensityParameters]) -> None:
    """Draw the curves' values at the computed ε nearest to the slider's, best first."""
    distance = (table["epsilon"] / chosen.epsilon).map(math.log).abs()
    near = table.loc[distance == distance.min()].sort_values("error")
    at = near["epsilon"].iloc[0]
    shown = pd.DataFrame(
        {
            f"At ε = {at:g}": [
                f"{row.curve} · {row.kind}" if row.kind else row.curve for row in near.itertuples()
            ],
            "Relative error (MRE), mean ± sd": [
                _with_spread(row.error, row.error_sd, percent) for row in near.itertuples()
            ],
            "Pearson r, mean ± sd": [
                _with_spread(row.pearson, row.pearson_sd, fixed, density_charts.small)
                for row in near.itertuples()
            ],
        }
    )
    shown[density_wording.PROVED] = [
        density_wording.marked(cached_density.ledger(chosen.key, settings[i]).proved_epsilon, at)
        for i in near["setting"]
    ]
    st.table(shown, hide_index=True, border="horizontal")
    if any("▲" in proved for proved in shown[density_wording.PROVED]):
        st.caption(f"{density_wording.MARK} {density_wording.EQUALISE}")


def _with_spread(
    mean: float,
    spread: float,
    write: Callable[[float], str],
    write_spread: Callable[[float], str] | None = None,
) -> str:
    text = write(mean)
    return text if math.isnan(spread) else f"{text} ± {(write_spread or write)(spread)}"


def _steps(key: str, settings: Sequence[DensityParameters], seed: Seed) -> Iterator[Step]:
    finished: list[sweep.SweepResult] = []
    draws = [generator(seed, "density", repeat) for repeat in range(REPEATS)]  # as on the cards
    results = sweep.density_sweep(cached_datasets.dataset(key), settings, REPEATS, rng=draws)
    total = REPEATS * len(settings)
    for result in results:
        finished.append(result)
        yield Step(len(finished), total, tuple(finished))


def _table(
    curves: Sequence[Curve],
    settings: Sequence[DensityParameters],
    results: Sequence[sweep.SweepResult],
) -> pd.DataFrame:
    """Return one row for every curve and ε that has a result; ε is the one on the axis."""
    places = [
        (curve, epsilon)
        for curve in curves
        for epsilon in EPSILONS[: len(curve.settings)]
    ]  # fmt: skip
    arrived = sorted({result.setting for result in results})
    rows = []
    for index, summary in zip(arrived, sweep.summarise(settings, results), strict=True):
        curve, epsilon = places[index]
        rows.append(
            {
                "epsilon": epsilon,
                "curve": curve.name,
                "kind": curve.kind,
                "setting": index,
                "repeats": summary.repeats,
                "blank": summary.blank,
                "error": summary.mean_relative_error,
                "error_sd": summary.mean_relative_error_sd,
                "pearson": summary.pearson,
                "pearson_sd": summary.pearson_sd,
            }
        )
    return pd.DataFrame(rows)
