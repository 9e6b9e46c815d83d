"""The package as it is installed: no file is left behind, and it releases outside a checkout."""

import os
import shutil
import subprocess
import sys
import tomllib
import zipfile

import pytest

from tests.support.releases import ROOT

DATA = [
    path.relative_to(ROOT)
    for path in (ROOT / "engine").rglob("*")
    if path.is_file() and path.suffix not in (".py", ".pyc")
]


def test_every_file_that_is_no_code_is_named_as_package_data():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    named = settings["tool"]["setuptools"]["package-data"]
    assert DATA
    for path in DATA:
        patterns = named[".".join(path.parent.parts)]
        assert any(path.match(pattern) for pattern in patterns), path


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder that holds what the wheel holds."""
    source, target = (tmp_path_factory.mktemp(name) for name in ("source", "target"))
    shutil.copytree(ROOT / "engine", source / "engine")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "--retries=1"]
    build = ["wheel", "--no-deps", "--wheel-dir", str(source / "out"), str(source)]
    built = subprocess.run([*pip, *build], capture_output=True, text=True, check=False)
    if built.returncode:
        pytest.skip("no wheel can be built here: setuptools is neither there nor to be had")
    (wheel,) = (source / "out").glob("*.whl")
    subprocess.run(
        [*pip, "install", "--no-deps", "--no-compile", "--target", str(target), str(wheel)],
        check=True,
    )
    with zipfile.ZipFile(wheel) as packed:
        assert {path.as_posix() for path in DATA} <= set(packed.namelist())
    return target


def test_a_wheel_installed_elsewhere_releases(installed, demo, tmp_path):
    def run(*words):
        command = [sys.executable, "-m", "engine.release", *words, "--ledger", "kept.sqlite"]
        own = {"PYTHONPATH": str(installed), "MOBILITY_DATA": str(tmp_path)}
        subprocess.run(command, cwd=tmp_path, env=os.environ | own, check=True)

    where = [sys.executable, "-c", "import engine; print(engine.__file__)"]
    path = os.environ | {"PYTHONPATH": str(installed)}
    used = subprocess.run(where, cwd=tmp_path, env=path, check=True, capture_output=True, text=True)
    assert used.stdout.startswith(str(installed))
    declare = ["--datasets", "demo-city", "--epsilon", "9", "--by", "me"]
    run("budget", "set", "people", *declare)
    ask = ["--epsilon", "0.5", "--days", "0", "--tuned-on", "public", "--out", "out"]
    run("od", str(demo.folder.parent), *ask)
    page = (tmp_path / "out" / "statement.html").read_text(encoding="utf-8")
    css = (ROOT / "engine" / "release" / "statement.css").read_text(encoding="utf-8")
    assert css in page
    run("verify")
