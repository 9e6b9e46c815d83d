"""The large numbers and what is said beside them, built once for every page."""

import re

import numpy as np
import pytest

from engine import origin_destination as od
from engine.density import DensityScores
from engine.origin_destination import ODParameters
from engine.origin_destination.exact.expected import expectation_of_matrix
from engine.origin_destination.scoring import (
    drawn_scores,
    expected_scores,
    trip_account,
    zero_account,
)
from pages._ui.cache.draws import REPEATS
from pages._ui.wording.cards import density_cards, trip_cards

RNG = np.random.default_rng(3)
TRUE = np.where(RNG.random((30, 30)) < 0.6, RNG.geometric(0.04, (30, 30)), 0)
np.fill_diagonal(TRUE, 0)
KEPT = RNG.binomial(TRUE, 0.8)


def cards(settings, true=TRUE, kept=KEPT, draws=None):
    exact = expectation_of_matrix(true, settings, kept=kept)
    parts = (expected_scores(exact), trip_account(exact), zero_account(exact))
    return trip_cards(*parts, settings, draws)


def shares(text):
    return [float(share) / 100 for share in re.findall(r"([\d.]+)%", text)]


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 20.0])
def test_pairs_and_trips_are_followed_from_the_truth_to_the_release(epsilon):
    """Counted on the matrices themselves and on 400 releases of them."""
    settings = ODParameters(epsilon=epsilon, max_trips_per_user=2)
    _, _, zeros, visible = cards(settings)
    off = ~np.eye(30, dtype=bool)
    rng = np.random.default_rng(0)
    drawn = np.array([od.release_matrix(KEPT, settings, rng=rng) for _ in range(400)])
    below, trimmed = (TRUE < 15)[off].mean(), (KEPT < 15)[off].mean()
    reads_zero = (drawn == 0)[:, off].mean()
    assert shares(zeros.value) == pytest.approx([reads_zero], abs=0.004)
    assert shares(zeros.meaning) == pytest.approx([below, trimmed], abs=0.0006)
    assert "fewer than 15 trips" in zeros.meaning
    assert ("lifts" in zeros.meaning) == (reads_zero < trimmed - 0.002)
    assert ("hides" in zeros.meaning) == (reads_zero > trimmed + 0.002)

    trips = TRUE.sum()
    shown = drawn > 0
    suppressed = (KEPT * ~shown).sum(axis=(1, 2)).mean()
    assert shares(visible.value) == pytest.approx(
        [(TRUE * (TRUE >= 15) * shown).sum(axis=(1, 2)).mean() / trips], abs=0.004
    )
    assert shares(visible.meaning) == pytest.approx(
        [(trips - KEPT.sum()) / trips, suppressed / trips, drawn.sum(axis=(1, 2)).mean() / trips],
        abs=0.004 if epsilon > 0.1 else 0.03,
    )


def test_what_trimming_alone_drops_stands_beside_the_reach_of_noise():
    settings = ODParameters(epsilon=10.0, max_trips_per_user=2)
    median = cards(settings)[0]
    large = TRUE >= 15
    dropped = np.quantile((TRUE - KEPT)[large], 0.5, method="inverted_cdf")
    assert f"Trimming alone drops {dropped:.0f} trips of the median flow" in median.meaning
    noise = np.floor(np.random.default_rng(0).laplace(0, 0.2, 100_000) + 0.5)
    reach = int(re.search(r"by at most (\d+) trip", median.meaning)[1])
    assert (np.abs(noise) <= reach).mean() >= 0.95
    assert reach == 0 or (np.abs(noise) <= reach - 1).mean() < 0.95
    whole = cards(ODParameters(epsilon=10.0, unit="trip"), kept=TRUE)[0]
    assert "Trimming" not in whole.meaning


def test_errors_are_of_the_flows_that_the_label_names():
    settings = ODParameters(epsilon=0.5, max_trips_per_user=2, suppression_threshold=30)
    median, relative, *_ = cards(settings)
    assert median.label == "Median error, flows of 30+"
    assert relative.label == "Relative error, flows of 30+"
    rng = np.random.default_rng(1)
    large = TRUE >= 30
    errors = np.concatenate(
        [np.abs(od.release_matrix(KEPT, settings, rng=rng) - TRUE)[large] for _ in range(400)]
    )
    assert float(median.value.split()[0]) == pytest.approx(np.median(errors), abs=1)
    relative_errors = errors / np.tile(TRUE[large], 400)
    assert shares(relative.value) == pytest.approx([relative_errors.mean()], rel=0.02)


def test_where_no_flow_reaches_the_threshold_the_cards_say_so():
    settings = ODParameters(epsilon=1.0, suppression_threshold=15)
    few = np.minimum(TRUE, 9)
    rng = np.random.default_rng(0)
    draws = [
        drawn_scores(few, od.release_matrix(few, settings, rng=rng), settings)
        for _ in range(REPEATS)
    ]
    figures = cards(settings, few, few, draws)
    assert figures[0].value == figures[1].value == "–"
    assert figures[0].meaning == figures[1].meaning == "No flow has 15 trips or more."
    assert figures[0].interval == "no value in most draws"
    nobody = cards(settings, few * 0, few * 0)
    assert nobody[3].meaning == "The data have no trips."


def test_draws_that_read_zero_everywhere_are_left_out_of_the_range_of_the_error():
    def score(error, exceeded):
        return DensityScores(
            error=np.array([error]), correlation=np.array([0.5]), total_error=0.1, exceeded=exceeded
        )

    drawn = [score(3.0, False), score(5.0, False), *[score(0.4, True)] * 18]
    assert density_cards(drawn[0], drawn)[0].interval == "300% to 500% (2 draws)"
    card = density_cards(drawn[-1], drawn)[0]
    assert (card.value, card.interval) == ("–", "")
    assert "Every private count reads 0" in card.meaning
