"""Release of origin–destination matrices by our own method: measure with OpenDP, read afterwards.

The measurement – whole counts with discrete Laplace noise in every cell – is the only step that
sees counts and all that is charged. Reading it is a function of the noisy cells and of public
geometry, so it may use floating point.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from engine.arrays import Booleans, Floats, Integers
from engine.datasets import Dataset
from engine.errors import ParameterError
from engine.geography import centre_distances_m
from engine.origin_destination import estimate
from engine.origin_destination.estimate import (
    CAPPED_SHARE,
    CAPPED_TRIPS,
    FALSE_DISCOVERIES,
    EstimateRelease,
    buys_capped_count,
)
from engine.origin_destination.matrices import MAX_DENSE_CELLS, day_indices
from engine.parameters import ODParameters
from engine.release import cautions, flowmap, noise, outlook
from engine.release.od import ODProduct
from engine.release.plan import (
    Accuracy,
    Outlook,
    Plan,
    Progress,
    Stage,
    laplace_bar,
    laplace_proof,
    safe_scale,
    sum_bar,
)
from engine.release.tables import CsvTable, neutral, write_zones

_ROOM = 1 + 1e-12  # so that two shares of ε never add up to more than ε


@dataclass(frozen=True, kw_only=True)
class EstimateProduct:
    """Matrices read by statistics from noisy cells; days and units as `ODProduct`.

    Parameters
    ----------
    parameters : ODParameters
        ε, T and the unit; nothing is suppressed, so τ is not used.
    days : tuple of int or None
        As in `ODProduct`.
    """

    parameters: ODParameters
    days: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        _ = self._published

    @property
    def _published(self) -> ODProduct:
        """The published release of the same days, whose frame this one shares."""
        return ODProduct(parameters=replace(self.parameters, method="published"), days=self.days)

    @property
    def _summed(self) -> bool:
        return self.parameters.unit == "person"

    def plan(self, dataset: Dataset, /) -> Plan:
        """Return what a release will hold and cost; reads geometry and metadata alone."""
        parameters, zones = self.parameters, len(dataset.zones)
        published = self._published.plan(dataset)
        matrices = int(published.settings["matrices"])
        if matrices * zones**2 > MAX_DENSE_CELLS:
            raise ParameterError(
                f"days must fit in memory ({MAX_DENSE_CELLS:,} cells)",
                value=f"{matrices} days of {zones} × {zones} zones",
                remedy=f"release at most {max(MAX_DENSE_CELLS // zones**2, 1)} days at a time by "
                "this method, or take the published one",
            )
        limit, (cells, count) = parameters.max_trips_per_user, self._shares(dataset)
        scale = _scale(limit, cells)
        proof = laplace_proof(limit, scale, cells)
        if count:
            proof = (
                f"{proof[:-1]}; that of the number of trips, of sensitivity {CAPPED_TRIPS}, is "
                f"ε = {count:g}; together ε = {parameters.epsilon:g} (basic composition)."
            )
        stages = [replace(published.stages[0], scale=scale, epsilon=cells)]
        if count:
            stages.append(
                Stage(
                    name=f"all trips, at most {CAPPED_TRIPS} of a person on a day",
                    noise="discrete Laplace",
                    sensitivity=CAPPED_TRIPS,
                    norm="L₁",
                    scale=_scale(CAPPED_TRIPS, count),
                    epsilon=count,
                )
            )
        bar, total_bar = laplace_bar(scale), sum_bar(scale, matrices * (zones - 1))
        alone = _named_alone(scale, published.cells)
        kept = {k: v for k, v in published.settings.items() if k != "suppression_threshold"}
        return replace(
            published,
            product="od-estimate",
            title="Origin–destination matrices, read by statistics",
            scale=scale,
            proof=proof,
            cells=published.cells + (matrices if count else 0),
            cells_words=published.cells_words + (" and the number of trips" if count else ""),
            settings={**kept, "method": "estimate (measure every cell, then read by statistics)"},
            stages=tuple(stages),
            composition="basic composition" if count else "one mechanism",
            bars="measured_low_90 and measured_high_90",
            accuracy=(
                Accuracy(what="a flow, as measured", size=None, half_width=bar),
                Accuracy(
                    what="all trips out of a zone (or into it), all released days, as measured",
                    size=None,
                    half_width=total_bar,
                ),
            ),
            bias=(
                "Columns 'measured' are kept trips with unbiased whole-number noise; their bars "
                "hold whatever the data, each for a flow or a zone picked in advance: among the "
                "largest of a release more of them miss.",
                "Column 'trips' is what a model expects, having read all of them: add these up. "
                "'typical' is its number for one flow, as likely too high as too low. Its interval "
                "(model_low_90, model_high_90) holds by the model alone and covers less than 90% "
                "where the model is wrong. The model draws isolated large flows towards the "
                "pattern of the rest.",
                "Flows are marked 'certain' (on average over releases at most 5% of those named in "
                "flows.csv, all days together, are empty, whatever the data) or 'likely' (by the "
                f"model). Alone, a flow is named certain from {alone:,} measured trips: where "
                "hardly any is, what is named may all be noise. Keep the others in sums; do not "
                "show them.",
                flowmap.RULE,
                "Trips beyond the bound per person are not measured"
                + (
                    "; estimates are scaled up to the noisy number of all trips."
                    if count
                    else " and not brought back."
                )
                if parameters.unit != "trip"
                else "Every trip is counted.",
            ),
            warnings=(
                *cautions.measured_flows(bar),
                *cautions.zone_totals(total_bar, cautions.SMALL_FLOW, "trips"),
            ),
        )

    def outlook(self, dataset: Dataset, /) -> tuple[Outlook, ...]:
        """Return what is known of measured flows; what a model reads has no law of its own."""
        scale = _scale(self.parameters.max_trips_per_user, self._shares(dataset)[0])
        return (outlook.of_counts("a flow, as measured,", "an empty pair of zones", scale),)

    def prepare(self, dataset: Dataset, /) -> None:
        """Read the trips that will be counted."""
        self._published.prepare(dataset)
        centre_distances_m(dataset.zones)

    def write(self, dataset: Dataset, folder: Path, progress: Progress, /) -> None:
        """Draw the noise of every cell once, read it, and write flows, zones and flowmap tables."""
        parameters, chosen = self.parameters, day_indices(dataset, self.days)
        zones = len(dataset.zones)
        pairs = ~np.eye(zones, dtype=bool)
        measured = estimate.measure_with(
            dataset, parameters, _Adder(pairs, progress), days=chosen, sum_days=self._summed
        )
        distances_m = centre_distances_m(dataset.zones)
        bar = laplace_bar(1 / measured.rate)
        ids = pa.array([neutral(one) for one in dataset.zones["zone_id"]])
        origin, destination = (ids.take(pa.array(index)) for index in np.nonzero(pairs))
        trips = np.zeros((zones, zones))
        with CsvTable(folder / "flows.csv", _COLUMNS) as table:
            days = estimate.read_days(measured, distances_m)
            for number, read in enumerate(days):
                day = dataset.metadata.periods[chosen[number]].isoformat()
                table.add([day] * len(origin), origin, destination, *_columns(read, pairs, bar))
                trips += read.counts[0]
                progress(0.6 + 0.4 * (number + 1) / len(measured.cells))
        whole = measured.cells.sum(axis=0)
        reach = sum_bar(1 / measured.rate, (zones - 1) * len(measured.cells))
        values: dict[str, Any] = {}
        for name, axis in (("out", 1), ("in", 0)):
            total = whole.sum(axis=axis)
            values |= {
                f"{name}_trips": np.rint(trips.sum(axis=axis)),
                f"{name}_measured": total,
                f"{name}_measured_low_90": total - reach,
                f"{name}_measured_high_90": total + reach,
            }
        write_zones(dataset.zones, values, folder)
        flowmap.write_flowmap(
            dataset,
            folder / "flowmap",
            origin,
            destination,
            whole[pairs],
            scale=1 / measured.rate,
            matrices=len(measured.cells),
        )

    def _shares(self, dataset: Dataset) -> tuple[float, float]:
        """Return ε of the cells and of the number of trips, 0 where that is not bought."""
        days = len(day_indices(dataset, self.days)) if self._summed else 1
        buys = buys_capped_count(dataset, self.parameters, days)
        count = CAPPED_SHARE * self.parameters.epsilon if buys else 0.0
        return self.parameters.epsilon - count, count


_COLUMNS = {
    "date": pa.string(),
    "origin": pa.string(),
    "destination": pa.string(),
    "mark": pa.string(),
    "trips": pa.float64(),
    "typical": pa.float64(),
    "model_low_90": pa.int64(),
    "model_high_90": pa.int64(),
    "measured": pa.int64(),
    "measured_low_90": pa.int64(),
    "measured_high_90": pa.int64(),
}


class _Adder:
    """Adds OpenDP's noise to what is measured, matrix by matrix."""

    def __init__(self, pairs: Booleans, progress: Progress) -> None:
        self._pairs = pairs
        self._progress = progress

    def __call__(self, counts: Integers, sensitivity: int, epsilon: float, /) -> Integers:
        scale = _scale(sensitivity, epsilon)
        if counts.ndim == 1:
            return noise.discrete_laplace(counts, scale)
        noisy = np.zeros_like(counts)
        for number, matrix in enumerate(counts):
            noisy[number][self._pairs] = noise.discrete_laplace(matrix[self._pairs], scale)
            self._progress(0.6 * (number + 1) / len(counts))
        return noisy


def _scale(sensitivity: int, epsilon: float) -> float:
    return safe_scale(sensitivity, epsilon) * _ROOM


def _named_alone(scale: float, cells: int) -> int:
    """Return the least noisy count by which a single flow of a release is named certain."""
    q = np.exp(-1 / scale)
    return max(int(np.ceil(scale * np.log(cells / (FALSE_DISCOVERIES * (1 + q))))), 1)


def _columns(read: EstimateRelease, pairs: Booleans, bar: int) -> tuple[Any, ...]:
    measured: Integers = read.measurement.cells[0][pairs]
    trips: Floats = read.counts[0][pairs]
    mark = np.where(
        read.certain[0][pairs], "certain", np.where(read.likely[0][pairs], "likely", "")
    )
    return (
        pa.array(mark),
        np.round(trips, 2),
        np.round(read.typical[0][pairs], 2),
        read.low[0][pairs].astype(np.int64),
        read.high[0][pairs].astype(np.int64),
        measured,
        np.maximum(measured - bar, 0),
        np.maximum(measured + bar, 0),
    )
