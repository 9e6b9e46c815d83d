"""What a GeoPackage holds, told by its own tables before GDAL reads a row.

GDAL believes the number of rows that the file states, reads the first of several layers, and
computes a view whatever it costs: a file of kilobytes could leave zones out or never end.
"""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from ...errors import InputError
from .sources import shown

_STEPS = 10_000
_MOST_ROUNDS = 1_000
"""Ten million steps of SQLite's machine: a second at most, millions of rows."""
_COMPUTED = (2, 3)


def layer(path: Path, check_zones: Callable[[int], None]) -> tuple[str, int]:
    """Return the one layer of a GeoPackage and its number of rows; `check_zones` may refuse it.

    Raises
    ------
    InputError
        If there is not exactly one layer, its rows are computed, or the file is damaged.
    """
    name = shown(path.name)
    rounds = iter(range(_MOST_ROUNDS))
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?immutable=1", uri=True)) as file:
            file.set_progress_handler(lambda: next(rounds, None) is None, _STEPS)
            computed = file.execute(
                "SELECT count(*) FROM sqlite_master WHERE type = 'view' OR (type = 'table' AND"
                " rootpage = 0 AND lower(sql) NOT LIKE '%using rtree%')"
            ).fetchone()[0]
            if computed:
                raise InputError(
                    f"{name}: the GeoPackage holds views or virtual tables, which are computed "
                    "when they are read",
                    remedy="save the layer of zones alone",
                    code="geopackage-view",
                )
            layers = file.execute(
                "SELECT table_name FROM gpkg_contents WHERE data_type = 'features'"
            ).fetchmany(1_000)
            if len(layers) != 1:
                raise InputError(
                    f"{name}: the GeoPackage holds {len(layers)} layers of shapes",
                    remedy="save the layer of zones alone",
                    code="geopackage-layers",
                )
            table = str(layers[0][0])
            quoted = '"' + table.replace('"', '""') + '"'
            rows = int(file.execute(f"SELECT count(*) FROM {quoted}").fetchone()[0])
            columns = file.execute(f"PRAGMA table_xinfo({quoted})").fetchall()
    except (sqlite3.Error, UnicodeDecodeError):
        raise InputError(
            f"{name}: cannot be read as a GeoPackage, or lacks a part",
            remedy="export the zones again",
            code="geopackage-damaged",
        ) from None
    check_zones(rows)
    if any(column[-1] in _COMPUTED for column in columns):
        raise InputError(
            f"{name}: columns of the layer are computed when they are read",
            remedy="save the layer of zones alone, with its values",
            code="geopackage-view",
        )
    return table, rows
