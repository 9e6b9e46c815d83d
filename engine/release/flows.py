"""What the releases of flows share: which matrices, which noise, and how their files are written.

Every cell gets whole-number noise from OpenDP; that is the only step that sees counts and all that
is charged.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from .. import origin_destination as od
from ..arrays import Booleans, Floats, Integers
from ..datasets import Dataset
from ..errors import ParameterError
from ..ledger import Kind
from ..origin_destination.estimate import CAPPED_TRIPS
from ..origin_destination.matrices import day_indices, kept, require_unit
from ..parameters import ODParameters
from .bars import laplace_bar, sum_bar
from .files import CsvTable, clear_bar, neutral, require_counts, write_flowmap, write_zones
from .plan import Days, Frame, Plan, Progress, Stage

_STAGES = {
    Kind.FLOWS: "trips of every origin and destination",
    Kind.CAPPED_TRIPS: f"all trips, at most {CAPPED_TRIPS} of a person on a day",
}
_CONTRIBUTION = {
    "trip": "each trip by itself; nobody's trips are bounded",
    "person-day": "at most {limit} trips of a person on a day, chosen at random",
    "person": "at most {limit} trips of a person over the whole period, at random",
}
_KEPT = {
    "trip": "the number of trips",
    "person-day": "the kept trips: those left after trimming to {limit} of a person on a day",
    "person": "the kept trips: those left after trimming to {limit} of a person over the period",
}
_ALL = "Nothing is trimmed, so that this is the number of all trips in the data."
_HIGHER = (
    "The number of all trips is higher. What trimming takes is not in the bar and cannot "
    "be told from this release; where most people make more trips than that, it is most trips."
)


@dataclass(frozen=True, kw_only=True)
class Matrices:
    """What is released of a dataset, and with which noise; of public facts alone.

    Attributes
    ----------
    days : tuple of int
        Positions in the declared period.
    zones, matrices, noisy : int
        `noisy` counts the numbers that get noise.
    stages : tuple of Stage
        The cells first.
    """

    days: tuple[int, ...]
    zones: int
    matrices: int
    noisy: int
    stages: tuple[Stage, ...]

    @classmethod
    def of(
        cls, dataset: Dataset, parameters: ODParameters, days: Days, room: float = 1.0
    ) -> "Matrices":
        """Check what is asked; scales are by `room` larger than the least that prove their ε."""
        require_unit(dataset, parameters.unit)
        summed, zones = parameters.unit == "person", len(dataset.zones)
        if summed and days is not None:
            raise ParameterError(
                "days must be all declared ones at unit='person'",
                value=f"{len(days)} of them",
                remedy="a person is protected over the whole period by one release of its sum",
            )
        if dataset.metadata.periods != dataset.metadata.days:
            raise ParameterError(
                "a release must be of declared days",
                value="a view that adds days up",
                remedy="a person pays for every day of it: release the dataset as ingested",
            )
        if zones < 2:
            raise ParameterError(
                "a release of flows needs at least 2 zones",
                value=f"{zones}",
                remedy="there is no flow between zones to count; choose finer ones",
            )
        chosen = day_indices(dataset, days)
        planned = od.plan(dataset, parameters, days=chosen, sum_days=summed)
        stages = (
            Stage.laplace(_STAGES[one.kind], int(one.sensitivity), one.epsilon, room)
            for one in planned.ledger.stages
        )
        return cls(
            days=chosen,
            zones=zones,
            matrices=1 if summed else len(chosen),
            noisy=planned.cells,
            stages=tuple(stages),
        )

    @property
    def cells(self) -> int:
        """Ordered pairs of different zones, in all matrices."""
        return self.matrices * self.zones * (self.zones - 1)

    @property
    def words(self) -> str:
        """The pairs in words."""
        return f"{self.matrices} × {self.zones} × {self.zones - 1} ordered pairs of different zones"

    @property
    def pairs(self) -> Booleans:
        """Cells of a matrix that hold a flow."""
        return ~np.eye(self.zones, dtype=bool)

    @property
    def scale(self) -> float:
        """Scale of the noise of every cell."""
        return self.stages[0].scale

    @property
    def bar(self) -> int:
        """90% error bar of a cell."""
        return laplace_bar(self.scale)

    @property
    def total_bar(self) -> int:
        """90% error bar of all trips out of a zone, or into it, all matrices together."""
        return sum_bar(self.scale, self.matrices * (self.zones - 1))


def planned(
    dataset: Dataset,
    parameters: ODParameters,
    released: Matrices,
    settings: Mapping[str, Any],
    **method: Any,
) -> Plan:
    """Return the plan of either method from what is its own."""
    limit, unit, dates = parameters.max_trips_per_user, parameters.unit, dataset.metadata.periods
    return Plan(
        unit=unit,
        epsilon=parameters.epsilon,
        days=len(released.days),
        contribution=_CONTRIBUTION[unit].format(limit=limit),
        sensitivity=limit,
        mechanism="discrete Laplace on whole counts",
        scale=released.scale,
        trimmed_to=None if unit == "trip" else limit,
        cells=released.noisy,
        settings={
            **settings,
            "first_day": dates[released.days[0]].isoformat(),
            "last_day": dates[released.days[-1]].isoformat(),
            "matrices": released.matrices,
        },
        stages=released.stages,
        frame=Frame.of(dataset.metadata),
        kept=_KEPT[unit].format(limit=limit),
        beyond=_ALL if unit == "trip" else _HIGHER,
        **method,
    )


def prepare(dataset: Dataset, parameters: ODParameters, days: Days) -> None:
    """Read the trips that will be counted, and check what counting looks up."""
    chosen = day_indices(dataset, days)
    for group in [chosen] if parameters.unit == "person" else [(day,) for day in chosen]:
        require_counts(dataset, kept(dataset, parameters, days=group, sum_days=True))


class Matrix(NamedTuple):
    """One matrix as it is written: noisy cells and columns by pair, and what a model expects."""

    noisy: Integers
    columns: tuple[Any, ...]
    expected: Floats | None = None


def write(
    dataset: Dataset,
    released: Matrices,
    drawn: Iterator[Matrix],
    columns: Mapping[str, pa.DataType],
    folder: Path,
    progress: Progress,
) -> None:
    """Write matrices as they are drawn, the totals of the zones, and the flowmap tables."""
    pairs, text = released.pairs, pa.string()
    ids = pa.array([neutral(one) for one in dataset.zones["zone_id"]])
    origin, destination = (ids.take(pa.array(index)) for index in np.nonzero(pairs))
    whole, expected = np.zeros(pairs.shape, dtype=np.int64), None
    head = {"date": text, "origin": text, "destination": text}
    bar = clear_bar(released.scale, 1, len(origin) * released.matrices)
    times = {"origin": text, "dest": text, "count": pa.int64(), "time": text}
    (folder / "flowmap").mkdir()
    with (
        CsvTable(folder / "flows.csv", {**head, **columns}, parquet=True) as table,
        CsvTable(folder / "flowmap" / "flows_by_time.csv", times) as by_time,
    ):
        for number, matrix in enumerate(drawn):
            day = dataset.metadata.periods[released.days[number]].isoformat()
            dates = pa.array([day]).take(pa.array(np.zeros(len(origin), dtype=np.int8)))
            table.add(dates, origin, destination, *matrix.columns)
            whole[pairs] += matrix.noisy
            clear = np.flatnonzero(matrix.noisy > bar)
            ends = (column.take(pa.array(clear)) for column in (origin, destination))
            by_time.add(*ends, matrix.noisy[clear], [day] * len(clear))
            if matrix.expected is not None:
                expected = matrix.expected + (0.0 if expected is None else expected)
            progress((number + 1) / released.matrices)
    values: dict[str, Any] = {}
    for name, axis in (("out", 1), ("in", 0)):
        total, bar = whole.sum(axis=axis), released.total_bar
        measured = f"{name}_trips"
        if expected is not None:
            values[measured] = np.rint(expected.sum(axis=axis))
            measured = f"{name}_measured"
        values |= {
            measured: total,
            f"{measured}_low_90": total - bar,
            f"{measured}_high_90": total + bar,
        }
    write_zones(dataset.zones, values, folder)
    write_flowmap(
        dataset,
        folder / "flowmap",
        origin,
        destination,
        whole[pairs],
        scale=released.scale,
        matrices=released.matrices,
    )
