"""Arrows point one way: pages → pages/_ui → engine; and Setting runs where the documents say."""

import ast
import functools
import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FRONT_END = {"streamlit", "pydeck", "altair"}
LAYERS = [
    {"errors", "arrays", "verdict"},
    {"child_process", "validation"},
    {"parameters"},
    {"temp_folder"},
    {"geography"},
    {"datasets"},
    {"privacy_cost", "metrics"},
    {"contract"},
    {"sweeping"},
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


def sources(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


FILES = {module_of(path): path for path in sources("engine", "pages")}


@functools.cache
def imported(path: Path, *, when_read: bool = False) -> frozenset[str]:
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


def layer_of(name: str) -> int:
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
