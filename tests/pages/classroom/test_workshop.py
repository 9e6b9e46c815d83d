"""The lesson's figures are those that its class would see."""

from pathlib import Path

import pytest

from pages._ui.classroom import question
from pages._ui.classroom.question import About, Choice
from pages._ui.classroom.rooms import LASTS_S, SEATS

ROOT = Path(__file__).parents[3]
LESSON = (ROOT / "docs/workshop.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in LESSON.splitlines()
    if line.startswith("| rwanda")
]


@pytest.fixture(autouse=True)
def shipped(monkeypatch):
    monkeypatch.setenv("MOBILITY_DATA", str(ROOT / "data"))


def test_three_exercises_have_figures():
    assert len(ROWS) == 12
    assert f"up to {SEATS} people" in LESSON
    assert LASTS_S == 24 * 3600


@pytest.mark.parametrize("row", ROWS, ids=" ".join)
def test_a_figure_of_the_lesson_is_computed(row):
    dataset, zones, time, unit, trips, threshold, epsilon, risk, use = row
    means = question.outcome(
        About(dataset=dataset, unit=unit, time=time, threshold=int(threshold)),
        Choice(epsilon=float(epsilon), max_trips=int(trips), zones=zones),
    )
    assert [f"{100 * means.worth.best_guess:.1f}%", f"{100 * means.use:.1f}%"] == [risk, use]
