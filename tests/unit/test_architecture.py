"""Arrows point one way, a Setting runs as documented, and Streamlit has what pages use of it."""

import ast
import functools
import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
import uvicorn.config
from streamlit import runtime
from streamlit.file_util import get_static_dir
from streamlit.runtime import Runtime
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import ScriptRunContext
from streamlit.runtime.state.query_params import QueryParams, WidgetBinding
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.runtime.uploaded_file_manager import UploadedFileManager

ROOT = Path(__file__).parents[2]
FRONT_END = {"streamlit", "pydeck", "altair"}
LAYERS = [
    {"errors", "arrays", "progress_line", "verdict"},
    {"child_process", "validation"},
    {"parameters"},
    {"release_arguments", "temp_folder"},
    {"geography"},
    {"datasets"},
    {"privacy_cost", "metrics"},
    {"contract"},
    {"density", "origin_destination", "report"},
    {"privacy"},
    {"resolution"},
    {"ingest"},
    {"utility", "readability"},
    {"synthetic"},
    {"decisions", "frontier", "release"},
    {"text"},
    {"frontier_command"},
    {"command"},
]
"""Lowest first; a module imports from its own package or from layers below it."""
ROOMS = ("app", "settings", "components", "frame", "answers")
"""Shared packages of pages, lowest first; no page's package imports another page's."""


def sources(*folders):
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def module_of(path):
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


FILES = {module_of(path): path for path in sources("engine", "pages")}


@functools.cache
def imported(path, *, when_read=False):
    """Return what a file imports, with relative names resolved; all of it, or when it is read."""
    tree, names = ast.parse(path.read_text(encoding="utf-8")), set[str]()
    package = path.relative_to(ROOT).parts[:-1]
    for node in tree.body if when_read else ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else ()
            source = ".".join([*above, *([node.module] if node.module else [])])
            names |= {source, *(f"{source}.{alias.name}" for alias in node.names)}
    return frozenset(names)


def test_the_engine_imports_no_front_end_and_only_from_below():
    for path in sources("engine"):
        names = imported(path)
        assert not {name.split(".")[0] for name in names} & (FRONT_END | {"pages", "app"}), path
        own = path.relative_to(ROOT / "engine").parts[0].removesuffix(".py")
        if own.startswith("__") or path.name == "__main__.py":  # what is started stands on top
            continue
        below = set[str]().union(*(layer for layer in LAYERS[: layer_of(own)]))
        used = {name.split(".")[1] for name in names if name.startswith("engine.")}
        assert used <= below | {own}, f"{module_of(path)} must not import {used - below - {own}}"


def layer_of(name):
    return next(i for i, layer in enumerate(LAYERS) if name in layer)


def test_rooms_import_from_below_and_no_page_another_ones_package():
    for path in (ROOT / "pages" / "_ui").rglob("*/*.py"):
        own = path.relative_to(ROOT / "pages" / "_ui").parts[0]
        parts = {n.split(".")[2] for n in imported(path) if n.startswith("pages._ui.")}
        below = ROOMS[: ROOMS.index(own)] if own in ROOMS else ROOMS
        assert not parts - {*below, own}, f"{module_of(path)}: {parts - {*below, own}}"


def test_setting_runs_where_the_documents_draw_it():
    text = (ROOT / "docs" / "develop.md").read_text(encoding="utf-8").split("```")[1]
    drawn = {
        f"{side}.{name.strip()}"
        for side, names in re.findall(r"(engine|pages): ([a-z, ]+?)(?:  |$)", text, re.MULTILINE)
        for name in names.split(",")
    }
    found = {"engine.contract"}
    for name, path in FILES.items():
        if "engine.contract.Setting" in imported(path):
            found.add(".".join(name.replace("_ui.", "").split(".")[:2]))
    assert found == drawn


def test_no_circles_between_files():
    graph = dict[str, set[str]]()
    for name, path in FILES.items():
        known = imported(path, when_read=True) & FILES.keys()
        deepest = {one for one in known if not any(o.startswith(f"{one}.") for o in known)}
        graph[name] = deepest - {name}
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as circle:
        pytest.fail(" → ".join(circle.args[1]))


def test_no_type_is_silenced_where_it_is_used():
    """What a library does not say of its own types stands in `typings`."""
    silencing = re.compile(r"#\s*(?:pyright|type|mypy):")
    files = [ROOT / "app.py", *sources("engine", "pages", "benchmarks", "research", "tests")]
    assert not [path for path in files if silencing.search(path.read_text(encoding="utf-8"))]
    rows = re.findall(r'root = "(.+?)".*= false', (ROOT / "pyproject.toml").read_text("utf-8"))
    assert rows == ["tests", "benchmarks", "research"]  # engine and pages are under every rule


INTERNALS = ROOT / "pages" / "_ui" / "app" / "streamlit_internals.py"
STYLE = ROOT / "pages" / "_ui" / "frame" / "style.css"
OWNERS = (ScriptRunContext, SafeSessionState, PagesManager, QueryParams, WidgetBinding, Runtime)
"""Classes whose names, with those of the modules, that module uses after a dot."""


def test_streamlit_has_every_private_name_and_one_module_alone_uses_them():
    tree = ast.parse(INTERNALS.read_text(encoding="utf-8"))
    used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    missing = used - {*dir(runtime), *dir(UploadedFileManager), *dir(uvicorn), *dir(uvicorn.config)}
    missing -= {*dir(uvicorn.config.ProxyHeadersMiddleware)}
    missing -= {name for owner in OWNERS for name in (*dir(owner), *owner.__annotations__)}
    assert not missing
    for path in [ROOT / "app.py", *sources("pages")]:
        inside = {name for name in imported(path) if name.startswith("streamlit.")}
        inside = {name for name in inside if not name.startswith("streamlit.components.")}  # public
        assert not inside or path == INTERNALS, f"{path}: {inside}"


def test_streamlit_has_every_part_that_the_style_names_and_no_other_file_names_one():
    missing = set(re.findall(r'data-testid="(\w+)"', STYLE.read_text(encoding="utf-8")))
    assert missing
    for script in Path(get_static_dir()).rglob("*.js"):
        text = script.read_text(encoding="utf-8")
        missing -= {name for name in missing if any(f"{q}{name}{q}" in text for q in "`\"'")}
    assert not missing
    for path in (*sources("pages"), *(ROOT / "pages").rglob("*.css")):
        names = re.findall(r"data-testid|\.st[A-Z]\w+", path.read_text(encoding="utf-8"))
        assert not names or path == STYLE, f"{path}: {names}"
