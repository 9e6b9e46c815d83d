"""What the stages of an ingest work with, and what they hand on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import pyarrow as pa

from ..backends.engine import Engine
from ..calendar import Calendar
from ..inputs.places import Places
from ..options import IngestOptions
from ..progress import Monitor, Stage
from ..report import Account
from .reader import Reader

Work = TypeVar("Work", contravariant=True)


@dataclass(frozen=True)
class Run:
    """One ingest under way: what every stage works with."""

    options: IngestOptions
    monitor: Monitor
    engine: Engine
    places: Places
    reader: Reader
    salt: str

    @property
    def calendar(self) -> Calendar:
        """Period, week and rules of the clock."""
        return self.reader.calendar

    @property
    def wants_density(self) -> bool:
        """Whether a density is asked for and the period has a week for it."""
        return "density" in self.options.parts and self.calendar.week is not None

    @property
    def wants_trips(self) -> bool:
        """Whether origin–destination counts are asked for."""
        return "trips" in self.options.parts


@dataclass(frozen=True)
class Step(Generic[Work]):
    """Some tables of a dataset: what a person reads while they are counted, and how that is done.

    Attributes
    ----------
    stage : Stage
        Words for the progress and the share of time.
    tables : callable
        From the run and the kept records (or trips) to finished tables of the dataset, by name.
    """

    stage: Stage
    tables: Callable[[Run, Work], Mapping[str, pa.Table]]


@dataclass(frozen=True)
class Counted:
    """What an ingest has counted.

    Attributes
    ----------
    tables : mapping of str to pyarrow.Table
        Tables of the dataset by name.
    rows, visits, trips : Account
        What became of every raw row, visit and derived trip; None where the rows say it already.
    visits_per_person, trips_per_person : mapping
        People by public bin (lower end) of records in the week, trips in the period.
    backwards : int
        Used trips that end before they start.
    """

    tables: Mapping[str, pa.Table]
    rows: Account
    visits: Account | None = None
    trips: Account | None = None
    visits_per_person: Mapping[int, int] = field(default_factory=dict[int, int])
    trips_per_person: Mapping[int, int] = field(default_factory=dict[int, int])
    backwards: int = 0
