"""The verdict's words say what was judged."""

import math

import numpy as np
import pytest

from engine import usability
from engine.density import DensityScores
from engine.parameters import ODParameters
from engine.usability import DensityUsability, Flows, ForHalf, TripsUsability
from pages._ui.wording import verdict

SETTINGS = ODParameters(epsilon=1.0, max_trips_per_user=2, suppression_threshold=50)


def density(level="good", usable=20, zones=20, empty=0, exceeded=False, limit=None):
    return verdict.density(
        DensityUsability(
            level=level,
            usable_zones=usable,
            zones=zones,
            empty_zones=empty,
            exceeded=exceeded,
            busy_limit=limit,
        )
    )


def trips(level, share, *, size=None, large=0.0, smaller=0.0, trimmed=0.0, half=None):
    return verdict.trips(
        TripsUsability(
            level=level,
            trips=1000.0,
            usable_share=share,
            smallest_flow=size,
            share_from_smallest=large,
            usable_below_smallest=smaller,
            trimmed_share=trimmed,
            for_half=half,
        ),
        SETTINGS,
    )


def test_zones_are_counted_and_empty_ones_apart():
    assert density(zones=2, usable=2, empty=2).usable == (
        "density in 2 of 2 zones in this draw (2 more have no visits)"
    )
    partly = density("partly", 10, limit=43.2)
    assert partly.lost == "zones with fewer than about 43.2 visits an hour"
    assert partly.remedy == verdict.QUIETER
    noisy = density("noisy", 1)
    assert noisy.lost == "density in 19 of 20 zones in this draw"
    assert not noisy.usable
    assert not any(letter.isdigit() for letter in noisy.remedy)  # nothing was measured


@pytest.mark.parametrize(
    ("finding", "usable", "lost"),
    [
        (
            trips("good", 0.7, size=200, large=0.7),
            "flows that carry 70.0% of all trips (nearly all of 200 trips or more)",
            "the other flows (30.0% of all trips)",
        ),
        (  # so few of the small ones are usable that the words leave them out
            trips("good", 0.9, size=58, large=0.933, smaller=0.007),
            "flows that carry 90.0% of all trips (nearly all of 58 trips or more)",
            "the other flows (10.0% of all trips)",
        ),
        (
            trips("partly", 0.315, size=80, large=0.063, smaller=0.252),
            "flows that carry 31.5% of all trips (nearly all of 80 trips or more, and some smaller "
            "ones)",
            "the other flows (68.5% of all trips)",
        ),
        (
            trips("partly", 0.2),
            "some flows (20.0% of all trips)",
            "the other flows (80.0% of all trips)",
        ),
        (trips("noisy", 0.002), "", "flows (usable ones carry 0.2% of all trips)"),
        (trips("noisy", 0.0), "", "flows of any size"),
        (
            trips("noisy", 0.028, size=435, large=0.004, smaller=0.024),
            "",
            "flows (usable ones carry 2.8% of all trips)",
        ),
        (
            trips("noisy", 0.05, size=90, large=0.05),
            "",
            "flows (usable ones carry 5.0% of all trips)",
        ),
    ],
)
def test_the_words_give_the_share_that_the_gauge_gives(finding, usable, lost):
    assert (finding.usable, finding.lost) == (usable, lost)


@pytest.mark.parametrize(
    ("half", "words"),
    [
        (
            ForHalf(epsilon=2.0, people=1.9, below_threshold=False),
            "it would take ε near 2, or about 1.9 times as many people who travel alike.",
        ),
        (
            ForHalf(epsilon=20.0, people=18.2, below_threshold=False),
            "No ε up to 10 makes half of all trips usable; about 18 times as many people would.",
        ),
        (
            ForHalf(epsilon=1e6, people=None, below_threshold=False),
            "No ε up to 10 makes half of all trips usable.",
        ),
        (
            ForHalf(epsilon=None, people=4.0, below_threshold=True),
            "At least half of all trips lie in flows below τ = 50: no ε shows those, a smaller τ "
            "does; "
            "about 4.0 times as many people would.",
        ),
        (
            ForHalf(epsilon=None, people=None, below_threshold=False),
            "With T = 2 no ε makes half of all trips usable.",
        ),
    ],
)
def test_what_would_help_is_named_or_why_nothing_does(half, words):
    assert trips("partly", 0.3, half=half).remedy.endswith(words)


def test_trimming_is_named_where_it_drops_more_than_a_few_trips():
    assert "Trimming to T = 2 drops 50.0% of trips" in trips("noisy", 0.0, trimmed=0.5).remedy
    assert not trips("good", 0.9, size=20, large=0.9, trimmed=0.001).remedy


def test_headline_joins_the_columns():
    good, bad = density(), density("noisy", 0)
    level, sentence = verdict.headline([good, bad])
    assert level == "partly"
    assert sentence.startswith("Usable for density in 20 of 20 zones in this draw; not for")
    assert verdict.headline([bad])[0] == "noisy"
    assert verdict.headline([bad])[1].startswith("Not usable for density in ")
    assert verdict.headline([good])[0] == "good"
    none = verdict.trips(usability.judge_trips(Flows(*(np.array([]),) * 3), SETTINGS), SETTINGS)
    assert verdict.headline([good, density("noisy", 0, exceeded=True), none])[1].endswith(
        "not for density, where the noise exceeds the data nor for flows, of which the data have "
        "none."
    )


def test_what_is_called_usable_is_what_the_stated_limits_say():
    assert "30%" in verdict.LIMITS
    assert "25% in 95% of draws" in verdict.LIMITS
    edge = DensityScores(
        error=np.array([0.3, 0.31]),
        correlation=np.array([0.8, 0.99]),
        total_error=math.nan,
        exceeded=False,
    )
    assert usability.usable_zones(edge).tolist() == [True, False]
    exactly = usability.usable_flows(
        np.array([4.0]), np.array([4.0]), ODParameters(epsilon=100.0, suppression_threshold=4)
    )
    assert exactly.all()  # τ itself is shown: no stricter limit than the words state
