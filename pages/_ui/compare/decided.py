"""The decisions' figures of every setting: an epidemic response and aid after a shock."""

from collections.abc import Sequence

from pages._ui import jobs
from pages._ui.cache.decided import HELPED, Decided, decided
from pages._ui.compare import wording as compare_wording
from pages._ui.compare.column import Column
from pages._ui.jobs import Job
from pages._ui.wording.numbers import percent

JOB = "compare_decided"
EPIDEMIC = "Epidemic: zone-days decided as with the true data (estimate)"
AID = f"Aid: share of the right {HELPED} destinations (expected)"
NO_FIGURE = "–"


def asked(columns: Sequence[Column]) -> Job | None:
    """Ask for the figures of all columns that decisions can be followed for; None without any."""
    asks = tuple(
        column.context.exact[:2]
        for column in columns
        if column.context is not None and _can(column)
    )
    if not asks:
        return None
    return jobs.job(JOB, decided, asks)


def texts(columns: Sequence[Column], work: Job | None) -> list[dict[str, str]]:
    """Return the figures of every column by name, as far as they are known."""
    figures = iter(_found(columns, work))
    return [_figures(next(figures), work) if _can(column) else _none() for column in columns]


def notes(columns: Sequence[Column], work: Job | None) -> list[str]:
    """Return which question it is, and why some figure is missing, in words."""
    able = [column for column in columns if _can(column)]
    said = [compare_wording.DECISIONS] if able else []
    if any(column.context is not None and not _can(column) for column in columns):
        said.append(compare_wording.NO_DECISIONS)
    whose: dict[str, list[str]] = {}
    for column, one in zip(able, _found(columns, work), strict=True):
        if one is not None and (one.problems or not one.acts):
            quiet = () if one.acts or one.epidemic is None else (compare_wording.NOBODY_ACTS,)
            whose.setdefault(" ".join((*quiet, *one.problems)), []).append(column.name)
    return [*said, *(f"**{', '.join(names)}**: {words}" for words, names in whose.items())]


def _can(column: Column) -> bool:
    """Whether decisions are followed: by an exact law, on days and zones as ingested."""
    context = column.context
    if context is None or context.method.expected is None:
        return False
    return context.key.resolution.finest


def _found(columns: Sequence[Column], work: Job | None) -> Sequence[Decided | None]:
    known = None if work is None else work.result
    return known or [None] * sum(_can(column) for column in columns)


def _figures(one: Decided | None, work: Job | None) -> dict[str, str]:
    if one is None:
        running = work is not None and work.running
        return dict.fromkeys((EPIDEMIC, AID), "calculating…" if running else NO_FIGURE)
    epidemic = NO_FIGURE
    if one.epidemic is not None:
        never = percent(one.epidemic.never_acting)
        epidemic = f"{percent(one.epidemic.accuracy)} (never acting: {never})"
        if not one.acts:
            epidemic = "no zone has to act"
    return {EPIDEMIC: epidemic, AID: NO_FIGURE if one.aid is None else percent(one.aid.overlap)}


def _none() -> dict[str, str]:
    return dict.fromkeys((EPIDEMIC, AID), NO_FIGURE)
