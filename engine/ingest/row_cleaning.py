"""Raw rows → persons, wall-clock seconds and places, each row with its reason, in plain SQL.

The results are ``every`` (distinct trips) and ``records`` (distinct visits of the week); see
`counting`. Both engines read typed columns equally; DuckDB alone reads text.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any, TypeVar

from ..errors import InputError
from ..parameters import HOURS_PER_WEEK
from .duckdb_engine import quote_text
from .inputs.column_mapping import CLOCKS, DEGREES, POINTS, TIMES
from .inputs.ids import BLANKS
from .options import IngestOptions, Reading, WorkDay, literal_values
from .row_report import Reason

T = TypeVar("T")
DAY_S, HOUR_S = 86_400, 3_600
MILLION = 10**6
"""Flows are added up in millionths of a trip, so that sums do not depend on their order."""
MAX_FLOW = 10**9
ROW_FAULTS = tuple(
    Reason[name] for name in ("NO_PERSON", "LOST_DIGITS", "UNKNOWN", "UNPARSABLE", "BACKWARDS")
)
"""Faults that make a row unreadable; the first match counts."""
_FLOATS = ("FLOAT", "DOUBLE")
_BLANKS = "' \t\r\n\v\f'"
_ID_BLANKS = quote_text(BLANKS)
_EMPTY_VALUES = "'', '\\N', 'NULL', 'null', 'NaN', 'nan', 'None', 'NA'"  # \\N: databases
_LOST_DIGITS = "^[0-9]([.,][0-9]+)?[eE][+][0-9]+$"
_NUMBER = "^[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?$"
_OFFSET = " ?([Zz]|UTC|GMT|[+-][0-9]{2}:?([0-9]{2})?|[A-Z][A-Za-z]+/[A-Za-z_/]+)$"
_WORDED_FORMAT = "%a %b %d %H:%M:%S %z %Y"
_UNITS = {"seconds": 1, "milliseconds": 10**3, "microseconds": 10**6, "nanoseconds": 10**9}
_DATES = {"ymd": "%Y/%m/%d", "dmy": "%d/%m/%Y", "mdy": "%m/%d/%Y"}
_CLOCKS = ("%H:%M:%S", "%H:%M", "%I:%M:%S %p", "%I:%M %p", "%H:%M:%S.%f", "%I:%M:%S.%f %p")
_COMPACT = (
    *("%Y%m%dT%H%M%S", "%Y%m%dT%H%M", "%Y-%m-%dT%H", "%Y-%m-%d %H"),
    *("%Y-%m-%dT%H%M", "%Y-%m-%d %H%M"),
)
_MAX_S = 10**11
_FIRST_ROWS = 2_000
_SPREADSHEET_DAYS = 25_569
"""From its first day, 1899-12-30, to 1970-01-01."""


def midnight_s(day: date) -> int:
    """Return the start of a local day in seconds of the wall clock."""
    return (day - date(1970, 1, 1)).days * DAY_S


def day_sql(moment: str, first: date) -> str:
    """Return SQL for the number of a local day: integer division differs between engines."""
    return f"floor(({moment} - {midnight_s(first)}) / {DAY_S}.0)::INTEGER"


@dataclass(frozen=True)
class ValueParser:
    """Parses values to persons, times and places; `reading` is complete."""

    reading: Reading
    strip_person_zeros: bool = False
    strip_place_zeros: bool = False
    id_length: int | None = None
    lower_place_ids: bool = False
    clocks_are_hhmm: bool = False

    def values_sql(self, table: "CanonicalTable") -> dict[str, str]:
        """Return SQL for the value of each canonical column; null where unreadable."""
        return {
            name: self._value_sql(name, *table.column_and_type(name, self.clocks_are_hhmm))
            for name in table.column_types
            if name not in CLOCKS
        }

    def _value_sql(self, canonical: str, column: str, kind: str) -> str:
        if canonical in TIMES:
            return self.seconds_sql(column, kind)
        if canonical in DEGREES:
            limit, number = 90 if canonical.endswith("lat") else 180, self.number_sql(column, kind)
            return f"CASE WHEN {number} BETWEEN -{limit} AND {limit} THEN {number} END"
        if canonical == "flow":  # in millionths of a trip
            number = self.number_sql(column, kind)
            millionths = f"floor({number} * {MILLION} + 0.5)::BIGINT"
            return f"CASE WHEN {number} BETWEEN 0 AND {MAX_FLOW} THEN {millionths} END"
        if canonical in ("uid", "tid"):
            return id_sql(column, kind, bare=self.strip_person_zeros and canonical == "uid")
        place = id_sql(column, kind, bare=self.strip_place_zeros)
        place = f"lower({place})" if self.lower_place_ids else place
        return place if self.id_length is None else f"left({place}, {self.id_length})"

    def seconds_sql(self, column: str, kind: str) -> str:
        """Return SQL for seconds of the local wall clock; null where a time cannot be read."""
        seconds = self._seconds_sql(column, kind)
        if kind != "VARCHAR":
            return seconds
        # clocks of a service day run past 24:00: 25:10 is 01:10 of the next day
        hour = f"try_cast(regexp_extract({column}, '[ T]([2-4][0-9]):', 1) AS INTEGER)"
        clock = f"'\\1' || lpad(({hour} % 24)::VARCHAR, 2, '0') || ':'"
        next_day = f"regexp_replace({column}, '([ T])[2-4][0-9]:', {clock})"
        # a lambda, so that this long text stands once in the statement
        parsed = f"list_transform([{next_day}], lambda x: {self._seconds_sql('x', kind)})[1]"
        late = f"{parsed} + {DAY_S} * ({hour} // 24)"
        return f"coalesce({seconds}, CASE WHEN {hour} BETWEEN 24 AND 47 THEN {late} END)"

    def _seconds_sql(self, column: str, kind: str) -> str:
        moment = self._moment_sql(column, kind)
        if kind == "VARCHAR" or "INT" in kind or kind.startswith((*_FLOATS, "DECIMAL")):
            return f"floor(epoch({moment}))::BIGINT"
        return f"date_diff('second', TIMESTAMP '1970-01-01 00:00:00', {moment})"

    def _moment_sql(self, column: str, kind: str) -> str:
        if kind.startswith("TIMESTAMP"):
            if kind in ("TIMESTAMP_NS", "TIMESTAMPTZ_NS"):  # DuckDB 2.0 rounds; seconds are cut off
                ns, second = f"epoch_ns({column})", 10**9
                whole_seconds = (
                    f"make_timestamp(({ns} - ({ns} % {second} + {second}) % {second}) // 1000)"
                )
                if "TZ" in kind:
                    return f"({whole_seconds} AT TIME ZONE 'UTC')::TIMESTAMP"
                return self._to_local_sql(whole_seconds)
            moment = f"CAST(date_trunc('second', {column}) AS TIMESTAMP)"
            return moment if "TZ" in kind else self._to_local_sql(moment)
        if kind == "DATE":
            return f"CAST({column} AS TIMESTAMP)"
        if kind == "VARCHAR":
            return self._text_moment_sql(f"trim({column}, {_BLANKS})")
        return self._number_moment_sql(f"{column}::DOUBLE" if "INT" not in kind else column)

    def _number_moment_sql(self, number: str) -> str:
        unit, integer = self.reading.number_times, f"try_cast({number} AS BIGINT)"
        if unit == "yyyymmdd":
            return f"try_strptime({integer}::VARCHAR, '%Y%m%d')"
        if unit == "days":  # of a spreadsheet, on the wall clock: to the nearest second
            days = f"try_cast({number} AS DOUBLE) - {_SPREADSHEET_DAYS}"
            days = f"floor(({days}) * {DAY_S} + 0.5)::BIGINT"
            return f"make_timestamp({_bounded_seconds_sql(days)} * {MILLION})"
        if number.startswith("trim"):
            integer = f"try_cast(split_part({number}, '.', 1) AS BIGINT)"
        elif "DOUBLE" in number:
            integer = f"try_cast(floor({number}) AS BIGINT)"
        units = _UNITS[unit or "seconds"]
        integer = f"(CASE WHEN abs({integer}) < 9000000000000000000 THEN {integer} END)"
        seconds = f"(({integer} - (({integer} % {units}) + {units}) % {units}) // {units})"
        return f"make_timestamptz({_bounded_seconds_sql(seconds)} * {MILLION})::TIMESTAMP"

    def _text_moment_sql(self, value: str) -> str:
        reading = self.reading
        if reading.time_format is not None:
            return f"try_strptime({value}, {quote_text(reading.time_format)})::TIMESTAMP"
        with_offset = f"regexp_replace({value}, ' ([Zz+-][^ ]*)$', '\\1')"
        wall, free = f"try_cast({value} AS TIMESTAMP)", "NULL::TIMESTAMP"
        if reading.date_order is not None:
            date_, plain = _DATES[reading.date_order], f"translate({value}, '-.', '//')"
            # two digits of a year would be a year of the first century
            two = "^[0-9]{1,2}[^0-9][0-9]{1,2}[^0-9][0-9]{2}([^0-9]|$)"
            short = f"regexp_matches({value}, '{two}')"
            clock = f"upper(regexp_extract({value}, '[0-9]+:.*$'))"
            clock = f"regexp_replace({clock}, ' *([AP]M)$', ' \\1')"  # 08:30AM as 08:30 AM
            day = f"regexp_extract({plain}, '^[0-9]+/[0-9]+/[0-9]+')"
            day = f"replace({day}, ' ', '/')"
            forms = ", ".join(quote_text(f"{date_} {c}") for c in _CLOCKS)
            shorts = ", ".join(quote_text(f"{date_.replace('%Y', '%y')} {c}") for c in _CLOCKS)
            joined = f"{day} || ' ' || coalesce(nullif({clock}, ''), '00:00')"
            free = f"try_strptime({joined}, [{forms}])"
            form = "[0-9]+/[0-9]+/[0-9]+(([^0-9A-Za-z]+|T)[0-9]+:.*)?"
            is_date = f"regexp_full_match({plain}, '{form}')"
            free = (
                f"CASE WHEN NOT {is_date} THEN NULL "
                f"WHEN {short} THEN try_strptime({joined}, [{shorts}]) ELSE {free} END"
            )
            wall = (
                f"coalesce({free}, {wall})"
                if reading.date_order == "ymd"
                else f"coalesce({free}, CASE WHEN {value}[5] = '-' THEN {wall} END)"
            )
        else:
            compact = ", ".join(map(quote_text, _COMPACT))
            wall = f"coalesce({wall}, try_strptime({value}, [{compact}]))"
        wall, free = self._to_local_sql(wall), self._to_local_sql(free)
        number = f"regexp_full_match({value}, '-?[0-9]{{1,19}}([.][0-9]+)?')"
        compact = ", ".join(quote_text(form + "%z") for form in _COMPACT)
        utc = f"regexp_replace({value}, '[Zz]$', '+00')"
        instant = (
            f"coalesce(try_cast({with_offset} AS TIMESTAMPTZ), try_strptime({utc}, [{compact}]))"
            "::TIMESTAMP"
        )
        return (
            f"CASE WHEN {value}[4] = ' ' AND {value}[1] NOT BETWEEN '-' AND '9' "
            f"THEN try_strptime({value}, '{_WORDED_FORMAT}')::TIMESTAMP "
            f"WHEN {value}[1] NOT BETWEEN '-' AND '9' THEN NULL "
            f"WHEN {value}[11:] = '' AND {number} OR {value}[5] <> '-' AND {number} "
            f"THEN {self._number_moment_sql(value)} "
            # a cast would drop text after the clock: a zone, AM or PM
            f"WHEN regexp_matches({value}[12:], '[A-Za-z+-]') THEN CASE "
            f"WHEN regexp_matches({value}[11:], '{_OFFSET}') THEN {instant} ELSE {free} END "
            f"ELSE {wall} END"
        )

    def _to_local_sql(self, wall: str) -> str:
        zone = self.reading.text_time_zone
        return wall if zone is None else f"({wall} AT TIME ZONE {quote_text(zone)})::TIMESTAMP"

    def number_sql(self, column: str, kind: str) -> str:
        """Return SQL for a number in text or by type."""
        if kind != "VARCHAR":
            # by way of a whole number, exactly: a test for NaN is answered from statistics of
            # Parquet, which leave NaN out
            integer = f"try_cast({column} AS BIGINT)::DOUBLE"
            return f"({integer} + ({column}::DOUBLE - {integer}))"
        value = f"trim({column}, {_BLANKS})"
        if self.reading.thousands:
            spaces = " \N{NO-BREAK SPACE}\u202f"
            marks = spaces if self.reading.thousands == " " else self.reading.thousands
            value = f"translate({value}, {quote_text(marks)}, '')"
        if self.reading.decimal == ",":
            value = f"replace({value}, ',', '.')"
        plain = f"regexp_full_match({value}, '{_NUMBER}')"
        return f"CASE WHEN {plain} THEN try_cast({value} AS DOUBLE) END"


def id_sql(column: str, kind: str, *, bare: bool) -> str:
    """Return SQL for an id as text in NFC, to the last digit."""
    if kind in _FLOATS:
        exact = f"abs({column}) < 9007199254740992 AND {column} = floor({column})"
        return f"CASE WHEN {exact} THEN try_cast({column} AS BIGINT)::VARCHAR END"
    if kind.startswith("DECIMAL"):
        return f"regexp_extract({column}::VARCHAR, '^-?[0-9]+([.][0-9]*[1-9])?')"
    if kind != "VARCHAR":
        return f"CAST({column} AS VARCHAR)"
    value = f"nfc_normalize(trim({column}, {_ID_BLANKS}))"
    is_decimal = f"right({value}, 1) = '0' AND regexp_matches({value}, '^-?[0-9]+[.]0+$')"
    plain = f"CASE WHEN {is_decimal} THEN split_part({value}, '.', 1) ELSE {value} END"
    if bare:
        digits = f"regexp_extract({plain}, '^0+([0-9]+)$', 1)"
        plain = f"coalesce(nullif({digits}, ''), {plain})"
    first = f"{column} >= '1'" if bare else "true"
    return (  # most ids need no cleaning, and the test is quicker than trimming them
        f"CASE WHEN {first} AND {_is_clean_sql(column)} THEN {column} "
        f"WHEN {value} <> '' AND NOT {lost_digits_sql(column, kind)} THEN {plain} END"
    )


def _is_clean_sql(column: str) -> str:
    """Return SQL for whether a text is filled, in ASCII without blanks, + and full stops."""
    return f"{column} <> '' AND NOT regexp_matches({column}, '[^!-*,/-~-]')"


def lost_digits_sql(column: str, kind: str) -> str:
    """Return SQL for whether an id has lost digits that distinguish people."""
    if kind in _FLOATS:
        # as text: DuckDB takes no number of a Parquet file for NaN where its statistics name none
        number = f"abs({column}) < 1e308 AND lower({column}::VARCHAR) <> 'nan'"
        return f"({number} AND ({id_sql(column, kind, bare=False)}) IS NULL)"
    if kind != "VARCHAR":
        return "false"
    matches = f"regexp_matches(trim({column}, {_ID_BLANKS}), '{_LOST_DIGITS}')"
    # AND computes both sides for every row, and trimming is slow
    return f"(CASE WHEN contains({column}, '+') THEN {matches} ELSE false END)"


def _bounded_seconds_sql(seconds: str) -> str:
    return f"(CASE WHEN abs({seconds}) < {_MAX_S} THEN {seconds} END)"


@dataclass(frozen=True)
class CanonicalTable:
    """Files of one signature in the engine: a view of canonical columns, and their types."""

    view: str
    column_types: Mapping[str, str]

    def column_and_type(self, canonical: str, hhmm: bool = False) -> tuple[str, str]:
        """Return a column and its type; a day and a time of the day are one text."""
        clock = next(
            (c for c, day in CLOCKS.items() if day == canonical and c in self.column_types), None
        )
        if clock is None:
            return canonical, self.column_types[canonical]
        return (
            f"({_day_text(canonical, self.column_types[canonical])} || ' ' || "
            f"{_clock_text(clock, hhmm)})",
            "VARCHAR",
        )


def _day_text(column: str, kind: str) -> str:
    if kind == "DATE" or kind.startswith("TIMESTAMP"):
        return f"CAST({column}::DATE AS VARCHAR)"
    day = f"trim({column}::VARCHAR, {_BLANKS})"
    compact = f"regexp_full_match({day}, '[12][0-9]{{7}}([.]0)?')"
    dashed = f"{day}[1:4] || '-' || {day}[5:6] || '-' || {day}[7:8]"
    return f"CASE WHEN {compact} THEN {dashed} ELSE regexp_extract({day}, '^[^T ]+') END"


def _clock_text(column: str, hhmm: bool) -> str:
    """Return SQL for a clock as hh:mm; numbers are hours, or hours and minutes if `hhmm`."""
    value = f"trim({column}::VARCHAR, {_BLANKS})"
    digits = f"lpad(regexp_extract({value}, '^([0-9]{{1,4}})([.]0+)?$', 1), 4, '0')"
    hours = f"lpad(regexp_extract({value}, '^([0-9]{{1,2}})([.]0+)?$', 1), 2, '0')"
    return (
        f"CASE WHEN {not hhmm} AND regexp_full_match({value}, '[0-9]{{1,2}}([.]0+)?') "
        f"THEN {hours} || ':00' WHEN regexp_full_match({value}, '[0-9]{{1,4}}([.]0+)?') "
        f"THEN {digits}[1:2] || ':' || {digits}[3:4] "
        f"WHEN {value}[2] = ':' THEN '0' || {value} ELSE {value} END"
    )


def detect_clocks(
    reader: ValueParser, engine: Any, tables: Sequence[CanonicalTable]
) -> ValueParser:
    """Return the parser that takes clocks such as 5 as minutes if one, such as 830, is no hour.

    Up to 29 they are hours, also of a service day.
    """
    clocks = [
        f"SELECT trim({clock}::VARCHAR, {_BLANKS}) AS clock FROM {table.view}"
        for table in tables
        for clock in CLOCKS
        if clock in table.column_types
    ]
    number = "regexp_full_match(clock, '[0-9]{1,4}([.]0+)?') AND try_cast(clock AS DOUBLE) > 29"
    sql = f"SELECT 1 FROM ({' UNION ALL '.join(clocks)}) AS c WHERE {number} LIMIT 1"
    return replace(reader, clocks_are_hhmm=bool(clocks and engine.fetch_rows(sql)))


def row_faults(
    table: CanonicalTable, kind: str, reader: ValueParser
) -> list[tuple[Reason, str, str]]:
    """Return reason, column and test of each fault of a row; the first match counts."""
    read, faults = reader.values_sql(table), list[tuple[Reason, str, str]]()

    def empty(canonical: str) -> str:
        return f"coalesce(trim({canonical}::VARCHAR, {_BLANKS}), '') IN ({_EMPTY_VALUES})"

    if "uid" in read:
        faults.append((Reason.LOST_DIGITS, "uid", lost_digits_sql(*table.column_and_type("uid"))))
        column, column_type = table.column_and_type("uid")
        person = read["uid"]
        if column_type == "VARCHAR":  # lost digits are reported already
            blank = f"trim({column}, {_ID_BLANKS})"
            person = f"CASE WHEN {_is_clean_sql(column)} THEN {column} ELSE {blank} END"
        faults.append((Reason.NO_PERSON, "uid", f"coalesce(({person}) IN ({_EMPTY_VALUES}), true)"))
    if "flow" in read:  # empty, or a mark of a number that the publisher withholds
        faults.append((Reason.UNKNOWN, "flow", f"({read['flow']}) IS NULL"))
    for canonical in (*TIMES, "tid", *DEGREES):
        if canonical not in read or (canonical == "tid" and kind != "visits"):
            continue
        test = empty("tid") if canonical == "tid" else f"({read[canonical]}) IS NULL"
        test = f"NOT {empty(canonical)} AND {test}" if canonical == "end_datetime" else test
        faults.append((Reason.UNPARSABLE, canonical, test))
    return faults


def values_sql(
    tables: Sequence[CanonicalTable], options: IngestOptions, reader: ValueParser
) -> str:
    """Return SQL for the values of all rows, with the reason (0: none) of an unreadable row."""
    return " UNION ALL ".join(_table_values_sql(table, options, reader) for table in tables)


def _table_values_sql(table: CanonicalTable, options: IngestOptions, reader: ValueParser) -> str:
    read, kind = reader.values_sql(table), options.kind
    start = read.get("date" if kind == "flows" else "datetime")
    columns = {
        "uid": read.get("uid", "NULL::VARCHAR"),
        "start": start or f"{midnight_s(options.first_day)}::BIGINT",
    }
    if kind in ("trips", "rides"):
        columns["finish"] = f"({read.get('end_datetime', 'NULL')})::BIGINT"
    columns |= {own: read[own] for own in ("flow", "tid", *DEGREES) if own in read}
    ends = ("origin", "destination", "location_id")
    columns |= {f"{own.removesuffix('_id')}_id": read[own] for own in ends if own in read}
    of_row: dict[Reason, list[str]] = {}
    for reason, _column, test in row_faults(table, kind, reader):
        of_row.setdefault(reason, []).append(test)
    if "backwards" in options.leave_out and "finish" in columns:
        of_row[Reason.BACKWARDS] = [f"{columns['finish']} < {columns['start']}"]
    branches = " ".join(
        f"WHEN {' OR '.join(tests)} THEN {int(reason)}" for reason, tests in of_row.items()
    )
    flaw = f"CASE {branches} ELSE 0 END" if branches else "0"
    selected = ", ".join(f"{sql} AS {canonical}" for canonical, sql in columns.items())
    return f"SELECT {flaw} AS flaw, {selected} FROM {table.view}"


def distinct_points_sql(tables: Sequence[CanonicalTable], reader: ValueParser) -> str:
    """Return SQL for the distinct coordinates (lat, lng in degrees) of all rows that have both."""
    parts: list[str] = []
    for table in tables:
        read = reader.values_sql(table)
        parts += [
            f"SELECT {read[lat]} AS lat, {read[lng]} AS lng FROM {table.view}"
            for lat, lng in POINTS
            if lat in read
        ]
    all_points = " UNION ALL ".join(parts)
    return (
        f"SELECT DISTINCT lat, lng FROM ({all_points}) AS p WHERE lat IS NOT NULL AND lng IS "
        "NOT NULL"
    )


def call_with_row_ids(fetch_ids: Callable[[bool], list[str]], call: Callable[[list[str]], T]) -> T:
    """Return what `call` makes of ids of the first rows, or of all if those leave a question."""
    try:
        return call(fetch_ids(False))
    except InputError as error:
        if error.code != "id-column":
            raise
    return call(fetch_ids(True))


def fetch_row_ids(
    engine: Any, tables: Sequence[CanonicalTable], reader: ValueParser, in_all: bool
) -> list[str]:
    """Return the distinct ids of places in all rows, or in the first ones of each table."""
    first = "" if in_all else f" LIMIT {_FIRST_ROWS}"
    parts = [
        f"(SELECT {reader.values_sql(table)[canonical]} AS id FROM {table.view}{first})"
        for table in tables
        for canonical in ("location_id", "origin", "destination")
        if canonical in table.column_types
    ]
    sql = f"SELECT DISTINCT id FROM ({' UNION ALL '.join(parts)}) AS p WHERE id IS NOT NULL"
    return engine.fetch_table(sql)["id"].to_pylist()


def _period_sql(options: IngestOptions, moment: str) -> str:
    day_after = options.last_day + timedelta(days=1)
    return f"{moment} >= {midnight_s(options.first_day)} AND {moment} < {midnight_s(day_after)}"


def _reason_sql(options: IngestOptions, moment: str, outside: str, further_cases: str = "") -> str:
    """Return SQL for the reason of a row with ``flaw``, a moment, and a test for no place."""
    return f"""
        CASE WHEN flaw <> 0 THEN flaw
             WHEN NOT ({_period_sql(options, moment)}) THEN {int(Reason.OUTSIDE_PERIOD)}
             WHEN {outside} THEN {int(Reason.OUTSIDE_AREA)} {further_cases} ELSE 0 END"""


def _trip_reason_sql(options: IngestOptions) -> str:
    """Return SQL for the reason of a trip with ``start`` and zones at both ends."""
    outside = "origin_zone IS NULL OR destination_zone IS NULL"
    further_cases = f"WHEN origin_zone = destination_zone THEN {int(Reason.SELF_TRIP)}"
    return _reason_sql(options, "start", outside, further_cases)


def _trip_places_sql(by_points: bool) -> str:
    """Return SQL for ``raw`` with the places and zones of both ends."""
    ends = ("origin", "destination")
    columns = ", ".join(f"{end}_at.location AS {end}, {end}_at.zone AS {end}_zone" for end in ends)
    joins = " ".join(
        f"LEFT JOIN points AS {end}_at ON {end}_lat = {end}_at.lat AND {end}_lng = {end}_at.lng"
        if by_points
        else f"LEFT JOIN places AS {end}_at ON {end}_id = {end}_at.place"
        for end in ends
    )
    return f"SELECT raw.*, {columns} FROM raw {joins}"


def trips_sql(options: IngestOptions, by_points: bool, tid: bool = False) -> str:
    """Return SQL for distinct trips, their reason and the number of raw rows alike (``copies``)."""
    keys = ["uid", "start", "finish", "origin", "destination", "origin_zone", "destination_zone"]
    keys += ["tid"] if tid else []
    read = ", ".join(f"CASE WHEN flaw = 0 THEN {key} END AS {key}" for key in keys)
    return f"""
        WITH placed AS ({_trip_places_sql(by_points)})
        SELECT {_trip_reason_sql(options)} AS reason, {read}, count(*) AS copies FROM placed GROUP
        BY ALL"""


def visits_from_trips_sql() -> str:
    """Return SQL for the visits of trips: the start, and the end where its time is known."""
    read = f"reason NOT IN ({', '.join(str(int(flaw)) for flaw in ROW_FAULTS)})"
    return f"""
        SELECT 0 AS flaw, uid, start AS moment, origin AS location, origin_zone AS zone
        FROM every WHERE {read}
        UNION ALL
        SELECT 0, uid, finish, destination, destination_zone
        FROM every WHERE {read} AND finish IS NOT NULL"""


def visits_sql(by_points: bool) -> str:
    """Return SQL for the visits of ``raw`` at places: flaw, uid, moment, location, zone (tid)."""
    on = "raw.lat = p.lat AND raw.lng = p.lng" if by_points else "location_id = p.place"
    places = "points" if by_points else "places"
    return (
        f"SELECT raw.*, start AS moment, p.location AS location, p.zone AS zone "
        f"FROM raw LEFT JOIN {places} AS p ON {on}"
    )


def records_sql(options: IngestOptions, visits_: str) -> str:
    """Return SQL for distinct (person, place, hour of the density week), and unused rows."""
    assert options.density_week is not None
    hour = f"floor((moment - {midnight_s(options.density_week)}) / {HOUR_S}.0)"
    further_cases = f"WHEN {hour} < 0 OR {hour} >= {HOURS_PER_WEEK} THEN {int(Reason.OTHER_WEEK)}"
    reason = _reason_sql(options, "moment", "location IS NULL", further_cases)
    return f"""
        WITH judged AS (
            SELECT {reason} AS reason, uid, location, {hour} AS hour FROM ({visits_}) AS v
        )
        SELECT reason, CASE WHEN reason = 0 THEN uid END AS uid,
               CASE WHEN reason = 0 THEN location END AS location,
               CASE WHEN reason = 0 THEN hour END::SMALLINT AS hour, count(*) AS copies
        FROM judged GROUP BY ALL"""


def visit_reasons_sql(options: IngestOptions, visits_: str) -> str:
    """Return SQL for visits by reason where only trips are wanted, which need a zone."""
    return f"""
        SELECT {_reason_sql(options, "moment", "zone IS NULL")} AS reason,
               count(*) AS copies
        FROM ({visits_}) AS v GROUP BY ALL"""


_TRIP_COLUMNS = "uid, start, finish, origin, destination, origin_zone, destination_zone"


def trips_from_visits_sql(options: IngestOptions, visits_: str) -> str:
    """Return SQL for a visit and the person's next one, in another zone, on the same local day."""
    day = day_sql("moment", options.first_day)
    return f"""
        WITH moments AS (
            SELECT uid, {day} AS day, moment, min(location) AS first, max(location) AS last,
                   min(zone) AS zone, min(zone) < max(zone) AS tied FROM ({visits_}) AS v
            WHERE flaw = 0 AND zone IS NOT NULL AND {_period_sql(options, "moment")}
            GROUP BY uid, {day}, moment
        ), moves AS (
            SELECT uid, moment AS start, last AS origin, zone AS origin_zone, tied,
                   lead(moment) OVER w AS finish, lead(first) OVER w AS destination,
                   lead(zone) OVER w AS destination_zone, lead(tied) OVER w AS ends_tied
            FROM moments WINDOW w AS (PARTITION BY uid, day ORDER BY moment)
        )
        SELECT CASE WHEN tied THEN {int(Reason.TIED)} ELSE 0 END AS reason, {_TRIP_COLUMNS},
               count(*) AS copies
        FROM moves WHERE tied OR NOT ends_tied AND origin_zone <> destination_zone GROUP BY ALL"""


def trips_from_points_sql(options: IngestOptions, visits_: str) -> str:
    """Return SQL for trips with ids in the rows: each from its first to its last row."""
    first, last = "WHERE moment = first_at", "WHERE moment = last_at"
    return f"""
        WITH marked AS (
            SELECT *, min(moment) OVER w AS first_at, max(moment) OVER w AS last_at,
                   coalesce(zone, -1) AS at_zone
            FROM ({visits_}) AS v WHERE flaw = 0 WINDOW w AS (PARTITION BY uid, tid)
        ), placed AS (
            SELECT uid, first_at AS start, last_at AS finish,
                   min(location) FILTER ({first}) AS origin,
                   max(zone) FILTER ({first}) AS origin_zone,
                   max(location) FILTER ({last}) AS destination,
                   max(zone) FILTER ({last}) AS destination_zone,
                   CASE WHEN min(at_zone) FILTER ({first}) < max(at_zone) FILTER ({first})
                          OR min(at_zone) FILTER ({last}) < max(at_zone) FILTER ({last})
                        THEN {int(Reason.TIED)} ELSE 0 END AS flaw
            FROM marked GROUP BY uid, tid, first_at, last_at
        )
        SELECT {_trip_reason_sql(options)} AS reason, {_TRIP_COLUMNS}, count(*) AS copies
        FROM placed GROUP BY ALL"""


def commutes_sql(options: IngestOptions, visits_: str) -> str:
    """Return SQL for people by home and work zone, null where a person has none.

    A zone's records of one hour count once. Ties go to the first zone, as for homes. A person's
    zones depend on that person's rows alone, so nobody is in two rows.
    """
    hour = f"floor((moment - {midnight_s(options.first_day)}) / {HOUR_S}.0)::INTEGER"
    week_days = literal_values(WorkDay)
    work_days = ", ".join(str(week_days.index(day)) for day in options.work_days)
    week_day = f"({options.first_day.weekday()} + floor(hour / 24.0)::INTEGER) % 7"
    nights = f"SELECT uid, zone FROM stays WHERE {hours_sql(options.home_hours)}"
    shifts = (
        "SELECT stays.uid, stays.zone FROM stays JOIN homes ON stays.uid = homes.uid "
        f"WHERE {hours_sql(options.work_hours)} AND {week_day} IN ({work_days}) "
        "AND stays.zone <> homes.zone"
    )
    return f"""
        WITH stays AS (
            SELECT DISTINCT uid, zone, {hour} AS hour FROM ({visits_}) AS v
            WHERE flaw = 0 AND zone IS NOT NULL AND {_period_sql(options, "moment")}
        ), people AS (
            SELECT DISTINCT uid FROM stays
        ), homes AS ({most_frequent_zone_sql(nights)}), works AS ({most_frequent_zone_sql(shifts)})
        SELECT 0 AS day, homes.zone AS origin_zone, works.zone AS destination_zone, 1 AS rank,
               count(*) AS n
        FROM people LEFT JOIN homes ON people.uid = homes.uid
        LEFT JOIN works ON people.uid = works.uid GROUP BY homes.zone, works.zone"""


def most_frequent_zone_sql(rows: str) -> str:
    """Return SQL for each person's ``zone`` of most `rows`, the first if tied."""
    return f"""
        SELECT uid, arg_max(zone, n * 4294967296 - zone) AS zone
        FROM (SELECT uid, zone, count(*) AS n FROM ({rows}) AS r GROUP BY uid, zone) AS counted
        GROUP BY uid"""


def hours_sql(hours: tuple[int, int]) -> str:
    """Return SQL for whether ``hour``, of the period, lies from one hour of the day to another."""
    first, end = hours
    joint = "AND" if first < end else "OR"
    return f"(hour % 24 >= {first} {joint} hour % 24 < {end})"


def flows_sql(options: IngestOptions) -> str:
    """Return SQL for flows by reason, day and zones: n millionths of a trip, ``copies``."""
    day = day_sql("start", options.first_day)
    keys = {"day": day, "origin_zone": "origin_zone", "destination_zone": "destination_zone"}
    unknown = int(Reason.UNKNOWN)
    read = ", ".join(
        f"CASE WHEN reason IN (0, {unknown}) THEN {sql} END AS {key}" for key, sql in keys.items()
    )
    return f"""
        WITH placed AS ({_trip_places_sql(by_points=False)}),
        judged AS (SELECT *, {_trip_reason_sql(options)} AS reason FROM placed),
        added AS (
            SELECT reason, {read}, sum(CASE WHEN reason = 0 THEN flow ELSE 0 END)::BIGINT AS n,
                   count(*) AS copies
            FROM judged GROUP BY ALL
        ),
        told AS (  -- a flow with a hidden part is not known: its other parts are no smaller flow
            SELECT *, max(CASE WHEN reason = {unknown} THEN 1 ELSE 0 END)
                      OVER (PARTITION BY {", ".join(keys)}) AS hidden FROM added
        )
        SELECT CASE WHEN reason = 0 AND hidden = 1 THEN {unknown} ELSE reason END AS reason,
               {", ".join(keys)}, n, copies
        FROM told"""
