"""Verdicts, tables of populations, and the figures that P2 prints."""

import itertools
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from engine import datasets, decisions, origin_destination as od
from engine.decisions import published
from engine.decisions.judgement import own_question
from engine.decisions.populations import read_populations
from engine.errors import InputError


def judged(true, other):
    return decisions.judge_epidemic(decisions.compare(np.array(true), np.array(other)[None]))


def days(*acting, zones=10, length=40):
    """Prevalence of 0.3 on some days in the first zones, else 0."""
    values = np.zeros((length, zones))
    for zone, (start, end) in enumerate(acting):
        values[start:end, zone] = 0.3
    return values


def test_a_release_that_acts_rightly_is_good():
    verdict = judged(days((5, 15), (8, 20)), days((6, 15), (9, 21)))
    assert verdict.level == "good"
    assert (verdict.missed, verdict.needless) == (2, 1)
    assert verdict.timing == "late"  # by the one day that the card names, too
    assert verdict.late == 2
    half = judged(days((5, 15), (8, 20)), days((6, 15), (8, 20)))
    assert (half.shift_days, half.timing) == (0.5, "on time")


def test_a_release_worse_than_never_acting_is_noisy():
    verdict = judged(days((5, 15), (8, 20)), days((20, 35), (25, 40), (0, 9)))
    assert verdict.accuracy < verdict.never_acting
    assert verdict.level == "noisy"
    assert verdict.timing == "late"
    assert verdict.phantom == 1


def test_a_release_that_acts_a_week_late_is_not_good():
    """Two zones of long epidemics: nearly all days are right, and yet a week is lost."""
    right = days((5, 85), (8, 88), length=100)
    assert judged(right, days((6, 85), (9, 88), length=100)).level == "good"
    late = judged(right, days((12, 85), (15, 88), length=100))
    assert (late.recall, late.precision) == (pytest.approx(73 / 80), 1.0)
    assert (late.shift_days, late.timing, late.level) == (7.0, "late", "partly")
    early = judged(days((12, 92), (15, 95), length=100), days((10, 92), (13, 95), length=100))
    assert (early.shift_days, early.level) == (-2.0, "partly")


def test_between_them_it_is_usable_in_part():
    verdict = judged(days((5, 15), (8, 20)), days((0, 15)))
    assert verdict.level == "partly"
    assert (verdict.timing, verdict.missed_zones) == ("early", 1)


def test_where_nobody_should_act_only_idleness_is_good():
    assert judged(days(), days()).level == "good"
    assert judged(days(), days((1, 2))).level == "noisy"


def test_aid_is_judged_by_places_and_total():
    settings = od.ODParameters(epsilon=5.0, suppression_threshold=0, unit="trip")
    kept = np.array([[[100.0, 50.0, 0.0]]])
    leaving = decisions.Outflow(true=kept, kept=kept, destinations=np.arange(3), inside=np.zeros(1))
    totals = decisions.shock_totals(leaving, settings)
    assert decisions.judge_aid(totals, np.array([0.95])).level == "good"
    assert decisions.judge_aid(totals, np.array([0.5])).level == "partly"
    assert decisions.judge_aid(totals, np.array([0.89])).level == "partly"
    harsh = od.ODParameters(epsilon=5.0, suppression_threshold=90, unit="trip")
    lost = decisions.judge_aid(decisions.shock_totals(leaving, harsh), np.array([0.45]))
    assert lost.level == "noisy"
    assert lost.main_cause == "suppression"
    assert lost.total_error == pytest.approx(-1 / 3, abs=1e-6)


def test_a_table_of_populations_is_read_as_people_write_it():
    text = '\ufeffname, zone_id ,population\nNorth,n,"1,200"\nSouth, s ,800.5\n'
    assert read_populations(text) == {"n": 1200.0, "s": 800.5}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("zone,people\nn,3", "needs the columns zone_id and population"),
        ("", "needs the columns"),
        ("zone_id,population\nn,3\nn,4", "0 rows without a number and 1 zones named twice"),
        ("zone_id,population\nsecret,many\ns,2", "1 rows without a number"),
        ("zone_id,population\nn", "1 rows without a number"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused_without_quoting_it(text, message):
    with pytest.raises(InputError, match=message) as refused:
        read_populations(text)
    assert "secret" not in str(refused.value)


def test_printed_errors_follow_from_printed_totals_or_are_corrected():
    tables = [*published.TABLE_3.items()]
    tables += [(name, columns) for (name, _), columns in published.TABLE_S3.items()]
    for name, columns in tables:
        true = published.TRUE_TOTALS[name]
        for column in columns:
            error = 100 * abs(column.total - true) / true
            stated = column.error if column.corrected is None else column.corrected
            assert error == pytest.approx(stated, abs=0.011)
            if column.corrected is not None:
                assert abs(error - column.error) > 0.05
            # one draw of seven days and three places: a multiple of 1/21
            assert abs(column.top * 0.21 - round(column.top * 0.21)) < 0.003


def test_printed_noise_does_not_grow_with_t():
    """Erratum E2: from ε 0.1 to 0.5 to 1 the printed totals fall alike for every T."""
    for percentile in (99, 95, 90):
        totals = [each.total for each in published.TABLE_S3["afghanistan-provinces", percentile]]
        assert [a - b for a, b in itertools.pairwise(totals)] == [1319, 62]


def test_a_long_dataset_opens_on_an_epidemic_though_it_names_a_shock():
    week = datasets.load("rwanda-districts").metadata
    assert own_question(week) == "aid"
    year = replace(week, last_day=week.first_day + timedelta(days=299))
    assert own_question(year) == "epidemic"
    assert own_question(replace(week, scenario={})) == "epidemic"
