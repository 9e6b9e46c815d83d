"""What a release costs a budget of another unit."""

import json
import math
from decimal import Decimal, localcontext

import pytest
from hypothesis import given, settings, strategies as st

from engine.release import BudgetCost, BudgetLedger, PrivacyLoss, ReleaseError, budget_cost, plan
from engine.release.budget_ledger import to_decimal_fraction
from tests.support.releases import flows, release, zoom


@pytest.mark.parametrize(
    ("loss", "budget_unit", "epsilon"),
    [
        (PrivacyLoss(unit="person", epsilon=0.1, days=7), "person", 0.1),
        (PrivacyLoss(unit="person-day", epsilon=0.1, days=7), "person-day", 0.1),
        (PrivacyLoss(unit="trip", epsilon=0.1, days=7), "trip", 0.1),
        (PrivacyLoss(unit="person-day", epsilon=0.1, days=7), "person", 0.7),
        (PrivacyLoss(unit="person", epsilon=0.1, days=7), "person-day", 0.2),
        (PrivacyLoss(unit="person", epsilon=0.1, days=7), "trip", 0.2),
        (PrivacyLoss(unit="person-day", epsilon=0.1, days=7), "trip", 0.2),
        (PrivacyLoss(unit="person-day", epsilon=0.1, days=7, trip_cost_divisor=1), "trip", 0.2),
        (PrivacyLoss(unit="person-day", epsilon=0.1, days=7, trip_cost_divisor=4), "trip", 0.05),
        (PrivacyLoss(unit="person", epsilon=0.1, trip_cost_divisor=4), "trip", 0.05),
        (PrivacyLoss(unit="person", epsilon=0.1, trip_cost_divisor=4), "person-day", 0.2),
    ],
)
def test_the_cost_is_in_the_units_of_the_budget(loss, budget_unit, epsilon):
    assert budget_cost(loss, budget_unit) == BudgetCost(epsilon=epsilon)


@settings(deadline=None)  # OpenDP is imported by the first example that needs it
@given(
    epsilon=st.floats(1e-3, 20),
    limit=st.none() | st.integers(1, 256),
    delta=st.sampled_from([0.0, 1e-12, 3e-10]),
)
def test_a_finer_unit_is_charged_in_full_and_at_most_a_step_more(epsilon, limit, delta):
    loss = PrivacyLoss(unit="person-day", epsilon=epsilon, delta=delta, trip_cost_divisor=limit)
    charged = budget_cost(loss, "trip")
    due = 2 * to_decimal_fraction(epsilon) / (limit if limit and not delta else 1)
    below = math.nextafter(charged.epsilon, 0)
    assert to_decimal_fraction(below) < due <= to_decimal_fraction(charged.epsilon)
    with localcontext(prec=50):
        due_delta = (1 + Decimal(repr(epsilon)).exp()) * Decimal(repr(delta))
        assert due_delta <= Decimal(repr(charged.delta)) <= due_delta * Decimal("1.00000001")


@given(epsilon=st.floats(1e-3, 20), days=st.integers(1, 400), delta=st.floats(1e-12, 1e-6))
def test_a_person_pays_for_each_day_both_epsilon_and_delta(epsilon, days, delta):
    loss = PrivacyLoss(unit="person-day", epsilon=epsilon, delta=delta, days=days)
    charged = budget_cost(loss, "person")
    for asked, got in ((epsilon, charged.epsilon), (delta, charged.delta)):
        due, below = days * to_decimal_fraction(asked), math.nextafter(got, 0)
        assert to_decimal_fraction(below) < due <= to_decimal_fraction(got)


def test_a_delta_that_would_reach_one_is_refused():
    for loss, unit in (
        (PrivacyLoss(unit="person", epsilon=30.0, delta=1e-7), "person-day"),
        (PrivacyLoss(unit="person", epsilon=1e4, delta=1e-7), "trip"),
        (PrivacyLoss(unit="person-day", epsilon=0.1, delta=0.2, days=5), "person"),
    ):
        with pytest.raises(ReleaseError, match="must be below 1"):
            budget_cost(loss, unit)


@pytest.mark.parametrize(
    ("setting", "unit", "epsilon", "delta"),
    [
        (flows(unit="person"), "person-day", 1.0, 0.0),
        (zoom(epsilon=1.0), "trip", pytest.approx(1.4449, rel=1e-4), 1e-7),
    ],
)
def test_a_release_is_charged_in_the_budgets_unit(demo, tmp_path, setting, unit, epsilon, delta):
    ledger = BudgetLedger(tmp_path / "l.sqlite")
    ledger.declare("p", datasets=["demo-city"], unit=unit, epsilon=1.5, delta=1e-6, manager="me")
    release(setting, demo, tmp_path / "one", ledger=ledger)
    budget, planned = ledger.budget("p"), plan(setting, demo)
    assert (budget.spent_epsilon, budget.spent_delta) == (epsilon, delta)
    content = json.loads((tmp_path / "one" / "statement.json").read_text(encoding="utf-8"))
    assert (content["epsilon"], content["delta"]) == (planned.epsilon, delta)
    assert content["cost"] == {"unit": unit, "epsilon": budget.spent_epsilon, "delta": delta}
    total = content["items"]["total"]
    assert f"this release ({budget.spent_epsilon:.6g}) included" in total
    assert ("δ = 1e-07 of 1e-06 is spent, this release (1e-07) included" in total) == bool(delta)
    with pytest.raises(ReleaseError, match="must not exceed"):
        release(setting, demo, tmp_path / "two", ledger=ledger)
