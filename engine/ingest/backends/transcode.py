"""CSV files in other encodings, made UTF-8 in the spill folder before an engine reads them."""

import codecs
import gzip
from pathlib import Path

from engine.errors import InputError
from engine.ingest.inputs.sources import Source

NATIVE = ("utf-8", "latin-1")
"""What DuckDB reads itself without an extension."""
_CHUNK = 1 << 22


def as_utf8(source: Source, folder: Path) -> Path:
    """Write `source` as UTF-8 into `folder` (unpacked), and return the file there.

    Raises
    ------
    InputError
        If a character is not of the encoding; its place is not told.
    """
    target = folder / f"utf8-{len(list(folder.iterdir()))}.csv"
    decoder = codecs.getincrementaldecoder(source.encoding)()
    try:
        with (
            gzip.open(source.path) if source.packed else source.path.open("rb") as packed,
            target.open("w", encoding="utf-8", newline="") as out,
        ):
            while piece := packed.read(_CHUNK):
                out.write(decoder.decode(piece))
            out.write(decoder.decode(b"", final=True))
    except UnicodeDecodeError:
        raise InputError(
            f"{source.name} is not in the encoding '{source.encoding}'",
            remedy="name its encoding, or save it as UTF-8",
            code="encoding",
            settings=("encoding",),
        ) from None
    return target
