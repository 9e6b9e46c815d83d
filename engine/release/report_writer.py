"""Release of a mobility report: its counts with discrete Laplace noise."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from .. import report
from ..arrays import Floats, Integers
from ..contract import Setting
from ..datasets import Dataset
from ..errors import ParameterError
from ..origin_destination.noise_bounds import total_half_width
from ..report import Analysis, ReportParameters, labels
from ..report.measures import Measure
from ..report.mechanism import AnalysisResult, count_noisy_numbers, require_lengths
from ..report.settings import QUANTILE_LEVELS
from ..resolution import FINEST
from . import opendp_noise
from .bundle import escape_formulas, write_table
from .plan import (
    CONFIDENCE,
    ROUNDING_MARGIN,
    ErrorBar,
    Progress,
    ReleasePlan,
    Stage,
    laplace_bar,
    laplace_distribution,
)


def plan(setting: Setting, view: Dataset) -> ReleasePlan:
    """Return the contents and cost of a release, from geometry and metadata alone."""
    if setting.zone_level != FINEST:
        raise ParameterError(
            "a mobility report must be made of a dataset as it was ingested",
            value=f"zones at {setting.zone_level}",
            remedy="release it with the dataset's own zones; nothing was spent",
        )
    parameters: ReportParameters = setting.parameters
    users = parameters.unit == "user"
    stages = tuple(
        Stage.from_laplace(stage) for stage in report.compute_cost(view, parameters).stages
    )
    return ReleasePlan.from_setting(
        setting,
        view,
        product="report",
        unit="person" if users else "trip",
        limit=parameters.max_trips_per_user if users else 1,
        stages=stages,
        composition="basic composition",
        cells=count_noisy_numbers(view, parameters),
        error_bars=tuple(
            ErrorBar(what=f"{stage.name}: one bin", half_width=laplace_bar(stage.scale))
            for stage in stages
        ),
        mean_lift=max(
            float(laplace_distribution(stage.scale).partial_expectation(1)) for stage in stages
        ),
    )


def prepare(plan: ReleasePlan, view: Dataset) -> None:
    """Read the report's tables; raise if one lacks a required count."""
    table, parameters = report.truth(view), plan.parameters
    require_lengths(table, parameters)
    limit = parameters.max_trips_per_user if parameters.unit == "user" else None
    for measure in Measure:
        table.counts(measure, limit)


def write(plan: ReleasePlan, view: Dataset, folder: Path, progress: Progress) -> None:
    """Draw every count's noise once; write one long table, and quantiles of noisy bins."""
    table = report.truth(view)
    source: Any = _OpenDPNoise()
    released = report.release(view, plan.parameters, noise=source)
    progress(0.8)
    zones = view.zones["zone_id"].astype(str).tolist()
    bins: list[dict[str, Any]] = []
    quantiles: list[dict[str, Any]] = []
    for analysis, result in released.results.items():
        bars = _bars(result)
        names = escape_formulas(labels(analysis, plan.parameters, table.extent, zones))
        bins.append(
            {
                "analysis": [str(analysis)] * len(names),
                "bin": names,
                "count": result.shown_numbers,
                "low_95": np.maximum(result.noisy - bars, 0),
                "high_95": np.maximum(result.noisy + bars, 0),
            }
        )
        if analysis.is_histogram:
            values = pa.array(result.five_numbers, from_pandas=True)
            analysis_names = [str(analysis)] * len(values)
            quantiles.append(
                {"analysis": analysis_names, "quantile": list(QUANTILE_LEVELS), "value": values}
            )
    write_table(folder / "report.csv", bins)
    write_table(folder / "five_numbers.csv", quantiles)


def _bars(result: AnalysisResult) -> Integers:
    """Return the half-width of each number's error bar, by the distribution of its noise."""
    bars = np.zeros(len(result.noisy), dtype=np.int64)
    for scale, noises in set(zip(result.scales.tolist(), result.variates.tolist(), strict=True)):
        where = (result.scales == scale) & (result.variates == noises)
        bars[where] = (
            total_half_width(1 / (scale * ROUNDING_MARGIN), noises, confidence=CONFIDENCE)
            if noises
            else 0
        )
    return bars


class _OpenDPNoise:
    """Whole-number noise from OpenDP for the counts of a report."""

    def counts(self, _analysis: Analysis, scales: Floats, /) -> Integers:
        noise = np.zeros(len(scales), dtype=np.int64)
        for scale in np.unique(scales):
            where = scales == scale
            noise[where] = opendp_noise.discrete_laplace(
                noise[where], float(scale) * ROUNDING_MARGIN
            )
        return noise
