"""Flows by a method without an exact law: judged by draws, flow by flow, with their error."""

import numpy as np
import pytest

from engine import attack, frontier, origin_destination as od, resolution, sweeping, usability
from engine.frontier import Need, flows
from engine.frontier.command import main
from tests.reference.frontier_reference import small_trips
from tests.reference.od_people import random_people

DRAWN = {method for method, row in od.METHODS.items() if row.expected is None}
NEED = Need(time="period", zones="province")


@pytest.fixture(scope="module")
def towns(tmp_path_factory):
    people = random_people(np.random.default_rng(3), 900, 6, 3, 4.0)
    return small_trips(tmp_path_factory.mktemp("drawn") / "towns", people, days=3)


def share_of_trips(true, right):
    """Plain loops: trips in flows that are right in at least 95 of 100 releases."""
    pairs = [(i, j) for i in range(len(true)) for j in range(len(true)) if i != j]
    usable = sum(true[p] for p in pairs if right[p] >= 0.95)
    return usable / sum(true[p] for p in pairs)


def test_use_and_error_are_those_of_releases_counted_one_by_one(towns):
    steps = list(flows.drawn(towns, NEED, np.random.default_rng(5)))
    assert [done for done, _ in steps] == pytest.approx(np.arange(1, len(steps) + 1) / len(steps))
    finest = [batch[-1].zones == 6 and batch[-1].unit == "person" for _, batch in steps]
    index = finest.index(True)
    one = steps[index][1][-1]
    view = resolution.coarsen(towns, one.resolution)
    true = od.truth(view, days=0)[0]
    numbered = sweeping.generators(sweeping.generators(np.random.default_rng(5))(index))
    plain = od.ODParameters(
        epsilon=one.parameters.epsilon,
        max_trips_per_user=one.parameters.max_trips_per_user,
        unit=one.parameters.unit,
        suppression_threshold=0,
    )
    drawn = {}
    for parameters in (one.parameters, plain):
        right, errors = np.zeros(true.shape), []
        for draw in range(flows.DRAWS):
            release = od.release(view, parameters, rng=numbered(draw), days=0)
            number = release.as_shown[0]
            near = release.shown[0] & (abs(number - true) <= true / 4)
            right += near / flows.DRAWS
            errors.append(abs(number - true).sum() / true.sum())
        drawn[parameters.method] = share_of_trips(true, right + 1e-12), np.mean(errors)
    counted = usability.Flows.of(od.expected(view, plain, days=0).histogram)
    exact = usability.judge_trips(counted, plain).usable_share
    assert one.use == pytest.approx(drawn[one.parameters.method][0] - drawn["published"][0] + exact)
    assert drawn["published"][0] != pytest.approx(exact)  # the rule adds something here
    assert one.error == pytest.approx(drawn[one.parameters.method][1])
    worth = attack.worth_of_trips(one.parameters, 3, added_up=one.resolution.time != "day")
    assert one.risk == worth.best_guess
    assert one.days == 3


def test_the_standard_error_is_the_spread_of_the_use_over_many_runs():
    """Against a simulation of flows that are right with known chances; fails at half the draws."""
    rng = np.random.default_rng(8)
    true = rng.integers(1, 60, size=300)
    chance = rng.beta(8.0, 0.7, size=300)
    runs = rng.binomial(20, chance, size=(4000, 300))
    uses = (true * (runs >= 19)).sum(axis=1) / true.sum()
    stated = np.mean([flows.standard_error(true, near, 20) for near in runs[:200]])
    assert stated == pytest.approx(uses.std(), rel=0.12)
    fewer = np.mean([flows.standard_error(true, near / 2, 10) for near in runs[:200]])
    assert fewer != pytest.approx(uses.std(), rel=0.12)


def test_methods_with_a_law_come_first_and_both_are_compared(towns):
    steps = []
    result = frontier.frontier(
        towns,
        NEED,
        drawn=True,
        rng=np.random.default_rng(1),
        progress=lambda *step: steps.append(step),
    )
    shares = [done for done, _ in steps]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    methods = [one.parameters.method for _, batch in steps for one in batch]
    first = next(place for place, method in enumerate(methods) if method in DRAWN)
    assert not DRAWN & set(methods[:first])
    assert set(methods[first:]) == DRAWN
    assert list(result.judged) == [one for _, batch in steps for one in batch]
    for limit in (0.6, 0.75, 0.95):  # by brute force over all of them
        best = result.recommended(limit)
        allowed = [one for one in result.candidates if round(100 * one.risk, 1) <= 100 * limit]
        assert best in result.frontier
        assert best.use > max(one.use for one in allowed) - frontier.USE_STEP
    ours = next(one for one in result.candidates if one.parameters.method == "estimate")
    for step in result.levers(ours):
        for other in (step.less, step.more):
            assert other is None or other.parameters.method == "estimate"


def test_the_exact_ones_alone_are_the_default(towns):
    result = frontier.frontier(towns, NEED)
    assert {one.parameters.method for one in result.judged} == {"published"}
    assert {one.use_error for one in result.judged} == {0.0}


@pytest.mark.long
def test_the_command_names_the_method_and_its_error(towns, capsys, tmp_path):
    out = tmp_path / "all.csv"
    words = [str(towns.folder.parent), "--time", "period", "--drawn", "--risk", "100"]
    assert main([*words, "--out", str(out)]) == 0
    assert ",estimate," in out.read_text()
    assert capsys.readouterr().out
