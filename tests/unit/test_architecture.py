"""Arrows point one way: pages → pages/_ui → engine; inside engine from mechanisms down."""

import ast
import functools
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FRONT_END = {"streamlit", "pydeck", "altair"}

LAYERS = [
    {"errors", "arrays", "steps"},
    {"validation"},
    {"parameters"},
    {"noise"},
    {"geography"},
    {"datasets"},
    {"document", "pictures"},
    {"ledger", "metrics"},
    {"contract"},
    {"sweeping"},
    {"density", "origin_destination", "report"},
    {"usability"},
    {"privacy"},
    {"ingest", "resolution"},
    {"use"},
    {"synthetic"},
    {"decisions", "frontier", "release"},
    {"command"},
]
"""Lowest first; a module imports from its own package or from layers below it."""
TOPS = {"__init__", "__main__"}


@functools.cache
def imported(path: Path) -> frozenset[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = imported_from(node, path)
            names |= {module, *(f"{module}.{alias.name}" for alias in node.names)}
    return frozenset(names)


def imported_from(node: ast.ImportFrom, path: Path) -> str:
    """Return the whole name of the module that a file imports from."""
    package = path.relative_to(ROOT).parts[:-1]
    above = package[: len(package) + 1 - node.level] if node.level else ()
    return ".".join([*above, *([node.module] if node.module else [])])


def sources(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def subject(path: Path) -> str:
    return path.relative_to(ROOT / "engine").parts[0].removesuffix(".py")


def layer_of(name: str) -> int:
    return next(i for i, layer in enumerate(LAYERS) if name in layer)


@pytest.mark.parametrize("path", sources("engine"), ids=lambda p: str(p.relative_to(ROOT)))
def test_engine_imports_point_down(path):
    names = imported(path)
    assert not {name.split(".")[0] for name in names} & (FRONT_END | {"pages", "app"})
    if subject(path) in TOPS or path.name == "__main__.py":  # what is started stands on top
        return
    own = subject(path)
    used = {name.split(".")[1] for name in names if name.startswith("engine.")}
    above = {name for name in used - {own} if layer_of(name) >= layer_of(own)}
    assert not above, f"{own} must not import {above}"


def test_every_engine_module_has_a_layer():
    known = set().union(*LAYERS) | TOPS
    assert {subject(path) for path in sources("engine")} <= known


SHARED = {
    "wording": {"cache", "drawing", "wording"},
    "drawing": {"drawing", "wording"},
    "cache": {"cache", "drawing", "jobs", "shell"},
    "shell": {"cache", "drawing", "shell", "wording"},
    "jobs": {"jobs", "shell"},
    "views": {"cache", "drawing", "jobs", "shell", "views", "wording"},
}
"""What each shared part of the pages may import; a page's package may import its own and these."""


def part(module: str) -> str:
    """Return the part of ``pages/_ui`` that a module belongs to, ``page`` for a page itself."""
    names = module.split(".")
    return names[2] if names[:2] == ["pages", "_ui"] and len(names) > 2 else "page"


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imported_modules(path: Path, known: set[str]) -> set[str]:
    """Return the modules among `known` that a file imports when it is read."""
    modules = set()
    for name in imported(path) & known:
        below = {other for other in imported(path) & known if other.startswith(f"{name}.")}
        if not below or "__init__" in name:
            modules.add(name)
    return modules


FRONT = [ROOT / "app.py", *sources("pages")]


@pytest.mark.parametrize("path", FRONT, ids=lambda p: str(p.relative_to(ROOT)))
def test_arrows_of_the_pages_point_one_way(path):
    own = part(module_of(path))
    used = {part(name) for name in imported(path) if name.startswith("pages._ui.")}
    assert not {name for name in imported(path) if name.startswith("pages.") and "._ui" not in name}
    assert "app" not in imported(path)
    if own == "page":
        return
    allowed = SHARED.get(own, {own, *SHARED})
    assert used <= allowed, f"{own} must not import {used - allowed}"


@pytest.mark.parametrize("folder", ["engine", "pages"])
def test_no_file_imports_itself_by_way_of_others(folder):
    known = {module_of(path): path for path in sources(folder) if path.name != "__init__.py"}
    arrows = {name: imported_modules(path, set(known)) for name, path in known.items()}
    free: set[str] = set()
    while ready := {name for name, used in arrows.items() if name not in free and used <= free}:
        free |= ready
    circle = sorted(set(arrows) - free)
    assert not circle, f"in or above a circle: {circle}"


def test_only_the_cached_wrappers_of_the_front_end_cache():
    users = [
        str(path.parent.relative_to(ROOT))
        for path in [ROOT / "app.py", *sources("pages")]
        if "st.cache_" in path.read_text(encoding="utf-8")
    ]
    assert set(users) == {"pages/_ui/cache"}


SHORT = {
    "engine/arrays.py",
    "engine/datasets/installed.py",
    "engine/decisions/places.py",
    "engine/density/kept.py",
    "engine/ingest/counting/week.py",
    "engine/ingest/expressions.py",
    "engine/ingest/inputs/ids.py",
    "pages/_ui/cache/facts.py",
    "pages/_ui/cache/window.py",
    "pages/_ui/drawing/colours.py",
    "pages/_ui/drawing/tables.py",
    "pages/_ui/home/details.py",
    "pages/_ui/release/page.py",
    "pages/_ui/shell/local.py",
    "pages/_ui/shell/public.py",
    "pages/_ui/views/beside.py",
    "pages/_ui/wording/ranges.py",
    "benchmarks/measure.py",
}
"""One small subject that several files share; a page itself and ``__main__`` may be short, too."""


def test_no_type_is_silenced_where_it_is_used():
    """What a library does not say of its own types stands in `typings`."""
    silencing = re.compile(r"#\s*(?:pyright|type|mypy):")
    files = [ROOT / "app.py", *sources("engine", "pages", "benchmarks", "research", "tests")]
    assert not [path for path in files if silencing.search(path.read_text(encoding="utf-8"))]


VAGUE = {"told", "made", "found", "book", "here"}


def name_given(node: ast.AST) -> str | None:
    """Return the name that a node gives to a function, a class, an argument or a variable."""
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.ExceptHandler(name=name):
            return name
        case ast.arg(arg=name) | ast.alias(asname=name):
            return name
        case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
            return name
    return None


@pytest.mark.parametrize("folder", ["engine", "pages", "tests", "benchmarks", "research"])
def test_names_say_what_they_hold(folder):
    """Participles say what was done, not what it is: `text`, `release`, `matches`, `ledger`."""
    vague = []
    for path in sources(folder):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        names = [(name_given(node), node) for node in nodes]
        vague += [f"{path}:{node.lineno} {name}" for name, node in names if name in VAGUE]
        examples = re.findall(r">>> (\w+) = ", path.read_text(encoding="utf-8"))
        vague += [f"{path} >>> {name}" for name in examples if name in VAGUE]
        if path.stem in VAGUE:
            vague.append(str(path.relative_to(ROOT)))
    assert not vague


def test_what_a_session_remembers_stands_in_one_file():
    """A key of Streamlit's own dictionary is a name that nobody lists and no type checks.

    Drawing knows no session; a map or a chart reads there what was clicked on it, and a map how
    often it was sent back, under its own key.
    """
    files = [ROOT / "app.py", *(ROOT / "pages").rglob("*.py")]
    using = [path for path in files if "session_state" in path.read_text(encoding="utf-8")]
    drawing = ["charts/spec.py", "deck.py"]
    allowed = [*(f"pages/_ui/drawing/{name}" for name in drawing), "pages/_ui/shell/session.py"]
    assert sorted(using) == [ROOT / path for path in allowed]


def test_files_hold_one_subject_in_40_to_400_lines():
    lines = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for path in sources("engine", "pages", "benchmarks", "research")
        if path.name not in ("__init__.py", "__main__.py") and path.parent != ROOT / "pages"
    }
    assert not {name: count for name, count in lines.items() if count > 400}
    assert not {name: count for name, count in lines.items() if count < 40 and name not in SHORT}


def test_array_types_stand_in_one_file_and_come_from_there():
    names = "Floats|Integers|Booleans|Complex|Singles|Geometries|Numbers"
    home = ROOT / "engine" / "arrays.py"
    for path in set(sources("engine", "pages", "benchmarks", "research", "tests")) - {home}:
        text = path.read_text(encoding="utf-8")
        assert not re.findall(r"^\w+ = (?:npt\.)?NDArray\[.*", text, re.MULTILINE), path
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and any(
                re.fullmatch(names, alias.name) for alias in node.names
            ):
                assert imported_from(node, path) == "engine.arrays", path
