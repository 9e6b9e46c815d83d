"""Release of a mobility report: counts by bins of public extent, with discrete Laplace noise."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from .. import report
from ..arrays import Floats, Integers
from ..contract import Setting
from ..datasets import Dataset
from ..errors import ParameterError
from ..origin_destination import NoiseDistribution
from ..origin_destination.noise_bounds import cell_half_width, total_half_width
from ..report import Analysis, ReportParameters, labels
from ..report.measures import Measure
from ..report.mechanism import AnalysisResult, count_noisy_numbers, require_travel_times
from ..report.settings import QUANTILE_LEVELS
from ..resolution import FINEST
from . import opendp_noise
from .bundle import escape_formulas, write_table
from .plan import ROUNDING_MARGIN, ErrorBar, Progress, ReleasePlan, ReleaseStage


def plan(setting: Setting, view: Dataset) -> ReleasePlan:
    """Return the contents and cost of a release, from geometry and metadata alone."""
    if setting.zone_level != FINEST:
        rule = "a mobility report must have the dataset's own zones"
        remedy = f"choose zones '{FINEST}'; nothing was spent"
        raise ParameterError(rule, value=f"zones '{setting.zone_level}'", remedy=remedy)
    parameters: ReportParameters = setting.parameters
    has_people = parameters.unit == "user"
    stages = tuple(map(ReleaseStage.from_laplace, report.compute_cost(view, parameters).stages))
    noises = (NoiseDistribution(1 / stage.scale, "discrete_laplace") for stage in stages)
    return ReleasePlan.from_setting(
        setting,
        view,
        product="report",
        unit="person" if has_people else "trip",
        contribution_limit=parameters.max_trips_per_user if has_people else 1,
        stages=stages,
        composition="basic composition",
        cell_count=count_noisy_numbers(view, parameters),
        error_bars=tuple(
            ErrorBar(quantity=f"{stage.name}: one bin", half_width=cell_half_width(1 / stage.scale))
            for stage in stages
        ),
        empty_count_bias=float(max(noise.partial_expectation(1) for noise in noises)),
    )


def load_counts(plan: ReleasePlan, view: Dataset) -> None:
    """Read the counts of a release once; raise if a table lacks one."""
    table, parameters = report.truth(view), plan.parameters
    require_travel_times(table, parameters)
    limit = parameters.max_trips_per_user if parameters.unit == "user" else None
    for measure in Measure:
        table.counts(measure, limit)


def write(plan: ReleasePlan, view: Dataset, folder: Path, progress: Progress) -> None:
    """Write ``report.csv`` and ``five_numbers.csv``, quantiles of noisy bins, from one draw."""
    table = report.truth(view)
    noise_source: Any = _OpenDPNoise()
    report_release = report.release(view, plan.parameters, noise=noise_source)
    progress(0.8)
    zones = view.zones["zone_id"].astype(str).tolist()
    bins: list[dict[str, Any]] = []
    quantiles: list[dict[str, Any]] = []
    for analysis, result in report_release.results.items():
        bars = _bars(result)
        bin_names = escape_formulas(labels(analysis, plan.parameters, table.extent, zones))
        bins.append(
            {
                "analysis": [str(analysis)] * len(bin_names),
                "bin": bin_names,
                "count": result.shown_numbers,
                "low_95": np.maximum(result.noisy - bars, 0),
                "high_95": np.maximum(result.noisy + bars, 0),
            }
        )
        if analysis.is_histogram:
            values = pa.array(result.five_numbers, from_pandas=True)
            names = [str(analysis)] * len(values)
            quantiles.append({"analysis": names, "quantile": [*QUANTILE_LEVELS], "value": values})
    write_table(folder / "report.csv", bins)
    write_table(folder / "five_numbers.csv", quantiles)


def _bars(result: AnalysisResult) -> Integers:
    """Return each number's bar: it is the sum of `variates` noises of one scale, or has none."""
    bars = np.zeros(len(result.noisy), dtype=np.int64)
    for scale, variates in set(zip(result.scales.tolist(), result.variates.tolist(), strict=True)):
        if variates:
            is_alike = (result.scales == scale) & (result.variates == variates)
            rate = 1 / (scale * ROUNDING_MARGIN)
            bars[is_alike] = total_half_width(rate, variates)
    return bars


class _OpenDPNoise:
    """Source of noise for `report.release`: whole numbers from OpenDP."""

    def counts(self, _analysis: Analysis, scales: Floats, /) -> Integers:
        noise = np.zeros(len(scales), dtype=np.int64)
        for scale in np.unique(scales):
            is_alike = scales == scale
            enlarged_scale = float(scale) * ROUNDING_MARGIN
            noise[is_alike] = opendp_noise.discrete_laplace(noise[is_alike], enlarged_scale)
        return noise
