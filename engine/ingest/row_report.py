"""The report of an ingest, with the outcome of every row.

Its numbers are true and exact: they are confidential, for the data's custodians alone.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import IntEnum
from typing import Any

from .options import SENTENCES


class Reason(IntEnum):
    """Reasons to use a row or not; the first match counts."""

    USED = 0
    UNPARSABLE = 1
    OUTSIDE_PERIOD = 2
    OUTSIDE_AREA = 3
    OTHER_WEEK = 4
    DUPLICATE = 5
    SELF_TRIP = 6
    TRIMMED = 7
    REPEATED = 8
    NO_PERSON = 9
    LOST_DIGITS = 10
    UNKNOWN = 11
    BACKWARDS = 12
    TIED = 13


REASON_LABELS = {reason: SENTENCES["reasons"][reason.name] for reason in Reason}


@dataclass(frozen=True)
class RowAccount:
    """Rows read, rows used, and rows not used by reason; they add up exactly."""

    rows_read: int
    rows_used: int
    rows_unused: Mapping[Reason, int] = field(default_factory=dict[Reason, int])

    def __post_init__(self) -> None:
        if self.rows_read != self.rows_used + sum(self.rows_unused.values()):
            raise AssertionError("the row counts of this ingest do not add up")

    def with_truncated(self, n: int) -> "RowAccount":
        """Return the account with `n` of the used rows as truncated."""
        return RowAccount(
            self.rows_read, self.rows_used - n, {**self.rows_unused, Reason.TRIMMED: n}
        )

    def format_lines(self, noun: str) -> list[str]:
        """Return the account in words: the sum, and a line for each reason."""
        reasons = {reason: n for reason, n in sorted(self.rows_unused.items()) if n}
        terms = [f"{self.rows_used:,} used"] + [
            f"{n:,} {REASON_LABELS[reason].split(':')[0]}" for reason, n in reasons.items()
        ]
        lines = [f"{self.rows_read:,} {noun}s = {' + '.join(terms)}"]
        return lines + [f"  {n:>12,}  {REASON_LABELS[reason]}" for reason, n in reasons.items()]

    def to_json(self) -> dict[str, Any]:
        """Return the account as a JSON object."""
        unused = {reason.name.lower(): n for reason, n in sorted(self.rows_unused.items())}
        return {"read": self.rows_read, "used": self.rows_used, "unused": unused}


@dataclass(frozen=True, kw_only=True)
class IngestReport:
    """Report of one ingest. **Confidential**: for custodians, stored with the dataset.

    `rows` accounts for raw rows, `visits` for visits towards the density (of trips: starts and
    ends), `trips` for trips that were derived from visits; people are those with used rows.
    """

    kind: str
    engine: str
    files: tuple[Mapping[str, Any], ...]
    rows: RowAccount
    visits: RowAccount | None = None
    trips: RowAccount | None = None
    people_with_visits: int = 0
    people_with_trips: int = 0
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    def format_summary(self) -> list[str]:
        """Return the report as lines of text."""
        lines = [_format_columns(file) for file in self.files[:1] if "columns" in file]
        for noun, account in (("row", self.rows), ("visit", self.visits), ("trip", self.trips)):
            lines += [] if account is None else account.format_lines(noun)
        if self.people_with_visits:
            lines.append(f"people with visits in the week: {self.people_with_visits:,}")
        if self.people_with_trips:
            lines.append(f"people with trips: {self.people_with_trips:,}")
        return lines + list(self.notes)

    def to_json(self) -> dict[str, Any]:
        """Return the contents of ``ingest.json``."""
        document = asdict(self)
        for name in ("rows", "visits", "trips"):
            account: RowAccount | None = getattr(self, name)
            document[name] = None if account is None else account.to_json()
        return document


def _format_columns(file: Mapping[str, Any]) -> str:
    pairs = (
        f"{name} = {column}" + (" (guessed)" if name in file["guessed"] else "")
        for name, column in file["columns"].items()
    )
    return "columns: " + ", ".join(pairs)
