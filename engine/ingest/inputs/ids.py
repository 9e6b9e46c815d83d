"""Ids of places as text, in the single form for counting."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from ...errors import InputError
from ..options import build_error
from .column_mapping import FEATURE_ID
from .sources import to_printable

MAX_ID_LENGTH = 1_000
BLANKS = (
    " \t\r\n\v\f\x85\xa0\u1680\u180e\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
    "\u200a\u200b\u2028\u2029\u202f\u205f\u2060\u3000\ufeff"
)
"""Blanks of Unicode, cut off both ends of every id; those without width too."""
TOLD_BY = "identified by the column"
REQUIRED_ID = {"zones": "zone_id", "locations": "location_id"}
_ID_TYPES = ("string", "integer", "floating", "decimal", "mixed-integer", "integer-na")
H3_CELL = "8[0-9a-f]{14}"
Series: TypeAlias = Any


def ids_to_text(values: Series) -> Series:
    """Return ids as text in NFC, None where empty; whole decimals lose ``.0``, H3 capitals."""
    if pd.api.types.is_float_dtype(values.dtype) and (values.dropna() % 1 == 0).all():
        values = values.astype("Int64")
    text = values.astype("string").str.normalize("NFC").str.strip(BLANKS)
    text = text.str.replace(r"^(-?\d+)[.]0+$", r"\1", regex=True)
    if text.str.fullmatch(H3_CELL, case=False).all():
        text = text.str.lower()
    filled = text.astype(object)
    return filled.where(text.fillna("") != "", None)


def choose_id_column(
    file: str, kind: str, frame: Any, mapping: Mapping[str, str], row_ids: Sequence[str] | None
) -> Mapping[str, str]:
    """Return a mapping with the column of `frame` that holds most ids of places in the rows.

    Raises `InputError` if two columns hold as many and disagree, or the mapped one holds none.
    """
    canonical = REQUIRED_ID[kind]
    mapped = mapping.get(canonical)
    if row_ids is None or (mapped and mapped not in frame.columns):  # joined columns are meant
        return mapping
    place_ids = set(map(_comparable, row_ids))
    texts = {
        str(column): ids_to_text(frame[column]).map(_comparable)
        for column in frame.columns
        if pd.api.types.infer_dtype(frame[column]) in _ID_TYPES
    }
    matches = {column: ids[ids.isin(place_ids)] for column, ids in texts.items()}
    match_counts = {column: ids.nunique() for column, ids in matches.items()}
    max_count = max(match_counts.values(), default=0)
    if max_count == 0 or (mapped and match_counts.get(mapped)):
        return mapping
    best = [column for column in match_counts if match_counts[column] == max_count]
    best = [column for column in best if matches[column].is_unique] or best
    best.sort(key=lambda column: column == FEATURE_ID)  # a column of the same ids has a name
    best = [
        column
        for i, column in enumerate(best)
        if not any(matches[column].equals(matches[other]) for other in best[:i])
    ]
    if not mapped and len(best) == 1:
        return {**mapping, canonical: best[0]}
    numbers = {"most": max_count, "ids": len(place_ids)}
    raise build_error(
        "id-column",
        **{"file": file, **numbers, "kind": kind, "canonical": canonical},
        columns=" and ".join(f"'{to_printable(column)}'" for column in best[:3]),
        others=f", and none in '{to_printable(mapped)}'" if mapped else ", each in other rows",
        first=to_printable(best[0]),
    )


def _comparable(text: str | None) -> str | None:
    if text is None or re.fullmatch(H3_CELL, text, re.IGNORECASE):
        return text and text.lower()
    return strip_leading_zeros(text)


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
    rows = "zones" if place_kind == "zone" else "rows"
    column_text, remedy = f"column '{to_printable(column)}'", f"give every {place_kind} an id"
    raise_for_rows(file, f"{column_text} is empty", ids.isna(), remedy, rows=rows)
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
    return re.sub(r"^0+(?=[0-9]+\Z)", "", text)
