"""One measured figure a row, beside the printed one, and the CSV file they stand in."""

import csv
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True, kw_only=True)
class Row:
    """One figure: mean and standard deviation over draws (NaN where exact), and the print's."""

    table: str
    what: str
    setting: str
    ours: float
    deviation: float = math.nan
    printed: float = math.nan


def row(table: str, what: str, setting: str, draws: object, printed: float = math.nan) -> Row:
    """Return a row of a figure, or of its values over draws; what does not exist is left out."""
    known = np.asarray(draws, dtype=np.float64).ravel()
    known = known[~np.isnan(known)]
    mean = float(known.mean()) if len(known) else math.nan
    deviation = float(known.std(ddof=1)) if len(known) > 1 else math.nan
    return Row(
        table=table, what=what, setting=setting, ours=mean, deviation=deviation, printed=printed
    )


def write(name: str, rows: Iterable[Row], folder: Path = RESULTS) -> Path:
    """Write ``NAME.csv``, six significant digits; NaN stays empty."""
    path = folder / f"{name}.csv"
    folder.mkdir(exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as handle:
        table = csv.writer(handle, lineterminator="\n")
        table.writerow([field.name for field in fields(Row)])
        for one in rows:
            table.writerow([_cell(value) for value in asdict(one).values()])
            handle.flush()  # long runs are read while they write
    return path


def _cell(value: object) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.6g}"
    return str(value)
