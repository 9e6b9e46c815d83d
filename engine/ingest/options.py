"""Options of an ingest: frozen, checked before any file is opened."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Literal, get_args, get_type_hints

from .. import validation
from ..errors import InputError
from ..parameters import DEFAULT_MAX_VISITS_CAP

Kind = Literal["trips", "rides", "visits", "flows"]
EngineName = Literal["duckdb", "spark"]
Part = Literal["density", "trips", "commutes"]
WorkDay = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
CellKind = Literal["h3", "quadkey", "geohash"]
Encoding = Literal[
    "utf-8", "windows-1252", "latin-1", "utf-16", "windows-1251", "cp932", "cp949", "gb18030"
]
Delimiter = Literal[",", ";", "\t", "|", " "]
Thousands = Literal["", ",", ".", " ", "'"]
DateOrder = Literal["ymd", "dmy", "mdy"]
NumberTimes = Literal["seconds", "milliseconds", "microseconds", "nanoseconds", "days", "yyyymmdd"]
Choice = Literal[
    "people", "unreadable", "unknown-flows", "backwards", "repeated-places", "placeless",
    "zero-places",
]  # fmt: skip
Kept = Literal["repeated-files", "far-places"]
SENTENCES = json.loads(Path(__file__).with_name("remedies.json").read_text("utf-8"))
CHOICES: dict[Choice, str] = SENTENCES["choices"]
"""Choices for rows and places that are otherwise refused, in words."""
KEPT: dict[Kept, str] = SENTENCES["kept"]

DAYS_PER_WEEK = 7
MAX_PERIOD_DAYS = 3660
FIRST_YEAR, LAST_YEAR = 1900, 2200
MAX_ZONES = 5_000


def literal_values(kind: Any) -> tuple[str, ...]:
    """Return the words that a type such as ``Kind | None`` or ``tuple[Part, ...]`` allows."""
    texts = tuple(value for value in get_args(kind) if isinstance(value, str))
    return texts or tuple(word for part in get_args(kind) for word in literal_values(part))


def check_literals(options: Any) -> None:
    """Raise `ParameterError` for settings outside the words of their types."""
    for name, kind in get_type_hints(type(options)).items():
        value: Any = getattr(options, name)
        if allowed := literal_values(kind):
            for text in value if isinstance(value, tuple) else (value,):
                if text is not None:
                    validation.check_one_of(name, text, allowed, "leave it out for what is usual")


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Format of the text of a table; None is detected from the first rows.

    Parameters
    ----------
    header : tuple of str or None
        Names of columns by position, for a table without a line of names. Columns without a name
        are called column1, column2 …, for '--map uid=column1'.
    skip_rows : int
        Number of lines above the line of column names, or above the first row; default: 0.
    encoding : str or None
        Encoding of CSV files; default: auto-detect.
    delimiter : str or None
        Mark between columns: , ; | tab or a blank (' '); default: auto-detect.
    decimal : str or None
        Decimal mark of numbers, . or a comma; default: auto-detect, a comma beside thousands of .
    thousands : str
        Mark between thousands; default: none.
    date_order : str or None
        Order of year, month and day; default: auto-detect, refused if in doubt, as for
        03/04/2016.
    time_format : str or None
        Format of all times in the codes of strptime, such as '%d.%m.%Y %H:%M'; default:
        auto-detect.
    number_times : str or None
        Unit of times that are numbers; days are those of a spreadsheet, in local time;
        default: auto-detect.
    text_time_zone : str or None
        Time zone of times without an offset; default: the one of --timezone.
    """

    header: tuple[str, ...] | None = None
    skip_rows: int = 0
    encoding: Encoding | None = None
    delimiter: Delimiter | None = None
    decimal: Literal[".", ","] | None = None
    thousands: Thousands = ""
    date_order: DateOrder | None = None
    time_format: str | None = None
    number_times: NumberTimes | None = None
    text_time_zone: str | None = None

    def __post_init__(self) -> None:
        check_literals(self)
        validation.check_whole_number("skip_rows", self.skip_rows, 0, 10_000, remedy="0 is usual")
        validation.check_rule(
            not self.thousands or self.thousands != self.decimal,
            "decimal and thousands must be two different marks",
            repr(self.thousands),
            "name two",
            *("decimal", "thousands"),
        )
        if self.text_time_zone is not None:
            validation.check_time_zone("text_time_zone", self.text_time_zone)


def build_error(code: str, **values: Any) -> InputError:
    """Return the error of a code in `SENTENCES`, with these values in its words."""
    words = SENTENCES["errors"][code]
    settings = tuple(name.format(**values) for name in words["settings"])
    fault, remedy = (words[part].format(**values) for part in ("fault", "remedy"))
    return InputError(fault, remedy=remedy, code=code, settings=settings)


def check_zone_count(zones: int) -> None:
    """Raise `InputError` for more zones than can be opened, with the numbers."""
    if zones > MAX_ZONES:
        raise build_error("too-fine", zones=zones, most=MAX_ZONES)


@dataclass(frozen=True, kw_only=True)
class IngestOptions:
    """Settings of an ingest; none of them is read from the data.

    Parameters
    ----------
    kind : str
        ``trips``, ``visits``, ``rides`` (trips without a person) or ``flows`` (counts of trips).
    inputs : tuple of str
        Files, folders or patterns of CSV (also packed) or Parquet; on Spark tables of a catalogue.
    out : Path
        Name of the dataset, or path of its folder, which names it (needed).
    first_day : date
        First local day of the declared period, as YYYY-MM-DD (needed).
    last_day : date
        Last local day of the period, included, as YYYY-MM-DD (needed).
    time_zone : str
        IANA name of the local time zone, such as America/Mexico_City (needed).
    locations : Path or None
        Table of stations or towers with coordinates.
    zones : Path or None
        File of zones: GeoJSON, GeoPackage, zipped Shapefile or GeoParquet.
    layer : str
        Layer of the zones, if their file has several.
    cells : str or None
        Type of grid cell, if ids of places in the rows are cells; default: auto-detect.
    id_prefix : bool
        Ids of places in the rows begin with those of the given places (blocks within block
        groups).
    mapping : mapping of str to str
        Columns of the rows; others are guessed and named in the summary. a=b:2+c:3 joins columns,
        padded with zeros to 2 and 3 digits.
    locations_mapping, zones_mapping : mapping of str to str
        Columns of that file, written in the same way.
    hexagon_m : float or None
        Width of hexagonal zones (H3) in metres, about; they replace the given zones.
    area : (west, south, east, north) or None
        Area of the hexagons in degrees (west south east north), if there are no places; 'data'
        reads it from the coordinates of the rows, which a release then states.
    area_from_data : bool
        Whether that area is read from the coordinates of the rows.
    parts : tuple of str
        Parts to build: density and trips (default), or commutes alone: one flow per person, from
        the zone of most hours at home to the zone of most hours at work, if they differ.
    home_hours : (int, int)
        Start and end of the hours at home, on the local clock; default: 20 6.
    work_hours : (int, int)
        Start and end of the hours at work, on the local clock; default: 9 17.
    work_days : tuple of str
        Working days; default: mon tue wed thu fri.
    once : bool
        Each number counts people, each person is in one flow only, such as from home to work, and
        no number is expanded from a sample.
    same_people_as : str or None
        Name or path of a dataset of the same people; both must share one budget.
    week : date or None
        Monday of the density week, as YYYY-MM-DD; default: the first in a full week.
    max_visits_cap : int
        K_max: public bound on the visits counted per person in the week; default: 840.
    mean_visits_public : float or None
        Public mean number of visits per person in the week, which multiscale uses; default: not
        known, as for call records.
    people_public : int or None
        Public estimate of the number of people in the data.
    period_from_data : bool
        The first and the last day were read from the data; a release states this.
    places_public : bool or None
        Whether the places are public; a release states this, and also if it is not known.
    leave_out : tuple of str
        Rows and places to leave out; without this they are refused.
    keep : tuple of str
        Files and places to keep, which look wrong and are otherwise refused or left out.
    salt : str or None
        Text that makes the random ranks of trips repeatable; default: the dataset's own, or new.
    reading : Reading
        Format of the text.
    engine : str
        Engine that reads the rows; duckdb runs here, spark reads typed tables; default: duckdb.
    memory : str
        Memory limit of the embedded engine; default: 3GB.
    spill : Path or None
        Folder for rows that do not fit in memory, not encrypted; default: the system's
        temporary folder.
    master : str
        Address of the Spark cluster; default: local[2].
    conf : mapping of str to str
        Settings of Spark, written as for spark-submit.
    description, source, licence : str
        Description, source or licence of the data, recorded in the dataset.

    Raises
    ------
    ParameterError
        With rule, value and remedy.
    """

    kind: Kind
    inputs: tuple[str, ...]
    out: Path
    first_day: date
    last_day: date
    time_zone: str
    locations: Path | None = None
    zones: Path | None = None
    layer: str = ""
    cells: CellKind | None = None
    id_prefix: bool = False
    mapping: Mapping[str, str] = field(default_factory=dict[str, str])
    locations_mapping: Mapping[str, str] = field(default_factory=dict[str, str])
    zones_mapping: Mapping[str, str] = field(default_factory=dict[str, str])
    hexagon_m: float | None = None
    area: tuple[float, float, float, float] | None = None
    area_from_data: bool = False
    parts: tuple[Part, ...] = ("density", "trips")
    home_hours: tuple[int, int] = (20, 6)
    work_hours: tuple[int, int] = (9, 17)
    work_days: tuple[WorkDay, ...] = ("mon", "tue", "wed", "thu", "fri")
    once: bool = False
    same_people_as: str | None = None
    week: date | None = None
    max_visits_cap: int = DEFAULT_MAX_VISITS_CAP
    mean_visits_public: float | None = None
    people_public: int | None = None
    period_from_data: bool = False
    places_public: bool | None = None
    leave_out: tuple[Choice, ...] = ()
    keep: tuple[Kept, ...] = ()
    salt: str | None = None
    reading: Reading = field(default_factory=Reading)
    engine: EngineName = "duckdb"
    memory: str = "3GB"
    spill: Path | None = None
    master: str = "local[2]"
    conf: Mapping[str, str] = field(default_factory=dict[str, str])
    description: str = ""
    source: str = ""
    licence: str = ""

    def __post_init__(self) -> None:
        check_literals(self)
        self._check_paths()
        self._check_period()
        self._check_people_once()
        cap = self.max_visits_cap
        validation.check_whole_number("max_visits_cap", cap, 1, 10**6, remedy="840 is usual")
        if self.hexagon_m is not None:
            validation.check_above("hexagon_m", self.hexagon_m, 10, "2000 is usual in a city")
        if self.mean_visits_public is not None:
            remedy = "a public number, never read off the data; leave it out for calls"
            mean, limits = self.mean_visits_public, (1.0, float(cap))
            validation.check_within("mean_visits_public", mean, limits, remedy)
        if (people := self.people_public) is not None:
            remedy = "leave it out if unknown"
            validation.check_whole_number("people_public", people, 1, None, remedy=remedy)
        if self.area is not None:
            west, south, east, north = self.area
            holds = -180 <= west < east <= west + 180 <= 360 and -90 <= south < north <= 90
            rule, remedy = "west, south, east, north in degrees", "give the smaller degrees first"
            validation.check_rule(holds, f"area must be {rule}", f"{self.area}", remedy, "area")

    @property
    def density_week(self) -> date | None:
        """Monday of the density week; None where the period has no full week."""
        if self.week is not None:
            return self.week
        monday = self.first_day + timedelta(days=-self.first_day.weekday() % DAYS_PER_WEEK)
        return monday if monday + timedelta(days=6) <= self.last_day else None

    @property
    def has_people(self) -> bool:
        """Whether rows identify people."""
        return self.kind in ("trips", "visits")

    @property
    def home_work_rule(self) -> str | None:
        """The rule of commutes in words, which the dataset records; None without them."""
        if "commutes" not in self.parts:
            return None
        home, work = ("{:02}:00 to {:02}:00".format(*h) for h in (self.home_hours, self.work_hours))
        days = ", ".join(day.capitalize() for day in self.work_days)
        return (
            f"home is the zone with records in most hours from {home}, work the one outside it "
            f"with records in most hours from {work} on {days}"
        )

    @property
    def includes_density(self) -> bool:
        """Whether a density is requested and the rows and the period allow one."""
        return self.has_people and "density" in self.parts and self.density_week is not None

    def _check_people_once(self) -> None:
        is_mixed = "commutes" in self.parts and (len(self.parts) > 1 or not self.has_people)
        validation.check_rule(
            not is_mixed and (not self.once or self.kind == "flows"),
            "commutes are built alone, of trips or visits of people; once is said of flows",
            f"{', '.join(self.parts)} of {self.kind}",
            "build the other parts as a dataset of its own, of the same people",
            *("parts", "once"),
        )
        for name in ("home_hours", "work_hours"):
            start, end = getattr(self, name)
            holds = start != end and {start, end} <= set(range(24))
            rule = f"{name} must be two different hours from 0 to 23"
            remedy = "leave them out for what is usual"
            validation.check_rule(holds, rule, f"{start} {end}", remedy, name)

    def _check_paths(self) -> None:
        rule, name = "inputs must name at least one file, folder or pattern", self.out.name
        validation.check_rule(bool(self.inputs), rule, "none", "")
        validation.check_rule(
            name not in ("", "..") and name.isprintable(),
            "out must name a folder for the dataset, in printable characters",
            ascii(name[:60]),
            "its last part becomes the dataset's name",
            "out",
        )

    def _check_period(self) -> None:
        validation.check_time_zone("time_zone", self.time_zone)
        first, last, week = self.first_day, self.last_day, self.week
        days = (last - first).days + 1
        validation.check_rule(
            1 <= days <= MAX_PERIOD_DAYS and FIRST_YEAR <= first.year <= LAST_YEAR,
            f"the period must have 1 to {MAX_PERIOD_DAYS} days and start in {FIRST_YEAR} or later",
            f"{first} to {last}",
            "give the first and last day that the data cover, both included",
            *("first_day", "last_day"),
        )
        validation.check_rule(
            week is None or (week.weekday() == 0 and first <= week <= last - timedelta(days=6)),
            "week must be a Monday whose seven days lie in the period",
            f"{week}",
            "name another one, or widen the period",
            "week",
        )
