"""The recommended setting is on the frontier and nothing allowed is of more use."""

import numpy as np
import pytest
from hypothesis import Phase, given, settings, strategies as st

from engine import frontier
from engine.contract import Seen, When
from engine.frontier import Candidate, Need
from engine.parameters import ODParameters
from tests.reference import frontier_reference as reference
from tests.reference.od_people import random_people

USES = (0.0, 0.1, 0.102, 0.1049, 0.105, 0.499, 0.5, 0.9, 0.998, 1.0)


@st.composite
def candidate(draw):
    zones, level = draw(
        st.sampled_from([(10, "clusters-10"), (30, "clusters-30"), (30, "district")])
    )
    time, matrices = draw(st.sampled_from([("day", 7), ("whole", 1)]))
    return Candidate(
        parameters=ODParameters(
            epsilon=draw(st.sampled_from([0.1, 1.0])),
            max_trips_per_user=draw(st.sampled_from([1, 10])),
            suppression_threshold=draw(st.sampled_from([0, 15])),
            unit=draw(st.sampled_from(["person-day", "person"])),
        ),
        seen=Seen(dataset="a", zones=level, when=When(step=time)),
        zones=zones,
        matrices=matrices,
        days=7,
        risk=draw(st.sampled_from([0.55, 0.7, 0.75, 0.7504, 0.7506, 0.9])),
        use=draw(st.sampled_from(USES)),
        error=draw(st.sampled_from([0.1, 0.1000000001, 0.2, 1.0])),
    )


many = st.lists(candidate(), max_size=30, unique_by=lambda one: one.ties[1:])


@given(many)
def test_the_sweep_keeps_what_comparing_every_pair_keeps(candidates):
    line = frontier.undominated(candidates)
    assert set(line) == reference.undominated(candidates)
    assert [one.risk for one in line] == sorted(one.risk for one in line)


@given(many, st.sampled_from([0.55, 0.75, 0.9]))
def test_the_best_is_on_the_frontier_and_nothing_allowed_is_of_more_use(candidates, limit):
    best = frontier.best(candidates, limit)
    allowed = [one for one in candidates if round(100 * one.risk, 1) <= 100 * limit]
    assert (best is None) == (not allowed)
    if best is not None:
        assert best in allowed
        assert best in frontier.undominated(candidates)
        assert max(one.use for one in allowed) < best.use + 0.005
        rivals = [one for one in allowed if int(200 * one.use + 1e-9) == int(200 * best.use + 1e-9)]
        assert best.error <= min(one.error for one in rivals) + 1e-6


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("frontier")


@pytest.mark.long
@settings(max_examples=4, deadline=None, phases=[Phase.generate])  # shrinking takes minutes
@given(st.integers(0, 10**6), st.integers(1, 9), st.sampled_from(["day", "week", "whole"]))
def test_every_setting_of_random_datasets_is_judged_as_home_judges_it(folder, seed, days, time):
    judged_as_home_judges(folder, seed, days, time)


def test_every_setting_of_a_dataset_is_judged_as_home_judges_it(folder):
    judged_as_home_judges(folder, 3, 2, "day")


def judged_as_home_judges(folder, seed, days, time):
    """Against each setting judged by itself, on other windows of other views."""
    people = random_people(np.random.default_rng(seed), 300, 6, days, 2.0)
    dataset = reference.small_trips(folder / f"{seed}-{days}-{time}", people, days=days)
    need = Need(time=time, zones="province")
    result = frontier.frontier(dataset, need)
    plain = {one.ties[1:]: one for one in reference.brute_force(dataset)}
    assert {one.ties[1:] for one in result.judged} == set(plain)
    for one in result.judged:
        other = plain[one.ties[1:]]
        assert (one.risk, one.use) == (other.risk, pytest.approx(other.use, abs=1e-12))
        assert one.error == pytest.approx(other.error, rel=1e-9)
        assert (one.zones, one.matrices) == (other.zones, other.matrices)
    least = {"day": days, "week": -(-days // 7), "whole": 1}[time]
    met = {key for key, one in plain.items() if one.matrices >= least}
    assert {one.ties[1:] for one in result.candidates} == met
    allowed = [plain[key] for key in met if plain[key].risk <= 0.7504]
    best = result.recommended()
    assert best in result.frontier
    assert best.use > max(one.use for one in allowed) - 0.005
