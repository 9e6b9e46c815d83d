"""Ledgers, names and tables that nobody should write: one line that refuses, and no cost."""

import json
import os
import sqlite3
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine import datasets
from engine.datasets import storage
from engine.errors import ExplorerError, ParameterError
from engine.release import BudgetLedger, Product, ReleaseError, bundle, ledger as parts, release
from engine.release.command import main
from engine.report import ReportParameters
from tests.support.releases import ROOT, flows, visits, zoom

BUDGET = {"unit": "person", "datasets": ["a"], "epsilon": 1.0, "delta": 0.0, "raised_by": ["me"]}


WHAT = {"product": "od", "unit": "person", "loss": {"unit": "person", "epsilon": 0.5}}


@pytest.fixture
def kept(tmp_path):
    """A ledger of a budget, a raise and a release."""
    ledger = BudgetLedger(tmp_path / "kept.sqlite")
    ledger.declare("town", datasets=["a"], unit="person", epsilon=1.0, by="me")
    ledger.raise_to("town", epsilon=2.0, delta=0.0, by="me", reason="more")
    ledger.intend("a", unit="person", epsilon=0.5, delta=0.0, what=WHAT)
    return ledger


def forge(path, number, kind, text):
    """Replace an entry and everything that proves it: only its contents can tell."""
    with sqlite3.connect(path) as connection:
        connection.execute("update entries set kind=?, body=? where id=?", (kind, text, number))
        previous = parts.FIRST_HASH
        rows = connection.execute("select * from entries order by id").fetchall()
        for row in rows:
            digest = parts.row_hash((*row[:5], previous))
            connection.execute(
                "update entries set previous=?, hash=? where id=?", (previous, digest, row[0])
            )
            previous = digest
        connection.execute("update head set id=?, hash=?", (len(rows), previous))


def refuses_in_one_line(capsys, *command):
    assert main(list(command)) == 2
    said = capsys.readouterr().err
    assert said.startswith("refused: ")
    assert said.count("\n") == 1
    assert "\x1b" not in said


WRITES = {
    "declare": lambda one: one.declare("b", datasets=["b"], unit="person", epsilon=1.0, by="me"),
    "join": lambda one: one.join("town", dataset="c", by="me"),
    "raise": lambda one: one.raise_to("town", epsilon=9.0, delta=0.0, by="me", reason="x"),
    "intend": lambda one: one.intend("a", unit="person", epsilon=0.1, delta=0.0, what={}),
    "finish": lambda one: one.finish(
        parts.Entry(id=3, time="", kind="release", people="town", body={}, hash=""), "0"
    ),
}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize(
    "cut",
    [
        "delete from entries where id = 3",
        "delete from entries where id = 2",
        "delete from entries",
        "delete from head",
        "delete from entries; delete from head",
        "delete from entries where id = 3; delete from head",
        "drop table head",
        "drop table entries; drop table head",
        "update entries set body = replace(body, '0.5', '0.1') where id = 3",
        "update head set id = 2",
    ],
)
def test_a_cut_or_changed_ledger_is_not_written_to(kept, write, cut):
    with sqlite3.connect(kept.path) as connection:
        connection.executescript(cut)
    before = kept.path.read_bytes()
    for act in (WRITES[write], BudgetLedger.verify):
        with pytest.raises(ReleaseError) as refused:
            act(kept)
        assert refused.value.code in ("broken", "ledger")
    assert kept.path.read_bytes() == before


def test_an_older_copy_is_whole_but_lacks_the_hash_of_a_statement(kept, capsys):
    older = kept.path.read_bytes()
    entry = kept.intend("a", unit="person", epsilon=0.5, delta=0.0, what=WHAT)
    option = ["--ledger", str(kept.path)]
    assert main(["budget", "show", *option]) == 0
    assert f"head of the ledger, entry 4: {entry.hash}" in capsys.readouterr().out
    assert kept.verify(f" {entry.hash.upper()} ") == 4
    assert main(["verify", "--head", entry.hash, *option]) == 0
    kept.path.write_bytes(older)
    assert kept.verify() == 3
    capsys.readouterr()
    assert main(["verify", "--head", entry.hash, *option]) == 2
    assert "an older copy that lacks what was spent" in capsys.readouterr().err


def test_a_statement_names_the_entry_that_paid(ledger, demo, tmp_path):
    out = release(demo, flows(days=(0,)), tmp_path / "out", ledger=ledger, tuning="public")
    anchor = json.loads((out / "statement.json").read_text(encoding="utf-8"))["ledger"]
    assert anchor == {"entry": 2, "hash": ledger.entries()[1].hash}
    assert anchor["hash"] in (out / "statement.html").read_text(encoding="utf-8")
    assert ledger.verify(anchor["hash"]) == 3
    everything = [*out.rglob("*"), out.parent / "out.zip"]
    assert not [path for path in everything if path.stat().st_mode & 0o077 and path.is_file()]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("release", '{"dataset": "a", "epsilon": NaN, "delta": 0.0}'),
        ("release", '{"dataset": "a", "epsilon": 1e999, "delta": 0.0}'),
        ("release", '{"dataset": "a", "epsilon": -0.5, "delta": 0.0}'),
        ("release", '{"dataset": "a", "epsilon": true, "delta": 0.0}'),
        ("release", '{"dataset": ["a"], "epsilon": 0.5, "delta": 0.0}'),
        ("release", f'{{"dataset": "a", "epsilon": 1{"0" * 5000}, "delta": 0.0}}'),
        ("release", '{"dataset": "a", "epsilon": 0.5'),
        ("release", "[]"),
        ("release", "null"),
        ("release", "[" * 100_000),
        ("raise", "{}"),
        ("join", '{"dataset": null}'),
        ("done", '{"release": "3"}'),
        ("budget", json.dumps(BUDGET | {"unit": "town"})),
        ("budget", json.dumps(BUDGET | {"datasets": "a"})),
        ("budget", json.dumps(BUDGET | {"raised_by": [None]})),
    ],
)
def test_a_damaged_entry_is_refused_in_one_line(kept, kind, text, capsys):
    forge(kept.path, 3, kind, text)
    with pytest.raises(ReleaseError, match="entry 3 of the ledger cannot be read"):
        kept.budgets()
    for command in (["verify"], ["budget", "show"]):
        refuses_in_one_line(capsys, *command, "--ledger", str(kept.path))


def test_a_forged_entry_of_the_right_form_is_read(kept):
    """The forging above is a whole chain: it is the contents that are refused."""
    forge(kept.path, 3, "release", '{"dataset": "a", "epsilon": 0.25, "delta": 0.0}')
    assert kept.budget("town").left_epsilon == 1.75


def written(folder, kind):
    path = folder / "ledger.sqlite"
    if kind == "folder":
        path.mkdir()
    elif kind == "empty":
        path.touch()
    elif kind == "no database":
        path.write_bytes(b"not a database at all" * 100)
    elif kind == "another database":
        with sqlite3.connect(path) as connection:
            connection.execute("create table entries (words text)")
    elif kind == "not UTF-8":
        BudgetLedger(path).declare("town", datasets=["a"], unit="person", epsilon=1.0, by="me")
        with sqlite3.connect(path) as connection:
            connection.execute("update entries set body = cast(x'ff' as text)")
    return str(
        {
            "long": folder / ("n" * 300),
            "NUL": folder / "a\0b",
            "surrogate": folder / "a\ud800b",
            "no folder": folder / "file" / "ledger",
        }.get(kind, path)
    )


@pytest.mark.parametrize(
    "kind",
    [
        *("folder", "empty", "no database", "another database", "not UTF-8"),
        *("long", "NUL", "surrogate"),
    ],
)
def test_what_is_no_ledger_is_refused_in_one_line(tmp_path, kind, capsys):
    path = written(tmp_path, kind)
    one = ["budget", "set", "p", "--datasets", "demo-city", "--epsilon", "1", "--by", "me"]
    for command in (one, ["budget", "show"], ["verify"]):
        refuses_in_one_line(capsys, *command, "--ledger", path)
    assert not [left for left in tmp_path.iterdir() if left.name.startswith(".ledger-")]


ODD = ["a\x1b[2Jb", "a\nb", "a\0b", "a\ud800b", "a\N{RIGHT-TO-LEFT OVERRIDE}b", " ", "n" * 300]


@pytest.mark.parametrize("odd", ODD)
def test_names_that_cannot_be_shown_are_refused(kept, odd):
    for act in (
        lambda: kept.declare(odd, datasets=["b"], unit="person", epsilon=1.0, by="me"),
        lambda: kept.declare("b", datasets=[odd], unit="person", epsilon=1.0, by="me"),
        lambda: kept.declare("b", datasets=["b"], unit="person", epsilon=1.0, by=odd),
        lambda: kept.declare(
            "b", datasets=["b"], unit="person", epsilon=1.0, by="me", raised_by=[odd]
        ),
        lambda: kept.join("town", dataset=odd, by="me"),
        lambda: kept.raise_to("town", epsilon=9.0, delta=0.0, by="me", reason=odd),
        lambda: kept.intend(odd, unit="person", epsilon=0.1, delta=0.0, what={}),
    ):
        with pytest.raises(ParameterError, match="must be"):
            act()
    assert kept.verify() == 3


def test_persian_words_keep_their_joiners(tmp_path):
    name = "می\N{ZERO WIDTH NON-JOINER}خواهم"
    ledger = BudgetLedger(tmp_path / "ledger.sqlite")
    ledger.declare(name, datasets=["a"], unit="person", epsilon=1.0, by="me")
    assert ledger.budget(name).left_epsilon == 1


@pytest.mark.parametrize("odd", [*ODD, "n" * 253, "é" * 126])
def test_folders_and_notes_that_cannot_be_written_cost_nothing(ledger, demo, tmp_path, odd):
    odd = "n" * 3000 if odd == " " else odd
    with pytest.raises(ExplorerError, match="nothing was spent"):
        release(demo, flows(days=(0,)), tmp_path / odd, ledger=ledger, tuning="public")
    if not odd.isprintable():
        chosen = {"tuning": "public", "tuning_note": odd}
        with pytest.raises(ParameterError, match="tuning_note must be text on one line"):
            release(demo, flows(days=(0,)), tmp_path / "out", ledger=ledger, **chosen)
    assert [path.name for path in tmp_path.iterdir()] == ["ledger.sqlite"]
    assert ledger.budget("people").releases == 0


def test_a_terminal_gets_no_command_from_a_name(tmp_path, capsys):
    option = ["--ledger", str(tmp_path / "ledger.sqlite")]
    ask = ["od", "no\x1b[2Jwhere\n", "--epsilon", "1", "--tuned-on", "public", "--out", "x"]
    refuses_in_one_line(capsys, *ask, *option)


@pytest.mark.parametrize("part", ["statement_html", "registry_entry", "notebook", "statement"])
def test_a_statement_that_cannot_be_made_costs_nothing(ledger, demo, tmp_path, monkeypatch, part):
    def lacking(*_args, **_rest):
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(bundle, part, lacking)
    with pytest.raises(ReleaseError, match=r"cannot be made.*nothing was spent"):
        release(demo, flows(days=(0,)), tmp_path / "out", ledger=ledger, tuning="public")
    assert [entry.kind for entry in ledger.entries()] == ["budget"]
    assert [path.name for path in tmp_path.iterdir()] == ["ledger.sqlite"]


def test_a_statement_against_its_schema_costs_nothing(ledger, demo, tmp_path, monkeypatch):
    monkeypatch.setitem(bundle.SCHEMA["properties"], "title", {"type": "number"})
    with pytest.raises(ReleaseError, match=r"\(ValidationError\).*nothing was spent"):
        release(demo, flows(days=(0,)), tmp_path / "out", ledger=ledger, tuning="public")
    assert ledger.budget("people").releases == 0


def changed(column, index, value):
    """Return a change of one value of a table."""

    def change(table):
        values = table[column].to_pylist()
        values[index] = value
        position = table.column_names.index(column)
        return table.set_column(position, column, pa.array(values, table[column].type))

    return change


FLOWS, PEOPLE = flows(), flows(unit="person")
REPORT = Product(ReportParameters(epsilon=1.0))
ZOOM, DENSITY = zoom(epsilon=1.0, delta=1e-7), visits(epsilon=1.0)


@pytest.mark.parametrize(
    ("product", "table", "change"),
    [
        (FLOWS, "trips", changed("n", 5, None)),
        (FLOWS, "trips", changed("origin", 5, "nowhere")),
        (FLOWS, "trips", lambda table: table.drop_columns(["rank"])),
        (DENSITY, "presampled", changed("location_id", 5, "nowhere")),
        (ZOOM, "zoom_towers", changed("hour", 5, 200)),
        (ZOOM, "zoom_towers", changed("n", 5, -1)),
        (ZOOM, "zoom_weeks", changed("n", 5, -1)),
        (ZOOM, "zoom_total", changed("cap", 0, 1)),
        (ZOOM, "zoom_districts", lambda table: table.slice(0, 168)),
        (ZOOM, "zoom_city", lambda table: table.slice(0, 168)),
        (REPORT, "report", changed("n", 5, -10_000_000)),
        (REPORT, "report", changed("bin", 5, 10**6)),
        (REPORT, "report", lambda table: table.drop_columns(["bin"])),
    ],
)
def test_tables_that_fit_their_checksums_and_nothing_else_cost_nothing(
    ledger, demo, tmp_path, product, table, change
):
    ledger.raise_to("people", epsilon=100.0, delta=1e-6, by="me", reason="for zoom")
    before = ledger.entries()
    folder, version = tmp_path / "demo-city", storage.current_version(demo.folder.parent)
    copy = folder / version.name
    copy.mkdir(parents=True)
    for path in version.iterdir():
        os.link(path, copy / path.name)
    (folder / "current").write_text(version.name)
    target = copy / f"{table}.parquet"
    forged = change(pq.read_table(target))
    target.unlink()
    pq.write_table(forged, target)
    document = storage.read_metadata(version) | {"checksums": storage.checksums(copy)}
    (copy / "dataset.json").unlink()
    (copy / "dataset.json").write_text(json.dumps(document))
    with pytest.raises(ExplorerError):
        release(datasets.load(folder), product, tmp_path / "out", ledger=ledger, tuning="public")
    assert ledger.entries() == before
    assert not (tmp_path / "out").exists()


def test_a_ledger_is_made_whole_by_one_of_many(tmp_path):
    """Nobody sees it half made: a file without its tables is taken for a cut one."""
    path = tmp_path / "ledger.sqlite"
    script = (
        "import sys; from pathlib import Path; from engine.release import ledger\n"
        "try: ledger.BudgetLedger(Path(sys.argv[1])).declare("
        "'p', datasets=['d'], unit='person', epsilon=1.0, by='me')\n"
        "except ledger.ReleaseError as error: sys.exit(3 if error.code == 'declared' else 4)\n"
    )
    command = [sys.executable, "-c", script, str(path)]
    several = [subprocess.Popen(command, cwd=ROOT) for _ in range(8)]
    assert sorted(one.wait() for one in several) == [0] + [3] * 7
    assert BudgetLedger(path).verify() == 1
