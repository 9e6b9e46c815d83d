"""The ledger: budgets, the last share, tampering, full disks, odd names and odd files."""

import json
import os
import random
import sqlite3
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import pytest

from engine.errors import ParameterError
from engine.release import BudgetLedger, ReleaseError, ledger as parts

ROOT = Path(__file__).parents[3]


@pytest.fixture
def ledger(tmp_path):
    empty = BudgetLedger(tmp_path / "ledger.sqlite")
    empty.declare("town", datasets=["a", "b"], unit="person", epsilon=1.0, delta=1e-6, by="me")
    return empty


def spend(ledger, epsilon, delta=0.0, dataset="a", unit="person"):
    return ledger.intend(dataset, unit=unit, epsilon=epsilon, delta=delta, what={"product": "od"})


def test_tenths_add_up_to_one(ledger):
    for _ in range(10):
        spend(ledger, 0.1)
    assert ledger.budget("town").left_epsilon == 0
    with pytest.raises(ReleaseError, match=r"exceeds ε by 0\.1; at most ε = 0 "):
        spend(ledger, 0.1)
    assert ledger.budget("town").releases == 10


def test_datasets_of_the_same_people_share_their_budget(ledger):
    spend(ledger, 0.6, dataset="a")
    with pytest.raises(ReleaseError, match=r"at most ε = 0\.4 and δ = 1e-06 are left"):
        spend(ledger, 0.5, dataset="b")
    with pytest.raises(ReleaseError, match="belongs to 'town'"):
        ledger.declare("others", datasets=["b"], unit="person", epsilon=9.0, by="me")
    with pytest.raises(ReleaseError, match="declared once"):
        ledger.declare("town", datasets=["c"], unit="person", epsilon=9.0, by="me")


def test_delta_has_its_own_limit(ledger):
    spend(ledger, 0.1, 1e-6)
    with pytest.raises(ReleaseError, match="exceeds δ by 1e-06"):
        spend(ledger, 0.1, 1e-6)
    assert not ledger.budget("town").holds(0.1, 1e-6)
    assert ledger.budget("town").holds(0.1, 0.0)


@pytest.mark.parametrize("unit", ["trip", "person-day"])
def test_a_cost_in_another_unit_is_refused(ledger, unit):
    with pytest.raises(ReleaseError, match="in the budget's unit, person"):
        spend(ledger, 0.1, unit=unit)
    assert ledger.budget("town").spent_epsilon == 0


def test_without_a_budget_nothing_is_released(ledger):
    with pytest.raises(ReleaseError, match="a budget must be declared"):
        spend(ledger, 0.1, dataset="elsewhere")


def test_only_those_named_may_raise_a_budget_and_nobody_lowers_it(ledger):
    with pytest.raises(ReleaseError, match="must come from me, got 'you'"):
        ledger.raise_to("town", epsilon=2.0, delta=1e-6, by="you", reason="more")
    for epsilon, delta in ((0.5, 1e-6), (2.0, 0.0)):
        with pytest.raises(ReleaseError, match="only be raised"):
            ledger.raise_to("town", epsilon=epsilon, delta=delta, by="me", reason="less")
    with pytest.raises(ParameterError, match="reason"):
        ledger.raise_to("town", epsilon=2.0, delta=1e-6, by="me", reason=" ")
    ledger.raise_to("town", epsilon=2.0, delta=1e-6, by="me", reason="second study")
    assert ledger.budget("town").epsilon == 2.0
    assert [entry.kind for entry in ledger.entries()] == ["budget", "raise"]


def test_one_more_dataset_of_the_same_people_shares_their_budget(ledger):
    spend(ledger, 0.6)
    with pytest.raises(ReleaseError, match="must come from me"):
        ledger.join("town", dataset="c", by="you")
    with pytest.raises(ReleaseError, match="belongs to 'town'"):
        ledger.join("town", dataset="b", by="me")
    ledger.join("town", dataset="c", by="me")
    with pytest.raises(ReleaseError, match=r"at most ε = 0\.4 "):
        spend(ledger, 0.5, dataset="c")
    spend(ledger, 0.4, dataset="c")
    assert ledger.budget("town").left_epsilon == 0
    assert ledger.verify() == 4


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(-0.5, 0.0), (0.0, 0.0), (float("nan"), 0.0), (0.1, -1e-7), (0.1, 1.0)]
)
def test_nothing_is_given_back_by_an_odd_cost(ledger, epsilon, delta):
    with pytest.raises(ParameterError):
        spend(ledger, epsilon, delta)
    assert ledger.budget("town").releases == 0


@pytest.mark.parametrize("epsilon", [0, -1, float("nan"), float("inf"), "1"])
def test_odd_budgets_are_refused(tmp_path, epsilon):
    empty = BudgetLedger(tmp_path / "l.sqlite")
    with pytest.raises(ParameterError):
        empty.declare("p", datasets=["d"], unit="person", epsilon=epsilon, by="me")
    assert empty.entries() == []


def test_the_file_is_the_owners_only(ledger):
    assert stat.S_IMODE(ledger.path.stat().st_mode) == 0o600


def test_checking_while_another_process_writes_is_no_alarm(ledger, monkeypatch):
    spend(ledger, 0.1)
    other = ThreadPoolExecutor(1)
    asked, waiting = [], []

    class Slow(sqlite3.Connection):
        def execute(self, sql, *rest):
            if "from head" in sql and not asked:  # rows are read: another is charged meanwhile
                asked.append(sql)
                waiting.append(other.submit(spend, BudgetLedger(ledger.path), 0.1))
                wait(waiting, timeout=0.5)
            return super().execute(sql, *rest)

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: connect(*a, **{"factory": Slow} | k))
    assert ledger.verify() == 2
    monkeypatch.undo()
    assert waiting[0].result().id == 3
    other.shutdown()
    assert ledger.verify() == 3


def test_clocks_that_disagree_do_no_harm(ledger, monkeypatch):
    from engine.release import ledger as module

    class Past(module.datetime):
        @classmethod
        def now(cls, tz=None):
            return cls(1999, 1, 1, tzinfo=tz)

    spend(ledger, 0.1)
    monkeypatch.setattr(module, "datetime", Past)
    late = spend(ledger, 0.1)
    assert late.time.startswith("1999")
    assert [entry.id for entry in ledger.entries()] == [1, 2, 3]
    assert ledger.verify() == 3


def test_of_fifty_processes_one_gets_the_last_share(ledger):
    spend(ledger, 0.9)
    script = (
        "import sys; from pathlib import Path; from engine.release import ledger\n"
        "try:\n"
        "  kept = ledger.BudgetLedger(Path(sys.argv[1]))\n"
        "  kept.intend('a', unit='person', epsilon=0.1, delta=0.0, what={})\n"
        "except ledger.ReleaseError as error: sys.exit(3 if error.code == 'exceeded' else 4)\n"
    )

    def ask(_number):
        command = [sys.executable, "-c", _light(script), str(ledger.path)]
        return subprocess.run(command, cwd=ROOT, check=False).returncode

    with ThreadPoolExecutor(50) as pool:
        codes = list(pool.map(ask, range(50)))
    assert sorted(codes) == [0] + [3] * 49
    assert ledger.budget("town").left_epsilon == 0
    assert ledger.verify() == 3


def _light(script):
    """Import the ledger's own files without tables and OpenDP, so that fifty starts are quick."""
    stub = (
        "import sys, types; package = types.ModuleType('engine.release');"
        f"package.__path__ = [{str(ROOT / 'engine' / 'release')!r}];"
        "sys.modules['engine.release'] = package\n"
        "data = types.ModuleType('engine.datasets'); sys.modules['engine.datasets'] = data\n"
        "data.data_root = None\n"
    )
    return stub + script


def test_a_folder_that_cannot_be_written_charges_nothing(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    blocked_ledger = BudgetLedger(blocked / "ledger.sqlite")
    with pytest.raises(ReleaseError, match="nothing was charged"):
        blocked_ledger.declare("p", datasets=["d"], unit="person", epsilon=1.0, by="me")
    if os.geteuid() != 0:
        closed = tmp_path / "closed"
        closed.mkdir(mode=0o500)
        with pytest.raises(ReleaseError, match="nothing was charged"):
            BudgetLedger(closed / "l.sqlite").declare(
                "p", datasets=["d"], unit="person", epsilon=1.0, by="me"
            )


BUDGET = {"unit": "person", "datasets": ["a"], "epsilon": 1.0, "delta": 0.0, "raised_by": ["me"]}


COST = {"epsilon": 1e-6, "delta": 0.0}
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
        "update entries set time = '1999-01-01' where id = 1",
        "update entries set id = 9 where id = 3",
        "insert into entries select id + 3, time, kind, people, body, previous, hash from entries",
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
def test_a_damaged_entry_is_refused_in_one_line(kept, kind, text):
    forge(kept.path, 3, kind, text)
    with pytest.raises(ReleaseError, match="entry 3 of the ledger cannot be read"):
        kept.budgets()


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
def test_what_is_no_ledger_is_refused(tmp_path, kind):
    path = written(tmp_path, kind)
    one = BudgetLedger(Path(path))
    for act in (one.entries, one.verify, lambda: WRITES["declare"](one)):
        with pytest.raises(ReleaseError) as refused:
            act()
        assert "nothing" in str(refused.value)
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
        with pytest.raises(ParameterError, match="must "):
            act()
    assert kept.verify() == 3


def test_persian_words_keep_their_joiners(tmp_path):
    name = "می\N{ZERO WIDTH NON-JOINER}خواهم"
    ledger = BudgetLedger(tmp_path / "ledger.sqlite")
    ledger.declare(name, datasets=["a"], unit="person", epsilon=1.0, by="me")
    assert ledger.budget(name).left_epsilon == 1


def test_a_ledger_is_made_whole_by_one_of_many(tmp_path):
    """Nobody sees it half made: a file without its tables is taken for a cut one."""
    path = tmp_path / "ledger.sqlite"
    script = (
        "import sys; from pathlib import Path; from engine.release import ledger\n"
        "try: ledger.BudgetLedger(Path(sys.argv[1])).declare("
        "'p', datasets=['d'], unit='person', epsilon=1.0, by='me')\n"
        "except ledger.ReleaseError as error: sys.exit(3 if error.code == 'declared' else 4)\n"
    )
    command = [sys.executable, "-c", _light(script), str(path)]
    several = [subprocess.Popen(command, cwd=ROOT) for _ in range(8)]
    assert sorted(one.wait() for one in several) == [0] + [3] * 7
    assert BudgetLedger(path).verify() == 1


def test_an_older_copy_is_whole_but_lacks_the_hash_of_a_statement(kept):
    older = kept.path.read_bytes()
    entry = kept.intend("a", unit="person", epsilon=0.5, delta=0.0, what=WHAT)
    assert kept.verify(f" {entry.hash.upper()} ") == 4
    kept.path.write_bytes(older)
    assert kept.verify() == 3
    with pytest.raises(ReleaseError, match="an older copy that lacks what was spent since"):
        kept.verify(entry.hash)


def test_a_full_disk_is_said_to_be_full_and_nothing_is_damaged(kept, monkeypatch):
    connect = sqlite3.connect

    def small(*given, **named):
        connection = connect(*given, **named)
        connection.execute("pragma max_page_count = 1")  # SQLite says that its disk is full
        return connection

    before = kept.path.read_bytes()
    monkeypatch.setattr(sqlite3, "connect", small)
    with pytest.raises(ReleaseError, match="the disk is full; make space; nothing was charged"):
        kept.intend("a", unit="person", epsilon=0.1, delta=0.0, what={"note": "n" * 10_000})
    monkeypatch.undo()
    assert kept.path.read_bytes() == before
    assert kept.verify() == 3


def test_a_ledger_that_may_not_be_written_is_shown_and_verified(kept):
    """Of root nothing is kept back, so another user asks."""
    folder = kept.path.parent
    script = (
        "import os, sys; from pathlib import Path; from engine.release import ledger\n"
        "folder = Path(sys.argv[1]); os.chmod(folder, 0o555)\n"
        "os.chmod(folder / 'kept.sqlite', 0o444)\n"
        "if os.geteuid() == 0:\n"
        "  for above in folder.parents[:4]: os.chmod(above, 0o755)\n"
        "  os.setuid(65534)\n"
        "one = ledger.BudgetLedger(folder / 'kept.sqlite'); assert one.verify() == 3\n"
        "try: one.intend('a', unit='person', epsilon=0.1, delta=0.0, what={})\n"
        "except ledger.ReleaseError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", _light(script), str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "may not be written; make both writable; nothing was charged" in done.stdout, done.stderr


def test_a_table_that_another_budget_has_paid_for_is_refused(kept):
    kept.declare("others", datasets=["b"], unit="person", epsilon=9.0, by="me")
    paid = {**WHAT, "tables": ["5f", "6e"]}
    kept.intend("a", unit="person", epsilon=0.1, delta=0.0, what=paid)
    kept.intend("a", unit="person", epsilon=0.1, delta=0.0, what=paid)
    with pytest.raises(ReleaseError, match=r"charged to their budget.*join it to the budget"):
        kept.intend("b", unit="person", epsilon=0.1, delta=0.0, what={"tables": ["6e", "70"]})
    kept.intend("b", unit="person", epsilon=0.1, delta=0.0, what={"tables": ["70"]})


def test_a_ledger_is_checked_once_and_again_when_its_file_changes(kept, monkeypatch):
    read = parts._read
    asked = []
    monkeypatch.setattr(parts, "_read", lambda file: asked.append(1) or read(file))
    for _ in range(3):
        assert len(kept.entries()) == 3
    assert len(asked) <= 1
    with sqlite3.connect(kept.path) as connection:
        connection.execute("update entries set body = replace(body, '0.5', '0.1') where id = 3")
    with pytest.raises(ReleaseError, match="does not fit the chain"):
        kept.entries()


def test_a_thousand_entries_take_a_moment(kept):
    with sqlite3.connect(kept.path) as connection:
        rows = connection.execute("select * from entries order by id").fetchall()
        for number in range(4, 1001):
            row = (number, "", "release", "town", json.dumps({"dataset": "a", **COST}), rows[-1][6])
            rows.append((*row, parts.row_hash(row)))
        connection.executemany("insert into entries values (?, ?, ?, ?, ?, ?, ?)", rows[3:])
        connection.execute("update head set id = 1000, hash = ?", (rows[-1][6],))
    start = time.process_time()
    assert kept.budget("town").releases == 998
    assert kept.covering("a").spent_epsilon == pytest.approx(0.5 + 997e-6)
    assert time.process_time() - start < 0.3


@pytest.mark.parametrize("seed", range(4))
def test_a_flipped_bit_is_found_or_changes_nothing(kept, seed):
    chance, whole, told = random.Random(seed), kept.path.read_bytes(), kept.entries()
    for _ in range(100):
        place = chance.randrange(len(whole))
        damaged = bytearray(whole)
        damaged[place] ^= 1 << chance.randrange(8)
        kept.path.write_bytes(bytes(damaged))
        try:
            assert kept.entries() == told
        except ReleaseError:
            continue
