"""The limits of the verdicts that docs/home.md states are those of the engine."""

import re
from pathlib import Path

import pytest

from engine import privacy, steps

DOCUMENT = (Path(__file__).parents[2] / "docs/home.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("module", "name"),
    [
        (privacy, "STRONG_GUESS"),
        (privacy, "WEAK_GUESS"),
        (steps, "GOOD_SHARE"),
        (steps, "SOME_SHARE"),
    ],
)
def test_a_stated_limit_is_the_constant(module, name):
    row = next(line for line in DOCUMENT.splitlines() if f"`{module.__name__}.{name}`" in line)
    assert re.findall(r"(\d+)%", row) == [f"{100 * getattr(module, name):.0f}"]
