"""The report that holds the papers' figures against ours, on a small simulated city."""

import math
import re
import statistics
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine import datasets, density, metrics, synthetic
from engine import origin_destination as od
from engine.datasets import Dataset
from engine.errors import DatasetError
from engine.origin_destination.mechanism import standard_noise
from research import reproduction
from research.reproduction import causes, trips_rows
from research.reproduction import density as density_measured
from research.reproduction import trips as trips_measured
from research.reproduction.density import DensityPlan
from research.reproduction.published import P1, P1_EPSILON, P1_MAX_VISITS, P2_EPSILONS, TABLE_S2
from research.reproduction.trips import Shares, TripsPlan
from research.rows import Published, Row, Spread, number, read, row, write

DENSITY_PLAN = DensityPlan(
    epsilon=3.0,
    epsilons=(2.0, 3.0),
    max_visits_shown=(10, 30),
    repeats=3,
    distance_repeats=2,
    hours=(4, 12),
    few_hours=(12,),
)
TRIPS_PLAN = TripsPlan(repeats=3)


@pytest.fixture(scope="module")
def measured(tiny_city: Dataset) -> list[Row]:
    def load(name: str) -> Dataset | None:
        return None if name == reproduction.ON_FIRST_USE else tiny_city

    return list(reproduction.rows(load, DENSITY_PLAN, TRIPS_PLAN))


# -- Published figures -----------------------------------------------------------------------------


def test_published_figures_name_their_place_and_what_rounding_hides() -> None:
    for figure in P1.values():
        assert figure.source.startswith("P1, ")
        assert 0 <= figure.half_unit <= 0.5 * max(abs(figure.value), 1)
    assert P1["lpa_noise"].value == round(math.sqrt(2) * P1_MAX_VISITS / P1_EPSILON)


def test_table_s2_has_shares_and_the_sizes_of_the_datasets_it_is_held_against() -> None:
    assert set(TABLE_S2) <= set(synthetic.names())
    for name, column in TABLE_S2.items():
        assert len(column.private) == len(P2_EPSILONS)
        assert all(0 < share < 100 for share in (column.not_private, *column.private))
        if name in synthetic.shipped():
            known = datasets.describe(name)
            assert known.people_public == pytest.approx(column.people)
            assert len(known.days) == column.days
            assert len(datasets.load(name).zones) == column.zones


# -- Spread, agreement and tables ------------------------------------------------------------------


def test_a_spread_is_the_sample_mean_and_deviation_of_the_values_that_exist() -> None:
    values = [0.2, 0.5, 0.9, 0.1]
    spread = Spread.of([*values, math.nan])
    assert spread.mean == pytest.approx(statistics.mean(values))
    assert spread.deviation == pytest.approx(statistics.stdev(values))
    assert math.isnan(Spread.of([1.0]).deviation)
    assert math.isnan(Spread.of([]).mean)


@pytest.mark.parametrize(
    ("mean", "deviation", "text"),
    [
        (0.14012, 0.00321, "0.140 ± 0.003"),
        (0.14012, 0.00096, "0.140 ± 0.001"),
        (12345.6, 52.8, "12,346 ± 53"),
        (1.7777, 0.0000001, "1.78"),
        (0.5, math.nan, "0.5"),
        (97.9131, 0.0049, "97.913 ± 0.005"),
    ],
)
def test_a_spread_is_written_with_the_digits_it_deserves(
    mean: float, deviation: float, text: str
) -> None:
    assert Spread(mean, deviation).text() == text


def test_agreement_is_two_deviations_and_the_rounding_of_the_print() -> None:
    published = Published(1.0, 0.05, "P1, somewhere")
    assert Spread(1.25, 0.1).agrees(published)
    assert not Spread(1.26, 0.1).agrees(published)
    assert Spread(0.75, 0.1).agrees(published)
    assert not Spread(0.74, 0.1).agrees(published)
    assert Spread(1.05, math.nan).agrees(published)
    assert not Spread(1.06, math.nan).agrees(published)


def test_rows_are_read_as_they_were_written(tmp_path: Path) -> None:
    printed = Published(2.0, 0.1, "P1, x")
    rows = [row("t", "w", "s", Spread(2.05, 0.1), printed), row("t", "w, v", "s", math.nan)]
    assert (rows[0].within, rows[1].within) == (True, None)
    write("some", rows, tmp_path)
    first, second = read("some", tmp_path)
    assert (first["ours"], first["within"], first["source"]) == ("2.05", "True", "P1, x")
    assert (second["what"], second["ours"], second["published"]) == ("w, v", "", "")


def test_numbers_have_three_figures() -> None:
    values = (0.01234, 1234.5, 2.0, 0.5, math.nan)
    assert [number(value) for value in values] == ["0.0123", "1,234", "2", "0.5", "–"]


# -- Density ---------------------------------------------------------------------------------------


def test_measured_utility_stands_under_its_own_scheme(tiny_city: Dataset) -> None:
    plan = replace(DENSITY_PLAN, repeats=2)
    curves = density_measured.curves(tiny_city, plan)
    schemes = density_measured.schemes(plan.base)
    truth = density.truth(tiny_city)
    seed = np.random.default_rng(plan.seed).integers(0, 2**32, size=4)
    for name in ("EFPAG", "EFPA", "LPA"):
        rng = np.random.default_rng([*seed, 1])  # the second repeat
        counts = density.release(tiny_city, schemes[name], rng=rng).counts
        utility = curves[name, plan.max_visits, plan.epsilon]
        relative = np.abs(counts - truth) / np.maximum(0.001 * truth.sum(1, keepdims=True), truth)
        means = [zone.mean() for zone, all_of in zip(relative, truth, strict=True) if all_of.any()]
        assert utility.mean_relative_error[1] == pytest.approx(np.mean(means))


def test_weeks_as_simulated_are_those_of_the_schemes(tiny_city: Dataset) -> None:
    weeks = causes.weeks(tiny_city, DENSITY_PLAN)[causes.AS_SIMULATED]
    curves = density_measured.curves(tiny_city, DENSITY_PLAN)
    efpag, efpa = (
        curves[name, DENSITY_PLAN.max_visits, DENSITY_PLAN.epsilon].mean_relative_error
        for name in ("EFPAG", "EFPA")
    )
    assert weeks.mre.mean == pytest.approx(efpag.mean())
    assert weeks.less_efpa_mre.mean == pytest.approx(efpag.mean() - efpa.mean())


def test_altered_weeks_keep_every_towers_total(tiny_city: Dataset) -> None:
    true = tiny_city.truth_by_tower
    for altered in (causes.dealt_out(tiny_city, 1), causes.moved_apart(tiny_city, 2.0)):
        assert np.abs(altered.truth_by_tower.sum(1) - true.sum(1)).max() <= 84  # rounding
        kept = altered.presampled_by_tower(10)
        assert np.abs(kept.sum(1) - tiny_city.presampled_by_tower(10).sum(1)).max() <= 84
        assert not np.array_equal(altered.truth_by_tower, true)
    assert np.array_equal(causes.moved_apart(tiny_city, 1.0).truth_by_tower, true)
    together = true.sum(0) / true.sum()
    same = causes.moved_apart(tiny_city, 0.0).truth_by_tower
    assert np.abs(same - np.outer(true.sum(1), together)).max() <= 0.5 + 1e-9


def test_the_error_of_lpa_is_split_by_zones(tiny_city: Dataset) -> None:
    causes_by_zone = causes.clipping(tiny_city, DENSITY_PLAN)
    truth = density.truth(tiny_city)
    settings = replace(DENSITY_PLAN.base, method="lpa")
    releases = list(density_measured.releases(tiny_city, settings, DENSITY_PLAN))
    quiet = sorted(range(len(truth)), key=lambda zone: truth[zone].sum())[: len(truth) // 10]
    shares = []
    for release in releases:
        errors = metrics.mean_relative_error(truth, release.counts)
        shares.append(sum(errors[zone] for zone in quiet) / errors.sum())
    assert causes_by_zone.quietest_share.mean == pytest.approx(np.mean(shares))
    sampled = density.presampled(tiny_city, DENSITY_PLAN.max_visits).sum()
    more = [release.counts.sum() / sampled - 1 for release in releases]
    assert causes_by_zone.invented.mean == pytest.approx(np.mean(more))


# -- Origin–destination ----------------------------------------------------------------------------


def suppressed(count: int, epsilon: float, threshold: int = 15) -> float:
    """Return the probability that a cell is released below τ, straight from the Laplace law."""
    reach = threshold - 0.5 - count
    tail = 0.5 * math.exp(-epsilon * abs(reach))
    return 1 - tail if reach >= 0 else tail


@pytest.fixture(scope="module")
def shares(tiny_city: Dataset) -> Shares:
    return trips_measured.small_shares(tiny_city, TRIPS_PLAN)


def cells(dataset: Dataset) -> list[int]:
    return [
        int(matrix[a, b])
        for matrix in od.truth(dataset)
        for a in range(len(matrix))
        for b in range(len(matrix))
        if a != b
    ]


def test_shares_below_15_are_those_of_a_plain_count(tiny_city: Dataset, shares: Shares) -> None:
    counts = cells(tiny_city)
    travelled = [count for count in counts if count > 0]
    small = [count for count in counts if count < 15]
    assert shares.true["daily"] == pytest.approx(len(small) / len(counts))
    assert shares.true["travelled"] == pytest.approx(
        sum(count < 15 for count in travelled) / len(travelled)
    )
    assert shares.empty == pytest.approx(counts.count(0) / len(counts))
    for place, epsilon in enumerate(TRIPS_PLAN.epsilons):
        each = {count: suppressed(count, epsilon) for count in set(counts)}
        expected = sum(each[count] for count in counts) / len(counts)
        assert shares.expected["daily"][place] == pytest.approx(expected)
        assert shares.expected["travelled"][place] == pytest.approx(
            sum(each[count] for count in travelled) / len(travelled)
        )
        revealed = sum(1 - each[count] for count in small) / len(counts)
        lost = sum(each[count] for count in counts if count >= 15) / len(counts)
        assert shares.revealed[place] == pytest.approx(revealed)
        assert shares.lost[place] == pytest.approx(lost)
        deviation = math.sqrt(sum(p * (1 - p) for p in (each[c] for c in counts))) / len(counts)
        error = abs(shares.drawn[place].mean - expected)
        assert error < 5 * deviation / math.sqrt(TRIPS_PLAN.repeats)


def test_days_drawn_in_blocks_are_all_drawn_once(
    tiny_city: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trips_measured, "DAYS_AT_ONCE", 3)  # 3 + 3 + 1 days
    small = trips_measured.small_shares(tiny_city, TRIPS_PLAN)
    true = od.truth(tiny_city)
    off = ~np.eye(true.shape[-1], dtype=bool)
    drawn = []
    for repeat in range(TRIPS_PLAN.repeats):
        rng = np.random.default_rng([TRIPS_PLAN.seed, repeat])
        noise = [standard_noise(rng, true[first : first + 3].shape) for first in (0, 3, 6)]
        released = np.floor(true + np.concatenate(noise) / TRIPS_PLAN.epsilons[0] + 0.5)
        drawn.append((released[:, off] < 15).mean())
    assert small.drawn[0].mean == pytest.approx(np.mean(drawn))
    assert small.drawn[0].deviation == pytest.approx(statistics.stdev(drawn))


def test_what_algorithm_1_can_make_of_a_share() -> None:
    fine = TABLE_S2["afghanistan-districts"]
    low, high = trips_measured.possible_shares(fine.not_private, 0.1)
    assert low == pytest.approx(96.7 * suppressed(14, 0.1))
    assert high == pytest.approx(96.7 * suppressed(0, 0.1) + 3.3 * suppressed(15, 0.1))
    assert round(high, 1) == 86.9  # erratum O6
    assert fine.private[0] > high + 0.05
    low, high = trips_measured.possible_shares(fine.not_private, 0.5)
    assert low <= fine.private[1] <= high


def test_the_mean_alone_bounds_the_share_of_small_cells() -> None:
    mean, least = trips_measured.least_share_by_mean(TABLE_S2["rwanda-sectors"])
    assert (round(mean, 2), round(least, 1)) == (1.29, 91.4)  # erratum O6
    assert trips_measured.least_share_by_mean(TABLE_S2["rwanda-districts"])[1] == 0


def test_medians_are_those_of_plain_draws(tiny_city: Dataset) -> None:
    plan = replace(TRIPS_PLAN, epsilons=(1.0,))
    errors = trips_measured.median_errors(tiny_city, plan)[1.0]
    cut = trips_measured.median_errors_cut(tiny_city, plan)[1.0]
    true = od.truth(tiny_city)
    off = ~np.eye(true.shape[-1], dtype=bool)
    counts = true[:, off]
    medians, relative, cut_medians = [], [], []
    for repeat in range(plan.repeats):
        rng = np.random.default_rng([plan.seed, repeat])
        out = np.floor(true + standard_noise(rng, true.shape) + 0.5)[:, off]
        out[out < 15] = 0
        medians.append(np.median(np.abs(out - counts)[counts > 0]))
        large = counts >= 15
        relative.append(np.median((2 * np.abs(out - counts) / np.maximum(out + counts, 1))[large]))
        rng = np.random.default_rng([plan.seed, repeat])
        cut_noise = [int(z) for z in standard_noise(rng, (counts.size,))]
        pairs = zip(counts.ravel().tolist(), cut_noise, strict=True)
        both = [abs(z) for count, z in pairs if count >= 15 <= count + z]
        cut_medians.append(statistics.median(both))
    assert errors["travelled"].drawn_absolute.mean == pytest.approx(np.mean(medians))
    assert errors["large"].drawn_relative.mean == pytest.approx(np.mean(relative))
    assert errors["travelled"].cells == (counts > 0).sum()
    assert cut.absolute.mean == pytest.approx(np.mean(cut_medians))


# -- All figures -----------------------------------------------------------------------------------


def test_there_is_a_row_for_every_published_figure(measured: list[Row]) -> None:
    sources = [one.source for one in measured]
    assert {figure.source for figure in P1.values()} <= set(sources)
    assert sources.count("P2, text on figure 2") == 4
    for name, column in TABLE_S2.items():
        printed = [
            one.published
            for one in measured
            if one.table == "P2, Table S2, daily, all pairs"
            and one.setting.startswith(column.label)
        ]
        known = name != reproduction.ON_FIRST_USE
        assert printed == ([column.not_private, *column.private] if known else [])
    tables = {one.table for one in measured}
    for figure in ("figure 6", "figures 7 and 8", "figure 9a", "figure 9b", "figures 10 and 11"):
        assert f"P1, {figure}" in tables


def test_shares_are_judged_within_three_points() -> None:
    printed = Published(47.6, trips_rows.BOUND, "P2, Table S2")
    assert row("t", "w", "s", 50.59, printed).within
    assert not row("t", "w", "s", 50.61, printed).within


def test_the_same_seeds_give_the_same_rows(tiny_city: Dataset) -> None:
    first, second = (list(trips_rows.figure_2(tiny_city, TRIPS_PLAN)) for _ in range(2))
    assert str(first) == str(second)
    curves = [density_measured.curves(tiny_city, replace(DENSITY_PLAN, repeats=2)) for _ in "ab"]
    for key, utility in curves[0].items():
        assert np.array_equal(utility.mean_relative_error, curves[1][key].mean_relative_error)


def test_only_the_dataset_made_on_first_use_may_be_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOBILITY_DATA", str(tmp_path))
    assert reproduction.installed(reproduction.ON_FIRST_USE) is None
    with pytest.raises(DatasetError, match="no dataset 'paris'"):
        reproduction.installed(reproduction.DENSITY)


def test_the_page_states_what_was_measured() -> None:
    """Every "a ± b" of docs/reproduction.md is a row of the CSV, times 1 or in percent."""
    page = (Path(__file__).parents[2] / "docs" / "reproduction.md").read_text(encoding="utf-8")
    stated = set(re.findall(r"\d[\d.,]* ± \d(?:[\d.,]*\d)?(?!\d|\.\d|e)", page))
    known = set[str]()
    for one in read("reproduction"):
        if one["ours"]:
            spread = Spread(abs(float(one["ours"])), float(one["deviation"] or "nan"))
            known |= {spread.text(), spread.text(100)}
    assert len(stated) > 30
    assert stated - known <= {"0.2 ± 0.03", "0.95 ± 0.03"}, "but for P1's own"
