"""Ids of places as text, in the single form for counting."""

import re
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from ...errors import InputError
from .sources import to_printable

MAX_ID_LENGTH = 1_000
Series: TypeAlias = Any
"""A pandas column of unknown type."""


def ids_to_text(values: Series) -> Series:
    """Return ids as text, None where empty; whole numbers stored as decimals lose ``.0``."""
    if pd.api.types.is_float_dtype(values.dtype) and (values.dropna() % 1 == 0).all():
        values = values.astype("Int64")
    text = values.astype("string").str.strip()
    text = text.str.replace(r"^(-?\d+)[.]0+$", r"\1", regex=True)
    filled = text.astype(object)
    return filled.where(text.fillna("") != "", None)


def raise_for_rows(
    file: str,
    fault: str,
    wrong: Any,
    remedy: str,
    *settings: str,
    rows: str = "rows",
    code: str = "",
) -> None:
    """Raise `InputError` if any of `wrong` is true, with the number and the first three rows."""
    wrong = np.asarray(wrong, dtype=bool)
    if wrong.any():
        first = ", ".join(f"{row + 1:,}" for row in np.flatnonzero(wrong)[:3])
        several = "the first in row" if wrong.sum() <= 1 else "the first in rows"
        raise InputError(
            f"{file}: {fault} in {int(wrong.sum()):,} of {len(wrong):,} {rows}, {several} {first}",
            remedy=remedy,
            code=code,
            settings=settings,
        )


def check_ids(
    file: str, column: str, ids: Series, place_kind: str, repeat_remedy: str = "", *settings: str
) -> None:
    """Raise `InputError` for ids of zones or places that are empty, too long or repeated."""
    rows, column_text = (
        ("zones" if place_kind == "zone" else "rows"),
        f"column '{to_printable(column)}'",
    )
    raise_for_rows(
        file, f"{column_text} is empty", ids.isna(), f"give every {place_kind} an id", rows=rows
    )
    long = (ids.str.len() > MAX_ID_LENGTH).to_numpy(dtype=bool, na_value=False)
    words = f"{column_text} is longer than {MAX_ID_LENGTH} characters"
    raise_for_rows(file, words, long, "choose the column of ids")
    if repeat_remedy:
        twice = ids.duplicated()
        words = f"{column_text} repeats an id"
        raise_for_rows(
            file, words, twice, repeat_remedy, *settings, rows=rows, code="repeated-places"
        )


def strip_leading_zeros(text: str) -> str:
    """Return a whole number without leading zeros, any other text unchanged."""
    match = re.fullmatch(r"0+([0-9]+)", text)
    return match[1] if match else text
