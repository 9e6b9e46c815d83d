"""Ways out of a budget's refusal: each fits, and the next larger of two digits does not."""

from dataclasses import replace
from fractions import Fraction

import pytest

from engine import origin_destination as od
from engine.release import Cost, Product, charge, fits, fitting_epsilon, ways, ways_out
from tests.support.releases import budget, ours, visits, zoom


@pytest.fixture
def month(demo):
    parameters = od.ODParameters(epsilon=1.0, max_trips_per_user=4)
    return replace(Product(parameters).plan(demo), days=30)


def by_change(plan, left):
    return {way.change: way for way in ways_out(plan, left)}


def test_an_epsilon_that_a_method_does_not_take_is_no_way_out(demo):
    """Zoom takes 0.001 to 50; what is offered is taken, or nothing is offered."""
    plan = zoom(epsilon=1.0).plan(demo)
    assert fitting_epsilon(plan, budget(5e-4, delta=1e-6)) is None
    assert fitting_epsilon(plan, budget(1e-3, delta=1e-6)) == 1e-3
    assert fitting_epsilon(plan, budget(80.0, delta=1e-6)) == 50.0


def test_the_three_ways_of_the_issue(month):
    known = by_change(month, budget(2.0))
    assert known["epsilon"].epsilon == 0.066
    assert (known["days"].days, known["days"].epsilon) == (2, 1.0)
    assert (known["unit"].unit, known["unit"].epsilon) == ("person", 1.0)


@pytest.mark.parametrize("left", [0.7, 1e-4, 2.1, 6.9, 1 / 3, 0.1 + 0.2, 29.99])
def test_a_way_fits_exactly_and_the_next_does_not(month, left):
    known = by_change(month, budget(left))
    epsilon = known["epsilon"].epsilon
    digits = Fraction(repr(epsilon)) * 30
    assert digits <= Fraction(repr(left))
    step = 10.0 ** -next(p for p in range(20) if epsilon >= 9.95 * 10.0**-p)
    larger = float(f"{epsilon + step:.12g}")
    assert fits(replace(month, epsilon=epsilon), budget(left))
    assert not fits(replace(month, epsilon=larger), budget(left))
    if left >= 1:
        assert known["days"].days == int(left)


def test_ten_times_a_tenth_fits_into_one(month):
    assert fits(replace(month, epsilon=0.1, days=10), budget(1.0))
    assert not fits(replace(month, epsilon=0.1, days=11), budget(1.0))
    assert fitting_epsilon(replace(month, days=7), budget(0.7, spent=0.1)) == 0.1


def test_what_fits_needs_no_way_out_and_what_cannot_has_none(month):
    assert ways_out(month, budget(30.0)) == ()
    assert ways_out(month, budget(0.0)) == ()


def test_a_release_at_trip_level_is_charged_to_people_as_days_or_as_persons(month):
    trips = replace(month, unit="trip")
    known = {way.unit: way for way in ways_out(trips, budget(2.0))}
    assert set(known) == {"person-day", "person"}
    assert known["person-day"].epsilon == 0.066
    assert all(fits(replace(trips, unit=w.unit, epsilon=w.epsilon), budget(2.0))
               for w in known.values())  # fmt: skip


def test_delta_is_looked_for_as_well(demo):
    plan = zoom(epsilon=1.0, delta=1e-6).plan(demo)
    known = by_change(plan, budget(5.0, delta=4.2e-7))
    assert known["delta"].delta <= 4.2e-7
    assert fits(replace(plan, delta=known["delta"].delta), budget(5.0, delta=4.2e-7))
    assert ways_out(plan, budget(5.0)) == ()  # a method that costs δ cannot do without


def test_a_delta_that_is_spent_is_not_there_again(demo):
    plan = zoom(epsilon=1.0, delta=1e-7).plan(demo)
    for spent, held in ((8e-7, True), (9e-7, True), (9.5e-7, False), (1e-6, False)):
        paying = replace(budget(5.0, delta=1e-6), spent_delta=spent)
        assert fits(plan, paying) == held
        assert (fitting_epsilon(plan, paying) is None) != held
        for way in ways_out(plan, paying):
            assert spent + way.delta <= 1e-6 * (1 + 1e-9)


def test_a_dearer_charge_moves_every_way(month, monkeypatch):
    """The rule is the ledger's alone: where it charges twice as much, ways give half as much."""
    asked = ways.cost

    def twice(loss, unit):
        return Cost(epsilon=2 * asked(loss, unit).epsilon)

    monkeypatch.setattr(ways, "cost", twice)
    known = by_change(month, budget(2.0))
    assert known["epsilon"].epsilon == 0.033
    assert known["days"].days == 1
    assert charge(month, budget(2.0)) == Cost(epsilon=60.0)


def test_other_products_are_offered_less_epsilon_alone(demo):
    (way,) = ways_out(visits(epsilon=1.0).plan(demo), budget(0.25))
    assert (way.change, way.epsilon) == ("epsilon", 0.25)
    flows = ours(od.ODParameters(epsilon=1.0, unit="person")).plan(demo)
    assert [one.change for one in ways_out(flows, budget(0.25))] == ["epsilon"]


def test_a_finer_budget_pays_twice_and_is_offered_its_own_unit(demo):
    parameters = od.ODParameters(epsilon=1.0, unit="person", max_trips_per_user=4)
    plan = Product(parameters).plan(demo)
    known = by_change(plan, budget(1.0, unit="person-day"))
    assert known["epsilon"].epsilon == 0.5
    assert (known["unit"].unit, known["unit"].epsilon) == ("person-day", 1.0)


def test_zoom_is_offered_what_its_own_rho_costs(demo):
    """At another ε the plan has another ρ: what is offered is what a plan at that ε costs."""
    days = budget(1.0, unit="person-day", delta=1e-5)
    way = by_change(zoom(epsilon=1.0, delta=1e-7).plan(demo), days)["epsilon"]
    assert 0.65 < way.epsilon < 0.75  # 2ρ costs about 1.44ε, group privacy would cost 2ε
    offered = zoom(epsilon=way.epsilon, delta=1e-7).plan(demo)
    assert charge(offered, days).epsilon <= 1.0
    assert charge(zoom(epsilon=way.epsilon + 0.02, delta=1e-7).plan(demo), days).epsilon > 1
