"""The declared period, the density week and the clock's rules, all in local seconds.

*Local seconds* are seconds since 1970-01-01 00:00 on the wall clock of the place. Time zone rules
are read once, here, and become numbers, so that no engine's own database can disagree.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from .expressions import Column
from .options import IngestOptions

SECONDS_PER_DAY = 86_400
SECONDS_PER_HOUR = 3_600


@dataclass(frozen=True)
class Calendar:
    """The declared period, the density week and the clock's rules, in local seconds."""

    start: int
    end: int
    week: int | None
    rules: list[tuple[int, int]]
    text_rules: list[tuple[int, int]] | None = None
    """Rules of the clock that text without an offset was written by, where it is another one."""

    @classmethod
    def of(cls, options: IngestOptions) -> "Calendar":
        """Read it off the options."""
        week = options.density_week
        return cls(
            local_seconds_of(options.first_day),
            local_seconds_of(options.last_day + timedelta(days=1)),
            None if week is None else local_seconds_of(week),
            offsets(options.zone_info, options.first_day, options.last_day),
            _text_rules(options),
        )

    def covers(self, at: Column) -> Column:
        """Whether a time lies in the declared period."""
        return (at >= self.start) & (at < self.end)

    def day(self, at: Column) -> Column:
        """Return the local day since the period's first, from 0."""
        return ((at - self.start) // SECONDS_PER_DAY).cast("int32")


def local_seconds_of(day: date) -> int:
    """Return local midnight of `day` in local seconds."""
    return (day - date(1970, 1, 1)).days * SECONDS_PER_DAY


def offsets(zone: ZoneInfo, first_day: date, last_day: date) -> list[tuple[int, int]]:
    """Return the offsets of `zone` from UTC over a period, as (valid from, seconds).

    The first entry holds for all times before the second one's start.

    Examples
    --------
    >>> offsets(ZoneInfo("Europe/Paris"), date(2015, 10, 20), date(2015, 10, 30))
    [(1445126400, 7200), (1445734800, 3600)]
    """
    moment = local_seconds_of(first_day - timedelta(days=2))
    end = local_seconds_of(last_day + timedelta(days=3))
    rules = [(moment, _offset(zone, moment))]
    while moment < end:
        later = moment + SECONDS_PER_HOUR
        if _offset(zone, later) != _offset(zone, moment):
            rules.append(_change(zone, moment, later))
        moment = later
    return rules


def _text_rules(options: IngestOptions) -> list[tuple[int, int]] | None:
    name = options.reading.text_time_zone
    if name is None or name == options.time_zone:
        return None
    rules = offsets(ZoneInfo(name), options.first_day, options.last_day)
    # on that clock's own wall: a rule holds from the wall time at which it begins
    return [(start + shift, shift) for start, shift in rules]


def _offset(zone: ZoneInfo, moment: int) -> int:
    shift = datetime.fromtimestamp(moment, UTC).astimezone(zone).utcoffset()
    return int((shift or timedelta()).total_seconds())


def _change(zone: ZoneInfo, before: int, after: int) -> tuple[int, int]:
    new = _offset(zone, after)
    while after - before > 1:
        middle = (before + after) // 2
        if _offset(zone, middle) == new:
            after = middle
        else:
            before = middle
    return after, new
