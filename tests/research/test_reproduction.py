"""The papers' figures held against ours, on a small simulated city; and how rows are written."""

import math
import re
import statistics
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine import density, metrics, origin_destination as od
from engine.datasets import Dataset
from engine.errors import DatasetError
from engine.origin_destination.mechanism import standard_noise
from research import reproduction
from research.reproduction import causes, trips
from research.reproduction.decisions import DecisionsPlan
from research.reproduction.density import DensityPlan, curves
from research.reproduction.published import P1, TABLE_S2
from research.reproduction.trips import TripsPlan
from research.rows import Published, Row, Spread, read, row, write

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
COLUMN = TABLE_S2["afghanistan-districts"]


@pytest.fixture(scope="module")
def measured(tiny_city: Dataset) -> list[Row]:
    def load(name: str) -> Dataset | None:
        return None if name == reproduction.ON_FIRST_USE else tiny_city

    return list(reproduction.rows(load, (DENSITY_PLAN, TRIPS_PLAN, DecisionsPlan())))


def ours(measured: list[Row], table: str, what: str, setting: str) -> float:
    known = [
        one for one in measured if (one.table, one.what, one.setting) == (table, what, setting)
    ]
    assert len({one.ours for one in known}) == 1, (table, what, setting)
    return known[0].ours


# -- Published figures and rows --------------------------------------------------------------------


def test_a_spread_is_the_sample_mean_and_deviation_of_the_values_that_exist() -> None:
    values = [0.2, 0.5, 0.9, 0.1]
    spread = Spread.of([*values, math.nan])
    assert spread.mean == pytest.approx(statistics.mean(values))
    assert spread.deviation == pytest.approx(statistics.stdev(values))
    assert math.isnan(Spread.of([1.0]).deviation)
    assert math.isnan(Spread.of([]).mean)


@pytest.mark.parametrize(
    ("mean", "deviation", "agrees"),
    [(1.25, 0.1, True), (1.26, 0.1, False), (0.75, 0.1, True), (0.74, 0.1, False),
     (1.05, math.nan, True), (1.06, math.nan, False)],
)  # fmt: skip
def test_agreement_is_two_deviations_and_the_rounding_of_the_print(
    mean: float, deviation: float, agrees: bool
) -> None:
    assert Spread(mean, deviation).agrees(Published(1.0, 0.05, "P1, somewhere")) == agrees


def test_rows_are_read_as_they_were_written(tmp_path: Path) -> None:
    printed = Published(2.0, 0.1, "P1, x")
    rows = [row("t", "w", "s", Spread(2.05, 0.1), printed), row("t", "w, v", "s", math.nan)]
    assert (rows[0].within, rows[1].within) == (True, None)
    write("some", rows, tmp_path)
    first, second = read("some", tmp_path)
    assert (first["ours"], first["within"], first["source"]) == ("2.05", "True", "P1, x")
    assert (second["what"], second["ours"], second["published"]) == ("w, v", "", "")


# -- Density ---------------------------------------------------------------------------------------


def test_measured_utility_stands_under_its_own_scheme(
    tiny_city: Dataset, measured: list[Row]
) -> None:
    truth = density.truth(tiny_city)
    seed = np.random.default_rng(DENSITY_PLAN.seed).integers(0, 2**32, size=4)
    for name in ("EFPAG", "EFPA", "LPA"):
        errors = []
        for repeat in range(DENSITY_PLAN.repeats):
            rng = np.random.default_rng([*seed, repeat])
            counts = density.release(tiny_city, DENSITY_PLAN.schemes[name], rng=rng).counts
            off = np.abs(counts - truth) / np.maximum(0.001 * truth.sum(1, keepdims=True), truth)
            errors += [zone.mean() for zone, true in zip(off, truth, strict=True) if true.any()]
        error = ours(measured, "P1, figures 7 and 8", "MRE", f"{name}, ℓ = 30, ε = 3")
        assert error == pytest.approx(np.mean(errors))


def test_weeks_as_simulated_are_those_of_the_schemes(measured: list[Row]) -> None:
    altered, as_it_is = "P1, weeks of the towers altered", "as simulated"
    efpag, efpa = (
        ours(measured, "P1, figures 7 and 8", "MRE", f"{name}, ℓ = 30, ε = 3")
        for name in ("EFPAG", "EFPA")
    )
    assert ours(measured, altered, "mre", as_it_is) == pytest.approx(efpag)
    assert ours(measured, altered, "less efpa mre", as_it_is) == pytest.approx(efpag - efpa)


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


def test_the_error_of_lpa_is_split_by_zones(tiny_city: Dataset, measured: list[Row]) -> None:
    truth = density.truth(tiny_city)
    quiet = sorted(range(len(truth)), key=lambda zone: truth[zone].sum())[: len(truth) // 10]
    sampled = density.presampled(tiny_city, DENSITY_PLAN.max_visits).sum()
    shares, more = [], []
    for repeat in range(DENSITY_PLAN.repeats):
        rng = np.random.default_rng([DENSITY_PLAN.seed, repeat])
        counts = density.release(tiny_city, DENSITY_PLAN.schemes["LPA"], rng=rng).counts
        errors = metrics.mean_relative_error(truth, counts)
        shares.append(sum(errors[zone] for zone in quiet) / errors.sum())
        more.append(counts.sum() / sampled - 1)
    for what, values in (
        ("share of MRE from the quietest tenth of zones", shares),
        ("visits invented by clipping at 0, share", more),
    ):
        assert ours(measured, "P1, causes", what, "LPA") == pytest.approx(np.mean(values))


# -- Origin–destination ----------------------------------------------------------------------------


def suppressed(count: int, epsilon: float, threshold: int = 15) -> float:
    """Return the probability that a cell is released below τ, straight from the Laplace law."""
    reach = threshold - 0.5 - count
    tail = 0.5 * math.exp(-epsilon * abs(reach))
    return 1 - tail if reach >= 0 else tail


def cells(dataset: Dataset) -> list[int]:
    return [
        int(matrix[a, b])
        for matrix in od.truth(dataset)
        for a in range(len(matrix))
        for b in range(len(matrix))
        if a != b
    ]


def test_shares_below_15_are_those_of_a_plain_count(
    tiny_city: Dataset, measured: list[Row]
) -> None:
    counts, label = cells(tiny_city), COLUMN.label
    travelled = [count for count in counts if count > 0]

    def below(reading: str, at: str) -> float:
        table = f"P2, Table S2, daily, {reading}"
        return ours(measured, table, "% of counts below 15", f"{label}, {at}") / 100

    for reading, some in (("all pairs", counts), ("pairs with a trip", travelled)):
        share = sum(count < 15 for count in some) / len(some)
        assert below(reading, "not private") == pytest.approx(share)
        for epsilon in TRIPS_PLAN.epsilons:
            expected = sum(suppressed(count, epsilon) for count in some) / len(some)
            assert below(reading, f"ε = {epsilon:g}") == pytest.approx(expected)
    empty = ours(measured, "P2, Table S2, causes", "share of empty pairs", label)
    assert empty == pytest.approx(counts.count(0) / len(counts))
    for epsilon in TRIPS_PLAN.epsilons:
        each, setting = (
            [suppressed(count, epsilon) for count in counts],
            f"{label}, ε = {epsilon:g}",
        )
        both = list(zip(counts, each, strict=True))
        for what, share in (
            ("lifted over τ", sum(1 - p for count, p in both if count < 15)),
            ("pushed below τ", sum(p for count, p in both if count >= 15)),
        ):
            of_all = ours(measured, "P2, Table S2, causes", f"share {what}", setting)
            assert of_all == pytest.approx(share / len(counts))
        drawn = ours(measured, "P2, Table S2, drawn", "share of counts below 15", setting)
        deviation = math.sqrt(sum(p * (1 - p) for p in each)) / len(counts)
        error = abs(drawn - sum(each) / len(counts))
        assert error < 5 * deviation / math.sqrt(TRIPS_PLAN.repeats)


def test_days_drawn_in_blocks_are_all_drawn_once(
    tiny_city: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trips, "DAYS_AT_ONCE", 3)  # 3 + 3 + 1 days
    plan = replace(TRIPS_PLAN, epsilons=(0.1,))
    rows = list(trips.small_shares(replace(COLUMN, private=(88.2,)), tiny_city, plan))
    small = next(one for one in rows if one.table == "P2, Table S2, drawn")
    true = od.truth(tiny_city)
    off = ~np.eye(true.shape[-1], dtype=bool)
    drawn = []
    for repeat in range(plan.repeats):
        rng = np.random.default_rng([plan.seed, repeat])
        noise = [standard_noise(rng, true[first : first + 3].shape) for first in (0, 3, 6)]
        released = np.floor(true + np.concatenate(noise) / 0.1 + 0.5)
        drawn.append((released[:, off] < 15).mean())
    assert small.ours == pytest.approx(np.mean(drawn))
    assert small.deviation == pytest.approx(statistics.stdev(drawn))


def test_what_algorithm_1_can_make_of_a_share() -> None:
    low, high = trips.possible_shares(COLUMN.not_private, 0.1)
    assert low == pytest.approx(96.7 * suppressed(14, 0.1))
    assert high == pytest.approx(96.7 * suppressed(0, 0.1) + 3.3 * suppressed(15, 0.1))
    assert [round(trips.possible_shares(s, 0.1)[1], 1) for s in (96.7, 97.8)] == [86.9, 87.4]  # O6
    assert COLUMN.private[0] > high + 0.05
    low, high = trips.possible_shares(COLUMN.not_private, 0.5)
    assert low <= COLUMN.private[1] <= high


def test_the_mean_alone_bounds_the_share_of_small_cells() -> None:
    mean, least = trips.least_share_by_mean(TABLE_S2["rwanda-sectors"])
    assert (round(mean, 2), round(least, 1)) == (1.29, 91.4)  # erratum O6
    assert trips.least_share_by_mean(TABLE_S2["rwanda-districts"])[1] == 0


def test_medians_are_those_of_plain_draws(tiny_city: Dataset, measured: list[Row]) -> None:
    true = od.truth(tiny_city)
    off = ~np.eye(true.shape[-1], dtype=bool)
    counts = true[:, off]
    medians, relative, cut_medians = [], [], []
    for repeat in range(TRIPS_PLAN.repeats):
        rng = np.random.default_rng([TRIPS_PLAN.seed, repeat])
        out = np.floor(true + standard_noise(rng, true.shape) + 0.5)[:, off]
        out[out < 15] = 0
        medians.append(np.median(np.abs(out - counts)[counts > 0]))
        large = counts >= 15
        relative.append(np.median((2 * np.abs(out - counts) / np.maximum(out + counts, 1))[large]))
        rng = np.random.default_rng([TRIPS_PLAN.seed, repeat])
        cut_noise = [int(z) for z in standard_noise(rng, (counts.size,))]
        pairs = zip(counts.ravel().tolist(), cut_noise, strict=True)
        both = [abs(z) for count, z in pairs if count >= 15 <= count + z]
        cut_medians.append(statistics.median(both))
    absolute = "median error, trips, drawn"
    for what, setting, values in (
        (absolute, "pairs with a trip", medians),
        ("median relative error, drawn", "pairs of at least 15 trips", relative),
        (absolute, "at least 15 in both, noise cut to whole trips", cut_medians),
    ):
        median = ours(measured, "P2, figure 2", what, f"{setting}, ε = 1")
        assert median == pytest.approx(np.mean(values))


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


def test_the_same_seeds_give_the_same_rows(tiny_city: Dataset, measured: list[Row]) -> None:
    figure_2 = list(trips.figure_2(tiny_city, TRIPS_PLAN))
    first = measured.index(figure_2[0])
    assert str(measured[first : first + len(figure_2)]) == str(figure_2)
    for (name, kept, epsilon), utility in curves(tiny_city, DENSITY_PLAN).items():
        setting = f"{name}, ℓ = {kept}, ε = {epsilon:g}"
        assert ours(measured, "P1, figures 7 and 8", "MRE", setting) == utility[0].mean()


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
    stated = set(re.findall(r"(\d[\d.,]*) ± (\d(?:[\d.,]*\d)?)(?!\d|\.\d|e)", page))
    spreads = [(abs(float(one["ours"])), float(one["deviation"])) for one in rows_with_spread()]

    def rounds_to(text: str, value: float) -> bool:
        return text == f"{value:,.{len(text.partition('.')[2])}f}"

    unknown = {
        (mean, deviation)
        for mean, deviation in stated
        if not any(
            rounds_to(mean, scale * one) and rounds_to(deviation, scale * other)
            for one, other in spreads
            for scale in (1, 100)
        )
    }
    assert len(stated) > 30
    assert unknown <= {("0.2", "0.03"), ("0.95", "0.03")}, "but for P1's own"


def rows_with_spread() -> Iterator[dict[str, str]]:
    return (one for one in read("reproduction") if one["ours"] and one["deviation"])
