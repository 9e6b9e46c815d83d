"""One group of people under two names: a byte copy is not charged to somebody else."""

import json
import shutil
from types import SimpleNamespace

import pytest

from engine import datasets
from engine.datasets import storage
from engine.release import BudgetLedger, ReleaseError, copies, release
from engine.release.command import main
from tests.support.releases import flows


@pytest.fixture
def root(demo, tmp_path, monkeypatch):
    """A folder of datasets: demo-city, and a byte copy of it under another name."""
    for name in ("demo-city", "copy"):
        shutil.copytree(demo.folder.parent, tmp_path / "data" / name)
    monkeypatch.setenv("MOBILITY_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def rewritten(folder, tables=(), **changes):
    """Give a dataset another salt's id, and other bytes in some of its tables."""
    version = storage.current_version(folder)
    document = json.loads((version / "dataset.json").read_text(encoding="utf-8"))
    document |= changes
    document["checksums"] |= dict.fromkeys(tables, "0" * 64)
    (version / "dataset.json").write_text(json.dumps(document), encoding="utf-8")


def declared(folder, **budgets):
    ledger = BudgetLedger(folder / "ledger.sqlite")
    for people, name in budgets.items():
        ledger.declare(people, datasets=[name], unit="person", epsilon=9.0, by="me")
    return ledger


def test_a_byte_copy_cannot_be_declared_as_other_people(root, tmp_path):
    ledger = declared(tmp_path, town="demo-city")
    with pytest.raises(ReleaseError, match=r"'copy' for 'others', with the same tables as 'demo-c"):
        ledger.declare("others", datasets=["copy"], unit="person", epsilon=9.0, by="me")
    ledger.declare("far", datasets=["elsewhere"], unit="person", epsilon=9.0, by="me")
    with pytest.raises(ReleaseError, match="join it to the budget of 'town'"):
        ledger.join("far", dataset=" copy ", by="me")
    ledger.join("town", dataset="copy", by="me")
    assert ledger.budget("town").datasets == ("demo-city", "copy")


def test_one_table_in_common_is_the_same_people(root, tmp_path):
    """A copy that was changed in part, or that lacks a table, is a copy."""
    rewritten(root / "copy", copies._TABLES[1:], salt_id="ffffffffffff")
    ledger = declared(tmp_path, town="demo-city")
    with pytest.raises(ReleaseError, match="with the same tables as 'demo-city'"):
        ledger.declare("others", datasets=["copy"], unit="person", epsilon=9.0, by="me")
    kept = {"trips.parquet": "1", "report.parquet": "2"}
    entry = SimpleNamespace(
        people="town", body={"made_of": {"a": {"salt_id": "x", "tables": kept}}}
    )
    for name in kept:
        part = {"salt_id": "y", "tables": {name: kept[name], "truth.parquet": "3"}}
        with pytest.raises(ReleaseError, match="the same tables as 'a' of 'town'"):
            copies.refuse_copies([entry], "others", {"b": part})
    copies.refuse_copies(
        [entry], "others", {"b": {"salt_id": "y", "tables": {"trips.parquet": "4"}}}
    )


def test_the_salt_tells_the_same_people_where_all_tables_differ(root, tmp_path):
    rewritten(root / "demo-city", salt_id="a1b2c3d4e5f6")
    rewritten(root / "copy", copies._TABLES, salt_id="a1b2c3d4e5f6")
    ledger = declared(tmp_path, town="demo-city")
    with pytest.raises(ReleaseError, match="the same salt as 'demo-city'"):
        ledger.declare("others", datasets=["copy"], unit="person", epsilon=9.0, by="me")
    rewritten(root / "copy", salt_id="ffffffffffff")
    ledger.declare("others", datasets=["copy"], unit="person", epsilon=9.0, by="me")


def test_simulations_share_a_salt_and_no_people(root, tmp_path):
    rewritten(root / "copy", copies._TABLES)
    ledger = declared(tmp_path, town="demo-city", others="copy")
    assert len(ledger.budgets()) == 2


def test_a_copy_that_could_not_be_opened_by_name_is_found_at_its_release(demo, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(demo.folder.parent, copy)
    ledger = declared(tmp_path, town="demo-city", others="copy")
    with pytest.raises(ReleaseError, match="must be charged to their budget") as refused:
        release(datasets.load(copy), flows(), tmp_path / "out", ledger=ledger, tuning="public")
    assert refused.value.code == "copy"
    assert [entry.kind for entry in ledger.entries()] == ["budget", "budget"]


def test_entries_keep_what_the_dataset_was_made_of_and_older_ones_are_read(demo, tmp_path):
    ledger = BudgetLedger(tmp_path / "ledger.sqlite")
    ledger.declare("old", datasets=["kept"], unit="person", epsilon=9.0, by="me")
    ledger.intend("kept", unit="person", epsilon=1.0, delta=0.0, what={"product": "od"})
    assert "made_of" not in ledger.entries()[1].body
    shutil.copytree(demo.folder.parent, tmp_path / "kept")
    kept = datasets.load(tmp_path / "kept")
    release(kept, flows(days=(0,)), tmp_path / "out", ledger=ledger, tuning="public")
    (made_of,) = ledger.entries()[2].body["made_of"].values()
    sums = storage.read_metadata(kept.folder)["checksums"]
    assert made_of["salt_id"] == "simulated"
    assert made_of["tables"]["trips.parquet"] == sums["trips.parquet"]
    assert not made_of["tables"].keys() & {"zones.parquet", "towers.parquet"}


def test_names_are_the_same_with_spaces_around_them(tmp_path):
    ledger = BudgetLedger(tmp_path / "ledger.sqlite")
    ledger.declare(" town ", datasets=[" a\t"], unit="person", epsilon=1.0, by=" me ")
    with pytest.raises(ReleaseError, match="declared once"):
        ledger.declare("town", datasets=["b"], unit="person", epsilon=9.0, by="me")
    with pytest.raises(ReleaseError, match="belongs to 'town'"):
        ledger.declare("others", datasets=["a "], unit="person", epsilon=9.0, by="me")
    ledger.raise_to("town ", epsilon=2.0, delta=0.0, by="me ", reason="more")
    ledger.intend(" a", unit="person", epsilon=2.0, delta=0.0, what={})
    assert ledger.budget(" town").left_epsilon == 0


def test_two_budgets_that_an_older_ledger_told_apart_by_a_space_are_one(tmp_path):
    """Charged together, at the total that was declared first."""
    from engine.release.ledger import _append

    ledger = BudgetLedger(tmp_path / "ledger.sqlite")
    body = {"unit": "person", "epsilon": 1.0, "delta": 0.0, "raised_by": ["me"]}
    with ledger._writing() as (connection, _):
        for people, name in (("town", "a"), ("town ", "b")):
            _append(connection, "budget", people, {**body, "datasets": [name]})
            cost = {"dataset": name, "epsilon": 0.5, "delta": 0.0}
            _append(connection, "release", people, cost)
    assert ledger.budget("town").left_epsilon == 0
    assert ledger.budget("town").datasets == ("a", "b")


def test_a_ledger_that_does_not_know_a_dataset_says_so(tmp_path, capsys):
    option = ["--ledger", str(tmp_path / "ledger.sqlite")]
    ask = ["od", "demo-city", "--epsilon", "1", "--tuned-on", "public", "--out", "x", *option]
    assert main(ask) == 2
    assert "does not know the dataset 'demo-city'" in capsys.readouterr().err
    one = ["budget", "set", "p", "--datasets", "demo-cty", "--epsilon", "1", "--by", "me"]
    assert main([*one, *option]) == 0
    assert "note: no dataset 'demo-cty' is installed here" in capsys.readouterr().out
    assert main(ask) == 2
    assert "got a ledger of demo-cty" in capsys.readouterr().err
