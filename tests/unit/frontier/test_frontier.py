"""Needs, check figures, ways out, levers, files and the command."""

import csv
import json
import time
from dataclasses import replace

import numpy as np
import pytest

from engine import datasets, frontier, privacy
from engine.errors import DatasetError, ParameterError
from engine.frontier import Need
from engine.frontier.command import main
from engine.frontier.tables import write
from engine.parameters import EPSILON_STOPS, ODParameters
from tests.reference.frontier_reference import small_trips
from tests.reference.od_people import random_people

WHOLE = Need(time="whole", zones=1)


@pytest.fixture(scope="module")
def shipped():
    known = {}

    def judged(name):
        if name not in known:
            known[name] = frontier.frontier(datasets.load(name), WHOLE)
        return known[name]

    return judged


@pytest.mark.parametrize(
    ("name", "zones", "use"),
    [
        ("rwanda-districts", 30, 0.932),
        ("rwanda-sectors", 416, 0.153),
        ("rwanda-sectors", 100, 0.657),
        ("rwanda-sectors", 30, 0.928),
        ("demo-city", 150, 0.058),
        ("demo-city", 100, 0.165),
        ("demo-city", 30, 0.725),
        ("demo-city", 10, 0.973),
    ],
)
def test_largest_use_at_a_strong_best_guess(shipped, name, zones, use):
    """The check figures: reached by a person, the whole period, T 30, τ 0, ε 1."""
    result = replace(shipped(name), least_zones=zones)
    allowed = [one for one in result.candidates if one.within(0.75)]
    most = max(one.use for one in allowed)
    assert round(most, 3) == use
    wanted = ODParameters(
        epsilon=1.0, max_trips_per_user=30, suppression_threshold=0, unit="person"
    )
    assert any(one.parameters == wanted and one.use == most for one in allowed)
    best = result.recommended()
    assert best.use == most
    assert best in result.frontier
    assert round(best.risk, 3) == 0.731


@pytest.mark.parametrize(
    ("name", "count"), [("rwanda-districts", 4320), ("rwanda-sectors", 8640), ("demo-city", 5760)]
)
def test_number_of_settings(shipped, name, count):
    assert len(shipped(name).judged) == count == len({one.ties for one in shipped(name).judged})


def test_the_first_candidates_come_at_once_and_meet_the_need():
    """In processor time, beside that of the whole: what a shared machine cannot stretch."""
    batches, start = [], time.process_time()

    def progress(done, batch):
        batches.append((time.process_time() - start, done, batch))

    need = Need(time="whole", zones=30, unit="person")
    frontier.frontier(datasets.load("rwanda-sectors"), need, progress=progress)
    assert batches[0][0] <= batches[-1][0] / 4
    assert batches[0][2]
    assert all(one.zones >= 30 for _, _, batch in batches for one in batch)
    shares = [done for _, done, _ in batches]
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1)


def test_home_opens_rwanda_far_from_what_is_recommended(shipped):
    opened = ODParameters(epsilon=1.0, max_trips_per_user=4, suppression_threshold=15)
    one = next(
        one
        for one in shipped("rwanda-districts").judged
        if one.parameters == opened and f"{one.seen.zones},{one.seen.when.step}" == "zones,day"
    )
    assert (round(one.risk, 2), round(one.use, 2)) == (0.91, 0.75)


def test_a_finer_need_and_more_protection_leave_fewer_candidates(shipped):
    result = shipped("demo-city")
    city = datasets.load("demo-city")
    for need, kept in [
        (Need(time="day"), lambda one: one.seen.when.step == "day"),
        (Need(time="week"), lambda one: True),  # seven days: the period is a week
        (Need(time="whole", zones="clusters-30"), lambda one: one.zones >= 30),
        (Need(time="whole", unit="person"), lambda one: one.parameters.unit == "person"),
    ]:
        same = replace(
            result,
            need=need,
            least_zones=need.least_zones(city),
            least_matrices=need.least_matrices(city),
        )
        assert same.candidates == tuple(one for one in result.judged if kept(one))
        assert 0 < len(same.frontier) < len(same.candidates)


def test_ways_out_of_what_is_not_usable(shipped):
    """Each gives up one thing, is allowed otherwise, and says what it brings."""
    result = replace(shipped("demo-city"), need=Need(zones=30), least_zones=30, least_matrices=7)
    now = result.recommended()
    assert not now.usable
    ways = {way.lever: way.candidate for way in result.way_out()}
    assert set(ways) == {"zones", "time", "days", "risk"}
    for way in result.way_out():
        assert way.candidate.use - now.use == way.gain > 0
        assert way.candidate.usable
    assert ways["zones"].zones < 30
    assert ways["zones"].matrices == 7
    assert ways["time"].zones >= 30
    assert ways["time"].matrices == 1
    days = ways["days"]
    assert days.days == 3
    assert days.zones >= 30
    assert days.risk == privacy.risk_of_trips(days.parameters, [1] * 3).best_guess <= 0.75
    riskier = [one for one in result.candidates if 0.75 < one.risk < ways["risk"].risk - 1e-9]
    assert not any(one.usable for one in riskier)
    assert replace(result, least_zones=1, least_matrices=1).way_out() == ()


def test_a_person_or_a_day_of_hers_is_a_way_out_too(shipped):
    result = replace(shipped("demo-city"), need=Need(unit="person"), least_matrices=7)
    assert result.recommended() is None  # one matrix a day protects no person
    ways = {way.lever: way.candidate for way in result.way_out()}
    assert set(ways) == {"time", "unit"}
    assert ways["unit"].parameters.unit == "person-day"
    assert ways["unit"].matrices == 7
    assert ways["time"].parameters.unit == "person"


def test_levers_move_one_thing_by_one_step(shipped):
    result = replace(shipped("demo-city"), least_zones=30)
    best = result.recommended()
    moved = {step.lever: step for step in result.levers(best)}
    assert set(moved) == {"zones", "time", "unit", "T", "τ", "ε"}
    assert (moved["zones"].less.zones, moved["zones"].more.zones) == (10, 100)
    assert moved["time"].less is moved["time"].more is None  # a person: the whole period only
    assert moved["unit"].less.parameters.unit == "person-day"
    assert moved["unit"].more is None
    assert moved["ε"].less.parameters.epsilon == 0.7
    assert moved["ε"].more.parameters.epsilon == 1.5
    assert moved["ε"].less.risk < best.risk < moved["ε"].more.risk
    assert moved["T"].more.parameters == replace(best.parameters, max_trips_per_user=100)


@pytest.mark.parametrize("risk", [0.5, 0.0, 1.1, float("nan"), "75", True, None])
def test_a_limit_of_risk_is_a_best_guess(shipped, risk):
    with pytest.raises(ParameterError, match="risk must be"):
        shipped("demo-city").recommended(risk)


def test_a_limit_below_every_risk_recommends_nothing(shipped):
    result = shipped("rwanda-districts")
    assert result.recommended(0.501) is None
    assert {way.lever for way in result.way_out(0.501)} >= {"risk"}
    assert result.recommended(1.0).use == max(one.use for one in result.candidates)


def test_both_ends_of_epsilon_are_judged(shipped):
    result = shipped("demo-city").judged
    ends = {
        one.parameters.epsilon: one
        for one in result
        if f"{one.seen.zones},{one.seen.when.step}" == "zones,whole"
    }
    assert ends[0.01].use == 0
    assert ends[0.01].risk < 0.52
    assert ends[10.0].risk > 0.9999
    assert set(ends) == set(EPSILON_STOPS)


@pytest.mark.parametrize(
    "wrong",
    [
        {"time": "month"},
        {"zones": 0},
        {"zones": True},
        {"zones": 2.5},
        {"unit": "trip"},
        {"read": ""},
    ],
    ids=str,
)
def test_a_need_checks_itself(wrong):
    with pytest.raises(ParameterError):
        Need(**wrong)


@pytest.mark.parametrize(
    ("name", "need", "error", "said"),
    [
        ("demo-city", Need(unit="person"), ParameterError, "choose time='whole' or unit="),
        ("demo-city", Need(zones=151), ParameterError, "at most 150"),
        ("demo-city", Need(zones="county"), ParameterError, "a level of this dataset"),
        ("rwanda-districts", Need(read="density"), DatasetError, "has no visits"),
        ("demo-city", Need(read="zones", zones=151), ParameterError, "at most 150"),
        ("paris", Need(), DatasetError, "has no trips"),
    ],
)
def test_a_need_that_nothing_meets_is_refused(name, need, error, said):
    with pytest.raises(error, match=said):
        frontier.frontier(datasets.load(name), need)


def few(folder, **options):
    people = random_people(np.random.default_rng(1), 60, 6, options.get("days", 3), 2.0)
    return small_trips(folder / "few", people, **options)


def test_one_day(tmp_path):
    dataset = few(tmp_path, days=1)
    result = frontier.frontier(dataset, Need(time="day"))
    assert {one.matrices for one in result.judged} == {1}
    assert {one.parameters.unit for one in result.candidates} == {"person-day", "person"}
    assert not any(way.lever in ("days", "time") for way in result.way_out())


@pytest.mark.parametrize(("people", "zones"), [([], 1), ([[]], 6)])
def test_without_a_trip_between_zones_there_is_nothing_to_judge(people, zones, tmp_path):
    with pytest.raises(DatasetError, match="no trip between zones"):
        frontier.frontier(small_trips(tmp_path / "none", people, zones=zones), WHOLE)


def test_one_level_of_zones_has_no_coarser_way_out(tmp_path):
    dataset = small_trips(tmp_path / "two", [[(0, 0, 1)]] * 5, zones=2)
    result = frontier.frontier(dataset, Need(zones=2))
    assert {one.zones for one in result.judged} == {2}
    assert not any(way.lever == "zones" for way in result.way_out())


def test_a_first_day_without_trips_is_not_judged_and_the_period_is(tmp_path):
    dataset = small_trips(tmp_path / "late", [[(1, 0, 5)]] * 9)
    assert {one.matrices for one in frontier.frontier(dataset, WHOLE).judged} == {1}
    with pytest.raises(DatasetError, match="no trip between zones"):
        frontier.frontier(dataset, Need(time="day"))


def test_flows_without_people_protect_no_person(tmp_path):
    with pytest.raises(DatasetError, match="flows without people"):
        frontier.frontier(few(tmp_path, have_people=False, by_person=False), WHOLE)


def test_trips_that_are_not_ranked_within_a_person_protect_days_only(tmp_path):
    dataset = few(tmp_path, by_person=False)
    result = frontier.frontier(dataset, WHOLE)
    assert {one.parameters.unit for one in result.judged} == {"person-day"}
    with pytest.raises(DatasetError, match="does not rank trips within a person"):
        frontier.frontier(dataset, Need(time="whole", unit="person"))


def test_files_hold_numbers_and_say_what_is_recommended(tmp_path, shipped):
    result = replace(shipped("rwanda-districts"), least_zones=30, confidential=True)
    for name in ("made.csv", "made.json"):
        write(result, tmp_path / name)
        assert (tmp_path / name).stat().st_mode & 0o077 == 0
    document = json.loads((tmp_path / "made.json").read_text())
    with (tmp_path / "made.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(document["candidates"]) == len(result.candidates)
    best = [row for row in rows if row["recommended"] == "True"]
    assert [(float(row["use"]), row["on_frontier"]) for row in best] == [
        (result.recommended().use, "True")
    ]
    assert sum(row["on_frontier"] for row in document["candidates"]) == len(result.frontier)
    assert document["confidential"]
    assert document["need"]["time"] == "whole"


def test_the_command_says_what_to_choose(tmp_path, capsys):
    out = tmp_path / "all.json"
    arguments = ["demo-city", "--time", "whole", "--zones", "30", "--unit", "person"]
    assert main([*arguments, "--risk", "75", "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert "Recommended: 30 zones (clusters-30), the whole period, a person, T 30" in said
    assert "best guess 73.1%, 72.5% of trips in usable flows (usable in part)" in said
    assert "tuned on these data" not in said  # simulated people
    assert json.loads(out.read_text())["risk_limit"] == 0.75
    document = json.loads(out.read_text())
    chosen = document["candidates"][document["recommended"]]
    assert (chosen["zones"], chosen["max_trips_per_user"], chosen["epsilon"]) == (30, 30, 1.0)
    assert main(["demo-city", "--zones", "30"]) == 0
    assert "Best, and not usable" in capsys.readouterr().out


@pytest.mark.parametrize(
    "wrong",
    [["--risk", "0.75"], ["--out", "all.xlsx"], ["--zones", "999"], ["--risk", "nan"]],
    ids=str,
)
def test_the_command_refuses_in_a_line(wrong, capsys):
    assert main(["demo-city", *wrong]) == 2
    assert capsys.readouterr().err.startswith("error: ")
