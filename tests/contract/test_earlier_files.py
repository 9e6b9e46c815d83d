"""What left an earlier version opens with the same numbers; `tests/earlier` is never remade."""

import hashlib
import json
import re
import shutil
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import numpy as np
import pyarrow.parquet as pq
import pytest
from streamlit.testing.v1 import AppTest

# ---- the only lines that follow a renaming; the values beside them never change ----
from engine import datasets, density, origin_destination as od, report
from engine.command import main as command
from engine.contract import Selection, Setting, TimeSelection
from engine.density import DensityParameters
from engine.origin_destination import ODParameters
from engine.release import BudgetLedger
from engine.report import ReportParameters
from engine.resolution import make_view
from pages._ui.answers import cached
from pages._ui.settings import fields, seeds
from tests.pages.conftest import (
    _use_data_root as _use_data_root,
    long_work_stays_here as long_work_stays_here,
    the_entry_file_runs_first as the_entry_file_runs_first,
)
from tests.support.page import bodies, tables, text

FIELDS: dict[str, str] = {}
"""Settings of mechanisms that are called otherwise now."""
METHODS: dict[str, str] = {
    "published": "laplace_suppression",
    "estimate": "empirical_bayes",
    "zoom": "multiscale",
}
"""Names of methods, and other values of links, that are called otherwise now."""
PAGES = {
    "pages/6_Report.py": "pages/5_Report.py",
    "pages/7_Release.py": "pages/6_Release.py",
    "pages/8_Data.py": "pages/7_Data.py",
}
"""Files of pages that are called otherwise now; their addresses are the same."""
KEYS = {"density_map_view": "second_map"}
"""Keys of links that are called otherwise now."""


def make_setting(product: str, plain: dict[str, Any], dataset: str) -> Setting:
    """Make a setting of what an earlier version wrote of it."""
    kinds = {"flows": ODParameters, "density": DensityParameters, "report": ReportParameters}
    values = {FIELDS.get(name, name): value for name, value in plain["parameters"].items()}
    values["method"] = METHODS.get(values["method"], values["method"])
    if values.get("shares"):
        values["shares"] = tuple((report.Analysis(name), share) for name, share in values["shares"])
    names = {"first": "first_position", "last": "last_position", "span": "compared_days"}
    span = {new: plain[old] for old, new in names.items()}
    seen = Selection(
        dataset_id=dataset,
        zone_level=plain["zones"],
        time=TimeSelection(aggregation=plain["time"], **span),
    )
    return Setting(selection=seen, parameters=kinds[product](**values))


def count_flows(setting: Setting) -> dict[str, np.ndarray]:
    """All trips, and those within the contribution limit."""
    view = make_view(datasets.load(setting.dataset_id), setting.zone_level, setting.time)
    return {"all": od.truth(view), "within T": od.truncated_matrices(view, setting.parameters)}


def count_tables(folder: Path) -> dict[str, np.ndarray]:
    """Tables of visits by name, and of a report by analysis and contribution limit."""
    town = datasets.load(folder)
    zoom, trips = town.multiscale_tables, report.truth(town)
    limits = {m: ReportParameters(epsilon=1.0, max_trips_per_user=m) for m in (5, 20)}
    return {
        **{f"presampled {n}": town.presampled_by_tower(n) for n in (1, 3, 30, 168)},
        "truth": town.truth_by_tower,
        "single": town.single_visit_by_tower,
        "homes": town.homes,
        "zoom": np.concatenate([zoom.towers.ravel(), zoom.districts.ravel(), zoom.city.ravel()]),
        "weeks": zoom.tower_totals,
        "zones": density.truth(make_view(town, "province")).sum(axis=1).round(),
        **{
            f"{analysis}, M = {m}": report.count_analysis(
                trips, analysis, parameters, is_truncated=True
            )
            for m, parameters in limits.items()
            for analysis in report.Analysis
        },
    }


def read_budgets(path: Path) -> dict[str, list[Any]]:
    """Unit, datasets, who may raise it, ε, δ, spent ε and δ, left ε, releases and tables."""
    return {
        people: [
            *(budget.unit, sorted(budget.datasets), list(budget.managers)),
            *(budget.epsilon, budget.delta, budget.spent_epsilon, budget.spent_delta),
            *(budget.remaining_epsilon, budget.release_count, len(budget.tables)),
        ]
        for people, budget in BudgetLedger(path).budgets().items()
    }


def first_number(setting: Setting, seed: int | str, redraw: int, repeat: int, day: int) -> int:
    """The first number of the generator behind a draw; simulated people have a seed of all."""
    whole = (seeds.SIMULATED_SEED if seed == "simulated" else int(seed), redraw)
    return int(cached.noise_rng(setting, whole, repeat, day).integers(2**32))


def keep_settings() -> None:
    """Keep the settings that a link opens."""
    import streamlit as st

    from pages._ui.answers import report_datasets
    from pages._ui.settings import current, link, offers

    link.read_link()
    st.session_state["flows"], st.session_state["density"] = current.flows(), current.density()
    st.session_state["report"] = report_datasets.report_setting(offers.entry_for("trips"))


# ---- end of what follows a renaming ----

ROOT = Path(__file__).parents[2]
EARLIER = ROOT / "tests" / "earlier"
LINKS = json.loads((EARLIER / "links.json").read_text(encoding="utf-8"))
EXPECTED = json.loads((EARLIER / "expected.json").read_text(encoding="utf-8"))
BUNDLES = sorted(path.stem for path in EARLIER.glob("*.zip"))


def current_version(dataset: Path) -> Path:
    return dataset / (dataset / "current").read_text().strip()


def read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


# ---- datasets ----


def sums(counts: dict[str, np.ndarray]) -> dict[str, list[Any]]:
    """Sum and hash by name."""
    whole = {name: np.ascontiguousarray(table, dtype=np.int64) for name, table in counts.items()}
    return {
        name: [table.sum(), hashlib.sha256(table.tobytes()).hexdigest()[:16]]
        for name, table in whole.items()
    }


@pytest.mark.parametrize("case", EXPECTED["flows"], ids=lambda case: case["all"][1])
def test_a_dataset_has_the_same_flows(case):
    setting = make_setting("flows", case["setting"], str(EARLIER / "town"))
    assert sums(count_flows(setting)) == {name: case[name] for name in ("all", "within T")}


def test_a_dataset_has_the_same_visits_and_report():
    assert sums(count_tables(EARLIER / "town")) == EXPECTED["tables"]


def contents(dataset: Path) -> dict[str, str]:
    """The hash of each table of a dataset."""
    return {
        path.name: hashlib.sha256(repr(pq.read_table(path).to_pydict()).encode()).hexdigest()[:16]
        for path in current_version(dataset).glob("*.parquet")
    }


@pytest.mark.parametrize("name", EXPECTED["datasets"])
def test_the_same_command_makes_the_same_tables_with_the_same_ranks(name, tmp_path, monkeypatch):
    """Of few visits at most, a person's are chosen by hash; visits become trips."""
    monkeypatch.chdir(EARLIER)
    made, expected = tmp_path / "made" / name, EXPECTED["datasets"][name]
    assert command((*expected["command"].split(), "--out", str(made))) == 0
    assert contents(made) == expected["tables"]
    for path in EARLIER.glob(f"{name}/*/*.json"):
        before, now = read_json(path), read_json(current_version(made) / path.name)
        for key in before.keys() - {"checksums", "made_by", "notes", "seconds"}:
            assert now[key] == before[key], key


# ---- the ledger and the bundles ----

HEAD = "a6a372f6d731d8737af618ee44180965733abfe583f23ca1d7d9c2ee0f346d45"


@pytest.fixture
def ledger(tmp_path) -> Path:
    """A copy, so that it can be written to."""
    return Path(shutil.copyfile(EARLIER / "ledger.sqlite", tmp_path / "ledger.sqlite"))


@pytest.fixture
def bundles(tmp_path) -> Path:
    for name in BUNDLES:
        with zipfile.ZipFile(EARLIER / f"{name}.zip") as packed:
            packed.extractall(tmp_path)
    return tmp_path


def entries(path: Path) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as opened:
        return opened.execute("select * from entries order by id").fetchall()


def test_a_ledger_is_whole_and_has_the_entry_of_every_bundle(ledger, bundles):
    statements = [read_json(bundles / name / "statement.json") for name in BUNDLES]
    for head in (HEAD, *(statement["ledger"]["hash"] for statement in statements)):
        assert command(("release", "verify", "--head", head, "--ledger", str(ledger))) == 0
    assert read_budgets(ledger) == EXPECTED["budgets"]


def keys(document: Any) -> set[str]:
    """Every key of a JSON document, with those above it."""
    if isinstance(document, list):
        return set().union(*map(keys, document))
    if not isinstance(document, dict):
        return set()
    below = {f"{key}.{name}" for key, value in document.items() for name in keys(value)}
    return {*document, *below}


def columns(path: Path) -> set[str]:
    return set(path.read_text(encoding="utf-8").split("\n")[0].split(","))


def test_a_release_is_charged_to_an_earlier_ledger(ledger, bundles, tmp_path):
    def charge(dataset: Path, name: str, *more: str) -> int:
        days = ("--epsilon", "0.25", "--trips", "1000000", "--to", "2024-06-07")
        where = ("--out", str(tmp_path / name), "--ledger", str(ledger))
        return command(("release", "od", str(dataset), *days, *where, *more))

    earlier_body = json.loads(entries(ledger)[4][4])
    twin = ("--tuned-on", "twin", "--twin", str(EARLIER / "twin"))
    assert charge(EARLIER / "town", "out", *twin) == 0
    budget = read_budgets(ledger)["people"]
    assert budget[5:8] == [9.35, 1.1e-5, 0.15]
    number, *_, text, previous, own_hash = entries(ledger)[20]
    assert (number, previous) == (21, HEAD)
    body = json.loads(text)
    assert keys(body) == keys(earlier_body)
    assert (body["epsilon"], body["tables"]) == (1.25, earlier_body["tables"])
    assert "60 people (census)" in body["tuning_note"]
    statement = read_json(tmp_path / "out" / "statement.json")
    assert statement["ledger"] == {"entry": 21, "hash": own_hash}
    assert keys(read_json(bundles / "flows-published" / "statement.json")) <= keys(statement)
    earlier, new = (bundles / name / "flows.csv" for name in ("flows-published", "out"))
    assert columns(earlier) <= columns(new)
    # what is not left, and tables of the same people under another name, are refused
    assert charge(EARLIER / "town", "more", "--tuned-on", "public") == 2
    copy = shutil.copytree(EARLIER / "town", tmp_path / "copy")
    other = ("--datasets", "copy", "--epsilon", "9", "--by", "été", "--ledger", str(ledger))
    assert command(("release", "budget", "set", "others", *other)) == 0
    assert charge(copy, "more", "--tuned-on", "public") == 2
    rows = entries(ledger)[20:]
    assert [row[2] for row in rows] == ["release", "done", "budget"]
    for *row, own_hash in rows:
        line = json.dumps(row, ensure_ascii=False).encode("utf-8")
        assert hashlib.sha256(line).hexdigest() == own_hash
        assert row[4] == json.dumps(json.loads(row[4]), sort_keys=True, ensure_ascii=False)


@pytest.mark.parametrize("name", BUNDLES)
def test_the_notebook_of_then_and_of_today_read_a_bundle(name, bundles, monkeypatch, capsys):
    """Flows were *certain*; no column was recommended; totals of the map were measured ones."""
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.chdir(bundles / name)
    statement = read_json(Path("statement.json"))
    today = ROOT / "engine" / "release" / "templates"
    if name == "flows-estimate":  # its flows are few: none was certain
        flows = Path("flows.csv").read_text(encoding="utf-8")
        Path("flows.csv").write_text(flows.replace('"likely"', '"certain"'), encoding="utf-8")
    for folder, word in ((Path(), "certain"), (today, "detected")):
        names: dict[str, Any] = {}
        for cell in read_json(folder / "use_it.ipynb")["cells"]:
            if cell["cell_type"] == "code":
                exec("".join(cell["source"]), names)
        names["plt"].close("all")
        printed = capsys.readouterr().out
        assert f"ε = {statement['epsilon']} per {statement['unit']}" in printed
        if name == "flows-estimate":
            assert re.search(rf"^{word} +1$", printed, re.MULTILINE)
            noun = "kept" if word == "certain" else "counted"
            assert f"All flows together: 223 {noun} trips, 95% bar -27 to 473" in printed


# ---- links and pages ----


@pytest.fixture(scope="module")
def data_root(tmp_path_factory) -> Path:
    """Shipped datasets of a link's names, and one of one's own; a ledger and a bundle."""
    root = tmp_path_factory.mktemp("data")
    for name, source in (("demo-city", "twin"), ("paris", "twin"), ("local/town", "town")):
        shutil.copytree(EARLIER / source, root / name)
    shutil.copyfile(EARLIER / "ledger.sqlite", root / "ledger.sqlite")
    with zipfile.ZipFile(EARLIER / "report.zip") as packed:
        packed.extractall(root / "local" / "releases")
    shutil.copyfile(EARLIER / "report.zip", root / "local" / "releases" / "report.zip")
    return root


@pytest.fixture
def open_link(monkeypatch):
    monkeypatch.setattr("sys.argv", ["app.py", "--allow-release"])

    def run(link: str, page: str | None) -> AppTest:
        """Open a page by a link, or keep the settings that it opens."""
        app = AppTest.from_file(ROOT / "app.py") if page else AppTest.from_function(keep_settings)
        for key, texts in parse_qs(link).items():
            app.query_params[key] = texts
        if page:
            app.switch_page(PAGES.get(page, page))
        app.run(timeout=60)
        assert not app.exception, app.exception
        assert not app.toast
        assert not re.search(r"\b(nan|inf)\b", text(app), re.IGNORECASE)
        return app

    return run


@pytest.fixture
def other_defaults(monkeypatch) -> None:
    """Defaults of today that differ from those of version 1 in all that the settings hold."""
    changed = {
        **{"epsilon": 2.0, "delta": 1e-6, "max_visits": 14, "variant": "lpa"},
        **{"density_scaling": False, "density_smoothing": False, "density_gaussian": True},
        **{"unit": "trip", "max_trips": 10, "threshold": 5, "od_method": "empirical_bayes"},
        **{"od_time": "week", "report_unit": "item", "report_trips": 5, "report_off": ["flows"]},
        **{"report_preset": "package", "density_data": ("paris",), "od_data": ("paris",)},
        **{"density_zones": {"paris": "district"}, "od_zones": {"paris": "clusters-5"}},
    }
    for key, default in changed.items():
        assert fields.DEFAULTS["1"][key] != default
        monkeypatch.setitem(fields.DEFAULTS[fields.LINK_VERSION], key, default)


@pytest.mark.parametrize("link", ["", "v=3", "v=3&epsilon=0.5", "v=4&epsilon=0.5", "v=two&v="])
@pytest.mark.usefixtures("other_defaults")
def test_any_other_address_is_read_by_the_defaults_of_today(link, open_link, data_root):
    app = open_link(link, None)
    flows, visits = app.session_state["flows"], app.session_state["density"].parameters
    assert flows.dataset_id == str(current_version(data_root / "paris"))
    assert (flows.zone_level, flows.time.aggregation) == ("clusters-5", "week")
    assert (flows.parameters.unit, flows.parameters.method) == ("trip", "empirical_bayes")
    assert (visits.method, visits.max_visits_per_user) == ("lpa", 14)
    assert flows.parameters.epsilon == visits.epsilon == (0.5 if "epsilon" in link else 2.0)


def test_a_link_of_the_second_version_has_the_defaults_of_the_first():
    assert fields.DEFAULTS["2"] == fields.DEFAULTS["1"] != fields.DEFAULTS["3"]


@pytest.mark.parametrize("link", LINKS[1:], ids=lambda link: link["link"])
@pytest.mark.usefixtures("other_defaults")
def test_a_link_opens_what_it_was_shared_for_by_the_defaults_of_then(link, open_link, data_root):
    app = open_link(link["link"], None)
    for product in ("flows", "density", "report"):  # what a link leaves out is at its default
        plain = link.get(product, LINKS[0][product])
        dataset = str(current_version(data_root / plain["dataset"]))
        assert app.session_state[product] == make_setting(product, plain, dataset)
    app = open_link(link["link"], link["page"])
    for key, value in link["drawn"].items():
        renamed = {**METHODS, "Error": "difference"}
        drawn = renamed.get(value, value) if isinstance(value, str) else value
        assert app.session_state[KEYS.get(key, key)] == drawn, key


def test_the_page_of_releases_lists_an_earlier_ledger_and_bundle(open_link):
    app = open_link("", "pages/6_Release.py")
    assert HEAD in "".join(caption.value for caption in app.caption)
    rows = [set(row) for table in tables(app) for row in table.to_numpy().tolist()]
    assert any({"people", "town", "1.5"} <= row for row in rows)
    assert not any("riders" in row for row in rows)  # of a dataset that is not at hand
    assert app.selectbox(key="release_bundle").options == ["report"]
    assert len(app.get("download_button")) == 2


def test_the_page_of_data_says_what_became_of_every_row(open_link):
    said = "".join(bodies(open_link("", "pages/7_Data.py"))).partition('class="accounts"')[2]
    rows, visits = ["332", "1", "3", "97", "1", "434"], ["654", "4", "182", "19", "859"]
    assert re.findall(r"<td>([\d,]+)</td>", said)[:11] == rows + visits


# ---- noise: whoever holds two draws of one seed could subtract them ----


@pytest.mark.parametrize("draw", EXPECTED["noise"], ids=lambda draw: str(draw["number"]))
def test_noise_is_drawn_from_the_same_seeds(draw):
    setting = make_setting(draw["product"], draw["setting"], "any")
    whose = [draw[name] for name in ("seed", "redraw", "repeat", "day")]
    assert first_number(setting, *whose) == draw["number"]
