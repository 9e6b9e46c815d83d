"""A recommendation over twins is called good only where trips are usable in all of them."""

from dataclasses import replace

import pytest

from engine.frontier.ensemble import Robust
from pages._ui.views import ensemble

ROBUST = Robust(candidate=None, least=0.9, most=0.95, regret=0.0, excess=0.0, holds=8, twins=8)


@pytest.mark.parametrize(
    ("least", "most", "holds", "level", "title"),
    [
        (0.0, 0.0, 8, "noisy", "Too little is usable in every twin"),
        (0.0, 0.49, 3, "noisy", "Too little is usable in every twin"),
        (0.1, 0.8, 8, "partly", "Holds in most twins"),
        (0.9, 0.95, 5, "good", "Holds in most twins"),
        (0.9, 0.95, 4, "partly", "Gives up least where it is worst"),
    ],
)
def test_nothing_usable_is_never_good(least, most, holds, level, title):
    one = replace(ROBUST, least=least, most=most, holds=holds)
    assert ensemble.judged(one) == (level, title)
