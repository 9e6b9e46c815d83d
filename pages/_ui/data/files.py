"""Choosing files and columns: uploads or paths, a first look, and which column means what."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from engine.errors import ExplorerError
from engine.ingest.inputs import mapping, sources
from engine.ingest.inputs.mapping import Preview, preview
from engine.ingest.inputs.zones import read_shapes
from engine.ingest.reading import Reading
from pages._ui.data import store as data_store, wording as data_wording
from pages._ui.data.draft import Draft
from pages._ui.data.own import own
from pages._ui.data.wording import COLUMNS
from pages._ui.wording.numbers import file_size

TABLES = ("csv", "gz", "tsv", "txt", "parquet", "pq", "zip")
ZONES = ("geojson", "json", "gpkg", "zip", "parquet", "pq")
ROWS = 5
AS_FOUND = Reading()
_ABSENT = ""
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ZoneLook:
    """A zone file's columns and where it lies."""

    columns: tuple[str, ...]
    zones: int
    longitude: float | None
    latitude: float | None = None


def choose(
    draft: Draft, name: str, label: str, endings: Sequence[str], hint: str, *, several: bool
) -> list[Path]:
    """Draw an uploader, or a field for a path, and return the files on this disk.

    The uploader is the first in a container of its own: whatever is drawn beside it later cannot
    move it, and a file that is dropped meanwhile is not lost.
    """
    with st.container():
        if draft.by_path:
            return _by_path(draft, name, label, hint, several)
        return _uploaded(draft, name, label, endings, hint, several)


def _uploaded(
    draft: Draft, name: str, label: str, endings: Sequence[str], hint: str, several: bool
) -> list[Path]:
    files: Any = st.file_uploader(
        label,
        type=list(endings),
        accept_multiple_files=several,
        key=draft.key(name),
        help=hint,
        on_change=_forget,
        args=(name,),
    )
    files = files if isinstance(files, list) else [files] if files else []
    space = data_store.workspace() if files else data_store.existing()
    if space is None:
        return []
    wanted, kept = own().uploads, own().kept
    if not files:  # the uploader forgets its files on another page, this session does not
        return _kept(name, kept)
    wanted[name] = {file.file_id for file in files}
    if not draft.busy:
        space.keep_only(set().union(*wanted.values()))
    try:
        with st.spinner("Storing the upload …", show_time=False):
            kept[name] = [space.save(file) for file in files]
        return kept[name]
    except OSError as problem:
        data_wording.problem("Cannot be stored", f"{problem.strerror}; free some space")
        return []


def _kept(name: str, kept: dict[str, list[Path]]) -> list[Path]:
    there = [path for path in kept.get(name, []) if path.is_file()]
    if there:
        names = ", ".join(sources.shown(path.name) for path in there)
        st.caption(f"Kept from before: {names}. Drop another file to replace it.")
    return there


def _forget(name: str) -> None:
    """Forget the files of an uploader (a callback): others were dropped, or these taken away."""
    own().kept.pop(name, None)
    own().uploads.pop(name, None)


def _by_path(draft: Draft, name: str, label: str, hint: str, several: bool) -> list[Path]:
    given = st.text_input(
        label,
        key=draft.key(f"{name}_path"),
        placeholder="/data/trips_*.csv" if several else "/data/places.csv",
        help=f"{hint} {'A file, a folder or a pattern with *.' if several else 'A file.'}",
        autocomplete="off",
    )
    given = (given or "").strip()
    if not given:
        return []
    try:
        paths = sources.find([str(Path(given).expanduser())])
    except ExplorerError as problem:
        data_wording.problem("Not found", str(problem))
        return []
    except (OSError, ValueError, RuntimeError):
        data_wording.problem("Not found", "this is no path; name a file, a folder or a pattern")
        return []
    if several:
        size = file_size(sum(path.stat().st_size for path in paths))
        st.caption(f"{len(paths):,} {'file' if len(paths) == 1 else 'files'}, {size}")
    return paths if several else paths[:1]


def look(path: Path, reading: Reading = AS_FOUND) -> Preview | None:
    """Return a first look at a table, or draw why it cannot be read."""
    return looked(path, lambda: preview("trips", path, ROWS, reading), (repr(reading),))


def look_at_zones(path: Path) -> ZoneLook | None:
    """Return the columns of a zone file, or draw why it cannot be read."""

    def read() -> ZoneLook:
        with st.spinner("Reading the zones …", show_time=False):
            frame = read_shapes(path)
        columns = tuple(str(name) for name in frame.columns if name != frame.geometry.name)
        longitude = latitude = None
        if frame.crs is not None and len(frame):
            west, south, east, north = frame.geometry.to_crs("EPSG:4326").total_bounds
            longitude, latitude = float((west + east) / 2), float((south + north) / 2)
        return ZoneLook(columns, len(frame), longitude, latitude)

    return looked(path, read)


def looked(path: Path, read: Any, how: tuple[str | None, ...] = ()) -> Any:
    """Look once at a file, or draw why it cannot be read and return None; errors are kept too.

    Neither page nor log repeat a foreign message.
    """
    looks = own().read("looks")
    key = (str(path), *how)
    try:
        key = (str(path), path.stat().st_mtime_ns, *how)
        if key not in looks:
            looks[key] = read()
    except ExplorerError as problem:
        looks[key] = data_wording.on_page(problem)
    except Exception as problem:
        _log.error("a first look failed with %s", type(problem).__name__)
        text = f"{path.name}: cannot be read ({type(problem).__name__}); export it again"
        data_wording.problem("Cannot be read", text)
        return None
    outcome = looks[key]
    if isinstance(outcome, str):
        data_wording.problem("Cannot be read", outcome)
        return None
    return outcome


def columns(
    draft: Draft,
    name: str,
    kind: str,
    columns_there: Sequence[str],
    wanted: Sequence[str],
    optional: Sequence[str],
) -> tuple[dict[str, str], list[str]]:
    """Draw one picker for each canonical column.

    Returns
    -------
    dict, list of str
        Canonical to actual column (empty where there is none), and what is still missing.
    """
    guessed = mapping.guess(kind, columns_there)
    chosen: dict[str, str] = {}
    names = [*wanted, *optional]
    signature = abs(hash((kind, tuple(columns_there))))
    with st.container(horizontal=True, gap="small"):
        for canonical in names:
            offered = [*([_ABSENT] if canonical in optional else []), *columns_there]
            start = guessed.get(canonical, _ABSENT)
            label = COLUMNS[canonical] + (" (optional)" if canonical in optional else "")
            picked = draft.field(
                st.selectbox,
                label,
                f"{name}_{canonical}_{signature}",
                offered,
                index=offered.index(start) if start in offered else None,
                format_func=lambda column: column or "not in the file",
                placeholder="choose",
                width=190,
            )
            chosen[canonical] = picked or _ABSENT
    taken = [column for column in chosen.values() if column]
    missing = [f"a column for “{COLUMNS[c]}”" for c in wanted if not chosen[c]]
    if len(set(taken)) < len(taken):
        missing.append("a different column for each field")
    return chosen, missing
