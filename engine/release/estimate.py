"""Release of origin–destination matrices by our own method: measure with OpenDP, read afterwards.

Reading is a function of the noisy cells and of public geometry, so it may use floating point.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from ..arrays import Booleans, Floats, Integers
from ..datasets import Dataset
from ..geography import centre_distances_m
from ..origin_destination import estimate
from ..origin_destination.estimate import FALSE_DISCOVERIES, EstimateRelease
from ..parameters import ODParameters
from . import cautions, flows, noise
from .bars import of_counts, safe_scale
from .files import FLOWMAP
from .flows import Matrices, Matrix
from .plan import Accuracy, Days, Outlook, Plan, Progress, laplace_proof

_ROOM = 1 + 1e-12  # so that two shares of ε never add up to more than ε
_COLUMNS = {
    "mark": pa.string(),
    "trips": pa.float64(),
    "typical": pa.float64(),
    "low_90": pa.int64(),
    "high_90": pa.int64(),
    "model_low": pa.int64(),
    "model_high": pa.int64(),
    "measured": pa.int64(),
    "measured_low_90": pa.int64(),
    "measured_high_90": pa.int64(),
}


def plan(dataset: Dataset, parameters: ODParameters, days: Days) -> Plan:
    """Return what a release will hold and cost; reads geometry and metadata alone."""
    released = Matrices.of(dataset, parameters, days, _ROOM)
    cells, *counts = released.stages
    proof = laplace_proof(parameters.max_trips_per_user, cells.scale, cells.epsilon or 0)
    for count in counts:
        proof = (
            f"{proof[:-1]}; that of the number of trips, of sensitivity {count.sensitivity}, is "
            f"ε = {count.epsilon:g}; together ε = {parameters.epsilon:g} (basic composition)."
        )
    unmeasured = "; estimates are scaled up to the noisy number of all trips."
    return flows.planned(
        dataset,
        parameters,
        released,
        {
            "method": "estimate (measure every cell, then read by statistics)",
            "max_trips_per_user": parameters.max_trips_per_user,
        },
        product="od-estimate",
        title="Origin–destination matrices, read by statistics",
        reads_noise=True,
        proof=proof,
        cells_words=released.words + (" and the number of trips" if counts else ""),
        composition="basic composition" if counts else "one mechanism",
        bars="measured_low_90 and measured_high_90",
        accuracy=(
            Accuracy(what="a flow, as measured", size=None, half_width=released.bar),
            Accuracy(
                what="all trips out of a zone (or into it), all released days, as measured",
                size=None,
                half_width=released.total_bar,
            ),
        ),
        bias=(
            "Columns 'measured' are kept trips with unbiased whole-number noise; their bars "
            "hold whatever the data, each for a flow or a zone picked in advance: among the "
            "largest of a release more of them miss.",
            "Column 'trips' is what a model expects, having read all of them: add these up. "
            "'typical' is its number for one flow, as likely too high as too low. low_90 to "
            "high_90 holds the kept trips of a flow picked in advance in at least 90 of 100 "
            "releases, whatever the data: the model, which has not read that pair of zones, only "
            "makes it short. model_low to model_high is what the model believes and promises "
            "nothing. The model draws isolated large flows towards the pattern of the rest.",
            "Flows are marked 'certain' (on average over releases at most 5% of those named in "
            "flows.csv, all days together, are empty, whatever the data) or 'likely' (by the "
            f"model). Alone, a flow is named certain from {_named_alone(released):,} measured "
            "trips: where hardly any is, what is named may all be noise. Keep the others in sums; "
            "do not show them.",
            FLOWMAP,
            "Every trip is counted."
            if parameters.unit == "trip"
            else "Trips beyond the bound per person are not measured"
            + (unmeasured if counts else " and not brought back."),
        ),
        warnings=(
            *cautions.measured_flows(released.bar),
            *cautions.zone_totals(released.total_bar, cautions.SMALL_FLOW, "trips"),
        ),
    )


def outlook(dataset: Dataset, parameters: ODParameters, days: Days) -> tuple[Outlook, ...]:
    """Return what is known of measured flows; what a model reads has no law of its own."""
    scale = Matrices.of(dataset, parameters, days, _ROOM).scale
    return (of_counts("a flow, as measured,", "an empty pair of zones", scale),)


def prepare(dataset: Dataset, parameters: ODParameters, days: Days) -> None:
    """Read the trips that will be counted, and where zones lie."""
    flows.prepare(dataset, parameters, days)
    centre_distances_m(dataset.zones)


def write(
    dataset: Dataset, parameters: ODParameters, days: Days, folder: Path, progress: Progress
) -> None:
    """Draw the noise of every cell once, read it, and write flows, zones and flowmap tables.

    A day is in memory at a time: noisy cells wait in a file without a name.
    """
    released = Matrices.of(dataset, parameters, days, _ROOM)
    pairs, bar, summed = released.pairs, released.bar, parameters.unit == "person"

    def add(counts: Integers, sensitivity: int, epsilon: float) -> Integers:
        scale = safe_scale(sensitivity, epsilon) * _ROOM
        if counts.ndim == 1:
            return noise.discrete_laplace(counts, scale)
        noisy = np.zeros_like(counts)
        noisy[pairs] = noise.discrete_laplace(counts[pairs], scale)
        return noisy

    with tempfile.TemporaryFile(dir=folder) as file:

        def keep(drawn: Iterator[Integers]) -> Integers:
            for number, cells in enumerate(drawn):
                file.write(cells.data)
                progress(0.6 * (number + 1) / released.matrices)
            file.flush()
            shape = (released.matrices, *pairs.shape)
            return np.asarray(np.memmap(file, np.int64, "r", shape=shape))

        measured = estimate.measure_with(
            dataset, parameters, add, days=released.days, sum_days=summed, keep=keep
        )
        distances_m = centre_distances_m(dataset.zones)
        read = estimate.read_days(measured, distances_m)
        ranges = estimate.intervals(measured, distances_m)
        drawn = (_written(*each, pairs, bar) for each in zip(read, ranges, strict=True))
        flows.write(
            dataset, released, drawn, _COLUMNS, folder, lambda share: progress(0.6 + 0.4 * share)
        )


def _written(
    read: EstimateRelease, interval: tuple[Integers, Integers], pairs: Booleans, bar: int
) -> Matrix:
    measured: Integers = read.measurement.cells[0][pairs]
    likely = np.where(read.likely[0][pairs], "likely", "")
    trips: Floats = read.counts[0]
    return Matrix(
        measured,
        (
            pa.array(np.where(read.certain[0][pairs], "certain", likely)),
            np.round(trips[pairs], 2),
            np.round(read.typical[0][pairs], 2),
            interval[0][pairs],
            interval[1][pairs],
            read.model_low[0][pairs].astype(np.int64),
            read.model_high[0][pairs].astype(np.int64),
            measured,
            np.maximum(measured - bar, 0),
            np.maximum(measured + bar, 0),
        ),
        trips,
    )


def _named_alone(released: Matrices) -> int:
    """Return the least noisy count by which a single flow of a release is named certain."""
    q = np.exp(-1 / released.scale)
    odds = released.cells / (FALSE_DISCOVERIES * (1 + q))
    return max(int(np.ceil(released.scale * np.log(odds))), 1)
