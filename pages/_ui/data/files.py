"""What the form has been told so far; choosing files and columns, and a first look at them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import streamlit as st

from engine.errors import ExplorerError
from engine.ingest.inputs import column_mapping, sources
from engine.ingest.inputs.column_mapping import PLACES, Mappings
from engine.ingest.options import Reading
from pages._ui.data import store as data_store, wording as data_wording
from pages._ui.data.store import own
from pages._ui.data.wording import COLUMNS
from pages._ui.shell import problems
from pages._ui.wording.numbers import file_size

TABLES = ("csv", "gz", "tsv", "txt", "parquet", "pq", "zip")
ZONES = ("geojson", "json", "gpkg", "zip", "parquet", "pq")
AS_FOUND = Reading()


@dataclass
class Draft:
    """How the form asks, what has been filled in so far, and what is still missing."""

    by_path: bool = False
    busy: bool = False  # a build reads the files right now: the form only holds its place
    values: dict[str, Any] = field(default_factory=dict[str, Any])
    missing: list[str] = field(default_factory=list[str])
    files: list[Path] = field(default_factory=list[Path])
    kind: str = "trips"
    chosen: Mapping[str, str] = field(default_factory=dict[str, str])
    reading: Reading = AS_FOUND
    mappings: Mappings | None = None
    at: tuple[float, float] | None = None  # the middle of the zones, longitude and latitude

    def field(
        self,
        widget: Callable[..., Any],
        label: str,
        name: str,
        options: Collection[Any] | None = None,
        **named: Any,
    ) -> Any:
        """Draw a field that outlives other pages; `options` may map what is offered to words."""
        if isinstance(options, Mapping):
            named = {"format_func": options.__getitem__, **named}
        if options is not None:
            named["options"] = list(options)
        return widget(label, key=_key(name), persist_state="session", **named)

    @property
    def has_places(self) -> bool:
        """Whether places or zones were given."""
        return "locations" in self.values or "zones" in self.values

    @property
    def leave_out(self) -> set[str]:
        """What is left out: by choices beside refusals, and by the form that the table is in."""
        return own().leave_out | set(self.values.get("leave_out", ()))


def _key(name: str) -> str:
    """Return a widget's key; a new round of uploads has new ones."""
    return f"data_{name}_{own().round}"


def by_points(kind: str, names: Mapping[str, str]) -> bool:
    """Whether rows hold coordinates instead of ids of places."""
    ids, points = PLACES[kind]
    has = {name for name, column in names.items() if column}
    return bool(points) and set(points) <= has and not set(ids) <= has


def choose(
    draft: Draft, name: str, label: str, endings: Sequence[str], hint: str, *, several: bool = False
) -> list[Path]:
    """Draw an uploader, or a field for a path, and return the files on this disk."""
    # the first in a container of its own: nothing drawn later moves it, or a file dropped is lost
    with st.container():
        if draft.by_path:
            return _by_path(draft, name, label, hint, several)
        files: Any = st.file_uploader(
            label,
            type=list(endings),
            accept_multiple_files=several,
            key=_key(name),
            help=hint,
            on_change=_forget,
            args=(name,),
        )
        return [] if draft.busy else _uploaded(name, files if several else [files])


def _uploaded(name: str, given: Sequence[Any]) -> list[Path]:
    """Return where the files lie."""
    files, space = [file for file in given if file is not None], own().workspace
    if not files:  # the uploader forgets its files on another page, this session does not
        there = list(space.uploads.get(name, {}).values()) if space else []
        if there:
            names = ", ".join(sources.to_printable(path.name) for path in there)
            st.caption(f"Kept from before: {names}. Drop another file to replace it.")
        return there
    try:
        with st.spinner("Storing the upload …", show_time=False):
            return data_store.workspace().hold(name, files)
    except OSError as problem:
        data_wording.problem("Cannot be stored", f"{problem.strerror}; free some space")
        return []


def _forget(name: str) -> None:
    """Let go of the files of an uploader (a callback): others were dropped, or these taken away."""
    held = own()
    if held.workspace is not None:
        held.workspace.hold(name, ())
    held.known.pop("looks", None)
    held.leave_out, held.refused = set(), ""


def _by_path(draft: Draft, name: str, label: str, hint: str, several: bool) -> list[Path]:
    given = draft.field(
        st.text_input,
        label,
        f"{name}_path",
        placeholder="/data/trips_*.csv" if several else "/data/places.csv",
        help=f"{hint} {'A file, a folder or a pattern with *.' if several else 'A file.'}",
        autocomplete="off",
        on_change=_forget,
        args=(name,),
    )
    if draft.busy or not (given := (given or "").strip()):
        return []
    try:
        paths = sources.find_files([str(Path(given).expanduser())])
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


def looked(read: Callable[..., Any], path: Path, *how: Any) -> Any:
    """Return what `read` finds in a file, read once; a refusal is kept and raised again."""
    key, looks = (read, path, path.stat().st_mtime_ns, *how), own().read("looks")
    if key not in looks:
        try:
            with st.spinner("Reading the file …", show_time=False):
                looks[key] = read(path, *how)
        except ExplorerError as problem:
            looks[key] = problem
        except Exception as problem:  # whatever a reader raises may quote the file
            problems.log(problem)
            fault = f"{path.name}: cannot be read ({type(problem).__name__}); export it again"
            looks[key] = ExplorerError(fault)
    if isinstance(looks[key], ExplorerError):
        raise looks[key].with_traceback(None)
    return looks[key]


def columns(
    draft: Draft, name: str, there: Sequence[str], wanted: Sequence[str], optional: Sequence[str]
) -> dict[str, str]:
    """Return canonical to actual column of the kind `name`, empty where there is none.

    Columns are asked for where a guess is missing. What was recognised stands in the preview; the
    pickers are drawn to change it.
    """
    tag = f"{name}_{abs(hash((tuple(wanted), tuple(there))))}"
    guessed = column_mapping.guess_columns(name, there)
    start = {one: guessed.get(one, "") for one in (*wanted, *optional)}
    unsure = any(not start[one] for one in wanted) or _twice(start)
    if not draft.field(st.toggle, "Choose the columns", f"columns_{tag}", value=unsure):
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
    draft.missing += [f"a column for “{COLUMNS[one]}”" for one in wanted if not chosen[one]]
    draft.missing += ["a different column for each field"] if _twice(chosen) else []
    return chosen


def _twice(chosen: dict[str, str]) -> bool:
    taken = [column for column in chosen.values() if column]
    return len(set(taken)) < len(taken)
