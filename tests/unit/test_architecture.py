"""Arrows point one way: pages → pages/_ui → engine; inside engine from mechanisms down."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FRONT_END = {"streamlit", "pydeck", "altair"}

LAYERS = [
    {"errors", "arrays"},
    {"validation"},
    {"parameters"},
    {"noise"},
    {"geography"},
    {"datasets"},
    {"ledger", "metrics", "risk"},
    {"density", "origin_destination", "report"},
    {"usability"},
    {"attack"},
    {"ingest", "resolution", "synthetic"},
    {"decisions", "release"},
]
"""Lowest first; a module imports from its own package or from layers below it."""


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


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
    if path == ROOT / "engine" / "__init__.py":
        return
    own = subject(path)
    used = {name.split(".")[1] for name in names if name.startswith("engine.")}
    above = {name for name in used - {own} if layer_of(name) >= layer_of(own)}
    assert not above, f"{own} must not import {above}"


def test_every_engine_module_has_a_layer():
    known = set().union(*LAYERS) | {"__init__"}
    assert {subject(path) for path in sources("engine")} <= known


@pytest.mark.parametrize("path", sources("pages/_ui"), ids=lambda p: str(p.relative_to(ROOT)))
def test_shared_ui_does_not_import_pages(path):
    assert not {n for n in imported(path) if n.startswith("pages.") and "._ui" not in n}
    assert "app" not in imported(path)


def test_only_the_cached_wrappers_of_the_front_end_cache():
    users = [
        str(path.parent.relative_to(ROOT))
        for path in [ROOT / "app.py", *sources("pages")]
        if "st.cache_" in path.read_text(encoding="utf-8")
    ]
    assert set(users) == {"pages/_ui/cache"}


def test_modules_stay_short():
    long = {
        str(path.relative_to(ROOT)): lines
        for path in sources("engine", "pages", "benchmarks")
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > 400
    }
    assert not long


@pytest.mark.parametrize("path", sources("pages", "benchmarks"), ids=lambda p: str(p))
def test_names_are_imported_from_where_they_stand(path):
    """Array types come from engine.arrays, not through a module that happens to import them."""
    types = {"Floats", "Integers", "Booleans", "Complex"}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and types & {alias.name for alias in node.names}:
            source = ROOT.joinpath(*(node.module or "").split("."))
            file = source.with_suffix(".py")
            text = (file if file.exists() else source / "__init__.py").read_text(encoding="utf-8")
            for name in types & {alias.name for alias in node.names}:
                assert name in text, f"{node.module} has no {name}"
