# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
"""Checks between stages: columns, rows that cannot be read, and nothing left to count."""

from dataclasses import replace
from typing import NoReturn

import ibis

from engine.errors import InputError
from engine.ingest import mapping, rows
from engine.ingest.embedded import DuckDBEngine
from engine.ingest.options import IngestOptions
from engine.ingest.progress import Monitor
from engine.ingest.report import WORDS, Account, Reason
from engine.ingest.sources import Source, shown

_USABLE = ("string", "large_string", "int", "uint", "float", "double", "halffloat", "timestamp")
_USABLE_TOO = ("string_view", "date32", "dictionary", "decimal128")


def mappings(options: IngestOptions, found: list[Source]) -> rows.Mappings:
    """Return the column mapping of every file, checked."""
    result: rows.Mappings = {}
    for source in found:
        names = mapping.resolve(options.kind, options.mapping, source)
        if options.kind == "visits":
            names = mapping.one_place(names, options.mapping, source)
        for canonical, column in names.items():
            kind = source.kinds[source.columns.index(column)]
            if not kind.startswith(_USABLE + _USABLE_TOO):
                raise InputError(
                    f"{source.name}: column '{shown(column)}' (for {canonical}) is of type "
                    f"{kind[:40]}; text, numbers and times are read"
                )
        result[source] = names
    _check_alike(result)
    return result


def _check_alike(files: rows.Mappings) -> None:
    first, *others = files.items()
    for source, names in others:
        if set(names) != set(first[1]):
            odd = sorted(set(names) ^ set(first[1]))
            raise InputError(
                f"{source.name}: {', '.join(odd)} is found in this file or in {first[0].name}, "
                "not in both; map the columns of all files alike"
            )


def unparsable(
    options: IngestOptions,
    files: rows.Mappings,
    count: int,
    calendar: rows.Calendar,
    monitor: Monitor,
) -> None:
    """Refuse rows that cannot be read, naming file, column, count and first row."""
    if count == 0 or options.skip_unparsable:
        return
    local = replace(options, engine="duckdb", threads=1)
    for source, names in files.items():
        engine = DuckDBEngine(local, [source], monitor, keep_order=True)
        try:
            raw = engine.read([source], names)
            tests = rows.unreadable(raw, options.kind, calendar)
            numbered = raw.select(row=ibis.row_number() + 1, **tests)
            counts = engine.fetch(
                numbered.aggregate(
                    rows=numbered.count(),
                    **{f"{c}_n": numbered[c].cast("int64").sum() for c in tests},
                    **{f"{c}_first": numbered.row.min(where=numbered[c]) for c in tests},
                )
            ).to_pylist()[0]
        finally:
            engine.close()
        for canonical in tests:
            wrong = counts[f"{canonical}_n"]
            if wrong:
                raise InputError(
                    f"{source.name}: column '{shown(names[canonical])}' (for {canonical}) cannot "
                    f"be read in {wrong:,} of {counts['rows']:,} rows, the first in row "
                    f"{counts[f'{canonical}_first']:,}; {_remedy(canonical)}, or count such rows "
                    "as unparsable with --skip-unparsable"
                )


def anything_used(account: Account, options: IngestOptions) -> None:
    """Refuse an input of which nothing lies in the period and the area, or gives a trip."""
    lost = account.unused.get(Reason.OUTSIDE_PERIOD, 0) + account.unused.get(Reason.OUTSIDE_AREA, 0)
    if account.read == 0:
        raise InputError("the files hold no rows of data (0 rows); name files with data")
    useless = lost + account.unused.get(Reason.UNPARSABLE, 0)
    if account.used or ("trips" not in options.parts and useless < account.read):
        return
    reason = max((r for r in account.unused), key=lambda r: account.unused[r])
    remedy = {
        Reason.OUTSIDE_PERIOD: "check --from, --to and --timezone",
        Reason.OUTSIDE_AREA: "check that the ids are those of --locations or --zones",
        Reason.SELF_TRIP: "build the visits alone with --parts density",
    }.get(reason, "check the column mapping")
    raise InputError(
        f"none of {account.read:,} rows can be used: {account.unused[reason]:,} are "
        f"{WORDS[reason]}; {remedy}"
    )


def no_visits(options: IngestOptions, account: Account) -> NoReturn:
    """Refuse a density week without a single visit."""
    week = options.density_week
    raise InputError(
        f"none of {account.read:,} visits falls in the week of {week} at a known place; name "
        "another week with --week, or build the trips alone with --parts trips"
    )


def parts(options: IngestOptions) -> None:
    """Refuse a density that the input cannot give."""
    if "trips" in options.parts:
        return
    if options.kind == "flows":
        raise InputError("flows give no density; build trips with --parts trips")
    if options.density_week is None:
        raise InputError(
            "the period has no full week from Monday to Sunday, so there is no density to build; "
            "widen --from and --to, or build trips"
        )


def _remedy(canonical: str) -> str:
    if canonical == "uid":
        return "give every row a person"
    if canonical in ("lat", "lng"):
        return "give degrees, latitude within ±90 and longitude within ±180"
    if canonical == "flow":
        return "give whole numbers of trips from 0"
    return "write times as 2015-09-07 08:30:00 or as seconds since 1970"
