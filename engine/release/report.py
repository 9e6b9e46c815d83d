"""Release of a mobility report: its counts with discrete Laplace noise."""

from pathlib import Path

import numpy as np
import pyarrow as pa

from .. import report
from ..arrays import Floats, Integers
from ..datasets import Dataset
from ..errors import ParameterError
from ..origin_destination.laws import NoiseLaw
from ..report import Analysis, ReportNoise, ReportParameters, ReportRelease, labels
from ..report.measures import Measure
from ..report.settings import LEVELS
from ..resolution import View
from . import cautions, noise
from .bars import Outlook, laplace_bar, of_counts
from .files import CsvTable, neutral, require_counts
from .plan import Accuracy, Days, Frame, Plan, Progress, Stage


def plan(dataset: Dataset, parameters: ReportParameters, _days: Days) -> Plan:
    """Return what a release will hold and cost; reads geometry and metadata alone.

    Raises
    ------
    ParameterError
        For a view of coarser zones or days: the report's counts are those of the ingest.
    """
    if isinstance(dataset, View):
        raise ParameterError(
            "a mobility report must be made of a dataset as it was ingested",
            value=f"a view at {dataset.level}",
            remedy="release the dataset itself, or ingest it with coarser zones; nothing was spent",
            code="coarse",
        )
    planned = report.plan(dataset, parameters)
    stages = planned.ledger.stages
    users = parameters.unit == "user"
    kept = (
        f"the kept trips: at most {parameters.max_trips_per_user} of a person over the period"
        if users
        else "the trips in the data"
    )
    rows = tuple(
        Accuracy(
            what=f"{stage.name}: one bin",
            size=None,
            half_width=laplace_bar(_safe(stage.sensitivity / stage.epsilon)),
        )
        for stage in stages
    )
    largest = max(stages, key=lambda stage: stage.noise_scale or 0)
    raised = cautions.phantom_trips(
        NoiseLaw(1 / float(largest.noise_scale or 1), "discrete_laplace"), 1
    )
    return Plan(
        product="report",
        title="Mobility report",
        unit="person" if users else "trip",
        epsilon=parameters.epsilon,
        days=len(dataset.metadata.days),
        contribution=f"at most {parameters.max_trips_per_user} trips of a person over the "
        "whole period, at random"
        if users
        else "each trip by itself; nobody's trips are bounded",
        sensitivity=largest.sensitivity,
        mechanism="discrete Laplace on whole counts",
        scale=float(largest.noise_scale or 0),
        proof=f"each of {len(stages)} questions has discrete Laplace noise of scale "
        "sensitivity/ε for its share of ε, and the shares add up to at most "
        f"ε = {parameters.epsilon:g} (basic composition).",
        cells=planned.cells,
        cells_words=f"{len(stages)} questions, each over bins fixed in advance",
        settings={
            **({"max_trips_per_user": parameters.max_trips_per_user} if users else {}),
            "shares": {str(a): share for a, share in parameters.asked.items()},
        },
        stages=tuple(
            Stage(
                name=f"{stage.name}: {stage.reads}",
                noise="discrete Laplace",
                sensitivity=stage.sensitivity,
                norm="L₁",
                scale=_safe(stage.sensitivity / stage.epsilon),
                epsilon=stage.epsilon,
            )
            for stage in stages
        ),
        composition="basic composition",
        frame=Frame.of(dataset.metadata),
        bars="low_90 and high_90",
        kept=kept,
        beyond="What lies beyond that bound is not in the bar and cannot be told from this "
        "release; quantities of a person are those of the kept trips."
        if users
        else "Nothing is trimmed.",
        accuracy=rows,
        bias=(
            "Trips beyond the bound per person are not counted; all numbers are of kept trips."
            if users
            else "Every trip is counted; nothing is said of people, whose contribution has no "
            "bound at this level.",
            "Negative counts are set to 0, so that sums over bins of report.csv are too high "
            "where counts are small; what is derived from noisy bins was added up before that.",
        ),
        warnings=cautions.raised_to_zero(
            raised, f"a bin of '{largest.name}'", "Do not add up many small bins."
        ),
    )


def outlook(_dataset: Dataset, parameters: ReportParameters, _days: Days) -> tuple[Outlook, ...]:
    """Return what its numbers can be used for by the law of the noise alone."""
    return tuple(
        of_counts(
            f"a bin of “{stage.name}”", "an empty bin", _safe(stage.sensitivity / stage.epsilon)
        )
        for stage in report.ledger(parameters).stages
    )


def prepare(dataset: Dataset, parameters: ReportParameters, _days: Days) -> None:
    """Read the report's tables; raise where they lack what is asked."""
    table = report.truth(dataset)
    if Analysis.TRAVEL_TIME in parameters.on and not table.has_travel_times:
        raise ParameterError(
            "travel_time needs trips with their ends",
            value="trips found between sightings",
            remedy="leave travel_time out; nothing was spent",
        )
    limit = parameters.max_trips_per_user if parameters.unit == "user" else None
    require_counts(dataset, *(table.counts(measure, limit) for measure in Measure))


def write(
    dataset: Dataset, parameters: ReportParameters, _days: Days, folder: Path, progress: Progress
) -> None:
    """Draw every count's noise once and write one long table."""
    table = report.truth(dataset)
    drawn = report.release(dataset, parameters, noise=_OpenDPNoise())
    progress(0.8)
    zones = dataset.zones["zone_id"].astype(str).tolist()
    columns = {
        "analysis": pa.string(),
        "bin": pa.string(),
        "count": pa.int64(),
        "low_90": pa.int64(),
        "high_90": pa.int64(),
    }
    with CsvTable(folder / "report.csv", columns) as out:
        for analysis, result in drawn.results.items():
            bars = np.ceil(result.half_widths(0.9)).astype(np.int64)
            names = labels(analysis, parameters, table.extent, zones)
            out.add(
                [str(analysis)] * len(names),
                [neutral(name) for name in names],
                result.shown,
                np.maximum(result.noisy - bars, 0),
                np.maximum(result.noisy + bars, 0),
            )
    _write_five_numbers(drawn, folder / "five_numbers.csv")
    progress(1.0)


def _write_five_numbers(drawn: ReportRelease, path: Path) -> None:
    """Write quantiles as read off the noisy bins, at no further cost; empty where none is left."""
    text, number = pa.string(), pa.float64()
    with CsvTable(path, {"analysis": text, "quantile": number, "value": number}) as out:
        for analysis, result in drawn.results.items():
            if analysis.is_histogram:
                values = pa.array(result.five_numbers, from_pandas=True)
                out.add([str(analysis)] * len(values), list(LEVELS), values)


def _safe(scale: float) -> float:
    """Return a scale with room for the rounding of shares and quotients (parts in 10¹⁶)."""
    return scale * (1 + 1e-12)


class _OpenDPNoise(ReportNoise):
    """Whole-number noise from OpenDP for every count of a report."""

    def __init__(self) -> None:
        super().__init__(())

    def counts(self, analysis: Analysis, scales: Floats, /) -> Integers:
        del analysis
        drawn = np.zeros(len(scales), dtype=np.int64)
        for scale in np.unique(scales):
            where = scales == scale
            zeros = np.zeros(int(where.sum()), dtype=np.int64)
            drawn[where] = noise.discrete_laplace(zeros, _safe(float(scale)))
        return drawn

    def gumbels(self, analysis: Analysis, shape: tuple[int, int], /) -> Floats:
        raise ParameterError(
            "a release draws no number by the exponential mechanism",
            value=f"{shape[1]} candidates of {analysis}",
            remedy="choose method='derived'",
        )
