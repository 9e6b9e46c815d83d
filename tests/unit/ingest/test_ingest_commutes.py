"""Of each person one flow, from home to work: what is counted, and what a release of it says."""

import json

import numpy as np
import pytest

from engine import datasets, origin_destination as od, release
from engine.contract import Selection, Setting, TimeSelection
from engine.datasets import Metadata
from engine.errors import InputError, ParameterError
from engine.ingest import ingest
from engine.parameters import ODParameters
from engine.release import BudgetLedger, PrivacyLoss, ReleaseError, budget_cost
from engine.text.setting_text import describe_candidate, describe_method
from engine.text.utility_text import describe_utility
from engine.utility import compute_utility
from tests.support.ingests import MONDAY, arguments, options, squares, write_csv

HEAD = ("uid", "datetime", "location_id")
ONE = ODParameters(epsilon=1.0, unit="person")
PEOPLE = [("p1", "A", "B"), ("p2", "A", "B"), ("p3", "C", "D"), ("p4", "B", "B")]


def rows_of(person, home, work):
    """Two hours at home and two at work, on three days."""
    clock = {22: home, 5: home, 10: work, 11: work}
    return [
        (person, f"2015-09-{day:02d} {hour:02d}:30:00", place)
        for day in (7, 8, 9)
        for hour, place in clock.items()
    ]


ROWS = [row for person in PEOPLE for row in rows_of(*person)]


def commutes(folder, rows, name="commutes", **changes):
    path = write_csv(folder / f"{name}.csv", HEAD, rows)
    days = {"first_day": MONDAY, "last_day": MONDAY.replace(day=MONDAY.day + 6)}
    how = {"parts": ("commutes",), "out": folder / name, "mapping": {"uid": "uid"}, **changes}
    return ingest(options(folder, "visits", [path], **days, **how))


def flows_by_name(city):
    ids, flows = list(city.zones["zone_id"]), od.truth(city)[0]
    return {(ids[o], ids[d]): int(flows[o, d]) for o, d in np.argwhere(flows)}


def test_each_person_counts_once_from_home_to_work(tmp_path):
    rows = [*ROWS, *[("p1", "2015-09-12 12:00:00", "D")] * 20]  # a Saturday is no working day
    rows += [("p5", "2015-09-08 23:00:00", "C"), ("p6", "2015-09-08 12:00:00", "C")]
    city, report = commutes(tmp_path, rows)
    assert flows_by_name(city) == {("A", "B"): 2, ("C", "D"): 1}
    assert city.metadata.days == (MONDAY,)
    assert (city.metadata.period_length, city.metadata.last_day.day) == (7, MONDAY.day + 6)
    assert (
        "6 people = 3 with a home and a work zone + 1 without a home + 2 with a home and no work "
        "zone outside it" in " ".join(report.notes)
    )


def test_hours_and_working_days_are_public_settings_of_the_dataset(tmp_path):
    rows = [*rows_of("p1", "A", "B"), *[("p1", f"2015-09-12 {h}:00:00", "D") for h in range(10, 20)]]
    city, _ = commutes(tmp_path, rows, work_days=("sat", "sun"), work_hours=(10, 18))
    assert flows_by_name(city) == {("A", "D"): 1}
    assert city.metadata.home_work_rule == (
        "home is the zone with records in most hours from 20:00 to 06:00, work the one outside it "
        "with records in most hours from 10:00 to 18:00 on Sat, Sun"
    )
    with pytest.raises(ParameterError, match="must be two different hours from 0 to 23, got 9 24"):
        commutes(tmp_path, rows, work_hours=(9, 24))


def test_trips_tell_homes_and_work_places_as_visits_do(tmp_path):
    trips = [("p1", f"2015-09-{day:02d} {hour}", *ends) for day in (7, 8)
             for hour, ends in (("07:40:00", "AB"), ("17:30:00", "BA"))]  # fmt: skip
    ends = [f"2015-09-{day:02d} {hour}" for day in (7, 8) for hour in ("09:10:00", "20:10:00")]
    head = ("uid", "datetime", "end_datetime", "origin", "destination")
    rows = [(p, start, end, o, d) for (p, start, o, d), end in zip(trips, ends, strict=True)]
    how = {"parts": ("commutes",), "mapping": {"uid": "uid"}}
    city, _ = ingest(options(tmp_path, "trips", [write_csv(tmp_path / "t.csv", head, rows)], **how))
    assert flows_by_name(city) == {("A", "B"): 1}


def test_a_person_out_of_raw_rows_changes_one_count_by_one_at_both_charges(tmp_path):
    """A person costs a budget of people ε; a day or a trip less moves one person: 2, for 2ε."""
    rng = np.random.default_rng(3)
    rows = [
        (f"p{person}", f"2015-09-{day + 7:02d} {hour:02d}:00:00", "ABCD"[place])
        for person in range(30)
        for day, hour, place in rng.integers(0, (5, 24, 4), (30, 3)).tolist()
    ]
    whole, changed, moved = od.truth(commutes(tmp_path, rows)[0]), set(), set()
    for number in range(8):
        person = [row for row in rows if row[0] == f"p{number}"]
        day = [row for row in person if row[1][:10] == "2015-09-08"]
        for less, changes in ((person, changed), (day, moved)):
            city, _ = commutes(tmp_path, [row for row in rows if row not in less], f"{number}")
            changes.add(int(np.abs(whole - od.truth(city)).sum()))
    assert changed == {1} or changed == {0, 1}
    assert max(moved) == 2
    loss = PrivacyLoss(unit="person", epsilon=0.5, trip_cost_divisor=1)
    charges = [budget_cost(loss, unit).epsilon for unit in ("person", "person-day", "trip")]
    assert charges == [0.5, 1.0, 1.0]


def test_a_release_says_people_and_refuses_other_units(tmp_path):
    city, _ = commutes(tmp_path, ROWS, people_public=1000)
    selection = Selection(
        dataset_id=city.id, time=TimeSelection(aggregation="whole"), people_once=True
    )
    setting = Setting(selection=selection, parameters=ONE)
    ledger = BudgetLedger(tmp_path / "ledger.sqlite")
    ledger.declare("town", datasets=[city.id], unit="person", epsilon=2.0, manager="me")
    for method in ("laplace_suppression", "empirical_bayes"):
        chosen = ODParameters(epsilon=1.0, unit="person", method=method)
        asked = Setting(selection=selection, parameters=chosen)
        out = tmp_path / method
        release.release(asked, city, out, ledger=ledger, tuning="public", trips=10**6)
        statement = json.loads((out / "statement.json").read_text())
        items = statement["items"]
        assert len(statement["stages"]) == 1  # there is nothing beyond one pair
        assert items["unit"].startswith("One person, from home to work")
        assert "trip" not in json.dumps(
            [items, statement["warnings"]]
        ).replace("'trips'", "").replace("out_trips", "").replace("in_trips", ""), method
        head, first, *_ = (out / "flows.csv").read_text().replace('"', "").splitlines()[-13:]
        assert "2015-09-07,2015-09-13" in first
    assert ledger.budget("town").remaining_epsilon == 0
    assert describe_method(setting).startswith(
        "Laplace with suppression (Kohli et al. 2024): each person counted once, flows below"
    )
    words = describe_utility(compute_utility(setting, city), setting)
    assert "trip" not in words
    assert "people who commute between zones" in words
    for unit, limit in (("person", 2), ("person-day", 1), ("trip", 1)):
        other = ODParameters(epsilon=1.0, unit=unit, max_trips_per_user=limit)
        with pytest.raises(ParameterError, match="each person counts once over the whole period"):
            release.plan(Setting(selection=selection, parameters=other), city)


def test_datasets_of_the_same_people_share_one_budget(tmp_path, monkeypatch):
    monkeypatch.setenv("MOBILITY_DATA", str(tmp_path))
    commutes(tmp_path, ROWS, "town", parts=("trips",))
    commutes(tmp_path, ROWS, "town-commutes", same_people_as="town")
    both = {"town", "town-commutes"}
    assert datasets.find_same_people("town") == datasets.find_same_people("town-commutes") == both
    ledger = BudgetLedger(tmp_path / "ledger.sqlite")
    budget = {"unit": "person", "epsilon": 1.0, "manager": "me"}
    ledger.declare("townspeople", datasets=["town"], **budget)
    rule = "datasets of the same people must share one budget, got 'others' beside 'townspeople'"
    with pytest.raises(ReleaseError, match=rule):
        ledger.declare("others", datasets=["town-commutes"], **budget)
    ledger.declare("others", datasets=["elsewhere"], **budget)
    with pytest.raises(ReleaseError, match=rule):
        ledger.join("others", dataset="town-commutes", manager="me")
    cost = {"unit": "person", "epsilon": 0.1, "delta": 0.0, "record": {}}
    with pytest.raises(ReleaseError, match=rule):  # of one that is not installed here
        ledger.charge("elsewhere", same_people_as="town", **cost)
    ledger.join("townspeople", dataset="town-commutes", manager="me")
    ledger.charge("town-commutes", **cost)


def test_a_table_of_homes_and_work_places_is_of_people(tmp_path):
    squares().to_file(tmp_path / "zones.geojson")
    head, rows = ("origin", "destination", "flow"), [("z0", "z1", 30), ("z1", "z0", 4)]
    table = write_csv(tmp_path / "lodes.csv", head, rows)
    how = {"zones": tmp_path / "zones.geojson", "locations": None, "once": True}
    city, report = ingest(options(tmp_path, "flows", [table], **how))
    assert city.metadata.people_once
    assert (len(city.metadata.days), od.truncated_matrices(city, ONE).sum()) == (1, 34)
    assert "each number is of people" in " ".join(report.notes)
    table = write_csv(tmp_path / "lodes.csv", head, [*rows, ("z2", "z1", 1.5)])
    with pytest.raises(InputError, match="1 numbers of people are fractions"):
        ingest(options(tmp_path, "flows", [table], **how))


def test_metadata_of_other_datasets_keep_their_bytes():
    for name in ("demo-city", "rwanda-districts"):
        document = datasets.load(name).metadata.to_json()
        assert not {"people_once", "home_work_rule", "same_people_as"} & document.keys()
        assert Metadata.from_json(document, name).people_once is False
