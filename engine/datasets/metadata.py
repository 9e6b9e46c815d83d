"""What ``dataset.json`` says of a dataset."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from engine.errors import DatasetError

FORMAT_VERSION = 1


@dataclass(frozen=True, kw_only=True)
class Metadata:
    """What ``dataset.json`` says of a dataset; none of it is read off confidential counts.

    Attributes
    ----------
    period_from_data : bool or None
        Whether the first and the last day were read from the data; None is not recorded.
    places_public : bool or None
        Whether the custodian declared the places public; False also where a grid's area was read
        from the data. None is not recorded.
    """

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
    period_from_data: bool | None = None
    places_public: bool | None = None
    scenario: Mapping[str, Any] = field(default_factory=dict[str, Any])
    format_version: int = FORMAT_VERSION

    @property
    def days(self) -> tuple[date, ...]:
        """Every day of the declared period, also those without a single trip."""
        count = (self.last_day - self.first_day).days + 1
        return tuple(self.first_day + timedelta(days=i) for i in range(count))

    @property
    def periods(self) -> tuple[date, ...]:
        """First day of every matrix of trips: the declared days, unless they are added up."""
        return self.days

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object that `from_json` reads back."""
        values = dict(vars(self))
        for key in ("first_day", "last_day", "week"):
            values[key] = None if values[key] is None else values[key].isoformat()
        return {**values, "scenario": dict(self.scenario)}

    @classmethod
    def from_json(cls, document: Mapping[str, Any], dataset: str) -> "Metadata":
        """Build it from the contents of ``dataset.json``.

        Raises
        ------
        DatasetError
            If a field is missing or the format is newer than this program.
        """
        if document.get("format_version") != FORMAT_VERSION:
            raise DatasetError(
                f"dataset '{dataset}' has format version {document.get('format_version')!r}, this "
                f"program reads {FORMAT_VERSION}; build the dataset again"
            )
        values = {k: v for k, v in document.items() if k not in ("checksums", "id")}
        try:
            for key in ("first_day", "last_day", "week"):
                values[key] = None if values[key] is None else date.fromisoformat(values[key])
            for key in ("period_from_data", "places_public"):
                if not isinstance(values.get(key), bool | None):
                    raise ValueError(key)
            return cls(**values)
        except (KeyError, TypeError, ValueError) as error:
            raise DatasetError(
                f"dataset '{dataset}': dataset.json is not as expected; build the dataset again"
            ) from error
