"""Checks between stages: rows that cannot be read, and nothing left to count."""

from collections.abc import Callable
from dataclasses import replace
from typing import NoReturn

import ibis

from ...errors import InputError
from ..backends.embedded import DuckDBEngine
from ..inputs.guess import SAMPLE_ROWS
from ..inputs.mapping import DEGREES, TIMES, Mappings
from ..inputs.places import Places, id_shapes
from ..inputs.samples import first_rows
from ..inputs.sources import shown
from ..options import IngestOptions
from ..progress import Monitor
from ..report import WORDS, Account, Reason
from . import rows
from .reader import LARGEST_FLOW, Reader

Accept = Callable[[Account], None]
"""Takes the account of the raw rows, or refuses the input."""


_SETTINGS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(TIMES, ("date_order", "number_times")),
    **dict.fromkeys(DEGREES, ("decimal",)),
    "flow": ("decimal", "thousands"),
}
_REMEDIES: dict[Reason, tuple[str, tuple[str, ...]]] = {
    Reason.OUTSIDE_PERIOD: (
        "check the first and the last day, the time zone, and what times that are numbers count",
        ("first_day", "last_day", "time_zone", "number_times"),
    ),
    Reason.OUTSIDE_AREA: (
        "check that the ids are those of the locations or zones",
        ("locations", "zones", "mapping"),
    ),
    Reason.SELF_TRIP: ("build the visits alone", ("parts",)),
}


def unparsable(
    options: IngestOptions, files: Mappings, account: Account, reader: Reader, monitor: Monitor
) -> None:
    """Refuse rows that cannot be read, naming file, column, count and first row."""
    wrong = account.unused.get(Reason.UNPARSABLE, 0)
    if not wrong or options.skip_unparsable:
        return
    if any(source.addresses for source in files):  # no row of theirs comes to this machine
        raise InputError(
            f"{wrong:,} of {account.read:,} rows cannot be read",
            remedy="check the columns and the order of dates, or count rows that cannot be read",
            code="unparsable",
            settings=("mapping", "date_order", "number_times", "skip_unparsable"),
        )
    local = replace(options, engine="duckdb", threads=1)
    for source, names in files.items():
        engine = DuckDBEngine(local, [source], monitor, keep_order=True)
        try:
            read = rows.read_all(engine, {source: names})
            raw = rows.with_moments(engine, read, reader)[0]
            tests = rows.unreadable(raw, options.kind, reader)
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
                    f"{counts[f'{canonical}_first']:,}",
                    remedy=f"{_remedy(canonical)}, or count rows that cannot be read",
                    code="unparsable",
                    settings=(*_SETTINGS.get(canonical, ()), "skip_unparsable"),
                )


def anything_used(
    account: Account, options: IngestOptions, files: Mappings, places: Places
) -> None:
    """Refuse an input of which nothing lies in the period and the area, or gives a trip."""
    names = [source.name for source in files]
    where = names[0] if len(names) == 1 else f"{len(names)} files"
    lost = account.unused.get(Reason.OUTSIDE_PERIOD, 0) + account.unused.get(Reason.OUTSIDE_AREA, 0)
    if account.read == 0:
        raise InputError(f"{where}: no rows of data (0 rows); name files with data")
    useless = lost + account.unused.get(Reason.UNPARSABLE, 0)
    if account.used or ("trips" not in options.parts and useless < account.read):
        return
    reason = max((r for r in account.unused), key=lambda r: account.unused[r])
    remedy, settings = _REMEDIES.get(reason, ("check the mapping of columns", ("mapping",)))
    if reason is Reason.OUTSIDE_AREA and any(n.endswith("lat") for n in next(iter(files.values()))):
        remedy = "check that the locations or zones cover the coordinates"
    elif reason is Reason.OUTSIDE_AREA:
        remedy += f". {id_shapes(_first_ids(files), places)}"
    raise InputError(
        f"{where}: none of {account.read:,} rows can be used: {account.unused[reason]:,} are "
        f"{WORDS[reason]}",
        remedy=remedy,
        code=f"all-{reason.name.lower().replace('_', '-')}",
        settings=settings,
    )


def _first_ids(files: Mappings) -> list[str]:
    """Return the ids of places in the first rows of the first file; they are not to be told."""
    source, names = next(iter(files.items()))
    columns = [names[n] for n in ("location_id", "origin", "destination") if n in names]
    at = [source.columns.index(column) for column in columns]
    rows = first_rows(source, SAMPLE_ROWS, columns)
    return [text for row in rows for i in at if i < len(row) and (text := row[i].strip())]


def no_visits(options: IngestOptions, account: Account) -> NoReturn:
    """Refuse a density week without a single visit."""
    raise InputError(
        f"none of {account.read:,} visits falls in the week of {options.density_week} at a known "
        "place",
        remedy="name another week, or build the trips alone",
        code="no-visits",
        settings=("week", "parts"),
    )


def parts(options: IngestOptions) -> None:
    """Refuse a density that the input cannot give."""
    if "trips" in options.parts:
        return
    if options.kind == "flows":
        raise InputError(
            "flows give no density",
            remedy="build the trips",
            code="no-density",
            settings=("parts",),
        )
    if options.density_week is None:
        raise InputError(
            "the period has no full week from Monday to Sunday, so there is no density to build",
            remedy="make the period longer, or build trips",
            code="no-week",
            settings=("first_day", "last_day", "parts"),
        )


def _remedy(canonical: str) -> str:
    if canonical == "uid":
        return (
            "give every row a person, to the last digit (text such as 1.2E+11, numbers with a "
            "fraction and floats from 2^53 have lost some)"
        )
    if canonical == "tid":
        return "give every row its trip, or say that the table has no column of trips"
    if canonical.endswith(("lat", "lng")):
        return (
            "choose them the other way round if they are swapped, else give degrees within ±90 and "
            "±180, and name the decimal mark"
        )
    if canonical.startswith("flow"):
        return f"give numbers of trips from 0 to {LARGEST_FLOW:,}, and name the marks in them"
    return (
        "write times as 2015-09-07 08:30:00 or as seconds since 1970, or say how they are written"
    )
