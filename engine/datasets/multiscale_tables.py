"""The five clipped sums of the Multiscale Gaussian method (``multiscale``), in whole numbers.

For a person let v be the counts of distinct (tower, hour) visits, n in all, at most the public cap
K_max of them. Four tables add v up to their cells (towers × hours, districts × hours, hours of the
city, totals of towers) and sum v·min(1, c·t/‖v‖₂) over people: a row longer than c·t is scaled
down, nobody is sampled. c is the table's public *clip*. The fifth is the visit total, the sum of n
itself. People with many visits change it most, so their rows weigh less: t² = 1 − s·(n/K_max)², s a
public share. The square of a person's change is then at most t² for each of the four tables in
units of c, and 1 − t² for the visit total in units of K_max/√s. Weights are whole multiples of
1/1024, rounded down in exact arithmetic, so that NumPy and SQL count the same.
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
"""c² of all tables but the city's, by default: it suits a week of calls."""
CITY_CLIPS_SQUARED = (10.0, 20.25, 36.0, 64.0, 121.0, 225.0, 841.0)
"""c² of the seven city tables for `CLIP_SQUARED`: c = √10, 4.5, 6, 8, 11, 15 and 29."""
WEIGHT_UNITS = 1024
"""Weights are whole multiples of one over this."""
MULTISCALE_TABLE_NAMES = tuple(
    f"zoom_{name}" for name in ("towers", "districts", "city", "weeks", "total")
)
"""Files of the tables in a dataset's folder, without ending; ``zoom_weeks`` has towers' totals."""


@dataclass(frozen=True)
class MultiscaleClips:
    """The public clips c and the public share s of a dataset."""

    clip_squared: float = CLIP_SQUARED  # c² of all tables but the city's
    visit_total_64ths: int = 63  # 64·s

    @classmethod
    def from_mean_visits(cls, mean_visits: float | None, max_visits_cap: int) -> "MultiscaleClips":
        """Return c² near a public mean number of visits a person; the defaults without one.

        s is the share from 1/64 to 63/64 at which the visit total's σ is about √20·mean_visits/μ.
        """
        if mean_visits is None:
            return cls()
        share_64ths = int(64 / 20 * (max_visits_cap / mean_visits) ** 2)
        return cls(max(round(4 * mean_visits) / 4, 1.0), min(max(share_64ths, 1), 63))

    @property
    def city_clips_squared(self) -> tuple[float, ...]:
        """c² of the city's tables, ascending."""
        return tuple(clip * self.clip_squared / CLIP_SQUARED for clip in CITY_CLIPS_SQUARED)

    @property
    def visit_total_share(self) -> float:
        """The share s, above 0 and below 1."""
        return self.visit_total_64ths / 64


DEFAULT_CLIPS = MultiscaleClips()
"""Clips of a dataset that says no public mean."""


@dataclass(frozen=True, eq=False, kw_only=True)
class MultiscaleTables:
    """The clipped sums of one dataset; confidential."""

    towers: Integers  # (towers, 168), in units of 1/1024, as the next three
    districts: Integers  # (districts, 168), by `TowerTree.districts` of `engine.density`
    city: Integers  # (7, 168), a row for each of `MultiscaleClips.city_clips_squared`
    tower_totals: Integers  # (towers,), over the whole week
    visit_total: int  # in visits
    max_visits_cap: int  # K_max
    clips: MultiscaleClips = DEFAULT_CLIPS


def squared_scale_units(
    visits: Any, max_visits_cap: int, clips: MultiscaleClips = DEFAULT_CLIPS
) -> Any:
    """Return ⌊1024·t²⌋ of people with n = `visits`, in whole numbers, for arrays or columns."""
    cap_squared = max_visits_cap**2
    visit_total_part = clips.visit_total_64ths * visits * visits
    return (64 * cap_squared - visit_total_part) * (WEIGHT_UNITS // 64) // cap_squared


def weight_units(squares: Integers, clip_squared: float, squared_scale: Integers) -> Integers:
    """Return ⌊1024·min(1, c·t/‖v‖₂)⌋ of people's rows, from ‖v‖₂² = `squares` ≥ 1 and 1024·t²."""
    max_squared = int(clip_squared * WEIGHT_UNITS) * squared_scale // squares
    return np.minimum(np.floor(np.sqrt(max_squared)).astype(np.int64), WEIGHT_UNITS)


def fill_counts(shape: tuple[int, ...], positions: Any, counts: pa.ChunkedArray) -> Integers:
    """Return a read-only array with these counts at their positions, 0 elsewhere."""
    values = np.zeros(shape, dtype=np.int64)
    values[positions] = counts.to_numpy()
    values.flags.writeable = False
    return values


def to_tables(tables: MultiscaleTables, location_ids: Sequence[str]) -> dict[str, pa.Table]:
    """Return the files' tables by name, ``zoom_towers`` without empty cells, the others whole."""
    ids = pa.array(location_ids, pa.string())
    tower, hour = np.nonzero(tables.towers)

    def by_hour(column: str, rows: Any, counts: Integers) -> pa.Table:
        hours = np.tile(np.arange(HOURS_PER_WEEK, dtype=np.uint8), len(rows))
        return pa.table({column: rows.repeat(HOURS_PER_WEEK), "hour": hours, "n": counts.ravel()})

    cells = {"location_id": ids.take(pa.array(tower)), "hour": hour.astype(np.uint8)}
    cap = np.array([tables.max_visits_cap], dtype=np.int32)
    contents = (
        pa.table({**cells, "n": tables.towers[tower, hour]}),
        by_hour("district", np.arange(len(tables.districts), dtype=np.int32), tables.districts),
        by_hour("clip_squared", np.array(tables.clips.city_clips_squared), tables.city),
        pa.table({"location_id": ids, "n": tables.tower_totals}),
        pa.table({"cap": cap, "n": np.array([tables.visit_total])}),
    )
    return dict(zip(MULTISCALE_TABLE_NAMES, contents, strict=True))


def from_tables(
    tables: Mapping[str, pa.Table],
    tower_index: Callable[[Any], Integers],
    tower_count: int,
    clips: MultiscaleClips,
) -> MultiscaleTables:
    """Return the clipped sums of the tables from `to_tables`; `tower_index` maps ids to rows."""
    towers_table, districts, city, totals, visits = (
        tables[name] for name in MULTISCALE_TABLE_NAMES
    )
    cells = tower_index(towers_table["location_id"]), towers_table["hour"].to_numpy()
    tower_totals = fill_counts((tower_count,), tower_index(totals["location_id"]), totals["n"])
    stored_clips = city["clip_squared"].to_numpy().reshape(-1, HOURS_PER_WEEK)[:, 0].tolist()
    if stored_clips != list(clips.city_clips_squared):
        raise DatasetError(
            "the clips of zoom_city.parquet differ from those that dataset.json implies",
            remedy="build the dataset again",
        )
    try:
        (visit_total,), (cap,) = visits["n"].to_pylist(), visits["cap"].to_pylist()
        arrays: dict[str, Any] = {
            "towers": fill_counts((tower_count, HOURS_PER_WEEK), cells, towers_table["n"]),
            "districts": districts["n"].to_numpy().reshape(-1, HOURS_PER_WEEK),
            "city": city["n"].to_numpy().reshape(len(CITY_CLIPS_SQUARED), HOURS_PER_WEEK),
            "tower_totals": tower_totals,
        }
    except ValueError:
        raise DatasetError(
            "the zoom_… tables are incomplete", remedy="build the dataset again"
        ) from None
    for values in arrays.values():
        values.flags.writeable = False
    return MultiscaleTables(**arrays, visit_total=visit_total, max_visits_cap=cap, clips=clips)
