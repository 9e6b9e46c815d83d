"""Releases of the density of a dataset with several weeks: one of them, or one after the other."""

import json
from datetime import timedelta

import geopandas as gpd
import numpy as np
import pytest
from dp_accounting import GaussianDpEvent
from dp_accounting.pld import common, privacy_loss_distribution as pld
from dp_accounting.rdp import RdpAccountant

from engine.errors import ParameterError
from engine.release import BudgetLedger, ReleaseError, noise, recurring
from engine.release.command import main
from engine.release.recurring import Schedule
from tests.support.releases import visits, with_weeks, zoom

RUNS = 3


@pytest.fixture
def city(tmp_path):
    return with_weeks(tmp_path / "city", RUNS)


@pytest.fixture
def kept(tmp_path):
    ledger = BudgetLedger(tmp_path / "ledger.sqlite")
    ledger.declare("people", datasets=["city"], unit="person", epsilon=4.0, delta=0.01, by="me")
    return ledger


def planned(ledger, city, product=None, *, delta=0.0, **schedule):
    when = Schedule(**{"first": city.metadata.week, "runs": RUNS, **schedule})
    parameters = (product or visits(0.5)).parameters
    how = {"ledger": ledger, "tuning": "public", "delta": delta}
    return recurring.plan(city, parameters, when, name="weekly", **how)


def test_each_run_releases_its_own_week_and_all_are_paid_for_first(
    city, kept, tmp_path, monkeypatch
):
    monkeypatch.setattr(noise, "discrete_laplace", lambda counts, _scale: np.array(counts))
    with pytest.raises(ReleaseError, match=r"exceeds ε by 0\.5"):
        planned(kept, city, runs=9)
    planned(kept, city)
    for number in (1, 3):
        out = recurring.run(city, "weekly", tmp_path / "out", ledger=kept, number=number)
        monday = city.metadata.week + timedelta(days=7 * (number - 1))
        week = city.at_week(monday)
        overlap = city.tessellation.overlap
        there = np.floor((overlap.T @ week.presampled_by_tower(30)).sum(axis=1) + 0.5)
        assert gpd.read_parquet(out / "zones.parquet")["visits"].tolist() == there.tolist()
        stated = json.loads((out / "statement.json").read_text(encoding="utf-8"))
        assert stated["settings"]["week"] == stated["release"]["first_day"] == str(monday)
        assert out.name == f"weekly-00{number}-{monday}"
    budget = kept.budget("people")
    assert (budget.spent_epsilon, budget.planned_epsilon) == (1.0, 0.0)
    kept.verify()


def test_a_year_of_weeks_at_a_delta_costs_what_dp_accounting_says(city, kept):
    whole = planned(kept, city, visits(0.05), runs=52, delta=1e-5).entry.body
    one = common.DifferentialPrivacyParameters(0.05, 0)
    judge = pld.from_privacy_parameters(one, value_discretization_interval=1e-4)
    theirs = judge.self_compose(52).get_epsilon_for_delta(1e-5)
    assert (whole["epsilon"], whole["delta"]) == (pytest.approx(theirs, rel=5e-3), 1e-5)
    assert theirs <= whole["epsilon"] < 0.8 * 52 * 0.05


def test_gaussian_weeks_at_a_delta_cost_no_less_than_exactly(city, kept):
    product = zoom(0.2)
    whole = planned(kept, city, product, runs=52, delta=1e-5).entry.body
    deviation = (2 * product.plan(city).rho) ** -0.5
    exactly = pld.from_gaussian_mechanism(deviation).self_compose(52)
    renyi = RdpAccountant().compose(GaussianDpEvent(deviation), 52)
    assert exactly.get_epsilon_for_delta(1e-5) < whole["epsilon"]
    assert whole["epsilon"] == pytest.approx(renyi.get_epsilon(1e-5), rel=5e-3)


@pytest.mark.parametrize("change", [{"first": 2}, {"every": 10}, {"days": 3}])
def test_a_plan_whose_runs_begin_on_no_monday_is_refused(city, kept, change):
    if "first" in change:
        change = {"first": city.metadata.week + timedelta(days=2)}
    with pytest.raises(ParameterError, match="7 days from a Monday"):
        planned(kept, city, **change)
    assert kept.budget("people").planned_epsilon == 0


def test_a_run_waits_for_its_week_and_stops_where_a_released_one_has_changed(city, kept, tmp_path):
    planned(kept, city, runs=RUNS + 1)
    recurring.run(city, "weekly", tmp_path / "out", ledger=kept)
    with pytest.raises(ReleaseError, match=r"density of weeks from 2026-06-01, .* in 'city'"):
        recurring.run(city, "weekly", tmp_path / "out", ledger=kept, number=4)
    other = with_weeks(tmp_path / "again" / "city", RUNS, first_share=0.9)
    with pytest.raises(ReleaseError, match="others on 2026-06-01") as refused:
        recurring.run(other, "weekly", tmp_path / "out", ledger=kept)
    assert refused.value.code == "changed"
    assert kept.budget("people").spent_epsilon == 0.5


def test_the_command_releases_the_week_that_is_named_and_no_other(city, kept, tmp_path, capsys):
    ask = ["density", str(city.folder.parent), "--epsilon", "0.5", "--tuned-on", "public"]
    ask += ["--ledger", str(kept.path), "--out", str(tmp_path / "one"), "--week"]
    assert main([*ask, "2026-06-09"]) == 2
    said = capsys.readouterr().err
    assert "no density of the week of 2026-06-09" in said
    assert "choose one of: 2026-06-01, 2026-06-08, 2026-06-15" in said
    with pytest.raises(SystemExit):
        main([*ask, "June"])
    assert "'June' is no day" in capsys.readouterr().err
    assert kept.budget("people").spent_epsilon == 0
    assert main([*ask, "2026-06-15"]) == 0
    stated = json.loads((tmp_path / "one" / "statement.json").read_text(encoding="utf-8"))
    assert stated["settings"]["week"] == "2026-06-15"
