"""The five clipped sums of the Multiscale Gaussian method (``multiscale``), in whole numbers.

For a person let v be the counts of distinct (tower, hour) visits, n in all, at most the public cap
K_max of them. Four tables sum v·min(1, c·t/‖v‖₂) over people, v first added up to the table's
cells: a row is scaled down, nobody is sampled. The fifth is the sum of n itself. People with many
visits change it most, so their rows weigh less: t² = 1 − s·(n/K_max)². A person's change of the
four tables in units of c and of the sum in units of K_max/√s is then at most 1 together. Clips and
s are public, see `MultiscaleClips`. Weights are whole multiples of 1/1024, rounded down in exact
arithmetic, so every engine counts the same.
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
"""Usual c² of the tables towers, districts and weeks: c = √10, for calls of a week."""
CITY_CLIPS_SQUARED = (10.0, 20.25, 36.0, 64.0, 121.0, 225.0, 841.0)
"""Usual c² of the seven city tables: c = √10, 4.5, 6, 8, 11, 15 and 29."""
WEIGHT_UNITS = 1024
"""Weights are whole multiples of one over this."""
MULTISCALE_TABLE_NAMES = tuple(
    f"zoom_{name}" for name in ("towers", "districts", "city", "weeks", "total")
)
"""Names of the tables in a dataset's folder, without ending."""


@dataclass(frozen=True)
class MultiscaleClips:
    """Public clips that scale down people's rows, from a public mean of their visits."""

    clip_squared: float = CLIP_SQUARED  # c² of towers, districts and weeks
    sum_64ths: int = 63  # s: share of the squared sensitivity for the sum, at K_max visits

    @classmethod
    def from_mean_visits(cls, mean_visits: float | None, max_visits_cap: int) -> "MultiscaleClips":
        """Return the clips for a public mean number of visits a person; the usual clips without."""
        if mean_visits is None:
            return cls()
        least_sum = int(64 / 20 * (max_visits_cap / mean_visits) ** 2)
        return cls(max(round(4 * mean_visits) / 4, 1.0), min(max(least_sum, 1), 63))

    @property
    def city_clips_squared(self) -> tuple[float, ...]:
        """c² of the city's tables, ascending."""
        return tuple(clip * self.clip_squared / CLIP_SQUARED for clip in CITY_CLIPS_SQUARED)

    @property
    def sum_share(self) -> float:
        """The share s of the sum, from 0 to 1."""
        return self.sum_64ths / 64


DEFAULT_CLIPS = MultiscaleClips()
"""Clips for the calls of a week, without a public mean."""


@dataclass(frozen=True, eq=False, kw_only=True)
class MultiscaleTables:
    """The clipped sums of one dataset; confidential."""

    towers: Integers  # (towers, 168), in units of 1/1024, as the next three
    districts: Integers  # (districts, 168): nodes at half the depth of the public tree
    city: Integers  # (7, 168), a row for each of `MultiscaleClips.city_clips_squared`
    weeks: Integers  # (towers,)
    visits: int
    max_visits_cap: int  # K_max
    clips: MultiscaleClips = DEFAULT_CLIPS


def squared_scale_units(
    visits: Any, max_visits_cap: int, clips: MultiscaleClips = DEFAULT_CLIPS
) -> Any:
    """Return ⌊1024·t²⌋ of people with so many visits, in whole numbers; arrays or columns alike."""
    cap_squared = max_visits_cap**2
    sum_units = clips.sum_64ths * visits * visits
    return (64 * cap_squared - sum_units) * (WEIGHT_UNITS // 64) // cap_squared


def weight_units(squares: Integers, clip_squared: float, squared_scale: Integers) -> Integers:
    """Return ⌊1024·min(1, c·t/‖v‖₂)⌋, ‖v‖₂² = `squares` ≥ 1: weight²·squares ≤ (1024·c·t)²."""
    largest = int(clip_squared * WEIGHT_UNITS) * squared_scale // squares
    return np.minimum(np.floor(np.sqrt(largest)).astype(np.int64), WEIGHT_UNITS)


def to_tables(tables: MultiscaleTables, location_ids: Sequence[str]) -> dict[str, pa.Table]:
    """Return the tables of a dataset by name: towers without empty cells, the others whole."""
    ids = pa.array(location_ids, pa.string())
    tower, hour = np.nonzero(tables.towers)

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
                "n": column(tables.towers[tower, hour], pa.int64()),
            }
        ),
        grid(np.arange(len(tables.districts)), "district", pa.int32(), tables.districts),
        grid(np.array(tables.clips.city_clips_squared), "clip_squared", pa.float64(), tables.city),
        pa.table({"location_id": ids, "n": column(tables.weeks, pa.int64())}),
        pa.table(
            {
                "cap": column([tables.max_visits_cap], pa.int32()),
                "n": column([tables.visits], pa.int64()),
            }
        ),
    )
    return dict(zip(MULTISCALE_TABLE_NAMES, contents, strict=True))


def from_tables(
    tables: Mapping[str, pa.Table],
    tower_index: Callable[[Any], Integers],
    towers: int,
    clips: MultiscaleClips,
) -> MultiscaleTables:
    """Return the clipped sums of the tables from `to_tables`."""
    fine, coarse, city, weeks, total = (tables[name] for name in MULTISCALE_TABLE_NAMES)
    by_hour = np.zeros((towers, HOURS_PER_WEEK), dtype=np.int64)
    by_hour[tower_index(fine["location_id"]), fine["hour"].to_numpy()] = fine["n"].to_numpy()
    by_tower = np.zeros(towers, dtype=np.int64)
    by_tower[tower_index(weeks["location_id"])] = weeks["n"].to_numpy()
    stated = city["clip_squared"].to_numpy().reshape(-1, HOURS_PER_WEEK)[:, 0].tolist()
    if stated != list(clips.city_clips_squared):
        raise DatasetError(
            "the zoom tables have other clips than dataset.json says", remedy="build it again"
        )
    try:
        (visits,), (cap,) = total["n"].to_pylist(), total["cap"].to_pylist()
        arrays: dict[str, Any] = {
            "towers": by_hour,
            "districts": coarse["n"].to_numpy().reshape(-1, HOURS_PER_WEEK),
            "city": city["n"].to_numpy().reshape(len(CITY_CLIPS_SQUARED), HOURS_PER_WEEK),
            "weeks": by_tower,
        }
    except ValueError:
        raise DatasetError("the zoom tables are incomplete; build the dataset again") from None
    for values in arrays.values():
        values.flags.writeable = False
    return MultiscaleTables(**arrays, visits=visits, max_visits_cap=cap, clips=clips)
