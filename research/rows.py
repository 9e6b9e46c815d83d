"""One measured figure a row, beside the published one, and the CSV file they stand in."""

import csv
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

RESULTS = Path(__file__).parent / "results"
DEVIATIONS = 2


@dataclass(frozen=True)
class Published:
    """A figure as printed.

    `half_unit` is what the print leaves open: half a unit of its last digit, or the ± printed with
    it; `source` is where it is printed.
    """

    value: float
    half_unit: float
    source: str


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation over seeds; the deviation of a single value is NaN."""

    mean: float
    deviation: float = math.nan

    @classmethod
    def of(cls, values: ArrayLike) -> "Spread":
        """Return the spread of the values that exist (a blank release has no correlation)."""
        known = np.asarray(values, dtype=np.float64).ravel()
        known = known[~np.isnan(known)]
        mean = float(known.mean()) if len(known) else math.nan
        return cls(mean, float(known.std(ddof=1)) if len(known) > 1 else math.nan)

    def agrees(self, published: Published) -> bool:
        """Return whether `published` is within two deviations and its rounding."""
        deviation = 0.0 if math.isnan(self.deviation) else self.deviation
        reach = DEVIATIONS * deviation + published.half_unit
        return abs(self.mean - published.value) <= reach * (1 + 1e-9)


@dataclass(frozen=True, kw_only=True)
class Row:
    """One figure.

    Attributes
    ----------
    table : str
        Figure or table of the paper, or a heading of ours.
    what : str
        The quantity, with its population and unit.
    setting : str
        What was set: scheme, ε, size of flow.
    ours, deviation : float
        Mean and standard deviation over draws; the deviation of an exact figure is empty.
    published, source
        What the paper prints, and where.
    within : bool or None
        Whether the printed figure is within reach of ours (`Spread.agrees`).
    """

    table: str
    what: str
    setting: str
    ours: float
    deviation: float = math.nan
    published: float | None = None
    within: bool | None = None
    source: str = ""


def row(
    table: str,
    what: str,
    setting: str,
    ours: Spread | ArrayLike,
    published: Published | None = None,
) -> Row:
    """Return a row of a figure, or of its values over seeds.

    Whether a printed figure is within reach is judged here.
    """
    spread = ours if isinstance(ours, Spread) else Spread.of(ours)
    return Row(
        table=table,
        what=what,
        setting=setting,
        ours=spread.mean,
        deviation=spread.deviation,
        published=None if published is None else published.value,
        within=None if published is None else spread.agrees(published),
        source="" if published is None else published.source,
    )


def write(name: str, rows: Iterable[object], folder: Path = RESULTS) -> Path:
    """Write dataclass rows as ``NAME.csv``, six significant digits; NaN and None stay empty."""
    path = folder / f"{name}.csv"
    folder.mkdir(exist_ok=True)
    header: list[str] = []
    with path.open("w", encoding="utf-8", newline="") as handle:
        table = csv.writer(handle, lineterminator="\n")
        for one in rows:
            if not header:
                header = [field.name for field in fields(one)]
                table.writerow(header)
            table.writerow([_cell(getattr(one, name)) for name in header])
            handle.flush()  # long runs are read while they write
    return path


def read(name: str, folder: Path = RESULTS) -> Iterator[dict[str, str]]:
    """Yield the rows of ``NAME.csv``."""
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as handle:
        yield from csv.DictReader(handle)


def _cell(value: object) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
