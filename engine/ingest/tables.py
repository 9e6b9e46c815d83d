"""Files → views of canonical columns in DuckDB, and errors for rows that cannot be read."""

import os
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any

from .. import temp_folder
from ..errors import InputError
from .duckdb_engine import DuckDB, quote_identifier, quote_text
from .inputs.column_mapping import DEGREES, Mappings, joined_columns
from .inputs.sources import MAX_UNPACKED_BYTES, Source, first_rows, to_printable
from .options import CHOICES, SENTENCES, Choice, IngestOptions, build_error
from .progress import Monitor
from .read_errors import translate_errors
from .row_cleaning import MAX_FLOW, CanonicalTable, ValueParser, id_sql, row_faults
from .row_report import REASON_LABELS, Reason, RowAccount

_CHOICE_BY_REASON: dict[Reason, Choice] = {
    Reason.NO_PERSON: "people",
    Reason.UNPARSABLE: "unreadable",
    Reason.UNKNOWN: "unknown-flows",
}
_SMALL_BYTES, _COMPARED_ROWS = 50_000_000, 100
_FAULT_MESSAGES = {
    Reason.NO_PERSON: "is empty",
    Reason.LOST_DIGITS: "contains ids that have lost digits",
    Reason.UNKNOWN: "holds no number",
}
_COLUMN_REMEDIES: dict[str, tuple[str, tuple[str, ...]]] = {
    column: (how["remedy"].format(most=f"{MAX_FLOW:,}"), tuple(how["settings"]))
    for how in SENTENCES["columns"]
    for column in how["columns"]
}
_USEFUL_COLUMNS = {
    Reason.OUTSIDE_PERIOD: ("datetime", "date"),
    Reason.OUTSIDE_AREA: ("location_id", "origin", "destination", *DEGREES),
}
_UNUSED_REMEDIES: dict[Reason, tuple[str, tuple[str, ...]]] = {
    Reason[reason]: (how["remedy"], tuple(how["settings"]))
    for reason, how in SENTENCES["unused"].items()
}


@contextmanager
def open_tables(
    mappings: Mappings, monitor: Monitor | None = None, spill: Path | None = None, **settings: Any
) -> Generator[tuple[DuckDB, list[CanonicalTable]]]:
    """Yield an engine that reads these files alone, with a view of each group of similar files."""
    with temp_folder.open_temp_folder(spill) as folder:
        monitor = monitor or Monitor()
        paths = {source: _readable_path(source, folder, monitor) for source in mappings}
        path_names = {path: source.name for source, path in paths.items()}
        engine = DuckDB(monitor, folder, paths=path_names, **settings)
        try:
            yield engine, _create_views(engine, mappings, paths)
        finally:
            engine.close()


def _readable_path(source: Source, folder: Path, monitor: Monitor) -> str:
    path = source.path
    target = folder / f"input-{len(list(folder.iterdir()))}"
    if source.needs_copy:
        byte_count = 0
        with (
            translate_errors(f"{source.name} (as {source.encoding})"),
            source.open_text() as pieces,
            target.open("w", encoding="utf-8", newline="") as out,
        ):
            for piece in pieces:
                monitor.check()
                if (byte_count := byte_count + out.write(piece)) > MAX_UNPACKED_BYTES:
                    raise build_error("unpacked-size", file=source.name)
        return str(target)
    if set("*?[") & set(str(path)) or not str(path).isprintable():
        os.symlink(path, target)
        return str(target)
    return str(path)


def _create_views(
    engine: DuckDB, mappings: Mappings, paths: Mapping[Source, str]
) -> list[CanonicalTable]:
    ordered = sorted(mappings, key=lambda source: (str(source.signature), source.path))
    tables: list[CanonicalTable] = []
    for _key, members in groupby(ordered, key=lambda source: source.signature):
        sources = list(members)
        view = f"input_{len(tables)}"
        sql = _select_sql(engine, sources, [paths[source] for source in sources], mappings)
        engine.create_view(view, sql)
        tables.append(CanonicalTable(view, engine.column_types(f"SELECT * FROM {view}")))
    return tables


def _select_sql(
    engine: DuckDB, sources: Sequence[Source], paths: Sequence[str], mappings: Mappings
) -> str:
    source, mapping = sources[0], mappings[sources[0]]
    files = ", ".join(map(quote_text, paths))
    days = dict[str, str]()  # of the folders' names, as if they were columns
    for i, (column, _) in enumerate(source.folder_days):
        day_of_path = zip(paths, (s.folder_days[i][1] for s in sources), strict=True)
        cases = (f"WHEN {quote_text(path)} THEN {quote_text(day)}" for path, day in day_of_path)
        days[column] = f"CASE source_file {' '.join(cases)} END"
    file_column = ", filename = 'source_file'" if days else ""
    if source.format == "parquet":
        # a folder named column=value must not overrule the column
        reader = f"read_parquet([{files}], hive_partitioning = false{file_column})"
        quoted_names = {column: quote_identifier(column) for column in source.columns}
    else:
        columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(source.columns) - len(days)))
        native = "utf-8" if source.needs_copy else source.encoding
        packed = "none" if source.needs_copy else source.packing or "none"
        mark = "\t" if source.delimiter == " " else source.delimiter
        reader = (
            f"read_csv([{files}], columns = {{{columns}}}, auto_detect = false, header = false, "
            f"delim = {quote_text(mark)}, quote = '\"', escape = '\"', "
            f"encoding = '{native}', skip = {source.skipped_rows}, "
            f"compression = '{packed}'{file_column})"
        )
        quoted_names = {column: f"c{i}" for i, column in enumerate(source.columns)}
    quoted_names |= days
    kinds: dict[str, str] = {}
    specs = {canonical: joined_columns(spec, source.columns) for canonical, spec in mapping.items()}
    if any(len(spec) > 1 or spec[0][1] for spec in specs.values()):
        kinds = engine.column_types(f"SELECT * FROM {reader}")
    selected: list[str] = []
    for canonical, spec in specs.items():
        if len(spec) == 1 and spec[0][1] is None:
            selected.append(f"{quoted_names[spec[0][0]]} AS {canonical}")
            continue
        parts: list[str] = []
        for column, digits in spec:
            kind = kinds.get(quoted_names[column].strip('"'), "VARCHAR")
            part = id_sql(quoted_names[column], kind, bare=False)
            if digits is not None:  # zeros alone are cut off
                fits = f"length(ltrim({part}, '0')) <= {digits}"
                part = f"CASE WHEN {fits} THEN right(lpad({part}, 40, '0'), {digits}) END"
            parts.append(part)
        selected.append(f"{' || '.join(parts)} AS {canonical}")
    return f"SELECT {', '.join(selected)} FROM {reader}"


def find_repeated_files(
    mappings: Mappings, options: IngestOptions, reader: ValueParser, monitor: Monitor
) -> dict[Source, Source]:
    """Return files that hold the rows of an earlier one, and that one.

    All rows are compared of small files, else of those of equal first rows or of equal size.
    """
    are_small = sum(source.size_bytes for source in mappings) < _SMALL_BYTES
    groups = dict[object, list[Source]]()
    for source, names in mappings.items():
        used = [i for i, column in enumerate(source.columns) if column in names.values()]
        rows = [] if are_small else first_rows(source, _COMPARED_ROWS, names.values())
        head = str([[row[i].strip() for i in used if i < len(row)] for row in rows])
        for sign in (head, source.size_bytes):  # a shuffled copy of a text has its size
            groups.setdefault(sign, []).append(source)
    compared = dict.fromkeys(s for group in groups.values() if len(group) > 1 for s in group)
    repeated, first = dict[Source, Source](), dict[object, Source]()
    how = {"time_zone": options.time_zone, "memory": options.memory}
    for source in compared:
        mapping = {source: mappings[source]}
        with open_tables(mapping, monitor, options.spill, **how) as (engine, (table,)):
            values = ", ".join(sql for _, sql in sorted(reader.values_sql(table).items()))
            sql = f"SELECT count(*), sum(hash({values})::HUGEINT) FROM {table.view}"
            (rows_and_sum,) = engine.fetch_rows(sql)
        if (earlier := first.setdefault(rows_and_sum, source)) is not source:
            repeated[source] = earlier
    return repeated


def raise_for_faults(
    options: IngestOptions, mappings: Mappings, account: RowAccount, reader: ValueParser
) -> None:
    """Raise `InputError` for unreadable rows that are not to be left out; name the first three."""
    chosen = {reason for reason, choice in _CHOICE_BY_REASON.items() if choice in options.leave_out}
    wrong = {
        r for r in (*_CHOICE_BY_REASON, Reason.LOST_DIGITS) if account.rows_unused.get(r)
    } - chosen
    if not wrong:
        return
    for source, names in mappings.items():
        if source.format == "table":  # of a cluster: rows are not numbered on this machine
            reason = min(wrong)
            fault = (
                f"{account.rows_unused[reason]:,} of {account.rows_read:,} rows were left out "
                f"({REASON_LABELS[reason]})"
            )
            raise _build_error(fault, "check the columns", reason, "mapping")
        with open_tables(
            {source: names}, None, options.spill, time_zone=options.time_zone, keep_order=True,
            memory=options.memory,
        ) as (engine, (table,)):  # fmt: skip
            tests = [
                fault_test
                for fault_test in row_faults(table, options.kind, reader)
                if fault_test[0] in wrong
            ]
            counts = ", ".join(
                f"count(*) FILTER ({test}), min(number, 3) FILTER ({test}), count(*) FILTER "
                f"({test} AND lower(trim({canonical}::VARCHAR)) = "
                f"{quote_text(names[canonical].lower())})"
                for _, canonical, test in tests
            )
            numbered = f"SELECT *, row_number() OVER () AS number FROM {table.view}"
            ((rows, *numbers),) = engine.fetch_rows(f"SELECT count(*), {counts} FROM ({numbered})")
        for (reason, canonical, _), n, first, headers in zip(
            tests, numbers[::3], numbers[1::3], numbers[2::3], strict=True
        ):
            if n:
                remedy, settings = _COLUMN_REMEDIES[canonical]
                which = ("row " if n == 1 else "rows ") + ", ".join(f"{row:,}" for row in first)
                if headers == n:
                    which += f" (line {first[0] + source.skipped_rows:,}): the line of names again"
                    remedy, settings = "remove each line of names but the first", ()
                raise _build_error(
                    f"{source.name}: column '{to_printable(names[canonical])}' (for {canonical}) "
                    f"{_FAULT_MESSAGES.get(reason, 'cannot be read')} in {n:,} of {rows:,} rows, "
                    f"the first in {which}",
                    remedy,
                    reason,
                    *settings,
                )


def _build_error(fault: str, remedy: str, reason: Reason, *settings: str) -> InputError:
    choice = _CHOICE_BY_REASON.get(reason)
    if choice is None:
        return InputError(fault, remedy=remedy, code="lost-digits", settings=settings)
    remedy, settings = f"{remedy}, or {CHOICES[choice]} ({choice})", (*settings, "leave_out")
    return InputError(fault, remedy=remedy, code=choice, settings=settings)


def raise_for_useless(
    options: IngestOptions, mappings: Mappings, account: RowAccount, told_by: str = ""
) -> None:
    """Raise `InputError` if no row is in the period and the area, or none gives a trip."""
    files = [source.name for source in mappings]
    where = files[0] if len(files) == 1 else f"{len(files)} files"
    if account.rows_read == 0:
        raise build_error("no-rows", files=where)
    lost = sum(n for reason, n in account.rows_unused.items() if reason is not Reason.SELF_TRIP)
    if account.rows_used or ("trips" not in options.parts and lost < account.rows_read):
        return
    reason = max(account.rows_unused, key=lambda r: account.rows_unused[r])
    names = next(iter(mappings.values()))
    by_columns = [
        f"'{to_printable(names[name])}' (for {name}{', guessed' * (name not in options.mapping)})"
        for name in _USEFUL_COLUMNS.get(reason, ())
        if name in names
    ]
    remedy, settings = _UNUSED_REMEDIES.get(reason, ("check the mapping of columns", ("mapping",)))
    if reason is Reason.OUTSIDE_AREA and any(
        set(DEGREES) & set(columns) for columns in mappings.values()
    ):
        remedy = (
            "check that the locations or zones cover the coordinates, and that latitude and "
            "longitude are not swapped"
        )
    raise InputError(
        f"{where}: none of the {account.rows_read:,} rows can be used; "
        f"{account.rows_unused[reason]:,} were left out ({REASON_LABELS[reason]})"
        + (f", by column {' and '.join(by_columns)}" if by_columns else "")
        + (f" ({told_by})" if told_by and reason is Reason.OUTSIDE_AREA else ""),
        remedy=remedy,
        settings=settings,
    )
