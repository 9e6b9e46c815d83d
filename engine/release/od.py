"""Release of origin–destination matrices: Algorithm 1 of P2 with whole-number noise."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from engine.arrays import Booleans, Integers
from engine.datasets import Dataset
from engine.errors import ParameterError
from engine.origin_destination.algorithm import algorithm_1
from engine.origin_destination.laws import NoiseLaw
from engine.origin_destination.matrices import (
    day_indices,
    kept,
    ranked_trips,
    require_unit,
)
from engine.parameters import ODParameters
from engine.release import cautions, flowmap, noise, outlook
from engine.release.intact import COUNT, TRIP_RANK, require_intact, require_zones
from engine.release.plan import (
    Accuracy,
    Frame,
    Outlook,
    Plan,
    Progress,
    Stage,
    holds_where_shown,
    laplace_bar,
    laplace_proof,
    safe_scale,
    sum_bar,
)
from engine.release.tables import CsvTable, neutral, write_zones

_SIZES = (0, 1, 5, 10, 20, 50, 100, 1000)
_KEPT = {
    "trip": "the number of trips",
    "person-day": "the kept trips: those left after trimming to {limit} of a person on a day",
    "person": "the kept trips: those left after trimming to {limit} of a person over the period",
}
_BEYOND = {
    "trip": "Nothing is trimmed, so that this is the number of all trips in the data.",
    "people": "The number of all trips is higher. What trimming takes is not in the bar and cannot "
    "be told from this release; where most people make more trips than that, it is most trips.",
}


@dataclass(frozen=True, kw_only=True)
class ODProduct:
    """Daily matrices at unit person-day, or the sum of the days at unit person.

    Parameters
    ----------
    parameters : ODParameters
        ε, T, τ and the unit.
    days : tuple of int or None
        Positions of the released days in the declared period; None takes all. At unit person
        always all.
    """

    parameters: ODParameters
    days: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if self.parameters.method != "published":
            raise ParameterError(
                "method must be 'published' for this product",
                value=repr(self.parameters.method),
                remedy="EstimateProduct releases what 'estimate' reads",
            )
        if self.parameters.unit == "person" and self.days is not None:
            raise ParameterError(
                "days must be all declared ones at unit='person'",
                value=f"{len(self.days)} of them",
                remedy="a person is protected over the whole period by one release of its sum",
            )

    @property
    def _summed(self) -> bool:
        return self.parameters.unit == "person"

    def plan(self, dataset: Dataset, /) -> Plan:
        """Return what a release will hold and cost; reads geometry and metadata alone."""
        parameters, chosen = self.parameters, day_indices(dataset, self.days)
        require_unit(dataset, parameters.unit)
        if dataset.metadata.periods != dataset.metadata.days:
            raise ParameterError(
                "a release must be of declared days",
                value="a view that adds days up",
                remedy="a person pays for every day of it: release the dataset as ingested",
            )
        limit, zones = parameters.max_trips_per_user, len(dataset.zones)
        if zones < 2:
            raise ParameterError(
                "a release of flows needs at least 2 zones",
                value=f"{zones}",
                remedy="there is no flow between zones to count; choose finer ones",
            )
        scale = safe_scale(limit, parameters.epsilon)
        law = NoiseLaw(1 / scale, "discrete_laplace")
        least = parameters.least_shown
        bar = laplace_bar(scale)
        sizes = [
            Accuracy(
                what="a flow",
                size=size,
                half_width=bar,
                shown=float(law.tail(least - size)),
                holds=holds_where_shown(scale, bar, size, least),
            )
            for size in _SIZES
        ]
        matrices = 1 if self._summed else len(chosen)
        cells, total_bar = matrices * zones * (zones - 1), sum_bar(scale, matrices * (zones - 1))
        phantom = cautions.phantom_trips(law, least)
        dates = dataset.metadata.periods
        unit_words = {
            "trip": "each trip by itself; nobody's trips are bounded",
            "person-day": f"at most {limit} trips of a person on a day, chosen at random",
            "person": f"at most {limit} trips of a person over the whole period, at random",
        }
        return Plan(
            product="od",
            title="Origin–destination matrices",
            unit=parameters.unit,
            epsilon=parameters.epsilon,
            days=len(chosen),
            contribution=unit_words[parameters.unit],
            sensitivity=limit,
            mechanism="discrete Laplace on whole counts",
            scale=scale,
            trimmed_to=None if parameters.unit == "trip" else limit,
            proof=laplace_proof(limit, scale, parameters.epsilon),
            cells=cells,
            cells_words=f"{matrices} × {zones} × {zones - 1} ordered pairs of different zones",
            settings={
                "method": "published (Algorithm 1)",
                "max_trips_per_user": limit,
                "suppression_threshold": parameters.suppression_threshold,
                "first_day": dates[chosen[0]].isoformat(),
                "last_day": dates[chosen[-1]].isoformat(),
                "matrices": matrices,
            },
            stages=(
                Stage(
                    name="trips of every origin and destination",
                    noise="discrete Laplace",
                    sensitivity=limit,
                    norm="L₁",
                    scale=scale,
                    epsilon=parameters.epsilon,
                ),
            ),
            composition="one mechanism",
            frame=Frame.of(dataset.metadata),
            bars="low_90 and high_90",
            kept=_KEPT[parameters.unit].format(limit=limit),
            beyond=_BEYOND["trip" if parameters.unit == "trip" else "people"],
            accuracy=(
                *sizes,
                Accuracy(
                    what="all trips out of a zone (or into it), all released days",
                    size=None,
                    half_width=total_bar,
                ),
            ),
            bias=(
                f"Counts below {least} after noise are suppressed (empty). Sums over flows.csv are "
                "therefore wrong both ways: too low by the flows that are hidden, and too high by "
                "the noise of those that are shown, since suppression never shows negative noise. "
                f"A flow without a kept trip adds {phantom:.3g} trips on average. Zone totals in "
                "zones.geojson and zones.parquet are sums before suppression and have neither "
                "bias.",
                flowmap.RULE,
                "Error bars hold nine times in ten for a flow picked in advance. A flow that is "
                f"looked at because it is shown was often lifted over {least} by its noise: near "
                f"{least} its bar holds less often, for a kept 0 least of all (last column of the "
                "table).",
                "Trips beyond the bound per person are not counted."
                if parameters.unit != "trip"
                else "Every trip is counted.",
                "Noise is a whole number: nothing is rounded.",
            ),
            warnings=(
                *cautions.shown_flows(law, least, bar, cells),
                *cautions.zone_totals(total_bar, least, "trips"),
            ),
        )

    def outlook(self, _dataset: Dataset, /) -> tuple[Outlook, ...]:
        """Return what its numbers can be used for by the law of the noise alone."""
        parameters = self.parameters
        scale = safe_scale(parameters.max_trips_per_user, parameters.epsilon)
        least = parameters.least_shown
        return (outlook.of_counts("a flow", "an empty pair of zones", scale, least),)

    def prepare(self, dataset: Dataset, /) -> None:
        """Read the trips that will be counted, and check what counting looks up."""
        require_zones(dataset)
        days = dataset.metadata.first_day, dataset.metadata.last_day
        table = "trips_person" if self.parameters.unit == "person" else "trips"
        ranked_trips(dataset, self.parameters.unit, self.parameters.max_trips_per_user)
        require_intact(dataset, table, {"date": days, "rank": TRIP_RANK, "n": COUNT})

    def write(self, dataset: Dataset, folder: Path, progress: Progress, /) -> None:
        """Draw each day's noise once and write flows, zones and the flowmap tables."""
        parameters, chosen = self.parameters, day_indices(dataset, self.days)
        zones = len(dataset.zones)
        scale = safe_scale(parameters.max_trips_per_user, parameters.epsilon)
        bar = laplace_bar(scale)
        pairs = ~np.eye(zones, dtype=bool)
        ids = pa.array([neutral(one) for one in dataset.zones["zone_id"]])
        origin, destination = (ids.take(pa.array(index)) for index in np.nonzero(pairs))
        outgoing, incoming = np.zeros(zones, dtype=np.int64), np.zeros(zones, dtype=np.int64)
        sums = np.zeros(int(pairs.sum()), dtype=np.int64)
        groups = [chosen] if self._summed else [(day,) for day in chosen]
        columns = {
            "date": pa.string(),
            "origin": pa.string(),
            "destination": pa.string(),
            "flow": pa.int64(),
            "suppressed": pa.bool_(),
            "low_90": pa.int64(),
            "high_90": pa.int64(),
        }
        with CsvTable(folder / "flows.csv", columns) as table:
            for number, group in enumerate(groups):
                noisy, shown = self._draw(dataset, group, pairs, scale)
                square = np.zeros((zones, zones), dtype=np.int64)
                square[pairs] = noisy
                outgoing += square.sum(axis=1)
                incoming += square.sum(axis=0)
                hidden = ~shown
                sums += noisy
                day = dataset.metadata.periods[group[0]].isoformat()
                table.add(
                    pa.array([day]).take(pa.array(np.zeros(len(noisy), dtype=np.int8))),
                    origin,
                    destination,
                    pa.array(noisy, mask=hidden),
                    hidden,
                    pa.array(np.maximum(noisy - bar, 0), mask=hidden),
                    pa.array(noisy + bar, mask=hidden),
                )
                progress((number + 1) / len(groups))
        total = sum_bar(scale, (zones - 1) * len(groups))
        write_zones(
            dataset.zones,
            {
                "out_trips": outgoing,
                "out_trips_low_90": outgoing - total,
                "out_trips_high_90": outgoing + total,
                "in_trips": incoming,
                "in_trips_low_90": incoming - total,
                "in_trips_high_90": incoming + total,
            },
            folder,
        )
        flowmap.write_flowmap(
            dataset,
            folder / "flowmap",
            origin,
            destination,
            sums,
            scale=scale,
            matrices=len(groups),
        )

    def _draw(
        self, dataset: Dataset, days: tuple[int, ...], pairs: Booleans, scale: float
    ) -> tuple[Integers, Booleans]:
        counts = kept(dataset, self.parameters, days=days, sum_days=self._summed)[0]
        return algorithm_1(
            counts[pairs], self.parameters, lambda each: noise.discrete_laplace(each, scale)
        )
