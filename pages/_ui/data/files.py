"""Choosing files and columns: uploads or paths, a first look, and which column means what."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from engine.errors import ExplorerError
from engine.ingest.inputs import mapping, sources
from engine.ingest.inputs.mapping import Preview, preview
from engine.ingest.inputs.zones import layers, read_shapes
from engine.ingest.reading import Reading
from pages._ui.data import store as data_store, wording as data_wording
from pages._ui.data.draft import Draft
from pages._ui.data.own import own
from pages._ui.data.wording import COLUMNS
from pages._ui.shell import problems
from pages._ui.wording.numbers import file_size

TABLES = ("csv", "gz", "tsv", "txt", "parquet", "pq", "zip")
ZONES = ("geojson", "json", "gpkg", "zip", "parquet", "pq")
ROWS = 5
AS_FOUND = Reading()


@dataclass(frozen=True)
class ZoneLook:
    """A zone file's columns and where it lies."""

    columns: tuple[str, ...]
    zones: int
    longitude: float | None
    latitude: float | None = None


def choose(
    draft: Draft, name: str, label: str, endings: Sequence[str], hint: str, *, several: bool = False
) -> list[Path]:
    """Draw an uploader, or a field for a path, and return the files on this disk."""
    # the first in a container of its own: nothing drawn later moves it, or a file dropped is lost
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
        there = [path for path in kept.get(name, []) if path.is_file()]
        if there:
            names = ", ".join(sources.shown(path.name) for path in there)
            st.caption(f"Kept from before: {names}. Drop another file to replace it.")
        return there
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


def _forget(name: str) -> None:
    """Forget the files of an uploader (a callback): others were dropped, or these taken away."""
    held = own()
    held.kept.pop(name, None)
    held.uploads.pop(name, None)
    held.leave_out, held.refused = set(), ""


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


def look(path: Path, reading: Reading = AS_FOUND) -> Preview | ExplorerError:
    """Return a first look at a table, or why it cannot be read."""
    return looked(path, lambda: preview("trips", path, ROWS, reading), repr(reading))


def look_at_zones(path: Path, layer: str = "") -> ZoneLook | ExplorerError:
    """Return the columns of a zone file, or why it cannot be read."""

    def read() -> ZoneLook:
        with st.spinner("Reading the zones …", show_time=False):
            frame = read_shapes(path, layer)
        columns = tuple(str(name) for name in frame.columns if name != frame.geometry.name)
        longitude = latitude = None
        if frame.crs is not None and len(frame):
            west, south, east, north = frame.geometry.to_crs("EPSG:4326").total_bounds
            longitude, latitude = float((west + east) / 2), float((south + north) / 2)
        return ZoneLook(columns, len(frame), longitude, latitude)

    return looked(path, read, layer)


def layers_of(path: Path) -> list[str]:
    """Return the layers of a zone file; none where it cannot be read, which is said elsewhere."""
    found = looked(path, lambda: layers(path), "layers")
    return found if isinstance(found, list) else []


def looked(path: Path, read: Callable[[], Any], how: str = "") -> Any:
    """Look once at a file; what cannot be read is an error, which is kept too."""
    key, looks = (path, path.stat().st_mtime_ns, how), own().read("looks")
    if key not in looks:
        try:
            looks[key] = read()
        except ExplorerError as problem:
            looks[key] = problem
        except Exception as problem:  # whatever a reader raises may quote the file
            problems.log(problem)
            fault = f"{path.name}: cannot be read ({type(problem).__name__}); export it again"
            looks[key] = ExplorerError(fault)
    return looks[key]


def drawn(outcome: Any) -> Any:
    """Return what was looked at; None where it cannot be read, which is then said."""
    if isinstance(outcome, ExplorerError):
        data_wording.problem("Cannot be read", data_wording.on_page(outcome))
        return None
    return outcome


def columns(
    draft: Draft,
    name: str,
    guessed: dict[str, str],
    there: Sequence[str],
    wanted: Sequence[str],
    optional: Sequence[str],
) -> dict[str, str]:
    """Return canonical to actual column (empty where there is none); ask where a guess is missing.

    What was recognised stands in the preview; the pickers are drawn to change it.
    """
    tag = f"{name}_{abs(hash((tuple(wanted), tuple(there))))}"
    start = {one: guessed.get(one, "") for one in (*wanted, *optional)}
    unsure = any(not start[one] for one in wanted) or _twice(start)
    if not (draft.field(st.toggle, "Choose the columns", f"columns_{tag}", value=unsure)):
        return start
    chosen: dict[str, str] = {}
    with st.container(horizontal=True, gap="small"):
        for canonical in start:
            offered = [*([""] if canonical in optional else []), *there]
            if start[canonical] and start[canonical] not in offered:
                offered.append(start[canonical])  # joined columns
            picked = draft.field(
                st.selectbox,
                COLUMNS[canonical] + (" (optional)" if canonical in optional else ""),
                f"{name}_{canonical}_{tag}",
                offered,
                index=offered.index(start[canonical]) if start[canonical] in offered else None,
                format_func=lambda column: column or "not in the file",
                placeholder="choose",
                width=190,
            )
            chosen[canonical] = picked or ""
    draft.missing += [f"a column for “{COLUMNS[c]}”" for c in wanted if not chosen[c]]
    draft.missing += ["a different column for each field"] if _twice(chosen) else []
    return chosen


def _twice(chosen: dict[str, str]) -> bool:
    taken = [column for column in chosen.values() if column]
    return len(set(taken)) < len(taken)


def guess(kind: str, there: Sequence[str]) -> dict[str, str]:
    """Return the columns that are recognised by their names."""
    return mapping.guess(kind, there)
