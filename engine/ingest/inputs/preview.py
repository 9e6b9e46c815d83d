"""A first look at a raw table, for mapping its columns. **Confidential**: it shows rows."""

from dataclasses import dataclass
from pathlib import Path

from engine.ingest.inputs import mapping, sources
from engine.ingest.inputs.samples import first_rows

LONGEST_VALUE = 80


@dataclass(frozen=True)
class Preview:
    """What a person needs to map columns.

    Attributes
    ----------
    source : Source
        Format, encoding, columns and size of the file.
    mapping : dict of str to str
        Guessed columns by canonical name.
    required, optional : tuple of str
        Canonical columns of this kind of table.
    rows : list of list of str
        The first rows as text, long values cut; empty strings for nulls.
    """

    source: sources.Source
    mapping: dict[str, str]
    required: tuple[str, ...]
    optional: tuple[str, ...]
    rows: list[list[str]]


def preview(
    kind: str,
    path: Path,
    rows: int = 10,
    encoding: str | None = None,
    delimiter: str | None = None,
) -> Preview:
    """Look at the first `rows` of one raw table and guess its columns.

    Parameters
    ----------
    kind : str
        ``trips``, ``visits``, ``flows`` or ``locations``.
    path : Path
        CSV, CSV.gz or Parquet.
    rows : int
        How many rows to show.
    encoding, delimiter : str or None
        As in `IngestOptions` and `Reading`.

    Raises
    ------
    InputError
        If the file is empty, no table or not what it claims to be.
    """
    source = sources.inspect(path, encoding, delimiter)
    shown = first_rows(source, rows)
    return Preview(
        source,
        mapping.guess(kind, source.columns),
        mapping.REQUIRED[kind],
        mapping.OPTIONAL[kind],
        [[_short(value) for value in row] for row in shown],
    )


def _short(value: str) -> str:
    return value if len(value) <= LONGEST_VALUE else value[: LONGEST_VALUE - 1] + "…"
