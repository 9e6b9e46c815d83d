"""What a release costs a budget of another unit, and releases that an older rule undercharged."""

import json
import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import minimize_scalar

from engine.release import (
    BudgetLedger,
    Cost,
    Loss,
    Product,
    ReleaseError,
    check,
    cost,
    release,
    undercharged,
)
from engine.release.command import main
from engine.release.cost import RULE
from engine.release.entries import exact
from engine.report import ReportParameters
from tests.support.releases import flows, ours, visits, zoom


@pytest.mark.parametrize(
    ("loss", "budget_unit", "epsilon"),
    [
        (Loss(unit="person", epsilon=0.1, days=7), "person", 0.1),
        (Loss(unit="person-day", epsilon=0.1, days=7), "person-day", 0.1),
        (Loss(unit="trip", epsilon=0.1, days=7), "trip", 0.1),
        (Loss(unit="person-day", epsilon=0.1, days=7), "person", 0.7),
        (Loss(unit="person", epsilon=0.1, days=7), "person-day", 0.2),
        (Loss(unit="person", epsilon=0.1, days=7), "trip", 0.2),
        (Loss(unit="person-day", epsilon=0.1, days=7), "trip", 0.2),
        (Loss(unit="person-day", epsilon=0.1, days=7, trimmed_to=1), "trip", 0.2),
        (Loss(unit="person-day", epsilon=0.1, days=7, trimmed_to=4), "trip", 0.05),
        (Loss(unit="person", epsilon=0.1, trimmed_to=4), "trip", 0.05),
        (Loss(unit="person", epsilon=0.1, trimmed_to=4), "person-day", 0.2),
    ],
)
def test_the_cost_is_in_the_units_of_the_budget(loss, budget_unit, epsilon):
    assert cost(loss, budget_unit) == Cost(epsilon=epsilon)


def test_a_trip_cannot_be_charged_to_people():
    for unit in ("person", "person-day"):
        with pytest.raises(ReleaseError, match="cannot be charged"):
            cost(Loss(unit="trip", epsilon=0.1), unit)


@settings(deadline=None)  # OpenDP is imported by the first example that needs it
@given(
    epsilon=st.floats(1e-3, 20),
    limit=st.none() | st.integers(1, 256),
    delta=st.sampled_from([0.0, 1e-12, 3e-10]),
)
def test_a_finer_unit_is_charged_in_full_and_at_most_a_step_more(epsilon, limit, delta):
    loss = Loss(unit="person-day", epsilon=epsilon, delta=delta, trimmed_to=limit)
    charged = cost(loss, "trip")
    due = 2 * exact(epsilon) / (limit if limit and not delta else 1)
    assert exact(math.nextafter(charged.epsilon, 0)) < due <= exact(charged.epsilon)
    with localcontext(prec=50):
        due_delta = (1 + Decimal(repr(epsilon)).exp()) * Decimal(repr(delta))
        assert due_delta <= Decimal(repr(charged.delta)) <= due_delta * Decimal("1.00000001")


@given(epsilon=st.floats(1e-3, 20), days=st.integers(1, 400), delta=st.floats(1e-12, 1e-6))
def test_a_person_pays_for_each_day_both_epsilon_and_delta(epsilon, days, delta):
    charged = cost(Loss(unit="person-day", epsilon=epsilon, delta=delta, days=days), "person")
    for asked, got in ((epsilon, charged.epsilon), (delta, charged.delta)):
        assert exact(math.nextafter(got, 0)) < days * exact(asked) <= exact(got)


def test_a_delta_that_would_reach_one_is_refused():
    for loss, unit in (
        (Loss(unit="person", epsilon=30.0, delta=1e-7), "person-day"),
        (Loss(unit="person", epsilon=1e4, delta=1e-7), "trip"),
        (Loss(unit="person-day", epsilon=0.1, delta=0.2, days=5), "person"),
    ):
        with pytest.raises(ReleaseError, match="a δ below 1"):
            cost(loss, unit)


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 2.0, 10.0])
def test_clipped_tables_pay_for_twice_their_rho(demo, epsilon):
    """Against the least of the conversion's bounds over α (CKS 2020, Proposition 12)."""
    plan = zoom(epsilon=epsilon, delta=1e-7).plan(demo)
    assert plan.rho is not None
    rho = 2 * plan.rho

    def bound(log_excess):
        alpha = 1 + math.exp(log_excess)
        return alpha * rho + math.log(1 / (alpha * 1e-7)) / (alpha - 1) + math.log1p(-1 / alpha)

    expected = minimize_scalar(bound, bounds=(-5, 12), method="bounded", options={"xatol": 1e-10})
    for unit in ("person-day", "trip"):
        charged = cost(plan.loss, unit)
        assert charged.delta == 1e-7
        assert charged.epsilon == pytest.approx(expected.fun, rel=1e-6)
        assert epsilon < charged.epsilon < 2 * epsilon


def test_products_say_what_their_cost_in_finer_units_rests_on(demo):
    report = Product(ReportParameters(epsilon=1.0))
    known = {
        flows(): 2,
        flows(unit="person"): 2,
        flows(unit="trip"): None,
        ours(flows().parameters): 2,
        visits(epsilon=1.0): None,
        zoom(epsilon=1.0): None,
        report: None,
    }
    for product, limit in known.items():
        plan = product.plan(demo)
        assert plan.trimmed_to == limit
        assert (plan.rho is not None) == (plan.product == "density-zoom")


def old_entry(product, unit, epsilon, **settings):
    """What rule 1 wrote."""
    return {"product": product, "unit": unit, "epsilon_per_unit": epsilon, "settings": settings}


@pytest.fixture
def by_the_old_rule(tmp_path):
    """A budget per trip that five releases were charged to, three of them too little."""
    ledger = BudgetLedger(tmp_path / "l.sqlite")
    ledger.declare("p", datasets=["demo-city"], unit="trip", epsilon=4.0, delta=1e-6, by="me")
    for epsilon, delta, what in (
        (0.1, 0.0, old_entry("od", "trip", 0.1, max_trips_per_user=1, matrices=7)),
        (0.2, 0.0, old_entry("od", "person-day", 0.2, max_trips_per_user=4, matrices=7)),
        (0.3, 0.0, old_entry("od-estimate", "person", 0.3, max_trips_per_user=1, matrices=1)),
        (0.4, 0.0, old_entry("report", "person", 0.4, max_trips_per_user=20)),
        (0.5, 1e-7, old_entry("density-zoom", "person", 0.5, rho=0.005, delta=1e-7)),
    ):
        ledger.intend("demo-city", unit="trip", epsilon=epsilon, delta=delta, what=what)
    return ledger


def test_releases_charged_by_the_old_rule_are_named_with_what_they_cost(by_the_old_rule):
    before = by_the_old_rule.entries()
    too_cheap = undercharged(before)
    assert [one.entry.id for one in too_cheap] == [4, 5, 6]
    due = [one.due for one in too_cheap]
    assert due[:2] == [Cost(epsilon=0.6), Cost(epsilon=0.8)]
    zoom = Loss(unit="person", epsilon=0.5, delta=1e-7, rho=0.005)
    assert due[2] == cost(zoom, "trip")
    words = too_cheap[0].words
    assert "entry 4 (" in words
    assert "od-estimate at unit person) was charged ε = 0.3, δ = 0 per trip" in words
    assert "it cost ε = 0.6, δ = 0" in words
    assert by_the_old_rule.entries() == before


def test_verify_names_them_and_is_no_success(by_the_old_rule, capsys):
    assert main(["verify", "--ledger", str(by_the_old_rule.path)]) == 2
    said = capsys.readouterr()
    assert said.out.splitlines()[0] == "6 entries, unbroken"
    assert [line[:8] for line in said.out.splitlines()[1:]] == ["entry 4 ", "entry 5 ", "entry 6 "]
    assert "3 releases were charged less than today's rule says" in said.err


def test_what_is_missing_counts_as_spent_at_the_next_release(by_the_old_rule, demo):
    """1.5 of 4 was charged: 2 more would fit what is written, and does not fit what is due."""
    missing = sum(
        exact(one.due.epsilon) - exact(one.entry.body["epsilon"])
        for one in undercharged(by_the_old_rule.entries())
    )
    budget, charged = check(demo, flows(epsilon=0.5).plan(demo), by_the_old_rule)
    assert charged == Cost(epsilon=0.5)  # T = 2: 2ε/T is ε
    assert exact(budget.spent_epsilon) >= exact(1.5) + missing
    assert budget.spent_epsilon == pytest.approx(1.5 + float(missing))
    fits_by_what_is_written = flows(epsilon=2.0).plan(demo)
    with pytest.raises(ReleaseError, match="must not be exceeded"):
        check(demo, fits_by_what_is_written, by_the_old_rule)


def test_every_balance_says_what_is_spent_and_what_of_it_was_not_charged(by_the_old_rule, capsys):
    """The way out that the page offers asks the same balance: it must fit what is due."""
    budget = by_the_old_rule.covering("demo-city")
    missing = sum(
        exact(one.due.epsilon) - exact(one.entry.body["epsilon"])
        for one in undercharged(by_the_old_rule.entries())
    )
    assert budget == by_the_old_rule.budget("p") == by_the_old_rule.budgets()["p"]
    assert budget.uncharged_epsilon == pytest.approx(float(missing), rel=1e-12)
    assert budget.spent_epsilon == pytest.approx(1.5 + float(missing), rel=1e-12)
    assert main(["budget", "show", "--ledger", str(by_the_old_rule.path)]) == 0
    said = capsys.readouterr().out
    assert f"ε = {budget.spent_epsilon:g} of 4 " in said
    assert f"of which ε = {budget.uncharged_epsilon:g} was not charged" in said


def test_a_delta_that_is_missing_counts_as_spent_at_the_next_release(tmp_path, demo):
    """(1 + e^ε)δ of a finer unit: what an older rule charged as δ is due in full."""
    ledger = BudgetLedger(tmp_path / "l.sqlite")
    ledger.declare("p", datasets=["demo-city"], unit="person-day", epsilon=9.0, delta=1e-6, by="me")
    what = old_entry("density-zoom", "person", 0.5, delta=1e-7)
    ledger.intend("demo-city", unit="person-day", epsilon=0.5, delta=1e-7, what=what)
    budget, _ = check(demo, flows(epsilon=0.5).plan(demo), ledger)
    assert budget.spent_delta == pytest.approx((1 + math.exp(0.5)) * 1e-7, rel=1e-6)
    assert budget.spent_epsilon == 1.0


def test_the_statement_composes_what_was_charged_and_not_what_was_asked(demo, tmp_path):
    """Two releases of 2 days at ε 0.5 each cost a person 1: together near 2, not near 1.5."""
    ledger = BudgetLedger(tmp_path / "l.sqlite")
    ledger.declare("p", datasets=["demo-city"], unit="person", epsilon=9.0, by="me")
    for name in ("one", "two"):
        release(demo, flows(days=(0, 1)), tmp_path / name, ledger=ledger, tuning="public")
    content = json.loads((tmp_path / "two" / "statement.json").read_text(encoding="utf-8"))
    assert content["cost"]["epsilon"] == 1.0
    said = content["items"]["total"]
    together = float(said.split("all releases together: ε = ")[1].split(",")[0])
    # two mechanisms of ε = 1 at best: δ(ε) = p²(1 − e^(ε − 2)), p = e/(1 + e), for ε in (0, 2)
    best = math.e / (1 + math.e)
    assert together == pytest.approx(2 + math.log1p(-1e-6 / best**2), abs=1e-3)


def test_an_entry_that_does_not_say_enough_is_named(tmp_path):
    ledger = BudgetLedger(tmp_path / "l.sqlite")
    ledger.declare("p", datasets=["a"], unit="person", epsilon=4.0, by="me")
    ledger.intend("a", unit="person", epsilon=0.5, delta=0.0, what={"product": "od"})
    (one,) = undercharged(ledger.entries())
    assert one.due is None
    assert "its cost cannot be told from the entry" in one.words


def test_a_release_is_charged_and_stated_in_the_budgets_unit(demo, tmp_path):
    ledger = BudgetLedger(tmp_path / "l.sqlite")
    ledger.declare("p", datasets=["demo-city"], unit="person-day", epsilon=1.5, by="me")
    release(demo, flows(unit="person"), tmp_path / "one", ledger=ledger, tuning="public")
    assert ledger.budget("p").spent_epsilon == 1.0
    content = json.loads((tmp_path / "one" / "statement.json").read_text(encoding="utf-8"))
    assert content["epsilon"] == 0.5
    assert content["cost"] == {"unit": "person-day", "epsilon": 1.0, "delta": 0.0}
    assert "this release (1) included" in content["items"]["total"]
    entry = ledger.entries()[1].body
    assert entry["rule"] == RULE
    assert Loss(**entry["loss"]) == flows(unit="person").plan(demo).loss
    assert not undercharged(ledger.entries())
    with pytest.raises(ReleaseError, match=r"at most ε = 0\.5 "):
        release(demo, flows(unit="person"), tmp_path / "two", ledger=ledger, tuning="public")


def test_a_ledger_is_charged_delta_too(demo, tmp_path):
    ledger = BudgetLedger(tmp_path / "l.sqlite")
    ledger.declare("p", datasets=["demo-city"], unit="trip", epsilon=1.5, delta=1e-6, by="me")
    release(demo, zoom(epsilon=1.0), tmp_path / "one", ledger=ledger, tuning="public")
    spent = ledger.budget("p")
    assert (spent.spent_epsilon, spent.spent_delta) == (pytest.approx(1.4449, rel=1e-4), 1e-7)
    content = json.loads((tmp_path / "one" / "statement.json").read_text(encoding="utf-8"))
    assert content["cost"] == {"unit": "trip", "epsilon": spent.spent_epsilon, "delta": 1e-7}
    total = content["items"]["total"]
    assert "(1.4449) included, and δ = 1e-07 of 1e-06, this release (1e-07) included" in total


def test_vectors_without_negative_numbers_lie_at_most_root_two_norms_apart():
    """The lemma behind 2ρ; with signs they may lie twice as far apart."""
    rng = np.random.default_rng(0)
    vectors = np.abs(rng.standard_normal((500, 2, 6))) * (rng.random((500, 2, 6)) < 0.4)
    norms = np.linalg.norm(vectors, axis=2, keepdims=True)
    clipped = vectors / np.maximum(norms, 1)
    apart = np.linalg.norm(clipped[:, 0] - clipped[:, 1], axis=1)
    assert apart.max() <= math.sqrt(2) * (1 + 1e-12)
    assert apart.max() > 1.4
