"""Release of origin–destination matrices: Algorithm 1 of P2 with whole-number noise."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import shapely

from engine.arrays import Booleans, Integers
from engine.datasets import Dataset
from engine.errors import ParameterError
from engine.origin_destination.laws import NoiseLaw
from engine.origin_destination.matrices import (
    day_indices,
    ranked_trips,
    require_unit,
    trimmed_counts,
)
from engine.parameters import ODParameters
from engine.release import noise, outlook
from engine.release.plan import (
    Accuracy,
    Outlook,
    Plan,
    Progress,
    holds_where_shown,
    laplace_bar,
    laplace_proof,
    safe_scale,
    sum_bar,
)
from engine.release.tables import CsvTable, neutral, write_zones

_SIZES = (0, 1, 5, 10, 20, 50, 100, 1000)


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
        least = max(parameters.suppression_threshold, 1)
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
            proof=laplace_proof(limit, scale, parameters.epsilon),
            cells=matrices * zones * (zones - 1),
            cells_words=f"{matrices} × {zones} × {zones - 1} ordered pairs of different zones",
            settings={
                "method": "published (Algorithm 1)",
                "max_trips_per_user": limit,
                "suppression_threshold": parameters.suppression_threshold,
                "first_day": dates[chosen[0]].isoformat(),
                "last_day": dates[chosen[-1]].isoformat(),
                "matrices": matrices,
            },
            accuracy=(
                *sizes,
                Accuracy(
                    what="all trips out of a zone (or into it)",
                    size=None,
                    half_width=sum_bar(scale, zones - 1),
                ),
            ),
            bias=(
                f"Counts below {least} after noise are suppressed (empty), so sums over "
                "flows.csv leave them out; zone totals in zones.geojson are sums before "
                "suppression and have no such bias.",
                "Error bars hold nine times in ten for a flow picked in advance. A flow that is "
                f"looked at because it is shown was often lifted over {least} by its noise: near "
                f"{least} its bar holds less often, for a true 0 least of all (last column of the "
                "table).",
                "Trips beyond the bound per person are not counted."
                if limit and parameters.unit != "trip"
                else "Every trip is counted.",
                "Noise is a whole number: nothing is rounded.",
            ),
        )

    def outlook(self, _dataset: Dataset, /) -> tuple[Outlook, ...]:
        """Return what its numbers can be used for by the law of the noise alone."""
        parameters = self.parameters
        scale = safe_scale(parameters.max_trips_per_user, parameters.epsilon)
        least = max(parameters.suppression_threshold, 1)
        return (outlook.of_counts("a flow", "an empty pair of zones", scale, least),)

    def prepare(self, dataset: Dataset, /) -> None:
        """Read the trips that will be counted."""
        ranked_trips(dataset, self.parameters.unit, self.parameters.max_trips_per_user)

    def write(self, dataset: Dataset, folder: Path, progress: Progress, /) -> None:
        """Draw each day's noise once and write flows, zones and the flowmap tables."""
        parameters, chosen = self.parameters, day_indices(dataset, self.days)
        zones = len(dataset.zones)
        scale = safe_scale(parameters.max_trips_per_user, parameters.epsilon)
        bar, least = laplace_bar(scale), max(parameters.suppression_threshold, 1)
        pairs = ~np.eye(zones, dtype=bool)
        ids = pa.array([neutral(one) for one in dataset.zones["zone_id"]])
        origin, destination = (ids.take(pa.array(index)) for index in np.nonzero(pairs))
        outgoing, incoming = np.zeros(zones, dtype=np.int64), np.zeros(zones, dtype=np.int64)
        shown = np.zeros(int(pairs.sum()), dtype=np.int64)
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
                noisy = self._noisy(dataset, group, pairs, scale)
                square = np.zeros((zones, zones), dtype=np.int64)
                square[pairs] = noisy
                outgoing += square.sum(axis=1)
                incoming += square.sum(axis=0)
                hidden = noisy < least
                shown += np.where(hidden, 0, noisy)
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
        write_flowmap(dataset, folder / "flowmap", origin, destination, shown)

    def _noisy(
        self, dataset: Dataset, days: tuple[int, ...], pairs: Booleans, scale: float
    ) -> Integers:
        kept = trimmed_counts(
            dataset,
            self.parameters.unit,
            self.parameters.max_trips_per_user,
            days,
            sum_days=self._summed,
        )[0]
        return noise.discrete_laplace(kept[pairs], scale)


def write_flowmap(
    dataset: Dataset, folder: Path, origin: pa.Array, destination: pa.Array, shown: Integers
) -> None:
    """Write the two tables that flowmap tools read: all released days added up."""
    folder.mkdir()
    centres: Any = shapely.get_coordinates(
        shapely.point_on_surface(dataset.zones.geometry.to_numpy())
    )
    text, number = pa.string(), pa.float64()
    with CsvTable(
        folder / "locations.csv", {"id": text, "name": text, "lat": number, "lon": number}
    ) as table:
        table.add(
            [neutral(one) for one in dataset.zones["zone_id"]],
            [neutral(one) for one in dataset.zones["name"]],
            centres[:, 1].round(6),
            centres[:, 0].round(6),
        )
    with CsvTable(
        folder / "flows.csv", {"origin": text, "dest": text, "count": pa.int64()}
    ) as table:
        table.add(origin, destination, shown)
