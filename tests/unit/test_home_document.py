"""The limits of the verdicts that docs/home.md states are those of the engine."""

import re
from pathlib import Path

import pytest

from engine import risk, usability

DOCUMENT = (Path(__file__).parents[2] / "docs/home.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("module", "name"),
    [
        (risk, "STRONG_GUESS"),
        (risk, "WEAK_GUESS"),
        (usability, "GOOD_TRIPS"),
        (usability, "SOME_TRIPS"),
        (usability, "GOOD_ZONES"),
        (usability, "SOME_ZONES"),
    ],
)
def test_a_stated_limit_is_the_constant(module, name):
    row = next(line for line in DOCUMENT.splitlines() if f"`{module.__name__}.{name}`" in line)
    assert re.findall(r"(\d+)%", row) == [f"{100 * getattr(module, name):.0f}"]
