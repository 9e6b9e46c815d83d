"""Ids of places as text, in the one form that the rows are counted by."""

import re
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from ...errors import InputError
from .sources import shown

LONGEST_ID = 1_000
Series: TypeAlias = Any
"""A pandas column of unknown type."""


def as_text(values: Series) -> Series:
    """Return ids as text, None where they are empty; whole numbers kept as decimals lose ``.0``."""
    if pd.api.types.is_float_dtype(values.dtype) and (values.dropna() % 1 == 0).all():
        values = values.astype("Int64")
    text = values.astype("string").str.strip()
    text = text.str.replace(r"^(-?\d+)[.]0+$", r"\1", regex=True)
    filled = text.astype(object)
    return filled.where(text.fillna("") != "", None)


def refuse(
    file: str,
    fault: str,
    wrong: Any,
    remedy: str,
    *settings: str,
    rows: str = "rows",
    code: str = "",
) -> None:
    """Refuse a file in which any of `wrong` is so: how many, and the first three rows."""
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


def check(file: str, column: str, ids: Series, of: str, again: str = "", *settings: str) -> None:
    """Refuse ids `of` zones or places that are empty or longer than any id is."""
    rows, named = ("zones" if of == "zone" else "rows"), f"column '{shown(column)}'"
    refuse(file, f"{named} is empty", ids.isna(), f"give every {of} an id", rows=rows)
    long = (ids.str.len() > LONGEST_ID).to_numpy(dtype=bool, na_value=False)
    words = f"{named} is longer than {LONGEST_ID} characters"
    refuse(file, words, long, "choose the column of ids")
    if again:
        twice = ids.duplicated()
        words = f"{named} repeats an id"
        refuse(file, words, twice, again, *settings, rows=rows, code="repeated-places")


def bare(text: str) -> str:
    """Return a whole number without leading zeros, anything else as it is."""
    match = re.fullmatch(r"0+([0-9]+)", text)
    return match[1] if match else text
