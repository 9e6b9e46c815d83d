"""The five clipped sums of the density method `zoom`, in whole numbers.

For a person let v be the counts of distinct (tower, hour) visits, at most the public cap of them.
Each table sums v·min(1, c/‖v‖₂) over people, v first added up to the table's cells: a row is
scaled down, nobody is sampled. Weights are whole multiples of 1/1024, rounded down in exact
arithmetic, so every engine counts the same and one person changes a table by at most its clip c
in L₂.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from ..arrays import Integers
from ..errors import DatasetError
from ..parameters import HOURS_PER_WEEK

CLIP_SQUARED = 10.0
"""c² of the tables towers, districts and weeks: c = √10."""
CITY_CLIPS_SQUARED = (10.0, 20.25, 36.0, 64.0, 121.0, 225.0, 841.0)
"""c² of the seven city tables: c = √10, 4.5, 6, 8, 11, 15 and 29."""
VISIT_CAPS = (30, 150)
"""Caps of the first two sums of visits; the third is the data's public cap."""
SUMS_OF_VISITS = len(VISIT_CAPS) + 1
WEIGHT_UNITS = 1024
"""Weights are whole multiples of one over this."""
FILES = tuple(f"zoom_{name}" for name in ("towers", "districts", "city", "weeks", "visits"))
"""Names of the tables in a dataset's folder, without ending."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ZoomTables:
    """The clipped sums of one dataset; confidential.

    Attributes
    ----------
    towers : int array, shape (towers, 168)
        In units of 1/1024, as the next three.
    districts : int array, shape (districts, 168)
        Districts are the nodes at half the depth of the public tree over the towers.
    city : int array, shape (7, 168)
        One row for each clip of `city_clips_squared`.
    weeks : int array, shape (towers,)
        The whole week of every tower.
    visits : int array, shape (3,)
        Σ min(visits, cap) for each of `caps`, in visits.
    caps : int array, shape (3,)
        Ascending; the last is the data's public cap.
    clip_squared : float
        c² of towers, districts and weeks.
    city_clips_squared : tuple of float
        c² of the rows of city, ascending.
    """

    towers: Integers
    districts: Integers
    city: Integers
    weeks: Integers
    visits: Integers
    caps: Integers
    clip_squared: float = CLIP_SQUARED
    city_clips_squared: tuple[float, ...] = CITY_CLIPS_SQUARED


def visit_caps(max_visits_cap: int) -> Integers:
    """Return the caps of the three sums of visits, none above the data's public cap.

    Examples
    --------
    >>> visit_caps(840), visit_caps(100)
    (array([ 30, 150, 840]), array([ 30, 100, 100]))
    """
    return np.minimum([*VISIT_CAPS, max_visits_cap], max_visits_cap).astype(np.int64)


def weight_units(squares: Integers, clip_squared: float) -> Integers:
    """Return ⌊1024·min(1, c/‖v‖₂)⌋ for ‖v‖₂² = `squares` ≥ 1.

    In exact arithmetic, ⌊√⌊c²·2²⁰/squares⌋⌋: weight²·squares never exceeds (1024·c)².

    Examples
    --------
    >>> weight_units(np.array([1, 10, 11, 840]), 10.0)
    array([1024, 1024,  976,  111])
    """
    largest = int(clip_squared * WEIGHT_UNITS**2) // squares
    return np.minimum(np.floor(np.sqrt(largest)).astype(np.int64), WEIGHT_UNITS)


def to_parquet(zoom: ZoomTables, location_ids: Sequence[str]) -> dict[str, pa.Table]:
    """Return the tables of a dataset by name: towers without empty cells, the others whole."""
    ids = pa.array(location_ids, pa.string())
    tower, hour = np.nonzero(zoom.towers)

    def column(values: Any, kind: pa.DataType) -> pa.Array:
        return pa.array(np.asarray(values), kind)

    def grid(rows: Any, name: str, kind: pa.DataType, counts: Integers) -> pa.Table:
        keys, hours = np.repeat(rows, HOURS_PER_WEEK), np.tile(np.arange(HOURS_PER_WEEK), len(rows))
        return pa.table(
            {
                name: column(keys, kind),
                "hour": column(hours, pa.uint8()),
                "n": column(counts.ravel(), pa.int64()),
            }
        )

    contents = (
        pa.table(
            {
                "location_id": ids.take(pa.array(tower)),
                "hour": column(hour, pa.uint8()),
                "n": column(zoom.towers[tower, hour], pa.int64()),
            }
        ),
        grid(np.arange(len(zoom.districts)), "district", pa.int32(), zoom.districts),
        grid(np.array(CITY_CLIPS_SQUARED), "clip_squared", pa.float64(), zoom.city),
        pa.table({"location_id": ids, "n": column(zoom.weeks, pa.int64())}),
        pa.table({"cap": column(zoom.caps, pa.int32()), "n": column(zoom.visits, pa.int64())}),
    )
    return dict(zip(FILES, contents, strict=True))


def from_parquet(
    tables: Mapping[str, pa.Table], tower_index: Callable[[Any], Integers], towers: int
) -> ZoomTables:
    """Return what `to_parquet` wrote.

    Parameters
    ----------
    tower_index : callable
        Position of each id among the towers.

    Raises
    ------
    DatasetError
        If a table has another shape than it should.
    """
    fine, coarse, city, weeks, visits = (tables[name] for name in FILES)
    by_hour = np.zeros((towers, HOURS_PER_WEEK), dtype=np.int64)
    by_hour[tower_index(fine["location_id"]), fine["hour"].to_numpy()] = fine["n"].to_numpy()
    whole = np.zeros(towers, dtype=np.int64)
    whole[tower_index(weeks["location_id"])] = weeks["n"].to_numpy()
    try:
        arrays: dict[str, Any] = {
            "towers": by_hour,
            "districts": coarse["n"].to_numpy().reshape(-1, HOURS_PER_WEEK),
            "city": city["n"].to_numpy().reshape(len(CITY_CLIPS_SQUARED), HOURS_PER_WEEK),
            "weeks": whole,
            "visits": visits["n"].to_numpy().reshape(SUMS_OF_VISITS),
            "caps": visits["cap"].to_numpy().astype(np.int64).reshape(SUMS_OF_VISITS),
        }
    except ValueError:
        raise DatasetError("the zoom tables are incomplete; build the dataset again") from None
    for values in arrays.values():
        values.flags.writeable = False
    return ZoomTables(**arrays)
