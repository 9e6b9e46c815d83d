"""Tests of the pool itself: its work begins as a page's would."""

import pytest


@pytest.fixture(autouse=True)
def long_work_begins_when_it_is_waited_for() -> None:
    pass
