"""Bundles: what is in them, what is not, refusals, and that no key depends on a person."""

import json
import os
import shutil
from functools import partial
from pathlib import Path

import geopandas as gpd
import jsonschema
import nbformat
import numpy as np
import pandas as pd
import pytest
import yaml
from nbclient import NotebookClient
from opendp import mod

from engine import datasets, origin_destination as od
from engine.contract import When
from engine.datasets import Dataset
from engine.errors import DatasetError, ParameterError
from engine.release import CONSENT, BudgetLedger, Product, ReleaseError, check, noise, release
from engine.release.command import main
from engine.release.plan import PRODUCTS
from engine.release.statement import ITEMS, SCHEMA
from engine.report import ReportParameters
from engine.resolution import look_at
from tests.support.releases import flows, ours, statement_of, visits, zoom


@pytest.fixture(scope="module")
def bundles(demo, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bundles")
    ledger = BudgetLedger(folder / "ledger.sqlite")
    ledger.declare(
        "people", datasets=["demo-city"], unit="person", epsilon=100.0, delta=1e-6, by="me"
    )
    products = {
        "od": flows(days=(0, 1)),
        "od-estimate": ours(flows().parameters, days=(0, 1)),
        "density-zoom": zoom(epsilon=1.0, delta=1e-7),
        "density": visits(epsilon=1.0),
        "report": Product(ReportParameters(epsilon=1.0)),
    }
    draw = noise._noisy
    with pytest.MonkeyPatch.context() as patch:
        for name, product in products.items():
            drawn: set[str] = set()
            patch.setattr(noise, "_noisy", partial(_recorded, draw, drawn))
            release(demo, product, folder / name, ledger=ledger, tuning="public")
            (folder / f"{name}.drawn").write_text("\n".join(drawn), encoding="utf-8")
    return folder


def _recorded(draw, drawn, measurement, counts):
    drawn.add(mod.serialize(measurement))
    return draw(measurement, counts)


@pytest.mark.parametrize("name", PRODUCTS)
def test_a_bundle_has_the_measurements_that_opendp_ran(bundles, name):
    """They run again, and cost what the statement says."""
    folder = bundles / name
    written = json.loads((folder / "opendp.json").read_text(encoding="utf-8"))["measurements"]
    stages = json.loads((folder / "statement.json").read_text(encoding="utf-8"))["stages"]
    texts = [json.dumps(one["measurement"]) for one in written]
    drawn = set((bundles / f"{name}.drawn").read_text(encoding="utf-8").split("\n"))
    chosen = {text for text, stage in zip(texts, stages, strict=True) if "chosen" in stage["name"]}
    assert set(texts) - chosen <= drawn
    assert chosen or set(texts) == drawn
    for text, one, stage in zip(texts, written, stages, strict=True):
        again = mod.deserialize(text)
        assert len(again([0, 7])) == 2
        if stage.get("rho") != 0:
            whole = one["sensitivity"] == int(one["sensitivity"]) and "epsilon" in stage
            cost = again.map(int(one["sensitivity"]) if whole else one["sensitivity"])
            assert cost == pytest.approx(stage.get("epsilon", stage.get("rho")), rel=1e-9)


@pytest.mark.parametrize("name", PRODUCTS)
def test_a_bundle_says_what_a_reader_must_know(bundles, name):
    folder = bundles / name
    content = json.loads((folder / "statement.json").read_text(encoding="utf-8"))
    jsonschema.validate(content, SCHEMA)
    assert list(content["items"]) == list(ITEMS)
    assert len(ITEMS) == 18
    page = (folder / "statement.html").read_text(encoding="utf-8")
    assert "SIMULATED PEOPLE" in page
    assert "http" not in page.replace("http-equiv", "")
    entry = yaml.safe_load((folder / "registry.yaml").read_text(encoding="utf-8"))
    loss = entry["deployment"]["privacy_loss"]
    assert loss["privacy_parameters"]["epsilon"] == content["epsilon"]
    assert (bundles / f"{name}.zip").stat().st_size > 1000
    assert all(path.stat().st_mode & 0o077 == 0 for path in folder.rglob("*.csv"))


@pytest.mark.parametrize(("name", "flow"), [("od", "flow"), ("od-estimate", "trips")])
def test_flows_and_zones_are_what_scikit_mobility_takes(bundles, name, flow):
    """A `FlowDataFrame` asks for these columns, and for each end among the tiles."""
    flows = pd.read_csv(bundles / name / "flows.csv", dtype={"origin": str, "destination": str})
    tiles = gpd.read_file(bundles / name / "zones.geojson")
    assert {"origin", "destination", "date", flow} <= set(flows.columns)
    assert pd.api.types.is_numeric_dtype(flows[flow])
    assert set(flows["origin"]) == set(flows["destination"]) == set(tiles["zone_id"])
    parquet = gpd.read_parquet(bundles / name / "zones.parquet")
    assert parquet.crs == tiles.crs == "EPSG:4326"
    values = parquet.drop(columns="geometry")
    assert (values == tiles[values.columns]).all(axis=None)


def test_released_values_are_whole_numbers_and_suppressed_is_empty(bundles):
    table = pd.read_csv(bundles / "od" / "flows.csv", dtype={"origin": str, "destination": str})
    assert len(table) == 2 * 150 * 149
    shown = table.loc[~table["suppressed"], "flow"]
    assert (shown == shown.round()).all()
    assert shown.min() >= 15
    assert table.loc[table["suppressed"], ["flow", "low_90", "high_90"]].isna().all(axis=None)
    assert not (table["flow"] == 0).any()


def test_a_view_that_adds_days_up_is_refused(ledger, demo, tmp_path):
    """Its cost would count periods, not days: a person would pay a seventh."""
    week = look_at(demo, when=When(step="week"))
    assert len(week.metadata.periods) < len(week.metadata.days)
    for product in (flows(), ours(flows().parameters)):
        with pytest.raises(ParameterError, match="a release must be of declared days"):
            release(week, product, tmp_path / "out", ledger=ledger, tuning="public")
    assert ledger.budget("people").releases == 0


@pytest.mark.parametrize("seen", [{"zones": "clusters-30"}, {"when": When(step="week")}])
def test_a_report_of_a_coarser_view_is_refused_before_anything_is_charged(
    ledger, demo, tmp_path, seen
):
    """Its counts are by the zones and days of the ingest."""
    product = Product(ReportParameters(epsilon=1.0))
    with pytest.raises(ParameterError, match=r"must be made of a dataset as it was ingested"):
        release(look_at(demo, **seen), product, tmp_path / "out", ledger=ledger, tuning="public")
    assert ledger.budget("people").releases == 0
    assert not (tmp_path / "out").exists()


def test_what_a_dataset_lacks_is_said_before_anything_is_charged(tmp_path):
    ledger = BudgetLedger(tmp_path / "l.sqlite")
    name = "afghanistan-provinces"
    ledger.declare("people", datasets=[name], unit="person", epsilon=100.0, delta=1e-6, by="me")
    for product in (Product(ReportParameters(epsilon=1.0)), zoom(epsilon=1.0), visits(epsilon=1.0)):
        with pytest.raises(DatasetError):
            release(datasets.load(name), product, tmp_path / "out", ledger=ledger, tuning="public")
    assert ledger.budget("people").releases == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["l.sqlite"]


def test_bars_hold_less_often_among_flows_that_are_shown(demo):
    """The table's last column, against the law of the noise summed term by term."""
    plan = flows(epsilon=0.25).plan(demo)
    q, least = np.exp(-1 / plan.scale), plan.settings["suppression_threshold"]
    z = np.arange(-4000, 4001)
    law = (1 - q) / (1 + q) * q ** np.abs(z)
    rows = [row for row in plan.accuracy if row.size is not None]
    for row in rows:
        shown = row.size + z >= least
        within = np.abs(z) <= row.half_width
        assert row.shown == pytest.approx(law[shown].sum(), rel=1e-9)
        assert row.holds == pytest.approx(law[shown & within].sum() / law[shown].sum(), rel=1e-9)
    assert rows[0].holds < 0.6
    assert rows[-1].holds > 0.9
    said = statement_of(demo, plan)["items"]["accuracy"]
    assert f"of a flow of kept size 0 that is shown, in {rows[0].holds:.1%} of releases" in said


def test_zone_totals_lie_in_their_bars(bundles, demo):
    """Unbiased totals and their 90% bars against the true trimmed totals: about nine in ten."""
    zones = pd.read_parquet(bundles / "od" / "zones.parquet", columns=None)
    kept = od.kept(demo, flows().parameters, days=(0, 1)).sum(axis=(0, 2))
    inside = (zones["out_trips_low_90"] <= kept) & (kept <= zones["out_trips_high_90"])
    assert 0.80 < inside.mean() < 0.97


@pytest.mark.parametrize(
    "name",
    ["od", *(pytest.param(name, marks=pytest.mark.long) for name in PRODUCTS if name != "od")],
)
def test_the_notebook_runs_from_top_to_bottom(bundles, name, tmp_path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    folder = tmp_path / name
    shutil.copytree(bundles / name, folder)
    notebook = nbformat.read(folder / "use_it.ipynb", as_version=4)
    nbformat.validate(notebook)
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(folder)}}).execute()
    printed = [out.get("text", "") for cell in notebook.cells for out in cell.get("outputs", [])]
    assert any("ε =" in text for text in printed)
    if name.startswith("od"):
        assert any("WARNING: for" in text for text in printed)


def test_no_truth_no_path_and_no_seed_is_in_a_bundle(bundles, demo, tmp_path):
    everything = b"".join(
        path.read_bytes() for path in bundles.rglob("*") if path.is_file() and path.suffix != ".zip"
    )
    assert str(tmp_path.parents[1]).encode() not in everything
    assert str(Path.home()).encode() not in everything
    assert b"seed" not in everything.replace(b"no seed exists", b"")
    content = json.loads((bundles / "od" / "statement.json").read_text(encoding="utf-8"))
    assert str(int(demo.trips.whole.n.sum())) not in json.dumps(content)


@pytest.mark.parametrize(
    ("product", "options", "words"),
    [
        (flows(epsilon=50.0), {}, "exceeds ε by 250; at most ε = 100 "),
        (flows(unit="trip", epsilon=0.5), {}, "consent in words"),
        (flows(unit="trip", epsilon=0.5), {"consent": "yes"}, "consent in words"),
        (flows(unit="trip", epsilon=0.5), {"consent": CONSENT}, "cannot be charged"),
    ],
)
def test_what_may_not_be_released_costs_nothing(ledger, demo, tmp_path, product, options, words):
    with pytest.raises(ReleaseError, match=words):
        release(demo, product, tmp_path / "out", ledger=ledger, tuning="public", **options)
    assert ledger.budget("people").releases == 0
    assert not (tmp_path / "out").exists()


def test_an_existing_folder_or_an_unwritable_one_costs_nothing(ledger, demo, tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "file").write_text("")
    for out in (tmp_path / "there", tmp_path / "file" / "new", tmp_path / "no" / "such" / "new"):
        with pytest.raises(ReleaseError, match="nothing was spent"):
            release(demo, flows(), out, ledger=ledger, tuning="public")
    assert ledger.budget("people").releases == 0


def test_one_missing_folder_above_is_made_for_its_owner(ledger, demo, tmp_path):
    out = release(demo, flows(), tmp_path / "local" / "out", ledger=ledger, tuning="public")
    assert out.parent.stat().st_mode & 0o777 == 0o700
    assert (out / "statement.html").exists()


def test_a_bound_tuned_on_these_data_is_not_said_to_be_chosen_in_advance(demo):
    content = statement_of(demo, flows().plan(demo), tuning="these data")["items"]["bounds"]
    assert "It, ε and the other settings were chosen on these very data" in content
    assert "in advance" not in content


def test_trip_level_is_marked_on_every_file_that_speaks(demo, tmp_path):
    ledger = BudgetLedger(tmp_path / "l.sqlite")
    ledger.declare("trips", datasets=["demo-city"], unit="trip", epsilon=1.0, by="me")
    out = release(
        demo,
        flows(unit="trip", days=(0,)),
        tmp_path / "out",
        ledger=ledger,
        tuning="these data",
        consent=CONSENT,
    )
    for name in ("statement.html", "statement.json"):
        assert "PROTECTS TRIPS, NOT PEOPLE" in (out / name).read_text(encoding="utf-8")
    assert "leaks something that no theorem here" in (out / "statement.html").read_text("utf-8")


@pytest.mark.parametrize("kind", [Product, ours])
def test_flows_between_one_zone_are_refused_before_anything_is_charged(
    ledger, demo, tmp_path, kind
):
    whole = look_at(demo, "clusters-1")
    product = kind(flows().parameters, days=(0,))
    with pytest.raises(ParameterError, match="at least 2 zones, got 1"):
        release(whole, product, tmp_path / "out", ledger=ledger, tuning="public")
    assert ledger.budget("people").releases == 0


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (visits, {"epsilon": 1e9}),
        (zoom, {"epsilon": 1e-9}),
        (zoom, {"epsilon": 100.0}),
        (zoom, {"epsilon": 0.001, "delta": 0.1}),
    ],
)
def test_a_privacy_loss_that_no_accounting_reaches_is_refused(demo, kind, values):
    with pytest.raises(ParameterError, match=r"must be (a number from|from|at most)"):
        kind(**values).plan(demo)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.001, 1e-3), (50.0, 1e-12), (0.001, 1e-12)])
def test_every_privacy_loss_that_is_taken_has_a_plan(demo, epsilon, delta):
    assert zoom(epsilon=epsilon, delta=delta).plan(demo).scale > 0


def test_formulas_and_markup_in_names_are_harmless(demo, tmp_path):
    zones = demo.zones.copy()
    zones.loc[0, ["zone_id", "name"]] = ["=cmd()", "<script>alert(1)</script>"]

    class Odd(Dataset):
        def __init__(self):
            self.__dict__.update(demo.__dict__)
            self.id = "<b>odd</b>"
            self.__dict__["zones"] = zones

    ledger = BudgetLedger(tmp_path / "l.sqlite")
    ledger.declare("p", datasets=["<b>odd</b>"], unit="person", epsilon=9.0, by="me")
    odd = Odd()
    odd.__dict__["trips"] = demo.trips
    out = release(odd, flows(days=(0,)), tmp_path / "o", ledger=ledger, tuning="public")
    assert "'=cmd()" in (out / "flows.csv").read_text(encoding="utf-8")
    assert '\n"=' not in (out / "flowmap" / "locations.csv").read_text(encoding="utf-8")
    page = (out / "statement.html").read_text(encoding="utf-8")
    assert "<b>odd" not in page
    assert "&lt;b&gt;odd" in page


def test_what_is_checked_before_confirming_reads_no_count(ledger, demo, monkeypatch):
    """The plan and the check of a page touch neither trips nor visits."""

    class Blind(Dataset):
        def __init__(self):
            self.id, self.folder, self.metadata = demo.id, demo.folder, demo.metadata
            self.__dict__["zones"], self.__dict__["towers"] = demo.zones, demo.towers
            self.__dict__["tessellation"] = demo.tessellation

        def _read(self, name, part):
            pytest.fail(f"{name} was read")

    ledger.raise_to("people", epsilon=100.0, delta=1e-6, by="me", reason="a product with delta")
    for product in (
        flows(),
        visits(epsilon=1.0),
        ours(flows().parameters),
        zoom(epsilon=1.0),
        Product(ReportParameters(epsilon=1.0)),
    ):
        plan = product.plan(Blind())
        budget, cost = check(Blind(), plan, ledger)
        assert cost.epsilon <= budget.left_epsilon


def test_the_command_line_releases_and_refuses(tmp_path, capsys):
    option = ["--ledger", str(tmp_path / "l.sqlite")]
    declare = ["budget", "set", "p", "--datasets", "demo-city", "--epsilon", "1", "--by", "me"]
    assert main([*declare, *option]) == 0
    out = str(tmp_path / "out")
    density = ["density", "demo-city", "--tuned-on", "simulated", "--out", out, *option]
    assert main([*density, "--epsilon", "2"]) == 2
    said = capsys.readouterr().err
    assert "refused: the budget of 'p' must not be exceeded" in said
    days = ["od", "demo-city", "--tuned-on", "simulated", "--out", out, *option]
    assert main([*days, "--epsilon", "0.4"]) == 2  # 7 days cost 2.8
    assert main([*density, "--epsilon", "0.25"]) == 0
    assert main([*density, "--epsilon", "0.25"]) == 2  # the folder exists
    assert main(["budget", "show", *option]) == 0
    assert "ε = 0.25 of 1 " in capsys.readouterr().out
    raising = ["budget", "raise", "p", "--epsilon", "3", "--by", "me", "--reason", "more"]
    assert main([*raising, *option]) == 0
    assert main(["verify", *option]) == 0
    assert "4 entries, unbroken" in capsys.readouterr().out
    assert main(["density", "nowhere", "--epsilon", "1", "--tuned-on", "public", "--out", out]) == 2
    assert os.path.exists(out)
