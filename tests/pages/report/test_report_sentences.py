"""Every sentence with a number on the report page, computed another way: plain sums over counts."""

import re

import numpy as np
import pytest

from engine import report
from engine.report import STOPS, Analysis, ReportNoise
from engine.report.measures import WINDOWS, Measure
from engine.report.vectors import by_window
from pages._ui.cache.draws import generator
from pages._ui.shell.settings import SIMULATED_SEED
from tests.support.report_page import texts

PAGE = "pages/6_Report.py"
M, EPSILON, SHARE = 20, 1.0, 1 / 13
"""The settings that the page opens with: eleven analyses, one of which weighs three."""


@pytest.fixture
def table(tiny_city):
    return report.truth(tiny_city)


@pytest.fixture
def opened(open_page):
    def run(view, **link):
        return texts(open_page(PAGE, od_data="demo-city", report_view=view, **link))

    return run


def noisy(analysis, counts, scale):
    """Return private counts from the noise that every draw of a session begins with."""
    source = ReportNoise.draw(generator((SIMULATED_SEED, 0), "report", 0))
    return counts + source.counts(analysis, np.full(len(counts), scale))


def match_of(pattern, text):
    match = re.search(pattern, text)
    assert match, f"{pattern} is not said in {text}"
    return [float(part.replace(",", "")) for part in match.groups()]


def test_the_shares_of_the_bar_add_up_to_what_is_spent(opened):
    said = re.search(r"Shares of ε: (.+)\.", opened("when"))[1]
    shares = [float(part) for part in re.findall(r"([\d.]+)%", said)]
    assert len(shares) == 11
    assert sum(shares) == pytest.approx(100, abs=11 * 0.05)
    assert max(shares) == pytest.approx(300 * SHARE, abs=0.05)


def test_trips_before_or_after_the_period(opened, table):
    counts = [table.counts(Measure.DAY, m) for m in (None, M)]
    private = noisy(Analysis.DAYS, counts[1], M / (EPSILON * SHARE))
    match = match_of(
        r"Before or after the period: (\S+) \(true (\S+), kept (\S+)\)", opened("when")
    )
    assert match == [max(private[0], 0), counts[0][0], counts[1][0]]


@pytest.mark.parametrize("epsilon", [1.0, 10.0])
def test_how_far_noise_moves_an_hour_and_how_many_hours_stand_clear(opened, table, epsilon):
    text = opened("when", epsilon=f"{epsilon:g}")
    reach = 2 * M / (epsilon * SHARE) * np.log(10)  # P(|Laplace(b)| > b ln 10) = 1/10
    assert match_of(r"moves each cell by at most (\S+) nine times", text)[0] == round(reach)
    kept = table.counts(Measure.HOUR, M)
    some = [count for count in kept if count > 0]
    share = 100 * sum(count > reach for count in some) / len(some)
    of_hours = re.findall(r"(\S+)% of its numbers above 0 clearly exceed", text)[
        2
    ]  # after days and weekdays
    assert float(of_hours) == pytest.approx(share, abs=0.06)


def test_points_outside_all_zones(opened, table):
    classes = 2 * (len(WINDOWS) - 1) + 1
    hours = [table.counts(Measure.ZONE_HOUR, m) for m in (None, M)]
    windows = [by_window(table, points, WINDOWS) for points in hours]
    private = noisy(Analysis.ZONE_WINDOWS, windows[1], 2 * M / (EPSILON * 3 * SHARE))
    outside = [int(counts[-classes:].sum()) for counts in (private, windows[0])]
    match = match_of(r"Outside all zones: (\S+) \(true (\S+)\)", opened("where"))
    assert match == [max(outside[0], 0), outside[1]]


def test_flows_within_a_zone_and_flows_that_nobody_makes(opened, table):
    size = table.extent.zones
    true, kept = (table.counts(Measure.FLOW, m) for m in (None, M))
    scale = M / (EPSILON * SHARE)
    private = noisy(Analysis.FLOWS, kept, scale)
    within = [
        sum(int(counts[i * size + i]) for i in range(size)) for counts in (private, kept, true)
    ]
    text = opened("flows")
    match = match_of(r"within a zone count here: private (\S+), kept (\S+), true (\S+)\.", text)
    assert match == within
    between = [f for f in range(size**2) if f % size != f // size and private[f] > 0]
    drawn = sorted(between, key=lambda flow: (-private[flow], flow))[:150]
    said = match_of(
        r"each of the (\S+) flows .* most (\S+) nine .* Of the (\S+) drawn, (\S+) have", text
    )
    nobody = sum(kept[flow] == 0 for flow in drawn)
    assert said == [size**2, round(scale * np.log(10)), len(drawn), nobody]


def test_trips_beyond_the_bins_and_the_nearer_way(opened, table):
    text = opened("how-far-how-long")
    true, kept = (table.counts(Measure.TRAVEL_TIME, m) for m in (None, M))  # a minute each
    scale = M / (EPSILON * SHARE)
    bins = [
        kept[0],
        *(kept[1 + low : 1 + low + 5].sum() for low in range(0, 120, 5)),
        kept[121:].sum(),
    ]
    private = np.maximum(noisy(Analysis.TRAVEL_TIME, np.array(bins), scale), 0)
    match = match_of(
        r"Below 0: (\S+) \(true (\S+)\); from 120 minutes on: (\S+) \(true (\S+)\)", text
    )
    assert match == [private[0], true[0], private[-1], true[121:].sum()]
    nearer = match_of(r"nearer to those of the kept: (\S+) against (\S+) minutes", text)
    assert nearer[0] <= nearer[1]


def test_the_m_of_the_guess_has_the_least_error(opened):
    numbers, m = match_of(
        r"Least error over its (\S+) numbers at \*\*M = (\d+)\*\*", opened("errors-and-m")
    )
    spread = np.sqrt(np.log1p((12 / 10) ** 2))  # the guess: 50,000 people, 10 trips, sd 12
    trips = np.random.default_rng(0).lognormal(np.log(10) - spread**2 / 2, spread, 200_000)

    def error(stop):
        left_out = 50_000 * np.maximum(trips - stop, 0).mean()
        return left_out + numbers * stop / (EPSILON * SHARE)

    errors = {stop: error(stop) for stop in STOPS}
    assert errors[int(m)] <= 1.02 * min(errors.values())
    assert max(errors.values()) > 2 * min(errors.values())


def test_the_large_numbers_are_sums_of_noisy_counts(opened, table):
    text = opened("when")
    days, people = table.counts(Measure.DAY, M), table.counts(Measure.TRIPS_PER_USER, M)
    trips = noisy(Analysis.DAYS, days, M / (EPSILON * SHARE))[1:].sum()
    kept, true = days[1:].sum(), table.counts(Measure.DAY, None)[1:].sum()
    assert f"{trips:,}" in text
    assert f"True {true:,}, kept {kept:,}: all kept trips" in text
    assert f"True {2 * true:,}, kept {2 * kept:,}: starts and ends" in text
    assert f"kept {people.sum():,}: with at least one trip" in text
    low, high = match_of(rf"{trips:,}\s*(\S+) to (\S+?)\s*True", text)
    days_in_all = len(days) - 1
    draws = np.random.default_rng(1).laplace(0, M / (EPSILON * SHARE), (100_000, days_in_all))
    within = np.mean(np.abs(draws.sum(axis=1)) <= (high - low) / 2)
    assert within == pytest.approx(0.9, abs=0.006)


def test_the_table_of_losses_is_over_20_draws_of_the_noise(open_page, settled, table):
    text = texts(settled(open_page(PAGE, od_data="demo-city", report_view="errors-and-m")))
    true, kept = (table.counts(Measure.HOUR, m) for m in (None, M))
    values = []
    for repeat in range(20):
        source = ReportNoise.draw(generator((SIMULATED_SEED, 0), "report", repeat))
        scales = np.full(len(kept), 2 * M / (EPSILON * SHARE))
        private = np.maximum(kept + source.counts(Analysis.HOURS, scales), 0)
        pairs = [(int(a), int(b)) for a, b in zip(true, private, strict=True)]
        values.append(np.mean([2 * abs(a - b) / (a + b) if a + b else 0 for a, b in pairs]))
    row = text[text.index("Losses over 20 draws") :]
    median, low, high = match_of(r"Trips by hour.*?(\d\.\d{3}) \((\d\.\d{3}) to (\d\.\d{3})\)", row)
    assert median == pytest.approx(np.median(values), abs=6e-4)
    assert min(values) - 6e-4 <= low <= np.quantile(values, 0.2)
    assert np.quantile(values, 0.8) <= high <= max(values) + 6e-4
