"""Contents of ``dataset.json``."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, get_origin, get_type_hints
from zoneinfo import ZoneInfo

from ..errors import DatasetError
from .multiscale_tables import MultiscaleClips

FORMAT_VERSION = 3
_MAX_DAYS = 100_000
_OMITTED_WHERE_UNSET = (
    *("mean_visits_public", "person_column", "unknown_flows"),
    *("people_once", "home_work_rule", "same_people_as"),
)


@dataclass(frozen=True, kw_only=True)
class Metadata:
    """Metadata of a dataset, from ``dataset.json``; no field comes from confidential counts."""

    name: str
    description: str
    source: str
    licence: str
    simulated: bool
    first_day: date
    last_day: date
    time_zone: str
    week: date | None
    people_public: int | None
    max_visits_cap: int
    salt_id: str
    made_by: str
    privacy_unit: str = "person"
    trips_have_people: bool = True
    period_from_data: bool | None = None  # whether the two days were; None is not recorded
    places_public: bool | None = None  # as declared; False where a grid's area is from the data
    mean_visits_public: float | int | None = None  # sets `multiscale`'s clips; None: as for calls
    person_column: str | None = None  # of the rows, taken for people; None where none was
    unknown_flows: int | None = None  # rows of flows that the source hides; they read 0
    people_once: bool = False  # each count is of people, who are in one flow of the period at most
    home_work_rule: str | None = None  # by which the rows tell a person's home and work zone
    same_people_as: str | None = None  # name of another dataset of these people
    scenario: Mapping[str, Any] = field(default_factory=dict[str, Any])
    format_version: int = FORMAT_VERSION

    @property
    def days(self) -> tuple[date, ...]:
        """Every day of the declared period, also those without a single trip.

        Where people count once, the first day stands for the period: it has one matrix.
        """
        count = 1 if self.people_once else self.period_length
        return tuple(self.first_day + timedelta(days=i) for i in range(count))

    @property
    def period_length(self) -> int:
        """Number of days of the declared period."""
        return (self.last_day - self.first_day).days + 1

    @property
    def multiscale_clips(self) -> MultiscaleClips:
        """Clips of the Multiscale Gaussian method (``multiscale``); public."""
        return MultiscaleClips.from_mean_visits(self.mean_visits_public, self.max_visits_cap)

    @property
    def periods(self) -> tuple[date, ...]:
        """First day of every matrix of trips: the declared days, unless they are summed."""
        return self.days

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object that `from_json` reads back."""
        values = dict(vars(self))
        for key in ("first_day", "last_day", "week"):
            values[key] = None if values[key] is None else values[key].isoformat()
        for key in ("period_from_data", "places_public"):
            if self.simulated and values[key] is None:  # shipped before this field existed
                del values[key]
        for key in _OMITTED_WHERE_UNSET:
            if values[key] in (None, False):
                del values[key]
        return {**values, "scenario": dict(self.scenario)}

    @classmethod
    def from_json(cls, document: Mapping[str, Any], dataset: str) -> "Metadata":
        """Return the metadata of the contents of ``dataset.json``."""
        version = document.get("format_version")
        if isinstance(version, bool) or version != FORMAT_VERSION:
            version_text = version if isinstance(version, int | None) else "unknown"
            newer = isinstance(version, int) and version > FORMAT_VERSION
            raise DatasetError(
                f"dataset '{dataset}' has format version {version_text}, but this program reads "
                f"version {FORMAT_VERSION}",
                remedy="a newer program wrote it: update this one"
                if newer
                else "build the dataset again",
            )
        values = {k: v for k, v in document.items() if k not in ("checksums", "id")}
        try:
            for key in ("first_day", "last_day", "week"):
                values[key] = None if values[key] is None else date.fromisoformat(values[key])
            metadata = cls(**values)
            metadata._check_types()
        except (KeyError, TypeError, ValueError, OSError) as error:
            raise DatasetError(
                f"dataset '{dataset}': dataset.json is not as expected",
                remedy="build the dataset again",
            ) from error
        return metadata

    def _check_types(self) -> None:
        """Raise `TypeError` or `ValueError` unless every field has its declared type."""
        for name, kind in get_type_hints(type(self)).items():
            value, several = getattr(self, name), get_origin(kind) is Mapping
            # True is a whole number to Python
            odd = isinstance(value, bool) and kind not in (bool, bool | None)
            if odd or not isinstance(value, Mapping if several else kind):
                raise TypeError(name)
            if isinstance(value, str):
                value.encode("utf-8")  # half a character cannot be shown or written
        ZoneInfo(self.time_zone)
        if not 1 <= self.period_length <= _MAX_DAYS or (
            self.people_public is not None and self.people_public < 1
        ):
            raise ValueError("period or people")
        mean = self.mean_visits_public
        if mean is not None and not 1 <= mean <= self.max_visits_cap:
            raise ValueError("mean_visits_public")
