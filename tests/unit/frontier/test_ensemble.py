"""What is recommended over an ensemble gives up least on the twin where it gives up most."""

import math
from dataclasses import replace

import pytest

from engine import frontier
from engine.datasets import Dataset
from engine.errors import ParameterError
from engine.frontier.ensemble import Ensemble, setting


@pytest.fixture(scope="module")
def twins(tiny_city: Dataset) -> tuple[frontier.Frontier, ...]:
    """A frontier, and two whose uses and errors are shuffled among the settings."""
    first = frontier.frontier(tiny_city, frontier.Need(time="period"))
    count = len(first.judged)
    moved = [
        replace(
            first,
            judged=tuple(
                replace(one, use=other.use, error=other.error)
                for one, other in zip(
                    first.judged, first.judged[by:] + first.judged[:by], strict=True
                )
            ),
        )
        for by in (count // 7, count // 3)
    ]
    return (first, *moved)


@pytest.mark.parametrize("risk", [0.6, 0.75, 0.99])
def test_no_setting_has_less_regret(twins: tuple[frontier.Frontier, ...], risk: float) -> None:
    robust = Ensemble(twins).recommended(risk)
    assert robust is not None
    lost: dict[object, list[float]] = {}
    excess: dict[object, list[float]] = {}
    for twin in twins:
        best = twin.recommended(risk)
        for one in twin.candidates:
            if one.within(risk):
                lost.setdefault(setting(one), []).append(best.use - one.use)
                excess.setdefault(setting(one), []).append(one.error / best.error)
    score = {k: max(lost[k]) + 0.1 * math.log(max(excess[k])) for k in lost}
    assert robust.candidate.within(risk)
    assert score[setting(robust.candidate)] == pytest.approx(min(score.values()), abs=2e-6)
    uses = [o.use for t in twins for o in t.candidates if setting(o) == setting(robust.candidate)]
    assert (robust.least, robust.most) == (min(uses), max(uses))


def test_one_twin_recommends_what_its_frontier_does(twins) -> None:
    assert Ensemble(twins[:1]).recommended().candidate == twins[0].recommended()


def test_an_ensemble_needs_a_twin() -> None:
    with pytest.raises(ParameterError, match="at least one"):
        Ensemble(())


def test_only_settings_that_all_twins_have_are_judged(twins) -> None:
    fewer = replace(twins[1], judged=twins[1].judged[::2])
    known = {setting(one) for one in fewer.candidates}
    judged = Ensemble((twins[0], fewer)).judged(0.99)
    assert {setting(each.candidate) for each in judged} <= known
