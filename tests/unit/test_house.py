"""The rooms of the front end, no circles between files, and the page that describes them."""

import ast
import re
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pathlib import Path

import pytest

from tests.unit.test_architecture import LAYERS, imported_from

ROOT = Path(__file__).parents[2]
UI = ROOT / "pages" / "_ui"
SHARED = {"shell", "cache", "drawing", "wording", "jobs", "views"}
PAGES = {
    path.name
    for path in UI.iterdir()
    if path.is_dir() and path.name not in SHARED and not path.name.startswith("__")
}
DOCUMENT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def module(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module(path): path for top in ("engine", "pages") for path in (ROOT / top).rglob("*.py")}


def imports(path):
    """Return the files that a file imports when it is read; those inside functions come later."""
    names = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        else:
            source = imported_from(node, path)
            children = {f"{source}.{alias.name}" for alias in node.names}
            names |= children & FILES.keys() or {source}
    return {name for name in names if name in FILES}


def room(name):
    parts = name.split(".")
    return parts[2] if len(parts) > 2 and parts[1] == "_ui" else ""


@pytest.mark.parametrize("name", sorted(n for n in FILES if room(n)))
def test_rooms_of_the_front_end_import_one_way(name):
    others = {room(other) for other in imports(FILES[name]) if room(other)} - {room(name)}
    if room(name) in PAGES:
        assert not others & PAGES, "a page's package must not import another page's"
    else:
        assert not others & PAGES, "what pages share must not import a page"
    if room(name) == "drawing":
        assert not others & {"cache", "shell", "jobs"}, "drawing knows no dataset and no settings"


def test_no_circles_between_files():
    graph = {name: imports(path) - {name} for name, path in FILES.items()}
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as circle:
        pytest.fail(" → ".join(circle.args[1]))


PACKAGES = sorted(path.parent.name for path in (ROOT / "engine").glob("*/__init__.py"))


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_has_at_most_25_public_names(package):
    """More belong to the modules that they stand in, which are public, too."""
    names = import_module(f"engine.{package}").__all__ if package != "synthetic" else []
    assert len(names) <= 25


def test_the_document_names_every_room():
    engine = {path.stem for path in (ROOT / "engine").iterdir() if not path.name.startswith("_")}
    engine.discard("py.typed")
    for name in engine | PAGES | SHARED:
        assert re.search(rf"\b{name}\b", DOCUMENT), name


def test_the_document_orders_the_engine_as_its_layers():
    lines = DOCUMENT.split(" engine/\n")[1].split("```")[0].splitlines()
    known = set().union(*LAYERS)
    drawn = [set(re.findall(r"\b\w+\b", line[:40])) & known for line in lines]
    assert [line for line in drawn if line] == list(reversed(LAYERS))
