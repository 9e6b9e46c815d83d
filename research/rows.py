"""One measured figure a row, beside the printed one, and the CSV file they stand in."""

import math
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

RESULTS = Path(__file__).parent / "results"


class Row(NamedTuple):
    """One figure: mean and standard deviation over draws (NaN where exact), and the print's."""

    table: str
    what: str
    setting: str
    ours: float
    deviation: float
    printed: float


def row(table: str, what: str, setting: str, draws: object, printed: float = math.nan) -> Row:
    """Return a row of a figure, or of its values over draws; what does not exist is left out."""
    known = pd.Series(np.ravel(draws), dtype=float)
    return Row(table, what, setting, known.mean(), known.std(), printed)


def write(name: str, rows: Iterable[Row], folder: Path = RESULTS) -> Path:
    """Write ``NAME.csv`` row by row, six significant digits; NaN stays empty."""
    path = folder / f"{name}.csv"
    folder.mkdir(exist_ok=True)
    path.write_text(",".join(Row._fields) + "\n", encoding="utf-8")
    for one in rows:  # long runs are read while they write
        pd.DataFrame([one]).to_csv(path, mode="a", header=False, index=False, float_format="%.6g")
    return path
