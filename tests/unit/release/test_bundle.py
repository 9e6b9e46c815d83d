"""Bundles: what is in them, what is not, refusals, and that no key depends on a person."""

import hashlib
import json
import re
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import geopandas as gpd
import jsonschema
import nbformat
import pandas as pd
import pyarrow.parquet as pq
import pytest
import yaml

from engine import datasets, release as package
from engine.datasets import Dataset
from engine.errors import ExplorerError
from engine.release import NOISE_CONSENT, TRIP_CONSENT, BudgetLedger, ReleaseError, plan
from engine.release.bundle import escape_formulas, required_bytes
from engine.release.statement import STATEMENT_ITEMS
from tests.support.releases import (
    ONE_DAY,
    TRIPS,
    flows,
    fourier,
    products,
    release,
    report,
    seen,
    statement_of,
    zoom,
)

PRODUCTS = list(products())
COUNTED = ("_read", "_open_trips", "homes")  # all ways to the counts of a dataset
KEYS = "analysis bin date dest destination geometry hour id lat lon name number of origin quantile"
REGISTRY = Path(__file__).parents[4] / "shared" / "data" / "registry" / "deployments-schema.yaml"


WRITTEN = {  # how Table Schema writes each type
    "string": ".*",
    "integer": r"-?\d+",
    "number": r"-?\d+(\.\d+)?(e[+-]?\d+)?",
    "boolean": "true|false",
    "date": r"\d{4}-\d\d-\d\d",
}
SUMS = "od-sums"
"""A bundle with sums before suppression, whose flows are too many for a CSV."""


@pytest.fixture(scope="module")
def bundles(demo, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bundles")
    ledger = BudgetLedger(folder / "ledger.sqlite")
    ledger.declare("p", datasets=["demo-city"], unit="person", epsilon=99, delta=1e-6, manager="I")
    for name, setting in products().items():
        release(setting, demo, folder / name, ledger=ledger)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules["engine.release.plan"], "MAX_CSV_ROWS", 1000)
        sums = {"sums_before_suppression": True}
        release(products()["od"], demo, folder / SUMS, ledger=ledger, **sums)
    return folder


def test_every_file_is_named_in_the_documents(bundles):
    text = Path(__file__).parents[3].joinpath("docs", "release.md").read_text(encoding="utf-8")
    files = {path for name in PRODUCTS for path in (bundles / name).rglob("*") if path.is_file()}
    named = {path.name for path in files if path.suffix != ".parquet"}
    assert not {name for name in named if f"`{name}`" not in text}


def content(bundles, name):
    return json.loads((bundles / name / "statement.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", PRODUCTS)
def test_a_bundle_says_what_a_reader_must_know(bundles, name, demo):
    folder, said = bundles / name, content(bundles, name)
    assert list(said["items"]) == list(STATEMENT_ITEMS)
    assert len(STATEMENT_ITEMS) == 18
    assert all(said["items"].values())
    page = (folder / "statement.html").read_text(encoding="utf-8")
    assert page.index("Simulated people") < page.index("Details for readers")
    assert "http" not in page.replace("http-equiv", "")
    assert "left, without an end date" in page
    assert ("Bar holds, if shown" in page) == (name == "od")
    beyond = "44,700 flows and 2 totals of trips beyond the limit" in page
    assert beyond == (name == "od-estimate")
    assert said["protected"].split(" Which of two ")[0].split(". ")[-1] in said["items"]["unit"]
    files = [
        path.stat() for path in (*folder.rglob("*"), bundles / f"{name}.zip") if path.is_file()
    ]
    assert all(one.st_mode & 0o077 == 0 for one in files)
    assert sum(one.st_size for one in files) < required_bytes(said["cells"], demo.zones)


def test_the_statement_says_by_how_much_a_release_was_scaled_up(bundles):
    said = content(bundles, "od-estimate")
    factor, low, high = (said["scale_up"][name] for name in ("factor", "low_95", "high_95"))
    sentence = (
        "What may be noise in it is not used. Trips beyond these are not in it. "
        f"This release scales up by {factor:.4g}. Without noise the factor would be between "
        f"{low:.4g} and {high:.4g} (95% range)."
    )
    assert sentence in said["items"]["bias"]
    scaled = "'trips' is scaled up by {:.4g} for trips that were not counted"
    assert scaled.format(factor) in said["may_not_conclude"]
    (words,) = re.findall(r"measured numbers exceeds ([\d,]+) trips", said["items"]["bias"])
    bar = int(words.replace(",", ""))
    flows = pd.read_parquet(bundles / "od-estimate" / "flows.parquet")
    sums = flows.groupby(["origin", "destination"])["measured"].sum()
    clear = pd.read_csv(bundles / "od-estimate" / "flowmap" / "flows.csv")
    assert len(clear) == (sums > bar).sum() > 0
    assert sentence in (bundles / "od-estimate" / "statement.html").read_text(encoding="utf-8")
    assert {name for name in PRODUCTS if content(bundles, name)["scale_up"]} == {"od-estimate"}


@pytest.mark.parametrize("name", PRODUCTS)
def test_every_file_has_its_hash_in_the_list_the_archive_and_the_ledger(bundles, name):
    folder = bundles / name
    files = [path for path in folder.rglob("*") if path.is_file()]
    bytes_of = {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
    with zipfile.ZipFile(bundles / f"{name}.zip") as packed:
        archive = {one.removeprefix(f"{name}/"): packed.read(one) for one in packed.namelist()}
    assert archive == bytes_of
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in bytes_of.items()}
    digest, listed = hashes.pop("SHA256SUMS"), bytes_of["SHA256SUMS"].decode()
    assert listed == "".join(f"{hashes[name]}  {name}\n" for name in sorted(hashes))
    done = [one.body for one in BudgetLedger(bundles / "ledger.sqlite").entries()[2::2]]
    assert done[PRODUCTS.index(name)]["digest"] == digest


@pytest.mark.parametrize("name", PRODUCTS)
def test_the_registry_draft_invents_nothing_and_is_valid_by_the_registrys_schema(bundles, name):
    said = content(bundles, name)
    entry = yaml.safe_load((bundles / name / "registry.yaml").read_text(encoding="utf-8"))
    deployment = entry["deployment"]
    assert deployment["basic"]["data_curators"] == ["to be filled in by the custodian"]
    assert (entry["status"], entry["tier"]) == ("Draft", 1)
    loss = deployment["privacy_loss"]["privacy_parameters"]
    assert (loss["epsilon"], loss["delta"]) == (said["epsilon"], said["delta"])
    pure = "Approximate DP" if said["delta"] else "Pure DP"
    assert deployment["dp_variant"]["variant_name"] == pure
    stages = said["stages"]  # ρ of a release of which a part is pure ε is not that of its tables
    whole = all(one["epsilon"] is None for one in stages)
    assert loss.get("rho") == (pytest.approx(sum(s["rho"] for s in stages)) if whole else None)
    page = (bundles / name / "statement.html").read_text(encoding="utf-8")
    assert ("suppression_threshold" in page) == (name == "od")  # of others it has no effect
    for text in (deployment["implementation"]["mechanisms"], page[: page.index("<h2>")]):
        assert all(one["noise"] in text for one in stages)
    if REGISTRY.exists():
        jsonschema.validate(entry, yaml.safe_load(REGISTRY.read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", [*PRODUCTS, SUMS])
def test_the_data_package_describes_every_column_of_every_table(bundles, name):
    """A new one must be described, and looked at: does the law of the noise alone give it?"""
    folder = bundles / name
    package = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
    described = {table["path"] for table in package["resources"]}
    assert all(re.fullmatch("[-a-z0-9._/]+", table["name"]) for table in package["resources"])
    tables = [path for path in folder.rglob("*") if path.suffix in (".csv", ".parquet")]
    assert described == {path.relative_to(folder).as_posix() for path in tables}
    for table in package["resources"]:
        fields, path = table["schema"]["fields"], folder / table["path"]
        assert all(field["description"] and field["type"] in (*WRITTEN, "any") for field in fields)
        if table["format"] == "parquet":
            assert [field["name"] for field in fields] == pq.read_schema(path).names
            continue
        columns = pd.read_csv(path, dtype=str, keep_default_na=False)
        assert [field["name"] for field in fields] == list(columns)
        assert len({field["description"] for field in fields}) == len(fields)
        for field in fields:
            cells = set(columns[field["name"]]) - set(table["schema"]["missingValues"])
            assert not [cell for cell in cells if not re.fullmatch(WRITTEN[field["type"]], cell)]
    zones = next((t["schema"]["fields"] for t in package["resources"] if "zones" in t["path"]), [])
    (told,) = [f["description"] for f in zones if f["name"] in ("out_trips", "visits")] or [""]
    assert ("estimate" in told) == (name in ("od-estimate", "density-fourier", "density-zoom"))


@pytest.mark.parametrize("name", [*PRODUCTS, SUMS])
def test_the_notebook_runs_from_top_to_bottom(bundles, name, monkeypatch, capsys):
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.chdir(bundles / name)
    notebook, names = nbformat.read("use_it.ipynb", as_version=4), {}
    nbformat.validate(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            exec(cell.source, names)
    names["plt"].close("all")
    printed = capsys.readouterr().out
    assert "ε =" in printed
    assert printed.startswith(content(bundles, name)["recommended"])
    if name.startswith("od"):
        rows = content(bundles, name)["accuracy"]
        (wide,) = (row["half_width"] for row in rows if "picked" in row["what"])
        assert wide > rows[0]["half_width"]
        assert f"± {wide:,.0f}, 95% for all flows at once" in printed
    assert ("WARNING: for" in printed) == (name in (SUMS, "density"))
    assert ("sums of shown flows are biased" in printed) == (name == "od")
    assert ("or are below the suppression threshold" in printed) == (name == SUMS)


def test_too_many_flows_for_a_spreadsheet_are_written_as_parquet_alone(bundles):
    said, every = content(bundles, SUMS), pd.read_parquet(bundles / SUMS / "flows.parquet")
    assert len(every) > 1000
    assert not (bundles / SUMS / "flows.csv").exists()
    assert "flows.parquet" in said["recommended"]
    text = json.dumps(said, ensure_ascii=False).replace("flowmap/flows.csv", "")
    assert "Sums over flows.parquet" in text
    assert "flows.csv" not in text
    assert "Sums over flows.csv" in content(bundles, "od")["items"]["bias"]


@pytest.mark.parametrize("name", PRODUCTS)
def test_one_column_is_named_first_and_stands_first_among_the_numbers(bundles, name):
    """In statement, notebook and files; of flows every file has its numbers."""
    said, folder = content(bundles, name), bundles / name
    assert list(said)[:2] == ["title", "recommended"]
    page = (folder / "statement.html").read_text(encoding="utf-8")
    assert page.index(said["recommended"].partition("'")[0]) < page.index('class="warn"')
    column, file = re.match(r"Use column '(\w+)' of (\w+\.\w+)", said["recommended"]).groups()
    columns, keys = pd.read_csv(folder / file).columns, {*KEYS.split(), "zone_id"}
    assert next(one for one in columns if one not in keys) == column
    if not name.startswith("od"):
        return
    comment = pq.read_schema(folder / "flows.parquet").metadata[b"comment"].decode()
    assert comment == said["recommended"]
    flows, shown = (pd.read_csv(folder / one) for one in (file, "flows_shown.csv"))
    sums = flows.groupby(["origin", "destination"])[column].sum()
    on_map = pd.read_csv(folder / "flowmap" / "flows.csv")
    assert len(on_map) > 20
    summed = sums.loc[[*zip(on_map["origin"], on_map["dest"], strict=True)]].to_numpy()
    assert on_map["count"].to_numpy() == pytest.approx(summed, abs=0.011)
    chosen = flows[column] >= (1 if name == "od-estimate" else 15)
    numbers = [one for one in shown if one in flows]
    wanted = flows.loc[chosen, numbers].reset_index(drop=True)
    pd.testing.assert_frame_equal(shown[numbers], wanted, check_dtype=False)


@pytest.mark.parametrize("name", ["od", "od-estimate"])
def test_shown_flows_have_names_coordinates_period_and_bars(bundles, name, demo):
    shown = pd.read_csv(bundles / name / "flows_shown.csv")
    zones = demo.zones.set_index("zone_id")
    for end in ("origin", "destination"):
        own = zones.loc[shown[end]]
        assert shown[f"{end}_name"].tolist() == own["name"].tolist()
        points = gpd.points_from_xy(shown[f"{end}_lon"], shown[f"{end}_lat"])
        outlines = gpd.GeoSeries(own.geometry.to_numpy())
        assert outlines.buffer(1e-5).contains(gpd.GeoSeries(points)).all()
    days = [day.isoformat() for day in demo.metadata.days[:2]]
    assert shown["date"].unique().tolist() == days
    if name == "od":
        assert (shown["low_95"] <= shown["flow"]).all()
        assert (shown["high_95"] >= shown["flow"]).all()
        assert "suppressed" not in shown
    else:
        assert set(shown["mark"].fillna("")) == {"detected", "likely", ""}
        assert (shown["trips"] >= 1).all()
        assert (shown["kept_low_95"] <= shown["kept_high_95"]).all()


def test_no_truth_no_path_and_no_seed_is_in_a_bundle(bundles, demo, tmp_path):
    files = [path for path in bundles.rglob("*") if path.is_file() and path.suffix != ".zip"]
    everything = b"".join(path.read_bytes() for path in files)
    for place in (tmp_path.parents[1], Path.home(), demo.folder):
        assert str(place).encode() not in everything
    assert b"seed" not in everything.replace(b"no seed exists", b"")
    assert str(int(demo.trips.all_days.trip_count.sum())) not in json.dumps(content(bundles, "od"))


@pytest.mark.parametrize(
    ("setting", "options", "words"),
    [
        (flows(epsilon=50.0), {}, "exceeds ε by 250.*At most ε = 100 "),
        (flows(unit="trip"), {}, "cannot be charged"),
        (flows(epsilon=0.02), {"trips": 5_000}, r"would show .* trips, more than were made"),
        (flows(epsilon=0.02), {"trips": None}, "no number of trips made, and no consent"),
        (flows(epsilon=0.02), {"trips": 5_000, "consents": ["yes"]}, "other words"),
        (flows(), {"tuning": "guess"}, "tuning must be one of"),
        (flows(), {"tuning_note": "a\x1b[2Jb"}, "tuning_note must be text on one line"),
        (flows(), {"trips": 0}, "trips must be at least 1"),
        (seen(replace(zoom().parameters, method="lpa")), {}, "method must be one of"),
        (fourier(epsilon=1e-5), {}, "whole numbers of 64 bits"),
        (zoom(), {}, "exceeds δ by 1e-07"),
        (zoom(delta=1e-3), {}, "at most one over the public number of people"),
        (zoom(delta=2e-3), {}, "at most 0.001 for a release"),
        (fourier(delta=2e-3), {}, "at most 0.001 for a release"),
        (zoom(epsilon=100.0), {}, "must be"),
        (fourier(epsilon=4.0), {}, "hoose the analytic Gaussian"),
        (fourier(scaling=False), {}, "must have its improved scaling"),
        (flows(zones="clusters-1"), {}, "at least 2 zones .given: 1"),
        (flows(first=30), {}, "must be among the 7 declared ones"),
        (seen(report().parameters, zones="clusters-30"), {}, "must have the dataset's own zones"),
    ],
)
def test_what_may_not_be_released_costs_nothing(ledger, demo, tmp_path, setting, options, words):
    with pytest.raises(ExplorerError, match=words):
        release(setting, demo, tmp_path / "out", ledger=ledger, **options)
    assert ledger.budget("people").release_count == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ledger.sqlite"]


def test_tables_that_were_clipped_for_more_visits_are_refused(ledger, demo, tmp_path, monkeypatch):
    ledger.raise_to("people", epsilon=100.0, delta=1e-6, manager="me", reason="it has a delta")
    odd = replace(demo.multiscale_tables, max_visits_cap=demo.multiscale_tables.max_visits_cap + 1)
    monkeypatch.setitem(vars(demo), "multiscale_tables", odd)  # as it is kept once read
    words = r"at most 840 visits of a person \(given: 16 districts, 841"
    with pytest.raises(ExplorerError, match=words):
        release(zoom(), demo, tmp_path / "out", ledger=ledger)
    assert ledger.budget("people").release_count == 0


def test_a_release_that_is_mostly_noise_takes_a_second_yes(ledger, demo):
    setting = flows(epsilon=0.02, **ONE_DAY)
    clear = plan(setting.with_epsilon(9.0), demo)
    assert 0 < clear.phantom_trips < 1  # of so little noise nobody is asked
    package.check_release(clear, demo, ledger)
    noisy = plan(setting, demo, trips=5_000)
    package.check_release(noisy, demo, ledger, consents=[NOISE_CONSENT])
    said = " ".join(statement_of(demo, noisy)["warnings"])
    assert "by the custodian's public estimate 5,000 were made" in said


def test_an_existing_folder_or_an_unwritable_one_costs_nothing(ledger, demo, tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "file").write_text("")
    (tmp_path / "old.zip").write_bytes(b"an earlier release")
    names = ("there", "old", "file/new", "no/such/new", "n" * 252, "a\nb", "a\ud800b", "é" * 126)
    for name in names:
        with pytest.raises(ReleaseError, match="nothing was spent"):
            release(flows(**ONE_DAY), demo, tmp_path / name, ledger=ledger)
    assert (tmp_path / "old.zip").read_bytes() == b"an earlier release"
    assert ledger.budget("people").release_count == 0
    assert not [left for left in tmp_path.iterdir() if left.name.startswith(".partial")]
    out = release(flows(**ONE_DAY), demo, tmp_path / "local" / "out", ledger=ledger)
    assert out.parent.stat().st_mode & 0o777 == 0o700


def test_trip_level_takes_consent_and_is_marked_on_every_file_that_speaks(demo, tmp_path):
    ledger = BudgetLedger(tmp_path / "l.sqlite")
    ledger.declare("trips", datasets=["demo-city"], unit="trip", epsilon=1.0, manager="me")
    asked = {"ledger": ledger, "tuning": "these data"}
    setting = flows(unit="trip", **ONE_DAY)
    for words in ("", "yes"):
        with pytest.raises(ReleaseError, match="consent in words"):
            release(setting, demo, tmp_path / "out", **asked, consents=[words])
    out = release(setting, demo, tmp_path / "out", **asked, consents=[TRIP_CONSENT])
    for name in ("statement.html", "statement.json"):
        said = (out / name).read_text(encoding="utf-8")
        assert "Trips are protected, people are not" in said
        assert "ε and the other settings were chosen on these very data" in said


def test_formulas_and_markup_in_names_are_harmless(demo, tmp_path):
    odd = ["=a", "+a", "-a", "@a", "\ta", "\ra"]
    assert escape_formulas([*odd, "Kigali", 7]) == [*(f"'{one}" for one in odd), "Kigali", "7"]
    zones = demo.zones.copy()
    zones.loc[0, ["zone_id", "name"]] = ["=cmd()", "<script>alert(1)</script>"]
    dataset = object.__new__(Dataset)
    dataset.__dict__ |= demo.__dict__ | {"id": "<b>odd</b>", "zones": zones, "trips": demo.trips}
    ledger = BudgetLedger(tmp_path / "l.sqlite")
    ledger.declare("p", datasets=["<b>odd</b>"], unit="person", epsilon=9.0, manager="me")
    note = {"tuning_note": "{{ 7 * 6 }} <i>"}
    out = release(flows(**ONE_DAY), dataset, tmp_path / "o", ledger=ledger, **note)
    assert "'=cmd()" in (out / "flows.csv").read_text(encoding="utf-8")
    assert '\n"=' not in (out / "flowmap" / "locations.csv").read_text(encoding="utf-8")
    page = (out / "statement.html").read_text(encoding="utf-8")
    assert not [tag for tag in ("<b>odd", "<script>", "<i>") if tag in page]
    assert "&lt;b&gt;odd" in page
    assert "{{ 7 * 6 }} &lt;i&gt;" in page


def test_a_copy_is_refused_under_another_budget_and_no_entry_can_be_guessed(ledger, demo, tmp_path):
    """Of checksums alone, whoever knows all but one person could find who gives an entry's hash."""
    (tmp_path / "copy").symlink_to(demo.folder.parent)
    copy = Dataset(tmp_path / "copy" / demo.folder.name)
    ledger.declare("others", datasets=["copy"], unit="person", epsilon=9.0, manager="me")
    for name in "ab":
        release(flows(**ONE_DAY), demo, tmp_path / name, ledger=ledger)
    with pytest.raises(ReleaseError, match="with a table of 'people'"):
        release(flows(**ONE_DAY), copy, tmp_path / "c", ledger=ledger)
    secrets = {one.body["secret"] for one in ledger.entries() if one.kind == "release"}
    assert [len(bytes.fromhex(one)) for one in secrets] == [16, 16]
    for path in (path for path in tmp_path.rglob("[ab]/**/*") if path.is_file()):
        assert not [one for one in secrets if one.encode() in path.read_bytes()]


@pytest.mark.parametrize("name", PRODUCTS)
def test_no_count_is_read_for_a_statement_or_after_the_charge(name, ledger, tmp_path, monkeypatch):
    """A figure computed from the truth would be in every bundle, and no ε would cover it."""
    for read in COUNTED:
        monkeypatch.delattr(Dataset, read)
    monkeypatch.setattr("engine.report.aggregates.ReportTable.counts", None)
    fresh, setting = datasets.load("demo-city"), products()[name]
    ledger.raise_to("people", epsilon=100.0, delta=1e-6, manager="me", reason="it has a delta")
    planned = plan(setting, fresh, trips=TRIPS)
    budget, cost = package.check_release(planned, fresh, ledger)
    assert cost.epsilon <= budget.remaining_epsilon
    assert statement_of(fresh, planned)["warnings"]
    with pytest.raises(ReleaseError, match=r"failed \(\w+\): nothing was spent"):
        release(setting, fresh, tmp_path / "out", ledger=ledger)
    assert ledger.budget("people").release_count == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ledger.sqlite"]


def test_a_statement_is_of_its_own_entry(ledger, demo, tmp_path, monkeypatch):
    write = package.flow_writer.write

    def slow(*given):
        ledger.charge("demo-city", unit="person", epsilon=9.0, delta=0.0, record={})
        write(*given)

    monkeypatch.setattr(package.flow_writer, "write", slow)
    release(flows(**ONE_DAY), demo, tmp_path / "out", ledger=ledger)
    assert content(tmp_path, "out")["cost"]["epsilon"] == 0.5


def test_no_public_name_writes_a_bundle_without_a_full_charge(demo, tmp_path, monkeypatch):
    """What draws is reached through `release` alone, and the charge comes before it."""
    order = []
    for way in {id(one): one for one in package.WRITERS.values()}.values():
        monkeypatch.setattr(way, "write", lambda *_: order.append("draw"))
    intend = BudgetLedger.charge

    def charge(self, *given, **named):
        if not named.get("dry_run", False):
            order.append("charge")
        return intend(self, *given, **named)

    monkeypatch.setattr(BudgetLedger, "charge", charge)
    ledger = BudgetLedger(tmp_path / "l.sqlite")
    ledger.declare("p", datasets=["demo-city"], unit="person", epsilon=99, delta=1e-6, manager="I")
    for name, setting in products().items():
        release(setting, demo, tmp_path / name, ledger=ledger)
        assert (order.pop(0), order.pop(0), order) == ("charge", "draw", [])
    spent = [one.body["epsilon"] for one in ledger.entries() if one.kind == "release"]
    assert spent == [1.0] * len(spent)
