"""``docs/mechanisms.md`` holds the text that its command writes between the tables."""

import re

import numpy as np
import pytest

from benchmarks.methods import __main__ as command
from benchmarks.methods import density, origin_destination
from pages._ui.trips.ours import SEVERAL_DAYS


def test_head_is_the_commands():
    text = command.PAGE.read_text(encoding="utf-8")
    assert text == command.page(command.written(command.PAGE))


@pytest.mark.parametrize("part", [origin_destination, density])
def test_text_between_the_tables_is_the_commands(part):
    text = command.PAGE.read_text(encoding="utf-8")
    for written in part.TEXT.read_text(encoding="utf-8").split("<!-- tables -->\n"):
        assert written.replace("{draws}", str(origin_destination.SEEDS)).strip() in text


def test_what_other_days_help_is_said_as_it_was_measured():
    text = command.PAGE.read_text(encoding="utf-8")
    table = text.split("| data | ε | mean abs. error: τ 15 / alone → together |")[1]
    figures = re.findall(r"^\| [\w-]+ \| 0\.1 \| \S+/(\S+) → (\S+) \|$", table, re.MULTILINE)
    alone, together = np.array(figures, dtype=float).T
    less = np.round(100 * (1 - together / alone))
    assert f"(by {less.min():.0f} to {less.max():.0f}% on the shipped data" in SEVERAL_DAYS
    assert np.median(less) == pytest.approx(100 / 6, abs=1), "about a sixth"
