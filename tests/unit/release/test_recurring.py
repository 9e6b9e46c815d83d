"""Recurring releases: paid for as a whole, run in order, refused in words, never half."""

import json
import re
import sqlite3
import threading
import zipfile
from datetime import timedelta

import geopandas as gpd
import pandas as pd
import pytest
from dp_accounting.pld import common, privacy_loss_distribution as pld

from engine import datasets
from engine.datasets import growth
from engine.errors import ExplorerError, ParameterError
from engine.release import BudgetLedger, Cost, Loss, ReleaseError, recurring, release
from engine.release.command import main
from engine.release.cost import whole_cost
from engine.release.digests import day_sums, zoning
from engine.release.recurring import Schedule
from engine.report import Budget, ReportParameters
from tests.support.releases import flows, ours, report, visits, zoom
from tests.support.trips import FIRST, save_trips

WEEKLY = Loss(unit="person-day", epsilon=0.1, days=7)
PAIRS = Schedule(first=FIRST, runs=3, days=2, every=2)
COUNT = 7_654_321


def town(folder, days, count=5, zones=4, name="town"):
    """Days of trips; `count` of them from the first zone to the second on the first day."""
    cells = [(day, o, d) for day in range(days) for o in range(zones) for d in range(zones)]
    rows = [(*cell, 1, count if cell == (0, 0, 1) else 3) for cell in cells]
    return save_trips(folder / name, rows, zones=zones, days=days)


@pytest.fixture
def kept(tmp_path):
    ledger = BudgetLedger(tmp_path / "ledger.sqlite")
    ledger.declare("people", datasets=["town"], unit="person", epsilon=4.0, delta=0.01, by="me")
    return ledger


def planned(ledger, dataset, schedule=PAIRS, product=None, **how):
    parameters = (product or flows(0.5)).parameters
    how = {"name": "pairs", "tuning": "public", **how}
    return recurring.plan(dataset, parameters, schedule, ledger=ledger, **how)


def state(ledger):
    one = ledger.budget("people")
    return one.spent_epsilon, one.planned_epsilon, one.left_epsilon


@pytest.mark.parametrize(
    ("loss", "unit", "cost"),
    [
        (WEEKLY, "person", Cost(epsilon=36.4)),
        (WEEKLY, "person-day", Cost(epsilon=0.1)),
        (Loss(unit="person-day", epsilon=0.5, days=7, trimmed_to=4), "trip", Cost(epsilon=0.25)),
        (Loss(unit="person", epsilon=0.5, delta=1e-9), "person", Cost(epsilon=26.0, delta=5.2e-8)),
        (Loss(unit="person", epsilon=0.5), "person-day", Cost(epsilon=1.0)),
        (Loss(unit="trip", epsilon=0.5, days=7), "trip", Cost(epsilon=0.5)),
    ],
)
def test_a_person_pays_for_every_run_and_a_day_for_the_one_that_it_is_in(loss, unit, cost):
    assert whole_cost(loss, unit, 52) == cost


@pytest.mark.parametrize("loss", [WEEKLY, Loss(unit="person", epsilon=0.4, delta=1e-9)])
def test_all_runs_at_a_delta_cost_what_dp_accounting_says(loss):
    parts = 52 * (loss.days if loss.unit == "person-day" else 1)
    one = common.DifferentialPrivacyParameters(loss.epsilon, loss.delta)
    judge = pld.from_privacy_parameters(one, value_discretization_interval=1e-3)
    theirs = judge.self_compose(parts).get_epsilon_for_delta(1e-6)
    whole = whole_cost(loss, "person", 52, 1e-6)
    assert whole.delta == 1e-6
    assert whole.epsilon == pytest.approx(theirs, rel=5e-3)
    assert whole.epsilon < 0.8 * parts * loss.epsilon


@pytest.mark.parametrize(("unit", "delta"), [("person-day", 1e-6), ("person", 1e-12)])
def test_a_delta_that_means_nothing_is_refused(unit, delta):
    with pytest.raises(ParameterError, match="delta of all runs together"):
        whole_cost(Loss(unit="person", epsilon=0.1, delta=1e-9), unit, 52, delta)


def test_the_whole_is_checked_first_and_kept_until_it_is_run_or_ended(kept, tmp_path):
    dataset = town(tmp_path, 6)
    with pytest.raises(ReleaseError, match=r"exceeds ε by 2"):
        planned(kept, dataset, Schedule(first=FIRST, runs=6, days=2, every=2))
    assert state(kept) == (0, 0, 4)
    planned(kept, dataset)
    assert state(kept) == (0, 3, 1)
    with pytest.raises(ReleaseError, match=r"exceeds ε by 0\.5"):
        release(dataset, flows(1.5, days=(0,)), tmp_path / "x", ledger=kept, tuning="public")
    recurring.run(dataset, "pairs", tmp_path / "out", ledger=kept)
    assert state(kept) == (1, 2, 1)
    kept.end("pairs", by="me")
    assert state(kept) == (1, 0, 3)
    with pytest.raises(ReleaseError, match="ended"):
        recurring.run(dataset, "pairs", tmp_path / "out", ledger=kept)
    for by, words in (("me", "ended"), ("you", "must come from me")):
        with pytest.raises(ReleaseError, match=words):
            kept.end("pairs", by=by)
    kept.verify()


def test_runs_of_a_composed_plan_cost_their_sum_until_the_whole_is_less(kept, tmp_path):
    dataset = town(tmp_path, 8)
    daily = Schedule(first=FIRST, runs=8, days=1, every=1)
    planned(kept, dataset, daily, flows(0.1), delta=0.009)
    whole = whole_cost(Loss(unit="person-day", epsilon=0.1), "person", 8, 0.009).epsilon
    assert 0.4 < whole < 0.5
    for number in range(1, 9):
        recurring.run(dataset, "pairs", tmp_path / "out", ledger=kept)
        spent, later, _ = state(kept)
        assert spent == pytest.approx(min(0.1 * number, whole))
        assert spent + later == pytest.approx(whole)
    one = kept.budget("people")
    assert (one.spent_delta, one.releases) == (0.009, 8)


def test_a_budget_per_person_day_pays_for_one_run(tmp_path):
    ledger = BudgetLedger(tmp_path / "ledger.sqlite")
    ledger.declare("people", datasets=["town"], unit="person-day", epsilon=0.5, by="me")
    dataset = town(tmp_path, 6)
    planned(ledger, dataset)
    for _ in range(3):
        out = recurring.run(dataset, "pairs", tmp_path / "out", ledger=ledger)
        assert state(ledger) == (0.5, 0, 0)
    content = json.loads((out / "statement.json").read_text(encoding="utf-8"))
    assert "reveal at most ε = 0.5 of one person-day" in content["warnings"][-1]


def test_runs_follow_a_dataset_that_grows(kept, tmp_path, capsys):
    outs = tmp_path / "out"
    planned(kept, town(tmp_path, 1))
    for number in (1, 2, 3):
        short = town(tmp_path, 2 * number - 1)
        with pytest.raises(ReleaseError, match=f"must find its days.*2024-01-0{2 * number}"):
            recurring.run(short, "pairs", outs, ledger=kept)
        out = recurring.run(town(tmp_path, 2 * number), "pairs", outs, ledger=kept)
        days = [str(FIRST + timedelta(days=2 * number - 2 + day)) for day in (0, 1)]
        assert out.name == f"pairs-00{number}-{days[0]}"
        assert sorted(set(pd.read_csv(out / "flows.csv")["date"])) == days
        stated = json.loads((out / "statement.json").read_text(encoding="utf-8"))
        assert (
            stated["release"].items()
            >= {
                "type": "recurring",
                "run": number,
                "of": 3,
                "refreshed": "every 2 days",
                "first_day": days[0],
                "last_day": days[1],
                "epsilon": 3.0,
            }.items()
        )
        assert f"run {number} of 3" in (out / "statement.html").read_text(encoding="utf-8")
        assert "Many releases" in (out / "registry.yaml").read_text(encoding="utf-8")
    assert main(["show", "pairs", "--ledger", str(kept.path)]) == 0
    said = capsys.readouterr().out
    assert "3 of 3 made; complete" in said
    assert "ε = 3 of one person in all 3 runs together" in said
    assert "can be subtracted: Entries 3 to 7 (od of town) hold different days" in said


@pytest.mark.parametrize(
    "product",
    [
        flows(0.5),
        ours(flows(0.5).parameters),
        flows(0.5, "person"),
        visits(),
        zoom(),
        report(epsilon=0.5),
    ],
)
def test_every_product_recurs_with_the_settings_that_were_planned(product, tmp_path):
    demo = datasets.load("demo-city")
    ledger = BudgetLedger(tmp_path / "ledger.sqlite")
    ledger.declare("p", datasets=["demo-city"], unit="person", epsilon=99.0, delta=1e-5, by="me")
    schedule = Schedule(first=demo.metadata.first_day, runs=2)
    planned(ledger, demo, schedule, product)
    out = recurring.run(demo, "pairs", tmp_path / "out", ledger=ledger)
    ran, single = (
        json.loads((o / "statement.json").read_text(encoding="utf-8"))
        for o in (out, release(demo, product, tmp_path / "one", ledger=ledger, tuning="public"))
    )
    for name in ("settings", "stages", "accuracy", "cells", "cost", "epsilon", "delta"):
        assert ran[name] == single[name]
    assert any("more than once" in words for words in single["warnings"])
    with pytest.raises(ReleaseError, match="must find its days, 2026-06-08"):
        recurring.run(demo, "pairs", tmp_path / "out", ledger=ledger)


def test_flows_that_were_planned_go_on_where_a_first_density_brings_towers(kept, tmp_path):
    dataset = town(tmp_path, 6)
    planned(kept, dataset)
    centres = dataset.zones.geometry.representative_point()
    points = {"location_id": dataset.zones["zone_id"], "name": dataset.zones["name"]}
    towers = gpd.GeoDataFrame(points, geometry=centres, crs=4326)
    grown = growth.grown(dataset, dataset.metadata, towers=towers)
    assert zoning(grown) != zoning(dataset)
    assert recurring.run(grown, "pairs", tmp_path / "out", ledger=kept).is_dir()


def other_trips(folder, ledger):
    return town(folder, 6, count=6)


def other_zones(folder, ledger):
    return town(folder, 6, zones=5)


def other_people(folder, ledger):
    ledger.declare("others", datasets=["village"], unit="person", epsilon=9.0, by="me")
    return town(folder, 6, name="village")


def no_budget(folder, ledger):
    return town(folder, 6, name="village")


def changed_plan(folder, ledger):
    with sqlite3.connect(ledger.path) as connection:
        connection.execute("update entries set body = replace(body, '0.5', '9.5') where id = 2")
    return town(folder, 6)


def overspent(folder, ledger):
    """An entry of an older rule, which held less than the release cost."""
    what = {"product": "od", "unit": "person-day", "loss": {**vars(WEEKLY), "epsilon": 0.5}}
    ledger.intend("town", unit="person", epsilon=0.5, delta=0.0, what=what)
    return town(folder, 6)


@pytest.mark.parametrize(
    ("change", "number", "code"),
    [
        (None, 1, "made"),
        (None, 0, "run"),
        (None, 4, "run"),
        (other_trips, None, "changed"),
        (other_zones, None, "changed"),
        (other_people, None, "people"),
        (no_budget, None, "no_budget"),
        (changed_plan, None, "broken"),
        (overspent, None, "exceeded"),
    ],
)
def test_a_run_that_may_not_be_is_refused_and_costs_nothing(
    kept, tmp_path, capsys, change, number, code
):
    dataset = town(tmp_path, 6)
    planned(kept, dataset)
    recurring.run(dataset, "pairs", tmp_path / "out", ledger=kept)
    dataset = dataset if change is None else change(tmp_path, kept)
    before = kept.path.read_bytes(), sorted(tmp_path.rglob("*"))
    command = [
        "run",
        "pairs",
        "--dataset",
        str(dataset.folder.parent),
        "--out",
        str(tmp_path / "out"),
    ]
    command += [] if number is None else ["--number", str(number)]
    with pytest.raises(ReleaseError) as refused:
        recurring.run(dataset, "pairs", tmp_path / "out", ledger=kept, number=number)
    assert refused.value.code == code
    assert main([*command, "--ledger", str(kept.path)]) == 2
    said = capsys.readouterr().err
    assert said.startswith("refused: ")
    assert said.count("\n") == 1
    assert (kept.path.read_bytes(), sorted(tmp_path.rglob("*"))) == before


def test_a_missed_run_stays_missed(kept, tmp_path):
    dataset = town(tmp_path, 6)
    planned(kept, dataset)
    recurring.run(dataset, "pairs", tmp_path / "out", ledger=kept, number=2)
    with pytest.raises(ReleaseError, match="a missed run stays missed"):
        recurring.run(dataset, "pairs", tmp_path / "out", ledger=kept, number=1)
    one = recurring.series(kept.entries())["pairs"]
    assert (one.next, one.state.split("; ")[0]) == (3, "1 of 3 made, missed: 1")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--runs", "3", "--epsilon", "0"], "epsilon must be"),
        (["--until", "2023-12-31"], "runs must be"),
        (["--runs", "3", "--name", "a\x1bb"], "name must be"),
        (["--runs", "3", "--name", "pairs"], "must be planned once"),
        (["--runs", "3", "--unit", "trip"], "needs the custodian's consent"),
        (["--runs", "3", "--whole-delta", "0.5"], "at most one over the public number of people"),
        (["--runs", "99"], "must not be exceeded"),
    ],
)
def test_a_plan_that_may_not_be_is_refused_and_keeps_nothing(
    kept, tmp_path, capsys, options, words
):
    dataset = town(tmp_path, 6)
    planned(kept, dataset)
    before = kept.path.read_bytes()
    ask = ["plan", "od", str(dataset.folder.parent), "--first", "2024-01-01", "--days", "2"]
    ask += ["--epsilon", "0.1", "--name", "new", "--tuned-on", "public", *options]
    assert main([*ask, "--ledger", str(kept.path)]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
    assert kept.path.read_bytes() == before


def test_reports_with_other_bins_are_not_planned_and_shares_are_kept(kept, tmp_path):
    shares = Budget.of(weights={"flows": 2.0}, locked={"days": 0.5})
    asked = ReportParameters(epsilon=0.5, budget=shares, windows=(0, 6, 24))
    assert (
        recurring._read(
            json.loads(
                json.dumps({"kind": "ReportParameters", "parameters": recurring._written(asked)})
            )
        )
        == asked
    )


def test_of_eight_that_make_one_run_one_pays(kept, tmp_path):
    planned(kept, town(tmp_path, 6))
    what = {"plan": 2, "run": 1, "loss": {"unit": "person", "epsilon": 1.0}}
    said = []

    def ask():
        try:
            kept.intend("town", unit="person", epsilon=1.0, delta=0.0, what=what)
        except ExplorerError as error:
            said.append(error.code)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert said == ["made"] * 7
    assert state(kept) == (1, 2, 1)


def test_a_plan_holds_no_count_and_is_the_same_whatever_the_trips(tmp_path):
    bodies = []
    for number, count in enumerate((COUNT, 4)):
        ledger = BudgetLedger(tmp_path / f"{number}.sqlite")
        ledger.declare("people", datasets=["town"], unit="person", epsilon=4.0, by="me")
        entry = planned(ledger, town(tmp_path / str(number), 6, count=count)).entry
        bodies.append({k: v for k, v in entry.body.items() if k != "made_of"})
        assert str(COUNT) not in json.dumps(entry.body)
    assert bodies[0] == bodies[1]


def test_days_are_recognised_however_they_are_stored(tmp_path):
    demo = datasets.load("demo-city")
    sums = day_sums(demo, demo.metadata.days)
    table = demo.trips.whole
    rows = zip(table.day, table.origin, table.destination, table.rank, table.n, strict=True)
    backwards = list(rows)[::-1]
    again = save_trips(tmp_path / "again", backwards, zones=len(demo.zones), days=7)
    assert list(day_sums(again, again.metadata.days).values()) == list(sums.values())
    assert len(set(sums.values())) == 7


def test_nothing_of_the_digests_of_days_leaves_with_a_bundle(kept, tmp_path):
    """Whoever holds the digest of a day's true trips can test what they were.

    The entry's hash does leave: it has a secret number in it, another one for each entry.
    """
    dataset = town(tmp_path, 6)
    planned(kept, dataset)
    out = recurring.run(dataset, "pairs", tmp_path / "out", ledger=kept)
    sums = next(one.body["day_sums"] for one in kept.entries() if "run" in one.body)
    known = [one.body["made_of"] for one in kept.entries() if one.body.get("made_of")]
    blinds = re.findall(r"'secret': '([0-9a-f]{32})'", str(known))
    assert len(set(blinds)) == len(known) > 1
    assert len(sums) == 2
    left = b"".join(file.read_bytes() for file in out.rglob("*") if file.is_file())
    with zipfile.ZipFile(next(out.parent.glob("*.zip"))) as packed:
        left += b"".join(packed.read(name) for name in packed.namelist())
    assert b"statement" in left
    for digest in sums.values():
        assert digest[:16].encode() not in left
