"""The file a twin is made of: zones, or places, with their residents."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import geopandas as gpd
import pandas as pd

from ..errors import InputError
from ..ingest import look
from ..ingest.inputs import mapping
from ..ingest.inputs.ids import as_text
from ..ingest.inputs.sources import shown
from ..ingest.inputs.zones import read_shapes

RESIDENTS = ("residents", "population", "pop", "pop_est", "inhabitants")
"""Names by which a column of residents is guessed, in this order."""


def guess_residents(columns: Sequence[str]) -> str | None:
    """Return the column that holds residents by its name, None without one."""
    by_name = {str(column).strip().lower(): str(column) for column in columns}
    return next((by_name[name] for name in RESIDENTS if name in by_name), None)


def read_twin_zones(path: Path, residents: str | None = None) -> gpd.GeoDataFrame:
    """Read zones (or a table of places, whose cells are the zones) with their residents."""
    table = path.suffix.lower() == ".csv"
    zones = look.places_of(**{"locations" if table else "zones": path}).zones
    if table:
        return zones
    frame: Any = read_shapes(path)
    column = residents or guess_residents(list(frame.columns))
    if column is None:
        return zones
    if column not in frame:
        raise InputError(
            f"{shown(path.name)}: there is no column '{shown(column)}'; it has "
            f"{', '.join(shown(str(name)) for name in frame.columns if name != 'geometry')}"
        )
    columns = [str(name) for name in frame.columns if name != frame.geometry.name]
    ids = mapping.guess("zones", columns)["zone_id"]
    numbers: Any = pd.to_numeric(frame[column], errors="coerce")
    by_id = dict(zip(as_text(frame[ids]), numbers, strict=True))
    zones["residents"] = [by_id[zone] for zone in zones["zone_id"]]
    return zones
