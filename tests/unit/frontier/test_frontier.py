"""Check figures of the shipped data, needs, ways out, the command."""

import csv
import stat
import time
from dataclasses import replace

import numpy as np
import pytest

from engine import datasets, density, frontier, privacy
from engine.contract import Seen, When
from engine.errors import DatasetError, ParameterError
from engine.frontier import Need
from engine.frontier.command import main
from engine.frontier.judge import DENSITY_EPSILONS, VISITS
from engine.parameters import EPSILON_STOPS, ODParameters
from engine.resolution import look_at
from engine.use import DENSITY_LIMITS, use
from tests.reference.frontier_reference import small_trips
from tests.reference.od_people import random_people


def need(name, zones="zones", step="whole", **more):
    return Need(seen=Seen(dataset=name, zones=zones, when=When(step=step)), **more)


@pytest.fixture(scope="module")
def shipped():
    """Frontiers of the shipped data for the whole period of a person, judged once."""
    known = {}

    def one(name, asked=None):
        if name not in known:
            known[name] = frontier.frontier(datasets.load(name), need(name, unit="person"))
        return replace(known[name], need=asked or need(name, unit="person"))

    return one


@pytest.mark.parametrize(
    ("name", "zones", "share", "level"),
    [
        ("rwanda-districts", "zones", 0.98, "good"),
        ("demo-city", "zones", 0.83, "partly"),
        ("demo-city", "clusters-30", 0.95, "good"),
    ],
)
def test_most_use_at_a_strong_best_guess(shipped, name, zones, share, level):
    best = shipped(name, need(name, zones, unit="person")).recommended()
    assert best.setting.zones == zones
    assert best.setting.when.step == "whole"
    assert best.unit == "person"
    assert best.risk == pytest.approx(0.731, abs=0.001)
    assert best.use.share == pytest.approx(share, abs=0.01)
    assert best.use.level == level
    assert best.use == use(best.setting, datasets.load(name))


def test_what_is_as_asked_comes_first_and_within_half_a_second():
    dataset, asked = datasets.load("rwanda-districts"), need("rwanda-districts", step="day")
    frontier.judged(dataset, frontier.parts(dataset, asked)[0])  # tables are read
    start = time.process_time()
    first, *_ = frontier.parts(dataset, asked)
    judged = frontier.judged(dataset, first)
    assert time.process_time() - start < 0.5
    assert first.seen == asked.seen
    assert first.method == "published"
    assert judged


def test_ours_is_judged_beside_the_published(shipped):
    judged = shipped("demo-city").candidates
    best = {
        method: max(
            one.use.share
            for one in judged
            if one.setting.parameters.method == method and one.within(0.75)
        )
        for method in ("published", "estimate")
    }
    assert best["estimate"] > best["published"] + 0.05


def test_the_threshold_that_is_set_is_kept_and_another_is_an_alternative(shipped):
    result = shipped("demo-city")
    for one in result.candidates:
        parameters = one.setting.parameters
        assert parameters.method == "estimate" or parameters.suppression_threshold == 15
    assert {one.setting.parameters.suppression_threshold for one in result.judged} == {0, 15}


def test_ways_out_are_coarser_longer_or_riskier_and_each_is_better():
    dataset, asked = datasets.load("demo-city"), need("demo-city", step="day")
    result = frontier.frontier(dataset, asked)
    best = result.recommended()
    assert not best.usable
    ways = {way.lever: way.candidate for way in result.way_out()}
    assert list(ways)[:2] == ["zones", "time"]
    assert all(one.use.share > best.use.share for one in ways.values())
    assert ways["zones"].zones < best.zones
    assert ways["time"].setting.when.step == "whole"
    assert ways["zones"].within(0.75)
    assert ways["time"].within(0.75)


def test_where_it_is_good_the_ways_are_finer_and_shorter(shipped):
    result = shipped("demo-city", need("demo-city", "clusters-30", unit="person-day"))
    ways = result.way_out()
    assert [way.lever for way in ways] == ["zones", "time"]
    for way in ways:
        assert way.candidate.usable
        assert way.candidate.zones > 30 or way.candidate.matrices > 1


@pytest.mark.parametrize("limit", [0.5, 0.0, 1.1, float("nan"), "75", True, None])
def test_a_limit_of_risk_is_a_best_guess(shipped, limit):
    with pytest.raises(ParameterError, match="risk must be a best guess"):
        shipped("demo-city").recommended(limit)


def test_risk_is_the_bound_over_all_that_is_released(shipped):
    for one in shipped("demo-city").judged[:: len(EPSILON_STOPS) + 1]:
        days = one.setting.when.lengths(7)
        risk = privacy.risk_of_trips(one.setting.parameters, days)
        assert one.risk == risk.best_guess


def test_a_setting_of_a_density_has_its_own_use_and_the_risk_of_its_ledger(tiny_city):
    result = frontier.frontier(tiny_city, need(tiny_city.id, step="day", read="density"))
    assert len(result.candidates) == sum(map(len, VISITS.values())) * len(DENSITY_EPSILONS)
    for one in result.judged[::7]:
        parameters = one.setting.parameters
        ledger = density.plan(look_at(tiny_city, one.setting.zones), parameters)
        assert one.risk == privacy.risk_of_ledger(ledger, parameters.epsilon).best_guess
        assert one.use.limits == DENSITY_LIMITS
        assert one.use == use(one.setting, tiny_city)


@pytest.mark.parametrize("wrong", [{"unit": "trip"}, {"read": "zones"}, {"threshold": -1}])
def test_a_need_checks_itself(wrong):
    with pytest.raises(ParameterError):
        need("demo-city", **wrong)


@pytest.mark.parametrize(
    ("asked", "error", "said"),
    [
        (need("demo-city", step="day", unit="person"), ParameterError, "one matrix only"),
        (need("demo-city", zones="province"), ParameterError, "province"),
        (need("demo-city", zones="clusters-1000"), ParameterError, "clusters"),
    ],
)
def test_a_need_that_nothing_meets_is_refused(asked, error, said):
    with pytest.raises(error, match=said):
        frontier.frontier(datasets.load("demo-city"), asked)


def few(folder, **options):
    people = random_people(np.random.default_rng(1), 200, 6, 3, 2.0)
    return small_trips(folder, people, **options)


def test_what_a_dataset_lacks_is_named(tmp_path):
    without = few(tmp_path / "flows", have_people=False)
    with pytest.raises(DatasetError, match="holds flows without people"):
        frontier.frontier(without, need("flows"))
    unranked = few(tmp_path / "unranked", by_person=False)
    with pytest.raises(DatasetError, match="does not rank trips within a person"):
        frontier.frontier(unranked, need("unranked", unit="person"))
    assert frontier.frontier(unranked, need("unranked")).recommended().unit == "person-day"
    with pytest.raises(DatasetError, match="no visits"):
        frontier.frontier(unranked, need("unranked", read="density"))
    with pytest.raises(DatasetError, match="nothing can be judged"):
        frontier.frontier(small_trips(tmp_path / "none", []), need("none"))


def test_days_that_are_not_seen_are_not_paid_for(tmp_path):
    dataset = few(tmp_path / "three")
    seen = Seen(dataset="three", when=When(first=1, last=1))
    result = frontier.frontier(dataset, Need(seen=seen))
    assert all((one.setting.when.first, one.setting.when.last) == (1, 1) for one in result.judged)
    one = next(c for c in result.candidates if c.setting.parameters.epsilon == 1.0)
    assert one.risk == privacy.risk_of_trips(ODParameters(epsilon=1.0), [1]).best_guess


def test_settings_that_hold_nothing_cannot_be_told_apart(tmp_path):
    rows = [[(0, i % 6, (i + 1) % 6)] for i in range(6)]
    dataset = small_trips(tmp_path / "thin", rows, days=1)
    result = frontier.frontier(dataset, need("thin", step="whole", unit="person", threshold=100))
    exact = tuple(c for c in result.judged if c.within(0.6))
    assert replace(result, judged=exact).alike
    assert not replace(result, judged=exact).recommended().usable


def test_the_command_says_what_to_choose_and_writes_all(tmp_path, capsys):
    out = tmp_path / "all.csv"
    assert main(["demo-city", "--time", "whole", "--zones", "clusters-30", "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert "Recommended: 30 zones (clusters-30), the whole period, a person" in said
    assert "an attacker guesses right at most 73.1%" in said
    with out.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert sum(row["recommended"] == "True" for row in rows) == 1
    assert all(0 <= float(row["use"]) <= 1 for row in rows)


def test_a_file_of_confidential_data_is_for_its_owner(tmp_path, capsys, shipped):
    out = tmp_path / "real.csv"
    frontier.command.write(replace(shipped("demo-city"), confidential=True), out)
    assert stat.S_IMODE(out.stat().st_mode) == 0o600


@pytest.mark.parametrize("wrong", [["--risk", "40"], ["--zones", "nowhere"], ["--read", "visits"]])
def test_the_command_refuses_in_a_line(wrong, capsys):
    try:
        code = main(["demo-city", *wrong])
    except SystemExit as ended:
        code = ended.code
    assert code
    assert "Traceback" not in capsys.readouterr().err
