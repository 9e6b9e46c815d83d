"""What a statement says is so: bars, stages, warnings, items; by the law of the noise alone."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from engine import datasets, origin_destination as od
from engine.errors import DatasetError
from engine.origin_destination.estimate.measurement import discrete_laplace
from engine.origin_destination.matrices import trimmed_counts
from engine.release import flows as way, noise, plan, warnings
from engine.release.bars import laplace_sd
from engine.release.density import hour_bars, raised, zone_variances
from tests.support.releases import (
    ONE_DAY,
    TRIPS,
    flows,
    ours,
    products,
    report,
    seen,
    statement_of,
    view_of,
    visits,
    zoom,
)

FOUR = seen(od.ODParameters(epsilon=1.0, max_trips_per_user=4, unit="person-day"))
CLEAR = 60
"""Kept trips far above τ = 15 at scale 4: shown in every release, so picked in advance."""


@pytest.fixture(scope="module")
def rwanda():
    return datasets.load("rwanda-districts")


def items(dataset, setting, **given):
    return statement_of(dataset, plan(setting, dataset, trips=TRIPS), **given)["items"]


def coverage(dataset, folder):
    """Share of bars that hold the kept trips, and the true ones, of flows chosen by kept trips."""
    way.write(plan(FOUR, dataset), dataset, folder, lambda share: None)
    table = pd.read_csv(folder / "flows.csv")
    pairs = ~np.eye(len(dataset.zones), dtype=bool)
    kept = trimmed_counts(dataset, "person-day", 4, tuple(range(7)))[:, pairs].ravel()
    true = od.truth(dataset)[:, pairs].ravel()
    picked = kept >= CLEAR
    assert picked.sum() > 1_000
    assert not table.loc[picked, "suppressed"].any()
    low, high = table.loc[picked, "low_95"], table.loc[picked, "high_95"]
    return tuple(
        ((low <= count) & (count <= high)).mean() for count in (kept[picked], true[picked])
    )


def test_bars_of_a_trimmed_release_hold_kept_flows_and_say_so(rwanda, tmp_path):
    planned = plan(FOUR, rwanda)
    of_kept, of_true = coverage(rwanda, tmp_path)
    q, z = np.exp(-1 / planned.stages[0].scale), planned.bar
    exact = 1 - 2 * q ** (z + 1) / (1 + q)
    assert exact >= 0.95
    # 1,440 flows: four standard errors of 0.0055
    assert of_kept == pytest.approx(exact, abs=0.022)
    assert of_true < 0.4
    said = items(rwanda, FOUR)["accuracy"]
    assert "around the kept trips: those left after trimming to 4 of a person on a day" in said
    assert "What trimming takes is not in the bar" in said


@pytest.mark.parametrize("factor", [0.8, 1.25])
def test_bars_of_another_noise_are_noticed(rwanda, tmp_path, monkeypatch, factor):
    rng = np.random.default_rng(5)

    def draw(counts, scale):
        return counts + discrete_laplace(rng.laplace(0, 1, counts.shape), 1 / (factor * scale))

    monkeypatch.setattr(noise, "discrete_laplace", draw)
    of_kept, _ = coverage(rwanda, tmp_path)
    assert abs(of_kept - 0.954) > 0.014  # two and a half standard errors


def test_bars_hold_less_often_among_flows_that_are_shown(demo):
    """The table's last column, against the law of the noise summed term by term."""
    planned = plan(flows(epsilon=0.25), demo)
    q, least = np.exp(-1 / planned.stages[0].scale), planned.least
    z = np.arange(-4000, 4001)
    law = (1 - q) / (1 + q) * q ** np.abs(z)
    rows = [row for row in planned.accuracy if row.size is not None]
    for row in rows:
        shown = row.size + z >= least
        within = np.abs(z) <= row.half_width
        assert row.shown == pytest.approx(law[shown].sum(), rel=1e-9)
        assert row.holds == pytest.approx(law[shown & within].sum() / law[shown].sum(), rel=1e-9)
    assert rows[0].holds < 0.8
    assert rows[-1].holds > 0.95
    said = items(demo, flows(epsilon=0.25))["accuracy"]
    assert f"of a flow of kept size 0 that is shown, in {rows[0].holds:.1%} of releases" in said


@pytest.mark.parametrize("name", products())
def test_all_stages_add_up_to_what_is_charged(demo, name):
    planned = plan(products()[name], demo)
    stages = planned.stages
    pure = [noise.laplace_epsilon(int(one.sensitivity), one.scale) for one in stages
            if one.noise == "discrete Laplace"]  # fmt: skip
    rho = sum(one.rho or 0.0 for one in stages)
    if name == "density-fourier":
        choice, gaussian = stages[2:]
        pure.append(noise.choice_epsilon(int(choice.sensitivity * 2**32), choice.scale * 2**32))
        gauss = noise.gaussian_rho(gaussian.sensitivity * 2**32, gaussian.scale * 2**32)
        assert gauss == pytest.approx(rho, rel=1e-9)
    elif name == "density-zoom":
        assert len(stages) == 5
        for stage in stages[:4]:
            assert stage.rho == pytest.approx((stage.sensitivity / stage.scale) ** 2 / 2)
        assert stages[4].rho == 0  # what it tells of a person is taken off the four tables
    total = sum(pure) + (noise.zcdp_epsilon(rho, planned.delta) if rho else 0.0)
    assert total == pytest.approx(planned.epsilon, rel=1e-4)
    assert total <= planned.epsilon * (1 + 1e-6)


def test_the_trips_beyond_the_bound_are_a_stage_where_they_are_counted(rwanda):
    cells, count = plan(ours(FOUR), rwanda).stages
    assert (count.sensitivity, count.epsilon) == (16, pytest.approx(0.02))
    assert (cells.sensitivity, cells.epsilon) == (4, pytest.approx(0.98))
    said = items(rwanda, ours(FOUR))["bias"]
    assert "scaled up by the noisy number of the next trips beyond it, at most 16" in said


def test_our_intervals_hold(demo, tmp_path):
    setting = ours(flows(**ONE_DAY))
    way.write(plan(setting, demo), view_of(setting, demo), tmp_path, lambda share: None)
    table = pd.read_csv(tmp_path / "flows.csv")
    for name in ("measured_low_95", "low_95"):
        assert (table[name] <= table[name.replace("low", "high")]).all()
    pairs = ~np.eye(len(demo.zones), dtype=bool)
    kept = od.kept(demo, setting.parameters, days=(0,))[0][pairs]
    assert ((table["low_95"] <= kept) & (kept <= table["high_95"])).mean() > 0.94
    said = items(demo, setting)
    assert "(columns measured_low_95 and measured_high_95)" in said["accuracy"]
    assert "low_95 to high_95 holds the kept trips" in said["bias"]


def test_a_report_of_single_trips_says_nothing_of_bounded_people(demo):
    for unit in ("user", "item"):
        said = items(demo, report(unit=unit))
        bounded = unit == "user"
        assert ("beyond the bound" in said["bias"]) == bounded
        assert ("Every trip is counted" in said["bias"]) != bounded
        assert ("the kept trips" in said["accuracy"]) == bounded


def test_item_3_says_what_all_days_of_a_person_lose(demo):
    assert items(demo, flows(epsilon=0.1))["unit"] == (
        "One person's trips of one day. All 7 released days of a person together lose up to "
        "ε = 0.7."
    )
    assert items(demo, flows(**ONE_DAY))["unit"] == "One person's trips of one day."
    assert items(demo, flows(unit="person"))["unit"] == "One person's trips of the whole period."
    assert items(demo, zoom())["unit"] == "One person's visits of one week."


def test_a_group_pays_more_than_its_size_says(demo):
    said = items(demo, zoom(epsilon=1.0, delta=1e-7))["small_groups"]
    assert "a group of k pays kε and δ(e^kε − 1)/(e^ε − 1)" in said
    due = 1e-7 * (np.exp(4) - 1) / (np.e - 1)
    assert f"4 of them ε = 4 and δ = {due:.3g}" in said
    assert "pays kε, 4 of them ε = 2." in items(demo, flows())["small_groups"]


def test_releases_that_are_composed_are_said_to_be_at_a_delta_below_one_over_the_people(demo):
    said = items(demo, zoom(), earlier=40)["total"]
    assert "added up (basic composition). At δ = " in said
    assert "(composed exactly), provided that no later setting was chosen" in said
    slack = float(said.split("At δ = ")[1].split()[0]) - 41e-7
    assert 0 < slack <= 0.11 / demo.metadata.people_public


def test_warnings_are_there_where_a_reader_would_be_misled_and_only_there(demo):
    noisy = replace(
        flows(), parameters=od.ODParameters(epsilon=0.06, max_trips_per_user=1, unit="person-day")
    )
    planned = plan(noisy, demo, trips=TRIPS)
    said = " ".join(warnings(planned))
    for words in ("NOISE IS SHOWN AS FLOWS", "BARS ARE WIDER", "ZONE TOTALS MAY BE NEGATIVE"):
        assert words in said
    q, z = np.exp(-0.06), np.arange(15, 2_000)
    law = (1 - q) / (1 + q) * q**z
    assert planned.phantom == pytest.approx((z * law).sum(), rel=1e-9)
    assert f"shown in {law.sum():.1%} of cases" in said
    assert f"add up to {(z * law).sum() * planned.cells:,.0f} trips" in said
    assert f"about {planned.cells * law.sum():,.0f} of {planned.cells:,} numbers" in said
    clear = noisy.at(9.0)
    assert len(warnings(plan(clear, demo))) == len(warnings(plan(ours(clear), demo))) == 1
    assert len(warnings(plan(ours(noisy), demo))) == 3
    assert statement_of(demo, planned)["warnings"] == warnings(planned)
    bias = items(demo, noisy)["bias"]
    assert "too low by the flows that are hidden, and too high by the noise" in bias


@pytest.mark.parametrize("epsilon", [1.0, 10.0, 60.0])
def test_what_a_quiet_hour_reads_is_said_by_the_law_of_the_noise(demo, epsilon):
    """The mean of what is written where nothing was counted, in the median zone, by drawing it."""
    setting, draws = visits(epsilon), 20_000
    planned = plan(setting, demo)
    scale, variances = planned.stages[0].scale, zone_variances(demo)
    median = np.argsort(variances, kind="stable")[len(variances) // 2]
    shares = demo.tessellation.overlap[:, [median]].toarray().ravel()
    shares = shares[shares > 0]
    empty = np.zeros((len(shares), draws), dtype=np.int64)
    read = np.floor(np.maximum(shares @ noise.discrete_laplace(empty, scale), 0) + 0.5)
    error = read.std() / np.sqrt(draws)
    assert planned.raised == raised(scale, shares)
    assert planned.raised == pytest.approx(read.mean(), abs=4 * error + 1e-6)
    assert f"reads {planned.raised:.3g} on average" in items(demo, setting)["bias"]


@pytest.mark.parametrize("scale", [0.3, 0.5, 2.0, 30.0])
def test_bars_of_rounded_shares_hold_whatever_the_data(demo, scale):
    """The worst zone, and the worst fraction of a visit that area leaves there before noise."""
    draws, rng = 4_000, np.random.default_rng(8)
    drawn = rng.geometric(1 - np.exp(-1 / scale), (2, len(demo.towers), draws))
    moved = demo.tessellation.overlap.T @ (drawn[0] - drawn[1])  # two-sided geometric
    bars = hour_bars(laplace_sd(scale) * np.sqrt(zone_variances(demo)))[:, None]
    for kept in np.arange(0, 1, 0.1):
        off = np.abs(np.floor(kept + moved + 0.5 + 1e-9) - kept)
        held = (off <= bars + 1e-9).mean(axis=1).min()
        # also where all noise is a single tower's, with heavier tails than the normal law's
        assert held >= 0.95 - 2.5 * np.sqrt(0.05 * 0.95 / draws)


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
    content = statement_of(demo, planned)
    assert content["frame"] == about
    for some in words:
        assert some in content["items"]["cells"]


def test_what_an_older_dataset_does_not_record_is_not_recorded(demo):
    document = demo.metadata.to_json()
    assert demo.metadata.period_from_data is None  # shipped before it was recorded
    for key in ("period_from_data", "places_public"):
        read = datasets.Metadata.from_json({**document, key: True}, "demo")
        assert getattr(read, key) is True
        assert read.to_json()[key] is True
        with pytest.raises(DatasetError, match="not as expected"):
            datasets.Metadata.from_json({**document, key: "yes"}, "demo")
