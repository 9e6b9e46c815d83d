"""The file behind a simulated dataset: zones, or places, with their residents."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import geopandas as gpd
import pandas as pd

from ..child_process import call_in_child
from ..errors import InputError
from ..ingest import preview
from ..ingest.inputs import column_mapping
from ..ingest.inputs.ids import ids_to_text
from ..ingest.inputs.sources import to_printable
from ..ingest.inputs.zones import read_shapes

RESIDENTS = ("residents", "population", "pop", "pop_est", "inhabitants")


def guess_residents(columns: Sequence[str]) -> str | None:
    """Return the column of residents by its name, None without one."""
    by_name = {str(column).strip().lower(): str(column) for column in columns}
    return next((by_name[name] for name in RESIDENTS if name in by_name), None)


def read_twin_zones(path: Path, residents: str | None = None) -> gpd.GeoDataFrame:
    """Return zones (or the cells of a table of places) with their residents."""
    table = path.suffix.lower() == ".csv"
    zones = preview.preview_places(**{"locations" if table else "zones": path}).zones
    if table:
        return zones
    frame: Any = call_in_child(read_shapes, path, files=[path])
    column = residents or guess_residents(list(frame.columns))
    if column is None:
        return zones
    columns = [str(name) for name in frame.columns if name != frame.geometry.name]
    if column not in frame:
        raise InputError(
            f"{to_printable(path.name)}: there is no column '{to_printable(column)}'",
            remedy=f"name one of {', '.join(map(to_printable, columns))}",
        )
    ids = column_mapping.guess_columns("zones", columns)["zone_id"]
    numbers: Any = pd.to_numeric(frame[column], errors="coerce")
    by_id = dict(zip(ids_to_text(frame[ids]), numbers, strict=True))
    zones["residents"] = [by_id[zone] for zone in zones["zone_id"]]
    return zones
