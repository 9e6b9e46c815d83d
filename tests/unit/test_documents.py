"""Documents: links lead somewhere, examples run, all is named; files to run it for others agree."""

import doctest
import re
import runpy
from dataclasses import fields
from pathlib import Path

import nbformat
import pytest
import yaml

from engine import privacy, utility
from engine.contract import Selection, TimeSelection
from engine.parameters import DensityParameters, ODParameters
from engine.report import ReportParameters
from pages._ui.frame import layout
from tests.unit.test_command import PARSERS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SETTING = (Selection, TimeSelection, ODParameters, DensityParameters, ReportParameters)
PAGES = [*sorted(DOCS.glob("*.md")), *(ROOT / f"{n}.md" for n in ("README", "CONTRIBUTING"))]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_link_leads_to_a_file_and_a_heading(path):
    text = path.read_text(encoding="utf-8")
    for zones in re.findall(r"--zones (\S+)", text):
        assert re.fullmatch(r"clusters-\d+`?|\S+\.geojson", zones), zones
    for target in re.findall(r"\]\(([^)]+)\)", text):
        file, _, heading = target.partition("#")
        linked = path.parent / file if file else path
        assert linked.is_file(), target
        if heading:
            headings = re.findall(r"^#+ (.+)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
            slugs = {re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in headings}
            assert heading in slugs, target


def unnamed(names):
    """Return the names that no document has as a word of its own."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in PAGES)
    return {name for name in names if not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text)}


@pytest.mark.parametrize("part", SETTING, ids=lambda part: part.__name__)
def test_every_field_of_a_setting_is_named(part):
    assert not unnamed(f"`{field.name}`" for field in fields(part))


@pytest.mark.parametrize("page", sorted((ROOT / "pages").glob("*.py")), ids=lambda page: page.stem)
def test_every_view_of_a_page_is_named(page, monkeypatch):
    monkeypatch.setattr(layout, "show_page", lambda *_: None)
    assert not unnamed(f"*{view}*" for view in runpy.run_path(str(page)).get("VIEWS", ()))


def test_every_option_of_the_command_is_named():
    actions = [action for parser in PARSERS.values() for action in parser._actions]
    options = {option for action in actions for option in action.option_strings}
    assert not unnamed({option for option in options if option.startswith("--")} - {"--help"})


def test_the_examples_run_and_say_what_the_page_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (DOCS / "develop.md").read_text(encoding="utf-8")
    examples = "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
    test = doctest.DocTestParser().get_doctest(examples, {}, "develop.md", None, 0)
    assert len(test.examples) > 25
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    assert runner.run(test, out=said.append).failed == 0, "".join(said)


def test_stated_limits_are_the_constants():
    text = (DOCS / "use.md").read_text(encoding="utf-8")
    for name in ("FLOWS_LIMITS", "DENSITY_LIMITS"):
        limits = getattr(utility, name)
        row = next(line for line in text.splitlines() if f"`engine.utility.{name}`" in line)
        assert re.findall(r"(\d+)%", row) == [f"{100 * limit:.0f}" for limit in limits]
    text = (DOCS / "attack-and-report.md").read_text(encoding="utf-8")
    for word, limit in (("strong", privacy.STRONG_GUESS), ("weak", privacy.WEAK_GUESS)):
        row = next(line for line in text.splitlines() if line.startswith(f"| {word} |"))
        assert re.findall(r"(\d+)", row)[0] == f"{100 * limit:.0f}"


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.ipynb")), ids=lambda p: p.stem)
def test_an_example_runs_and_is_kept_without_results(path, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    notebook, names = nbformat.read(path, as_version=4), {}
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert not [cell for cell in code if cell.outputs or cell.execution_count]
    for cell in code:
        capsys.readouterr()
        exec(cell.source, names)
    assert capsys.readouterr().out, "the last cell shows what the notebook is for"


DEPLOY = ROOT / "deploy"
COMPOSE = yaml.safe_load((DEPLOY / "compose.yml").read_text(encoding="utf-8"))
CADDY, COMMON = ((DEPLOY / n).read_text(encoding="utf-8") for n in ("Caddyfile", "common.caddy"))
DOCKER = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
DOCUMENT = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")


def test_the_files_name_each_other_and_serve_simulated_people_to_all():
    name, port = re.search(r"{\$EXPLORERS:dynamic a (\S+) (\d+)}", COMMON).groups()
    service = COMPOSE["services"][name]
    assert service["expose"] == [port]
    assert f'"--server.port", "{port}"' in DOCKER
    assert "import explorers" in CADDY
    assert COMPOSE["services"]["proxy"]["depends_on"] == [name]
    assert "ports" not in service, "only the proxy is reached from outside"
    assert COMPOSE["services"]["explorer"]["environment"]["MOBILITY_PUBLIC"] == "1"
    assert "rm -rf data/local" in DOCKER
    for mount in COMPOSE["services"]["proxy"]["volumes"]:
        source = mount.split(":")[0]
        assert source in COMPOSE["volumes"] or (DEPLOY / source).is_file()
    build = COMPOSE["services"]["explorer"]["build"]
    assert (DEPLOY / build["context"] / build["dockerfile"]).resolve() == DEPLOY / "Dockerfile"
    for line in re.findall(r"^COPY (.+)$", DOCKER, re.MULTILINE):
        for source in line.split()[:-1]:
            assert (ROOT / source).exists(), source
    for named in re.findall(r"`(deploy/[\w.]+)`", DOCUMENT):
        assert (ROOT / named).is_file()
