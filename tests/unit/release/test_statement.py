"""What a statement says is so: bars, stages, warnings, items; by the law of the noise alone."""

import re
from dataclasses import replace
from math import comb

import numpy as np
import pytest

from engine import origin_destination as od, privacy
from engine.origin_destination.empirical_bayes import ScaleUp
from engine.release import list_warnings, opendp_noise, plan
from tests.support.releases import (
    TRIPS,
    flows,
    items,
    ours,
    products,
    report,
    seen,
    statement_of,
    zoom,
)

FOUR = seen(od.ODParameters(epsilon=1.0, max_trips_per_user=4, unit="person-day"))


def test_bars_hold_less_often_among_flows_that_are_shown(demo):
    """The table's last column, against the law of the noise summed term by term."""
    planned = plan(flows(epsilon=0.25), demo)
    q, least = np.exp(-1 / planned.stages[0].scale), planned.min_shown_count
    z = np.arange(-4000, 4001)
    law = (1 - q) / (1 + q) * q ** np.abs(z)
    rows = [row for row in planned.error_bars if row.truncated_count is not None]
    for row in rows:
        shown = row.truncated_count + z >= least
        within = np.abs(z) <= row.half_width
        assert row.shown_probability == pytest.approx(law[shown].sum(), rel=1e-9)
        assert row.coverage == pytest.approx(law[shown & within].sum() / law[shown].sum(), rel=1e-9)
    assert rows[0].coverage < 0.8
    assert rows[-1].coverage > 0.95
    said = items(demo, flows(epsilon=0.25))["accuracy"]
    assert f"0 counted trips that is shown is within its bar in {rows[0].coverage:.1%} of" in said


@pytest.mark.parametrize("name", products())
def test_all_stages_add_up_to_what_is_charged(demo, name):
    """Of the stages, each of which costs what OpenDP says of it: so a bundle's own test."""
    planned = plan(products()[name], demo)
    rho = sum(one.rho or 0.0 for one in planned.stages)
    total = sum(one.epsilon or 0.0 for one in planned.stages)
    total += opendp_noise.zcdp_epsilon(rho, planned.delta) if rho else 0.0
    assert total == pytest.approx(planned.epsilon, rel=1e-4)
    assert total <= planned.epsilon * (1 + 1e-6)


GROUP = (
    "A group of k people loses kε and δ.*. For 4 people that is ε = 4 and "
    f"δ = {1e-7 * np.expm1(4) / (np.e - 1):.3g}"
)
FAMILY = (  # each with ε = 0.5: e² of e² + 1 for four together, e of e + 1 for one place or another
    r"loses kε\. For 4 people that is ε = 2 on each day\. Whether .* at most 89 of 100 guesses"
)
BEYOND = "noisy number of each person's trips 5 to 20 of a day .in random order.. What may be noise"


ALL_DAYS = r"A person's privacy loss over all 7 released days is at most ε = 7\. An"
ONE_DAY = "One person's trips of one day. Its privacy loss is at most ε = 0.5. An"


@pytest.mark.parametrize(
    ("setting", "item", "said"),
    [
        (flows(epsilon=1.0), "unit", ALL_DAYS),
        (flows(last=0), "unit", ONE_DAY),
        (flows(), "small_groups", FAMILY),
        (flows(), "unit", "two places .* are distinguished in at most 74 of 100 guesses"),
        (zoom(epsilon=1.0, delta=1e-7), "small_groups", GROUP),
        (ours(FOUR), "bias", BEYOND),
    ],
)
def test_items_say_what_a_setting_does(demo, setting, item, said):
    assert re.search(said, items(demo, setting)[item])


def test_the_noise_of_a_sum_has_the_deviation_that_is_said(demo):
    planned = plan(ours(FOUR), demo)
    q, z = np.exp(-1 / planned.stages[0].scale), np.arange(-4000, 4001)
    deviation = np.sqrt(((1 - q) / (1 + q) * q ** np.abs(z) * z**2).sum())
    assert f"standard deviation {deviation:.3g}." in items(demo, ours(FOUR))["accuracy"]


GUESSED = [flows(), flows(step="week"), flows(unit="trip"), zoom(delta=1e-3), report(epsilon=0.3)]


@pytest.mark.parametrize("setting", GUESSED)
def test_an_attacker_guesses_as_often_as_the_pages_say(demo, setting):
    days = setting.time.days_per_matrix(len(demo.metadata.days))
    risk = privacy.Guarantee(epsilon=setting.parameters.epsilon, delta=plan(setting, demo).delta)
    if isinstance(setting.parameters, od.ODParameters):
        risk = privacy.flow_release_risk(setting.parameters, days)
    planned, said = plan(setting, demo), items(demo, setting)["unit"]
    assert privacy.format_guess_rate(risk.max_guess_rate, coin=True) in said
    one_day = privacy.Guarantee(epsilon=setting.parameters.epsilon).max_guess_rate
    is_daily = planned.unit == "person-day" and len(days) > 1 and max(days) == 1
    said_of_a_day = (
        f"one day alone, the attacker is correct in {privacy.format_guess_rate(one_day)}"
    )
    assert (said_of_a_day in said) == is_daily
    has_homes = planned.unit == "person-day" and planned.days > 1
    is_no_limit = has_homes and risk.max_version_guess_rate > 0.99
    assert ("which is hardly a limit" in said) == is_no_limit


def test_of_a_table_of_flows_whole_trips_of_the_table_are_protected(demo):
    planned = plan(flows(unit="trip"), demo)
    said = statement_of(demo, planned)
    assert said["items"]["unit"].startswith("One trip, and no person")
    assert said["counted"]["kept"] == "the trips between zones"
    assert "trips within a zone are left out" in said["counted"]["beyond"]
    table = replace(demo.metadata, trips_have_people=False)
    said = statement_of(demo, replace(planned, metadata=table))["items"]["unit"]
    assert "one whole trip of the table. It is not all that one trip of the sample adds" in said


def test_releases_that_are_composed_are_said_to_be_at_a_delta_below_one_over_the_people(demo):
    said = items(demo, zoom(), earlier=40)["total"]
    assert "added up (basic composition). All releases together cost ε = " in said
    assert "(exact composition). That holds only if no later setting was chosen" in said
    many = replace(demo.metadata, people_public=1_000_000)  # beyond which 1e-6 would be too much
    said = statement_of(demo, replace(plan(zoom(), demo), metadata=many), earlier=400)
    slack = float(said["items"]["total"].split(" at δ = ")[1].split()[0]) - 401e-7
    assert slack == pytest.approx(0.1 / 1_000_000, abs=6e-8)  # three digits are said


def test_warnings_are_there_where_a_reader_would_be_misled_and_only_there(demo):
    parameters = od.ODParameters(epsilon=0.06, max_trips_per_user=1, unit="person-day")
    noisy = replace(flows(), parameters=parameters)
    planned = plan(noisy, demo, trips=TRIPS, sums_before_suppression=True)
    said = " ".join(list_warnings(planned))
    warnings = (
        "Noise is shown as flows",
        "Small flows are lost",
        "Small zone totals can be negative",
    )
    assert all(warning in said for warning in warnings)
    assert f"A flow shown as {planned.bar:.0f} or less may be empty." in said
    q, z = np.exp(-0.06), np.arange(15, 2_000)
    law = (1 - q) / (1 + q) * q**z
    assert planned.mean_phantom_trips == pytest.approx((z * law).sum(), rel=1e-9)
    assert f"shown in {law.sum():.1%} of cases" in said
    assert f"add up to about {(z * law).sum() * planned.cell_count:,.0f} trips" in said
    assert f"about {planned.cell_count * law.sum():,.0f} of {planned.cell_count:,} numbers" in said
    clear = noisy.with_epsilon(9.0)
    assert len(list_warnings(plan(clear, demo))) == len(list_warnings(plan(ours(clear), demo))) == 1
    assert len(list_warnings(plan(ours(noisy), demo))) == 3
    assert statement_of(demo, planned)["warnings"] == list_warnings(planned)
    bias = items(demo, noisy)["bias"]
    assert "too low by the suppressed flows. They are too high by noise" in bias


def test_a_factor_of_one_does_not_claim_that_trips_were_scaled_up(demo):
    """What is beyond the limit may drown in noise: then nothing is said of what was counted."""
    planned = plan(ours(flows()), demo)
    for factor, is_said in ((1.0, False), (1.5, True)):
        drawn = replace(planned, scale_up=ScaleUp(factor, 1.0, 2.0))
        said = statement_of(demo, drawn)["may_not_conclude"]
        assert ("is scaled up by" in said) == is_said


def test_guesses_about_all_days_by_counting_outcomes(demo):
    """Of seven days each answers right with e^ε/(1 + e^ε): the best guess goes by the majority."""
    said = items(demo, flows(epsilon=0.5))
    for units, item in ((2, "unit"), (4, "small_groups")):
        right = np.exp(0.5 * units) / (1 + np.exp(0.5 * units))
        best = sum(
            comb(7, k) * max(right**k * (1 - right) ** (7 - k), right ** (7 - k) * (1 - right) ** k)
            for k in range(8)
        )
        assert re.search(
            rf"(in at most|is up to) {np.ceil(50 * best):.0f} of 100 guesses\.", said[item]
        )


@pytest.mark.parametrize(
    ("period", "places", "words"),
    [
        (None, None, ("was not recorded. Whether the places are public was not recorded",)),
        (False, True, ("declared by the custodian and not read", "The places are public")),
        (True, False, ("was read from the data", "not public or were read from the data")),
    ],
)
def test_item_10_tells_how_period_and_places_were_fixed(demo, period, places, words):
    about = {"simulated": False, "period_from_data": period, "places_public": places}
    planned = replace(plan(flows(), demo), metadata=replace(demo.metadata, **about))
    said = statement_of(demo, planned)["items"]["cells"]
    for some in words:
        assert some in said


def test_a_statement_names_the_column_of_people_and_flows_that_are_not_known(demo):
    about = replace(demo.metadata, person_column="usuario", unknown_flows=3)
    said = statement_of(demo, replace(plan(flows(), demo), metadata=about))["items"]
    assert "People are identified by the column 'usuario' of the source rows" in said["unit"]
    assert "The source does not state the numbers of some flows" in said["bias"]
    trips = statement_of(demo, replace(plan(flows(unit="trip"), demo), metadata=about))["items"]
    assert "usuario" not in trips["unit"]
    silent = statement_of(demo, plan(flows(), demo))["items"]
    assert "column" not in silent["unit"]
    assert "source" not in silent["bias"]


@pytest.mark.parametrize("name", products())
def test_a_statement_says_nothing_false_of_what_it_cannot_know(demo, name):
    """No count is read for it: trips beyond the limit may be none, and noise can be negative."""
    said = statement_of(demo, plan(products()[name], demo))
    lead = [text for key, text in said.items() if key.endswith("conclude")]
    text = " ".join([*lead, *said["items"].values(), *said["counted"].values(), *said["warnings"]])
    for false in ("trips is higher", "visits is higher", "visits is much higher", "certain"):
        assert false not in text
    assert "never shows negative noise" not in text
    assert "people with one visit" not in " ".join(row["what"] for row in said["accuracy"])
    assert not re.search(r"[.;:]\w*[A-Z]\w+ \w", text.replace(said["items"]["library"], ""))
