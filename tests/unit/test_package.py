"""What `pip install` brings: built as a wheel, installed elsewhere, used there by its command."""

import os
import re
import subprocess
import sys
import tomllib
import venv
import zipfile
from datetime import date
from importlib.metadata import distribution
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from engine.release import BudgetLedger
from tests.support.ingests import ROWS, arguments, write_csv
from tests.support.server import Visitor, served

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NAME = "mobility_privacy_explorer"
OUTSIDE = ("engine", "streamlit", "pydeck", "altair", "opendp", "h3", "timezonefinder", "pyspark")
PIP = (sys.executable, "-m", "pip")
OFFLINE = ("-q", "--no-deps", "--no-index")


def succeed(*command, **options):
    """Run a command that must succeed and return what it printed."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of this checkout, built in a copy: setuptools writes beside what it builds."""
    folder = tmp_path_factory.mktemp("wheel")
    (folder / "checkout").mkdir()
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "app.py", ".streamlit"):
        os.symlink(ROOT / name, folder / "checkout" / name)
    for name in ("package", "engine", "pages", "data", "tests", "docs"):
        os.symlink(ROOT / name, folder / "checkout" / name)
    pytest.importorskip("setuptools", minversion="77", reason="`make test` installs a newer one")
    words = ("wheel", *OFFLINE, "--no-build-isolation", "-w", folder, folder / "checkout")
    succeed(*PIP, *words)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def place(wheel, tmp_path_factory):
    """A folder elsewhere, with an environment of the wheel; other libraries are those of here."""
    folder = tmp_path_factory.mktemp("elsewhere")
    venv.create(folder / "env", symlinks=True)
    succeed(*PIP, "--python", folder / "env" / "bin" / "python", "install", *OFFLINE, wheel)
    (site,) = (folder / "env" / "lib").glob("python*/site-packages")
    # a line of a .pth file is a folder to look in; .pth files in there are not read
    others = [path for path in sys.path if Path(path).name == "site-packages"]
    (site / "others.pth").write_text("\n".join(others), encoding="utf-8")
    return folder


@pytest.fixture
def command(place):
    """Return a function that gives the installed command in a folder of somebody's own."""
    ours = ("PYTHONPATH", "MOBILITY_DATA")
    variables = {key: value for key, value in os.environ.items() if key not in ours}
    variables |= {"HOME": str(place), "XDG_DATA_HOME": str(place / "share")}

    def run(*words, expected=0):
        program = place / "env" / "bin" / "mobility-privacy-explorer"
        done = subprocess.run(
            [program, *map(str, words)],
            cwd=place,
            env=variables,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == expected, done.stderr
        return done.stdout + done.stderr

    run.environment = variables
    return run


def test_the_wheel_holds_the_app_the_engine_and_one_dataset_and_nothing_else(wheel):
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert {name.split("/")[0] for name in names} == {NAME}
    inside = {name.removeprefix(f"{NAME}/") for name in names}
    expected = {
        str(path.relative_to(ROOT))
        for folder in ("engine", "pages", "data/demo-city", "data/outlines")
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    alone = {"app.py", "__init__.py", "__main__.py", "data/README.md", ".streamlit/config.toml"}
    assert inside == expected | alone


def test_what_an_index_shows_leads_somewhere_and_one_version_stands_everywhere(wheel):
    with zipfile.ZipFile(wheel) as files:
        (name,) = (name for name in files.namelist() if name.endswith("/METADATA"))
        metadata = files.read(name).decode()
    assert f"\nVersion: {PROJECT['version']}\n" in metadata
    assert metadata.count("\nProject-URL: ") == len(PROJECT["urls"]) > 0
    *_, text = metadata.split("\n\n", 1)
    assert "# Mobility Privacy Explorer" in text
    assert not re.findall(r"!\[|\]\((?!https://)", text)
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == PROJECT["version"]
    assert isinstance(citation["date-released"], date)
    newest = re.search(r"^## (.*) – (.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    assert newest[1] == PROJECT["version"]
    assert newest[2] in ("unreleased", f"{citation['date-released']}")


def test_pins_are_the_tested_versions_of_all_that_is_installed():
    """Else write what the left side holds into pyproject.toml."""
    extras = PROJECT["optional-dependencies"]
    needed, asked = set(), [*PROJECT["dependencies"]]
    asked += [text for extra in ("app", "grid", "release") for text in extras[extra]]
    while asked:
        need = Requirement(asked.pop())
        name = canonicalize_name(need.name)
        if name not in needed and (need.marker is None or need.marker.evaluate({"extra": ""})):
            needed.add(name)
            asked += distribution(name).requires or ()
    lock = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = [line for line in lock if canonicalize_name(line.partition("==")[0]) in needed]
    assert len(pinned) == len(needed)
    assert pinned == extras["pins"]


def test_the_command_says_what_it_can_do(place, command):
    usage = command("--help")
    for part in ("run", "ingest", "twin", "release", "frontier"):
        assert f"  {part} " in usage
    assert "no part 'fly'" in command("fly", expected=2)
    python, own = place / "env" / "bin" / "python", {"cwd": place, "env": {}}
    assert succeed(python, "-m", NAME, "--version", **own).strip() == PROJECT["version"]
    words = f"import {NAME}; print({NAME}.__version__)"
    assert succeed(python, "-c", words, **own).strip() == PROJECT["version"]


def test_run_serves_the_first_page_from_anywhere(place, command):
    program = str(place / "env" / "bin" / "mobility-privacy-explorer")
    with (
        served(command.environment, command=[program, "run"], folder=place) as address,
        Visitor(address) as visitor,
    ):
        drawn = [message.delta.new_element for message in visitor.run()]
        kinds = {element.WhichOneof("type") for element in drawn}
        assert "exception" not in kinds
        assert {"heading", "slider", "html"} & kinds
        assert any("demo-city" in str(element) for element in drawn)
    assert not list((place / "env").rglob("*.sqlite*")), "nothing is written beside the package"


def test_ingest_and_release_write_to_the_users_own_folder(place, command):
    write_csv(place / "t.csv", ("uid", "datetime", "origin", "destination"), ROWS)
    share = place / "share" / "mobility-privacy-explorer"
    words = arguments(place, "--parts", "trips")
    words[words.index("--out") + 1] = str(share / "local" / "city")
    command("ingest", *words)
    ledger = BudgetLedger(share / "ledger.sqlite")
    whose = {"datasets": ["demo-city", "city"], "unit": "person", "manager": "custodian"}
    ledger.declare("demo people", epsilon=2.0, **whose)
    command("release", "od", "city", "--epsilon", "0.2", "--to", "2015-09-07",
            "--tuned-on", "simulated", "--trips", "2000000", "--out", "flows")  # fmt: skip
    assert (place / "flows" / "statement.html").is_file()
    assert ledger.budget("demo people").spent_epsilon == 1.4


def test_the_engine_alone_needs_no_front_end_no_extra_and_no_checkout(place, command):
    """Every module loads without them but the noise of a release, which is OpenDP's."""
    words = f"""
import importlib, pkgutil, sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {OUTSIDE!r}:
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Absent())
from {NAME} import engine
for module in pkgutil.walk_packages(engine.__path__, engine.__name__ + "."):
    if not module.name.endswith("__main__"):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            print(module.name, error.name)
from {NAME}.engine.ingest.preview import find_time_zone
from {NAME}.engine.ingest.inputs.hexagons import h3_resolution
print(find_time_zone(-103.35, 20.67))
try:
    h3_resolution(1000)
except engine.errors.InputError as error:
    print(error)
"""
    python = place / "env" / "bin" / "python"
    lines = succeed(python, "-c", words, cwd=place, env=command.environment).splitlines()
    *missing, zone, hexagons = lines
    needs = {"opendp": f"{NAME}.engine.release"}
    assert {line.split()[1] for line in missing} == set(needs)
    assert all(module.startswith(needs[name]) for module, name in map(str.split, missing))
    assert zone == "None"
    assert "mobility-privacy-explorer[grid]" in hexagons
