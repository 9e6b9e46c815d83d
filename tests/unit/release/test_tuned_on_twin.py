"""What was chosen on a twin is released with all that the twin was made of."""

import json
from pathlib import Path

import pytest

from engine.datasets import Dataset
from engine.release.command import main
from engine.synthetic.twin import twin
from engine.synthetic.twininputs import TwinInputs


@pytest.fixture
def order(tiny_city: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Declare a budget and return the command of a release, without how it was tuned."""
    monkeypatch.setenv("MOBILITY_DATA", str(tmp_path / "data"))
    place = str(tiny_city.folder.parent)
    name = tiny_city.id
    declare = ["budget", "set", "people", "--datasets", name, "--epsilon", "9", "--by", "me"]
    assert main(declare) == 0
    return ["od", place, "--epsilon", "1", "--out", str(tmp_path / "bundle")]


def test_the_statement_names_the_twins_inputs_and_sources(
    order: list[str], tiny_city: Dataset, tmp_path: Path
) -> None:
    inputs = TwinInputs(people=321, sources={"people": "annual report 2025"})
    twin(tiny_city.zones, inputs, tmp_path / "twin")
    assert main([*order, "--tuned-on", "twin", "--twin", str(tmp_path / "twin")]) == 0
    statement = json.loads((tmp_path / "bundle" / "statement.json").read_text(encoding="utf-8"))
    bounds = json.dumps(statement, ensure_ascii=False)
    assert "simulated people made of public facts alone" in bounds
    assert "321 people (annual report 2025)" in bounds
    assert "seed 1" in bounds


@pytest.mark.parametrize(
    ("more", "rule"),
    [
        (["--tuned-on", "twin"], "a twin must be named"),
        (["--tuned-on", "public", "--twin", "demo-city"], "a twin must be named"),
    ],
)
def test_a_twin_is_named_where_it_was_used_and_only_there(
    order: list[str], more: list[str], rule: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*order, *more]) == 2
    assert rule in capsys.readouterr().err


def test_other_simulated_data_are_no_twin(
    order: list[str], tiny_city: Dataset, capsys: pytest.CaptureFixture[str]
) -> None:
    more = ["--tuned-on", "twin", "--twin", str(tiny_city.folder.parent)]
    assert main([*order, *more]) == 2
    assert "must be made by engine.synthetic twin" in capsys.readouterr().err
