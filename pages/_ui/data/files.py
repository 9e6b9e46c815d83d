"""What the form has been told so far; choosing files and columns, and a first look at them."""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import streamlit as st

from engine.errors import ExplorerError
from engine.ingest.inputs import column_mapping, sources
from engine.ingest.inputs.column_mapping import PLACES, Mappings
from engine.ingest.options import Reading
from engine.text.numbers import file_size, make_inert
from pages._ui.app import error_pages
from pages._ui.data import builds, messages
from pages._ui.data.builds import data_state
from pages._ui.data.messages import COLUMNS

TABLE_ENDINGS = ("csv", "gz", "bz2", "xz", "tsv", "txt", "parquet", "pq", "zip")
ZONE_ENDINGS = ("geojson", "json", "gpkg", "zip", "parquet", "pq")
DEFAULT_READING = Reading()


@dataclass
class Draft:
    """How the form asks, what has been filled in so far, and what is still missing."""

    by_path: bool = False
    busy: bool = False  # a build reads the files right now: the form only holds its place
    values: dict[str, Any] = field(default_factory=dict[str, Any])
    missing: list[str] = field(default_factory=list[str])
    files: list[Path] = field(default_factory=list[Path])
    kind: str = "trips"
    columns: Mapping[str, str] = field(default_factory=dict[str, str])
    reading: Reading = DEFAULT_READING
    mappings: Mappings | None = None
    centre: tuple[float, float] | None = None  # the middle of the zones, longitude and latitude

    def ask(
        self,
        widget: Callable[..., Any],
        label: str,
        name: str,
        options: Collection[Any] | None = None,
        /,
        **look: Any,
    ) -> Any:
        """Draw a field that outlives other pages; `options` may map what is offered to words."""
        if isinstance(options, Mapping):
            look = {"format_func": options.__getitem__, **look}
        if options is not None:
            look["options"] = list(options)
        return widget(label, key=_widget_key(name), persist_state="session", **look)

    @property
    def has_places(self) -> bool:
        """Whether places or zones were given."""
        return "locations" in self.values or "zones" in self.values

    @property
    def leave_out(self) -> set[str]:
        """What is left out: by choices beside refusals, and by the form that the table is in."""
        return data_state().leave_out | set(self.values.get("leave_out", ()))


def _widget_key(name: str) -> str:
    """Return a widget's key; a new round of uploads has new ones."""
    return f"data_{name}_{data_state().round}"


def has_points(kind: str, names: Mapping[str, str]) -> bool:
    """Whether rows hold coordinates instead of ids of places."""
    ids, points = PLACES[kind]
    has = {name for name, column in names.items() if column}
    return bool(points) and set(points) <= has and not set(ids) <= has


def choose_files(
    draft: Draft, name: str, label: str, endings: Sequence[str], hint: str, *, is_list: bool = False
) -> list[Path]:
    """Draw an uploader, or a field for a path, and return the files on this disk."""
    # the first in a container of its own: nothing drawn later moves it, or a file dropped is lost
    with st.container():
        if draft.by_path:
            return _choose_path(draft, name, label, hint, is_list)
        files: Any = st.file_uploader(
            label,
            type=list(endings),
            accept_multiple_files=is_list,
            key=_widget_key(name),
            help=hint,
            on_change=_forget_files,
            args=(name,),
        )
        return [] if draft.busy else _store_uploads(name, files if is_list else [files])


def _store_uploads(name: str, uploads: Sequence[Any]) -> list[Path]:
    """Return where the files lie."""
    files, space = [file for file in uploads if file is not None], data_state().workspace
    if not files:  # the uploader forgets its files on another page, this session does not
        there = list(space.uploads.get(name, {}).values()) if space else []
        if there:
            names = ", ".join(make_inert(path.name) for path in there)
            st.caption(f"Uploaded earlier: {names}. Drop another file here to replace it.")
        return there
    try:
        with st.spinner("Saving the upload …", show_time=False):
            return builds.workspace().store_files(name, files)
    except OSError as problem:
        messages.show_error("The upload could not be saved", f"{problem.strerror}; free some space")
        return []


def _forget_files(name: str) -> None:
    """Let go of the files of an uploader (a callback): others were dropped, or these taken away."""
    state = data_state()
    if state.workspace is not None:
        state.workspace.store_files(name, ())
    state.caches.pop("looks", None)
    state.leave_out, state.accepted, state.error_code = set(), set(), ""


def _choose_path(draft: Draft, name: str, label: str, hint: str, is_list: bool) -> list[Path]:
    text = draft.ask(
        st.text_input,
        label,
        f"{name}_path",
        placeholder="/data/trips_*.csv" if is_list else "/data/places.csv",
        help=f"{hint} {'A file, a folder or a pattern with *.' if is_list else 'A file.'}",
        autocomplete="off",
        on_change=_forget_files,
        args=(name,),
    )
    if draft.busy or not (text := (text or "").strip()):
        return []
    try:
        paths = sources.find_files([str(Path(text).expanduser())])
    except ExplorerError as problem:
        messages.show_error("Not found", str(problem))
        return []
    except (OSError, ValueError, RuntimeError):
        messages.show_error("Not found", "this is not a path; enter a file, a folder or a pattern")
        return []
    if is_list:
        size = file_size(sum(path.stat().st_size for path in paths))
        st.caption(f"{len(paths):,} {'file' if len(paths) == 1 else 'files'}, {size}")
    return paths if is_list else paths[:1]


def read_once(read: Callable[..., Any], path: Path, *options: Any) -> Any:
    """Return the result of `read` for a file, read once."""

    def look() -> Any:
        try:
            with st.spinner("Reading the file …", show_time=False):
                return read(path, *options)
        except ExplorerError:
            raise
        except Exception as problem:  # whatever a reader raises may quote the file
            error_pages.log(problem)
            fault = f"{path.name} cannot be read ({type(problem).__name__}); export it again"
            raise ExplorerError(fault) from None

    return ask_once("looks", (read, path, path.stat().st_mtime_ns, *options), look)


def ask_once(kind: str, key: Hashable, ask: Callable[[], Any]) -> Any:
    """Return the answer to what is asked once; a refusal is kept and raised again."""
    answers = data_state().cache_of(kind)
    if key not in answers:
        try:
            answers[key] = ask()
        except ExplorerError as problem:
            answers[key] = problem
    if isinstance(answers[key], ExplorerError):
        raise answers[key].with_traceback(None)
    return answers[key]


def choose_columns(
    draft: Draft,
    name: str,
    header: Sequence[str],
    required: Sequence[str],
    optional: Sequence[str],
    found: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Return canonical to actual column of the kind `name`, empty where there is none.

    Columns are asked for where a guess is missing. What was recognised stands in the preview; the
    pickers are drawn to change it. What was `found` in the rows goes before a guess by names.
    """
    tag = f"{name}_{abs(hash((tuple(required), tuple(header), str(found))))}"
    guessed = {**column_mapping.guess_columns(name, header), **(found or {})}
    start = {field: guessed.get(field, "") for field in (*required, *optional)}
    unsure = any(not start[field] for field in required) or _has_duplicates(start)
    if not draft.ask(st.toggle, "Choose the columns", f"columns_{tag}", value=unsure):
        return start
    chosen: dict[str, str] = {}
    with st.container(horizontal=True, gap="small"):
        for canonical in start:
            options = [*([""] if canonical in optional else []), *header]
            if start[canonical] and start[canonical] not in options:
                options.append(start[canonical])  # joined columns
            picked = draft.ask(
                st.selectbox,
                COLUMNS[canonical] + (" (optional)" if canonical in optional else ""),
                f"{name}_{canonical}_{tag}",
                options,
                index=options.index(start[canonical]) if start[canonical] in options else None,
                format_func=lambda column: column or "not in this file",
                placeholder="choose",
                width=190,
            )
            chosen[canonical] = picked or ""
    draft.missing += [f"a column for “{COLUMNS[field]}”" for field in required if not chosen[field]]
    draft.missing += ["a different column for each field"] if _has_duplicates(chosen) else []
    return chosen


def _has_duplicates(columns: dict[str, str]) -> bool:
    names = [column for column in columns.values() if column]
    return len(set(names)) < len(names)
