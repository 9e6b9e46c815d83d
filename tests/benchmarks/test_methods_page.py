"""``docs/mechanisms.md`` holds the text that its command writes between the tables."""

import pytest

from benchmarks.methods import __main__ as command
from benchmarks.methods import density, origin_destination


def test_head_is_the_commands():
    text = command.PAGE.read_text(encoding="utf-8")
    assert text == command.page(command.written(command.PAGE))


@pytest.mark.parametrize("part", [origin_destination, density])
def test_text_between_the_tables_is_the_commands(part):
    text = command.PAGE.read_text(encoding="utf-8")
    for written in part.TEXT.read_text(encoding="utf-8").split("<!-- tables -->\n"):
        assert written.replace("{draws}", str(origin_destination.SEEDS)).strip() in text
