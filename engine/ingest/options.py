"""What a person asks of an ingest: frozen, checked before any file is opened."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Literal, get_args

from .. import validation
from ..errors import ParameterError
from ..parameters import DEFAULT_MAX_VISITS_CAP
from .coarseness import Coarseness
from .reading import Reading, check_time_zone

Kind = Literal["trips", "rides", "visits", "flows"]
EngineName = Literal["duckdb", "spark"]
Part = Literal["density", "trips"]
Cells = Literal["h3", "quadkey", "geohash"]
Choice = Literal[
    "people", "unreadable", "unknown-flows", "repeated-places", "placeless", "zero-places"
]
CHOICES: dict[Choice, str] = {
    "people": "leave out rows without a person's id",
    "unreadable": "leave out rows with a time, place or number that cannot be read",
    "unknown-flows": "flows without a number are not known: leave them out",
    "repeated-places": "keep the first row of a place that is there again",
    "placeless": "leave out places without coordinates",
    "zero-places": "leave out places at 0°, 0°",
}
"""What may be done about rows and places that are refused otherwise, in words."""

DAYS_PER_WEEK = 7
LONGEST_PERIOD_DAYS = 3660
FIRST_YEAR, LAST_YEAR = 1900, 2200
LONGEST_NAME_BYTES = 200


@dataclass(frozen=True, kw_only=True)
class IngestOptions:
    """Everything an ingest is told; nothing of it is read off the data.

    Parameters
    ----------
    kind : str
        ``trips``, ``visits``, ``rides`` (trips without a person) or ``flows`` (counts of trips).
    inputs : tuple of str
        Files, folders or patterns of CSV (also packed) or Parquet; on Spark tables of a catalogue.
    out : Path
        The dataset's folder; its name becomes the dataset's name.
    time_zone : str
        IANA name of the local time zone, such as ``America/Mexico_City``.
    first_day, last_day : date
        The declared period in local days, both included.
    mapping, locations_mapping, zones_mapping : mapping of str to str
        Canonical column to the name in the files; what is left out is guessed. ``state:2+county:3``
        joins columns, padded with zeros to so many digits.
    week : date or None
        Monday of the density week; None takes the first full week of the period.
    locations, zones : Path or None
        Tables of places; without both, ids that are `cells`, or the area of a grid.
    layer : str
        Of a file of zones that has several.
    cells : str or None
        ``h3``, ``quadkey`` or ``geohash``: ids of places in the rows are such cells.
    id_prefix : bool
        Ids of places in the rows begin with those of the places (blocks within block groups).
    parents : tuple of str or None
        Columns that name a coarser zone for each zone, kept for `engine.resolution`. None takes
        those of usual names that are a hierarchy.
    parts : tuple of str
        Which aggregates to build: ``density``, ``trips`` or both.
    max_visits_cap : int
        K_max, public bound on the visits of a person in the week.
    max_distance_m : float
        How far outside every zone a coordinate may lie and still count in the nearest place.
    people_public : int or None
        Public estimate of the number of people.
    mean_visits_public : float or None
        Public mean number of visits of a person in the week, from 1 to K_max: our density is made
        for it. None is for calls of a week.
    period_from_data : bool
        Whether the two days were read from the data; a release states it.
    places_public : bool or None
        Whether the places are public, as the custodian declares it; None leaves it open.
    salt : str or None
        For reproducible ranks; None keeps the dataset's own salt or makes one.
    leave_out : tuple of str
        Which of `CHOICES` are made; without one such rows and places are refused.
    gap_minutes : float or None
        Of visits: how long without a row ends a trip, which leads from its first to its last row.
        None takes the trips that rows name (``tid``), else a visit and the person's next one in
        another zone on the same day.
    reading : Reading
        How text is read; what it leaves open is detected.
    coarseness : Coarseness
        Which zones are built.
    engine : str
        ``duckdb`` (embedded) or ``spark``, which reads typed tables.
    memory, threads, spill, spill_limit : str, int, Path, str
        Settings of the embedded engine.
    master, conf : str, mapping of str to str
        Address of the Spark cluster, and settings as ``spark-submit --conf`` takes them.
    description, source, licence : str
        Said of the dataset.

    Raises
    ------
    ParameterError
        With rule, value and remedy.

    Examples
    --------
    >>> IngestOptions(kind="trips", inputs=("trips.csv",), out=Path("data/local/city"),
    ...     time_zone="Europe/Paris", first_day=date(2015, 9, 1), last_day=date(2015, 9, 30),
    ...     locations=Path("stations.csv")).density_week
    datetime.date(2015, 9, 7)
    """

    kind: Kind
    inputs: tuple[str, ...]
    out: Path
    time_zone: str
    first_day: date
    last_day: date
    mapping: Mapping[str, str] = field(default_factory=dict[str, str])
    week: date | None = None
    locations: Path | None = None
    zones: Path | None = None
    layer: str = ""
    cells: Cells | None = None
    id_prefix: bool = False
    locations_mapping: Mapping[str, str] = field(default_factory=dict[str, str])
    zones_mapping: Mapping[str, str] = field(default_factory=dict[str, str])
    parents: tuple[str, ...] | None = None
    parts: tuple[Part, ...] = ("density", "trips")
    max_visits_cap: int = DEFAULT_MAX_VISITS_CAP
    max_distance_m: float = 1000.0
    people_public: int | None = None
    mean_visits_public: float | None = None
    period_from_data: bool = False
    places_public: bool | None = None
    salt: str | None = None
    leave_out: tuple[Choice, ...] = ()
    gap_minutes: float | None = None
    reading: Reading = field(default_factory=Reading)
    coarseness: Coarseness = field(default_factory=Coarseness)
    engine: EngineName = "duckdb"
    memory: str = "3GB"
    threads: int | None = None
    spill: Path | None = None
    spill_limit: str = "200GB"
    master: str = "local[2]"
    conf: Mapping[str, str] = field(default_factory=dict[str, str])
    description: str = ""
    source: str = ""
    licence: str = ""

    def __post_init__(self) -> None:
        validation.one_of("kind", self.kind, get_args(Kind), "say what the table holds")
        validation.one_of("engine", self.engine, get_args(EngineName), "'duckdb' is embedded")
        for part in self.parts:
            validation.one_of("parts", part, get_args(Part), "both are built by default")
        for choice in self.leave_out:
            validation.one_of("leave_out", choice, get_args(Choice), "nothing is left out unasked")
        if self.cells is not None:
            validation.one_of("cells", self.cells, get_args(Cells), "leave it out to look")
        self._check_paths()
        if not self.inputs:
            raise ParameterError("inputs must name at least one file, folder or pattern, got none")
        self._check_period()
        validation.whole_number(
            "max_visits_cap", self.max_visits_cap, 1, 10**6, remedy="840 is usual"
        )
        if self.mean_visits_public is not None:
            limits = 1.0, float(self.max_visits_cap)
            remedy = "a public number, never read off the data; leave it out for calls"
            validation.finite_within("mean_visits_public", self.mean_visits_public, limits, remedy)
        if self.gap_minutes is not None:
            if self.kind != "visits":
                raise ParameterError(
                    "gap_minutes must be left out unless rows are visits, got " + repr(self.kind),
                    remedy="other tables name their trips themselves",
                    code="gap",
                    settings=("gap_minutes",),
                )
            validation.finite_above("gap_minutes", self.gap_minutes, 0, "30 is usual for GPS")
        validation.finite_above("max_distance_m", self.max_distance_m, 0, "1000 is usual")
        if self.people_public is not None:
            validation.whole_number(
                "people_public", self.people_public, 1, remedy="leave it out if unknown"
            )
        if self.threads is not None:
            validation.whole_number("threads", self.threads, 1, 1024, remedy="leave it out")

    @property
    def density_week(self) -> date | None:
        """Monday of the density week; None where the period has no full week."""
        if self.week is not None:
            return self.week
        monday = self.first_day + timedelta(days=-self.first_day.weekday() % DAYS_PER_WEEK)
        return monday if monday + timedelta(days=6) <= self.last_day else None

    @property
    def has_people(self) -> bool:
        """Whether rows tell people apart."""
        return self.kind in ("trips", "visits")

    @property
    def wants_density(self) -> bool:
        """Whether a density is asked for and the rows and the period can give one."""
        return self.has_people and "density" in self.parts and self.density_week is not None

    def _check_paths(self) -> None:
        """Refuse a name that no file system, terminal or page can take."""
        name = self.out.name
        try:
            fits = 0 < len(name.encode("utf-8")) <= LONGEST_NAME_BYTES and bool(
                str(self.out).encode()
            )
        except UnicodeEncodeError:  # half a character
            fits = False
        if not fits or name == ".." or not name.isprintable():
            raise ParameterError(
                "out must name a folder for the dataset, in printable characters, at most "
                f"{LONGEST_NAME_BYTES} bytes of UTF-8",
                value=ascii(name if len(name) <= 60 else name[:59] + "…"),
                remedy="its last part becomes the dataset's name",
                code="out",
                settings=("out",),
            )
        for setting in ("out", "locations", "zones", "spill", "inputs"):
            value = getattr(self, setting)
            paths = value if isinstance(value, tuple) else (value,)
            if any("\0" in str(path) for path in paths):
                raise ParameterError(
                    f"{setting} must be a path, which holds no NUL",
                    remedy="name another one",
                    code="path",
                    settings=(setting,),
                )

    def _check_period(self) -> None:
        first, last = self.first_day, self.last_day
        period = f"{first.isoformat()} to {last.isoformat()}"
        check_time_zone("time_zone", self.time_zone)
        for wrong, rule, remedy in (
            (last < first, "the period must be at least one day long", "both days count"),
            (
                not FIRST_YEAR <= first.year <= last.year <= LAST_YEAR,
                f"the period must lie within the years {FIRST_YEAR} to {LAST_YEAR}",
                "name the days that the data cover",
            ),
            (
                (last - first).days >= LONGEST_PERIOD_DAYS,
                f"the period must be at most {LONGEST_PERIOD_DAYS} days",
                "split it",
            ),
        ):
            if wrong:
                raise ParameterError(
                    rule,
                    value=period,
                    remedy=remedy,
                    code="period",
                    settings=("first_day", "last_day"),
                )
        week = self.week
        if week is not None and week.weekday() != 0:
            raise ParameterError(
                f"week must be a Monday, got {week.isoformat()}; hour 0 is Monday 00:00: name "
                f"{(week - timedelta(days=week.weekday())).isoformat()}"
            )
        if week is not None and (week < first or week + timedelta(days=6) > last):
            raise ParameterError(
                f"week must lie within the period {period}, got the week of {week.isoformat()}; "
                "widen the period"
            )
