"""What a reader can subtract among the releases of the same people, and what still holds."""

import itertools
import json

import pytest

from engine import datasets
from engine.release import BudgetLedger, release
from engine.release.differences import differences
from tests.support.releases import flows, ours, visits

MONDAY, TUESDAY = ["2024-01-01"], ["2024-01-02"]
WEEK = {"product": "od", "zones": "a", "dates": MONDAY}


def ledger_of(folder, unit, *bodies):
    ledger = BudgetLedger(folder / "ledger.sqlite")
    ledger.declare("people", datasets=["town", "fine"], unit=unit, epsilon=9.0, by="me")
    ledger.declare("others", datasets=["village"], unit=unit, epsilon=9.0, by="me")
    for body in bodies:
        dataset, epsilon = body.get("dataset", "town"), body.get("epsilon", 0.5)
        what = {"loss": {"unit": unit, "epsilon": epsilon}, **WEEK, **body}
        ledger.intend(dataset, unit=unit, epsilon=epsilon, delta=0.0, what=what)
    return ledger


def ways_of(ledger, of=None):
    ways = differences(ledger.entries(), ledger.budget("people"), of)
    return [(one.kind, one.entries, one.cost.epsilon) for one in ways]


@pytest.mark.parametrize(
    ("other", "kind"),
    [
        ({}, "again"),
        ({"settings": {"max_trips_per_user": 9}}, "again"),
        ({"product": "od-estimate"}, "again"),
        ({"product": "density"}, "product"),
        ({"zones": "b"}, "zones"),
        ({"zones": "b", "product": "density"}, "zones"),
        ({"dataset": "fine", "zones": "a"}, "again"),
        ({"dates": [*MONDAY, *TUESDAY]}, "again"),
        ({"dates": TUESDAY}, "days"),
        ({"dates": TUESDAY, "zones": "b"}, "days"),
        ({"dates": TUESDAY, "product": "density"}, None),
        ({"dataset": "village"}, None),
    ],
)
def test_two_releases_can_be_subtracted_in_one_way(tmp_path, other, kind):
    ledger = ledger_of(tmp_path, "person", {}, other)
    assert ways_of(ledger) == ([] if kind is None else [(kind, (3, 4), 1.0)])
    assert ways_of(ledger, of=3) == []
    assert ways_of(ledger, of=4) == ways_of(ledger)


def test_entries_of_older_ledgers_may_share_all_days(tmp_path):
    old = {"product": "od", "loss": {"unit": "person", "epsilon": 0.5}}
    ledger = ledger_of(tmp_path, "person", {})
    for dataset in ("town", "fine"):
        ledger.intend(dataset, unit="person", epsilon=0.5, delta=0.0, what=old)
    assert ways_of(ledger) == [("zones", (3, 4, 5), 1.5), ("again", (3, 4), 1.0)]


@pytest.mark.parametrize("unit", ["person", "person-day"])
def test_together_they_cost_a_person_all_and_a_day_what_holds_it(tmp_path, unit):
    days = [MONDAY, TUESDAY, [*MONDAY, *TUESDAY], ["2024-01-03"]]
    costs = [0.1, 0.25, 0.5, 1.0]
    bodies = [{"dates": d, "epsilon": e} for d, e in zip(days, costs, strict=True)]
    ledger = ledger_of(tmp_path, unit, *bodies)
    for kind, entries, epsilon in ways_of(ledger):
        chosen = [(days[one - 3], costs[one - 3]) for one in entries]
        by_day = [sum(c for d, c in chosen if day in d) for day in itertools.chain(*days)]
        assert epsilon == pytest.approx(
            sum(c for _, c in chosen) if unit == "person" else max(by_day)
        )
        assert kind in ("days", "again")


def test_a_statement_warns_of_what_can_be_subtracted_from_it_and_of_the_bound(tmp_path):
    demo = datasets.load("demo-city")
    ledger = BudgetLedger(tmp_path / "ledger.sqlite")
    ledger.declare("people", datasets=["demo-city"], unit="person", epsilon=99.0, by="me")
    warnings = []
    first = flows(0.5, days=(0,))
    for number, product in enumerate((first, visits(), ours(first.parameters, days=(1,)), first)):
        out = release(demo, product, tmp_path / str(number), ledger=ledger, tuning="public")
        stated = json.loads((out / "statement.json").read_text(encoding="utf-8"))["warnings"]
        warnings.append([one for one in stated if one.startswith("CAN BE SUBTRACTED")])
    assert [len(one) for one in warnings] == [0, 1, 2, 3]
    assert (
        "This release and entry 2 (density of demo-city, od of demo-city) count" in warnings[1][0]
    )
    assert "at most ε = 1.5 of one person (composition)" in warnings[1][0]
    assert "hold different days" in warnings[2][1]
    assert "This release and entry 2 (od of demo-city) hold the same numbers" in warnings[3][1]
    page = (tmp_path / "3" / "statement.html").read_text(encoding="utf-8")
    assert page.count("CAN BE SUBTRACTED") == 3
