"""What a statement says is so: bars, stages, warnings, items; by the law of the noise alone."""

import json
from dataclasses import replace

import jsonschema
import numpy as np
import pandas as pd
import pytest

from engine import datasets, origin_destination as od
from engine.errors import DatasetError
from engine.origin_destination.estimate.measurement import discrete_laplace
from engine.origin_destination.laws import NoiseLaw
from engine.origin_destination.matrices import trimmed_counts
from engine.release import Product, cautions, noise
from engine.release.bars import laplace_sd
from engine.release.density import whole_bars, zone_variances
from engine.release.page import statement_html
from engine.release.plan import Frame
from engine.release.statement import SCHEMA
from engine.report import ReportParameters
from tests.support.releases import flows, ours, statement_of, visits, zoom

FOUR = od.ODParameters(epsilon=1.0, max_trips_per_user=4, unit="person-day")
CLEAR = 60
"""Kept trips far above τ = 15 at scale 4: shown in every release, so picked in advance."""


@pytest.fixture(scope="module")
def rwanda():
    return datasets.load("rwanda-districts")


def products(unit="user"):
    return {
        "od": flows(),
        "od-estimate": ours(FOUR),
        "density": visits(epsilon=1.0),
        "density-zoom": zoom(epsilon=1.0),
        "report": Product(ReportParameters(epsilon=1.0, unit=unit)),
    }


def coverage(dataset, folder):
    """Share of bars that hold the kept trips, and the true ones, of flows chosen by kept trips."""
    Product(FOUR).write(dataset, folder, lambda share: None)
    table = pd.read_csv(folder / "flows.csv")
    pairs = ~np.eye(len(dataset.zones), dtype=bool)
    kept = trimmed_counts(dataset, "person-day", 4, tuple(range(7)))[:, pairs].ravel()
    true = od.truth(dataset)[:, pairs].ravel()
    picked = kept >= CLEAR
    assert picked.sum() > 1_000
    assert not table.loc[picked, "suppressed"].any()
    low, high = table.loc[picked, "low_90"], table.loc[picked, "high_90"]
    return tuple(
        ((low <= count) & (count <= high)).mean() for count in (kept[picked], true[picked])
    )


def test_bars_of_a_trimmed_release_hold_kept_flows_and_say_so(rwanda, tmp_path):
    plan = Product(FOUR).plan(rwanda)
    of_kept, of_true = coverage(rwanda, tmp_path)
    q, z = np.exp(-1 / plan.scale), plan.accuracy[0].half_width
    exact = 1 - 2 * q ** (z + 1) / (1 + q)
    assert exact >= 0.9
    # 1,440 flows: four standard errors of 0.0076
    assert of_kept == pytest.approx(exact, abs=0.03)
    assert of_true < 0.3
    content = statement_of(rwanda, plan)
    said = content["items"]["accuracy"]
    assert "around the kept trips: those left after trimming to 4 of a person on a day" in said
    assert "What trimming takes is not in the bar" in said
    page = statement_html(content)
    assert "Kept size" in page
    assert "by its kept size" in page
    for text in (page, json.dumps(content)):
        assert "true size" not in text.lower()
        assert "true number" not in text.lower()


@pytest.mark.parametrize("factor", [0.8, 1.25])
def test_bars_of_another_noise_are_noticed(rwanda, tmp_path, monkeypatch, factor):
    rng = np.random.default_rng(5)

    def draw(counts, scale):
        return counts + discrete_laplace(rng.laplace(0, 1, counts.shape), 1 / (factor * scale))

    monkeypatch.setattr(noise, "discrete_laplace", draw)
    of_kept, _ = coverage(rwanda, tmp_path)
    assert abs(of_kept - 0.908) > 0.02  # two and a half standard errors


def test_a_release_of_single_trips_trims_nothing(demo):
    said = statement_of(demo, flows(unit="trip").plan(demo))["items"]["accuracy"]
    assert "around the number of trips. Nothing is trimmed" in said


@pytest.mark.parametrize("name", list(products()))
def test_all_stages_add_up_to_what_is_charged(demo, name):
    plan = products()[name].plan(demo)
    content = statement_of(demo, plan)
    jsonschema.validate(content, SCHEMA)
    stages = content["stages"]
    if name == "density-zoom":
        assert content["composition"] == "zCDP"
        assert len(stages) == 5
        assert {stage["noise"] for stage in stages} == {"discrete Gaussian"}
        for stage in stages[:4]:
            assert stage["rho"] == pytest.approx((stage["sensitivity"] / stage["scale"]) ** 2 / 2)
        # what the number of visits tells of a person is taken off the four tables
        assert stages[4]["rho"] == 0
        rho = sum(stage["rho"] for stage in stages)
        assert noise.zcdp_epsilon(rho, plan.delta) == pytest.approx(plan.epsilon, rel=1e-6)
        return
    for stage in stages:
        assert noise.laplace_epsilon(int(stage["sensitivity"]), stage["scale"]) == pytest.approx(
            stage["epsilon"], rel=1e-9
        )
    assert sum(stage["epsilon"] for stage in stages) == pytest.approx(plan.epsilon, rel=1e-4)
    assert (content["composition"] == "basic composition") == (len(stages) > 1)


def test_the_number_of_trips_is_a_stage_where_it_is_bought(rwanda):
    content = statement_of(rwanda, ours(FOUR).plan(rwanda))
    cells, count = content["stages"]
    assert (count["sensitivity"], count["epsilon"]) == (20, pytest.approx(0.03))
    assert (cells["sensitivity"], cells["epsilon"]) == (4, pytest.approx(0.97))
    assert content["composition"] == "basic composition"


def test_our_intervals_hold_and_the_models_belief_is_named_so(demo, tmp_path):
    product = ours(flows().parameters, days=(0,))
    product.write(demo, tmp_path, lambda share: None)
    table = pd.read_csv(tmp_path / "flows.csv")
    for name in ("measured_low_90", "low_90", "model_low"):
        assert (table[name] <= table[name.replace("low", "high")]).all()
    assert not {"model_low_90", "model_high_90"} & set(table.columns)
    pairs = ~np.eye(len(demo.zones), dtype=bool)
    kept = od.kept(demo, product.parameters, days=(0,))[0][pairs]
    assert ((table["low_90"] <= kept) & (kept <= table["high_90"])).mean() > 0.88
    items = statement_of(demo, product.plan(demo))["items"]
    assert "(columns measured_low_90 and measured_high_90)" in items["accuracy"]
    assert "low_90 to high_90 holds the kept trips" in items["bias"]
    assert "model_low to model_high is what the model believes and promises" in items["bias"]
    assert "may all be noise" in items["bias"]


def test_a_report_of_single_trips_says_nothing_of_bounded_people(demo):
    for unit in ("user", "item"):
        content = statement_of(demo, products(unit)["report"].plan(demo))
        bounded = unit == "user"
        assert ("max_trips_per_user" in content["settings"]) == bounded
        assert ("beyond the bound" in content["items"]["bias"]) == bounded
        assert ("Every trip is counted" in content["items"]["bias"]) != bounded
        assert ("the kept trips" in content["items"]["accuracy"]) == bounded


def test_item_3_says_what_all_days_of_a_person_lose(demo):
    days = statement_of(demo, flows(epsilon=0.1).plan(demo))["items"]["unit"]
    assert days == (
        "One person's trips of one day. All 7 released days of a person together lose up to "
        "ε = 0.7."
    )
    one = statement_of(demo, flows(days=(0,)).plan(demo))["items"]["unit"]
    assert one == "One person's trips of one day."
    whole = statement_of(demo, flows(unit="person").plan(demo))["items"]["unit"]
    assert whole == "One person's trips of the whole period."


def test_slack_is_not_the_chance_of_a_larger_loss(demo):
    plan = products()["density-zoom"].plan(demo)
    content = statement_of(demo, plan)
    page = statement_html(content)
    assert "2. Slack δ: no attack succeeds more often than ε allows by more than δ" in page
    assert "not the chance of a larger loss" in content["items"]["delta"]
    assert content["items"]["unit"] == "One person's visits of one week."


def test_what_an_empty_flow_shows_is_the_sum_of_its_law():
    q, least = np.exp(-0.06), 15
    z = np.arange(least, 2_000)
    law = (1 - q) / (1 + q) * q**z
    shown = cautions.phantom_trips(NoiseLaw(0.06, "discrete_laplace"), least)
    assert shown == pytest.approx((z * law).sum(), rel=1e-9)


def test_warnings_are_there_where_a_reader_would_be_misled_and_only_there(demo):
    noisy = replace(flows().parameters, epsilon=0.06, max_trips_per_user=1)
    plan = Product(noisy).plan(demo)
    said = " ".join(plan.warnings)
    for words in ("NOISE IS SHOWN AS FLOWS", "BARS ARE WIDER", "ZONE TOTALS MAY BE NEGATIVE"):
        assert words in said
    law = NoiseLaw(1 / plan.scale, "discrete_laplace")
    assert f"shown in {float(law.tail(15)):.1%} of cases" in said
    assert f"add up to {cautions.phantom_trips(law, 15) * plan.cells:,.0f} trips" in said
    q = np.exp(-1 / plan.scale)
    assert f"about {plan.cells * q**15 / (1 + q):,.0f} of {plan.cells:,} numbers" in said
    clear = replace(noisy, epsilon=9.0)
    assert Product(clear).plan(demo).warnings == ()
    assert ours(clear).plan(demo).warnings == ()
    assert len(ours(noisy).plan(demo).warnings) == 2
    content = statement_of(demo, plan)
    assert content["warnings"][1:] == list(plan.warnings)
    bias = content["items"]["bias"]
    assert "too low by the flows that are hidden, and too high by the noise" in bias


def test_what_a_quiet_hour_reads_is_said_as_it_is(demo):
    """The mean of noise whose negative part is 0, in the median zone, by drawing it."""
    plan = products()["density"].plan(demo)
    to_zones = demo.tessellation.overlap.T
    empty = np.zeros((len(demo.towers), 400), dtype=np.int64)
    drawn = np.maximum(to_zones @ noise.discrete_laplace(empty, plan.scale), 0).mean(axis=1)
    variances = zone_variances(demo)
    middle = np.argsort(variances)[len(variances) // 2 - 5 : len(variances) // 2 + 5]
    said = float(" ".join(plan.warnings).split("reads ")[1].split(" on average")[0])
    assert said == pytest.approx(drawn[middle].mean(), rel=0.2)


@pytest.mark.parametrize("scale", [0.3, 0.5, 2.0, 30.0])
def test_bars_of_rounded_shares_hold_whatever_the_data(demo, scale):
    """The worst zone, and the worst fraction of a visit that area leaves there before noise."""
    draws, rng = 4_000, np.random.default_rng(8)
    drawn = rng.geometric(1 - np.exp(-1 / scale), (2, len(demo.towers), draws))
    moved = demo.tessellation.overlap.T @ (drawn[0] - drawn[1])  # two-sided geometric
    bars = whole_bars(laplace_sd(scale) * np.sqrt(zone_variances(demo)))[:, None]
    for kept in np.arange(0, 1, 0.1):
        off = np.abs(np.floor(kept + moved + 0.5 + 1e-9) - kept)
        held = (off <= bars + 1e-9).mean(axis=1).min()
        assert held >= 0.9 - 4 * np.sqrt(0.09 / draws)


@pytest.mark.parametrize(
    ("period", "places", "words"),
    [
        (None, None, ("was not recorded. Whether the places are public was not recorded",)),
        (False, True, ("declared by the custodian and not read", "The places are public")),
        (True, False, ("was read from the data", "not public or were read from the data")),
    ],
)
def test_item_10_tells_how_period_and_places_were_fixed(demo, period, places, words):
    frame = Frame(simulated=False, period_from_data=period, places_public=places)
    content = statement_of(demo, replace(flows().plan(demo), frame=frame))
    jsonschema.validate(content, SCHEMA)
    assert content["frame"]["period_from_data"] is period
    assert content["frame"]["places_public"] is places
    for some in words:
        assert some in content["items"]["cells"]


def test_what_an_older_dataset_does_not_record_is_not_recorded(demo):
    document = demo.metadata.to_json()
    assert Frame.of(demo.metadata).period_from_data is None  # shipped before it was recorded
    for key in ("period_from_data", "places_public"):
        read = datasets.Metadata.from_json({**document, key: True}, "demo")
        assert getattr(read, key) is True
        assert read.to_json()[key] is True
        with pytest.raises(DatasetError, match="not as expected"):
            datasets.Metadata.from_json({**document, key: "yes"}, "demo")
