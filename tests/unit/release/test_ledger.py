"""The ledger: budgets, the last share, tampering, full disks, odd names and odd files."""

import os
import random
import sqlite3
import stat
import sys
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from engine.errors import ParameterError
from engine.release import BudgetLedger, ReleaseError, budget_ledger as parts
from engine.release.command import main
from tests.support.ingests import built
from tests.support.processes import run_apart

WHAT = {"product": "od", "unit": "person", "loss": {"unit": "person", "epsilon": 0.5}}


@pytest.fixture
def ledger(tmp_path):
    empty = BudgetLedger(tmp_path / "ledger.sqlite")
    empty.declare("town", datasets=["a", "b"], unit="person", epsilon=1.0, delta=1e-6, manager="me")
    return empty


@pytest.fixture
def kept(tmp_path):
    """A ledger of a budget, a raise and a release."""
    ledger = BudgetLedger(tmp_path / "kept.sqlite")
    ledger.declare("town", datasets=["a"], unit="person", epsilon=1.0, manager="me")
    ledger.raise_to("town", epsilon=2.0, delta=0.0, manager="me", reason="more")
    spend(ledger, 0.5, record=WHAT)
    return ledger


def spend(ledger, epsilon, delta=0.0, dataset="a", unit="person", record=WHAT):
    return ledger.charge(dataset, unit=unit, epsilon=epsilon, delta=delta, record=record)


WRITES = {
    "declare": lambda one: one.declare(
        "c", datasets=["c"], unit="person", epsilon=1.0, manager="me"
    ),
    "join": lambda one: one.join("town", dataset="c", manager="me"),
    "raise": lambda one: one.raise_to("town", epsilon=9.0, delta=0.0, manager="me", reason="x"),
    "intend": lambda one: spend(one, 0.1),
    "finish": lambda one: one.finish(
        parts.Entry(id=3, time="", kind="release", people="town", body={}, chain_hash=""), "0"
    ),
}


def test_datasets_of_the_same_people_share_their_budget(ledger):
    spend(ledger, 0.6)
    with pytest.raises(ReleaseError, match=r"may be changed only by me \(given: 'you'"):
        ledger.join("town", dataset="c", manager="you")
    for act in (
        lambda: ledger.join("town", dataset="b", manager="me"),
        lambda: ledger.declare("others", datasets=["b"], unit="person", epsilon=9.0, manager="me"),
    ):
        with pytest.raises(ReleaseError, match="belongs to 'town'"):
            act()
    with pytest.raises(ReleaseError, match="declared once"):
        ledger.declare("town", datasets=["c"], unit="person", epsilon=9.0, manager="me")
    ledger.join("town", dataset="c", manager="me")
    for dataset in "bc":
        with pytest.raises(ReleaseError, match=r"At most ε = 0\.4 and δ = 1e-06 are left"):
            spend(ledger, 0.5, dataset=dataset)
    spend(ledger, 0.4, dataset="c")
    assert ledger.budget("town").remaining_epsilon == 0
    with pytest.raises(ReleaseError, match="a budget must be declared"):
        spend(ledger, 0.1, dataset="elsewhere")


def test_data_without_people_have_a_budget_of_trips(tmp_path, monkeypatch, ledger):
    monkeypatch.setenv("MOBILITY_DATA", str(tmp_path))
    built(tmp_path, [("A", "B", 5)], kind="flows")
    for name in ("city", str(tmp_path / "city")):
        declared = {"datasets": [name], "epsilon": 1.0, "manager": "me"}
        monkeypatch.setenv("MOBILITY_DATA", str(tmp_path if name == "city" else tmp_path / "no"))
        for act in (
            partial(ledger.declare, "flows", unit="person", **declared),
            partial(ledger.join, "town", dataset=name, manager="me"),
        ):
            with pytest.raises(ReleaseError, match=r"trip \(given: .*city per person\)\. Declare"):
                act()
    ledger.declare("flows", unit="trip", **declared)
    assert ledger.find_budget("city").unit == "trip"


def test_a_budget_of_which_nothing_is_spent_can_be_withdrawn(ledger, kept, capsys):
    with pytest.raises(ReleaseError, match=r"may be changed only by me \(given: 'you'"):
        ledger.withdraw("town", manager="you")
    for people, held, is_spent in (
        ("town", ledger, False),
        ("x", ledger, False),
        ("x", kept, True),
    ):
        with pytest.raises(ReleaseError) as refusal:
            held.declare(people, datasets=["a"], unit="trip", epsilon=1.0, manager="me")
        assert ("release budget withdraw" in str(refusal.value)) is not is_spent
    options = ["--by", "me", "--ledger", str(ledger.path)]
    assert main(["budget", "withdraw", "town", *options]) == 0
    assert "no budget has been declared" in capsys.readouterr().out
    ledger.declare("town", datasets=["a"], unit="trip", epsilon=1.0, manager="me")
    assert (ledger.budget("town").unit, ledger.verify()) == ("trip", 3)
    with pytest.raises(ReleaseError, match=r"only while nothing of it is spent \(given: 1 charged"):
        kept.withdraw("town", manager="me")


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_what_is_no_file_is_refused_as_a_ledger_and_stays(tmp_path, kind):
    path = tmp_path / "ledger.sqlite"
    if kind == "link":
        path.symlink_to(tmp_path / "gone")
    else:
        {"pipe": os.mkfifo, "folder": os.mkdir}[kind](path)
    ledger = BudgetLedger(path)
    for act in (ledger.verify, lambda: WRITES["declare"](ledger)):
        with pytest.raises(ReleaseError, match=r"cannot be (read|written): it is a (link|folder)"):
            act()
    assert [*tmp_path.iterdir()] == [path]
    assert path.is_symlink() == (kind == "link")


def test_what_a_kill_left_of_making_a_ledger_goes(ledger):
    (ledger.path.parent / ".ledger-old").mkdir()
    spend(ledger, 0.1)
    assert [*ledger.path.parent.iterdir()] == [ledger.path]


def test_tenths_add_up_to_one_and_delta_has_its_own_limit(ledger):
    spend(ledger, 0.1, 1e-6)
    with pytest.raises(ReleaseError, match="exceeds δ by 1e-06"):
        spend(ledger, 0.1, 1e-6)
    spend(ledger, 0.1)
    for _ in range(8):
        spend(ledger, 0.1)
    assert ledger.budget("town").remaining_epsilon == 0
    with pytest.raises(ReleaseError, match=r"exceeds ε by 0\.1\)\. At most ε = 0 "):
        spend(ledger, 0.1)
    assert ledger.budget("town").release_count == 10


@pytest.mark.parametrize("unit", ["trip", "person-day"])
def test_a_cost_in_another_unit_is_refused(ledger, unit):
    with pytest.raises(ReleaseError, match="in the budget's unit, person"):
        spend(ledger, 0.1, unit=unit)
    assert ledger.budget("town").spent_epsilon == 0


def test_only_those_named_may_raise_a_budget_and_nobody_lowers_it(ledger):
    with pytest.raises(ReleaseError, match=r"may be changed only by me \(given: 'you'"):
        ledger.raise_to("town", epsilon=2.0, delta=1e-6, manager="you", reason="more")
    for epsilon, delta in ((0.5, 1e-6), (2.0, 0.0)):
        with pytest.raises(ReleaseError, match="only be raised"):
            ledger.raise_to("town", epsilon=epsilon, delta=delta, manager="me", reason="less")
    ledger.raise_to("town", epsilon=2.0, delta=1e-6, manager="me", reason="second study")
    assert ledger.budget("town").epsilon == 2.0
    assert [entry.kind for entry in ledger.entries()] == ["budget", "raise"]


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [
        *((epsilon, 0.0) for epsilon in (-0.5, 0, float("nan"), float("inf"), "1")),
        *((0.1, delta) for delta in (-1e-7, 1.0, float("nan"))),
    ],
)
def test_nothing_is_given_back_or_declared_by_odd_numbers(kept, epsilon, delta):
    totals = {"epsilon": epsilon, "delta": delta, "manager": "me"}
    for act in (
        lambda: spend(kept, epsilon, delta),
        lambda: kept.declare("p", datasets=["d"], unit="person", **totals),
        lambda: kept.raise_to("town", reason="more", **totals),
    ):
        with pytest.raises(ParameterError):
            act()
    assert kept.verify() == 3


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
    assert waiting[0].result().id == 3
    other.shutdown()
    assert ledger.verify() == 3


def test_who_asks_while_another_is_charged_waits_and_is_told_what_is_left(ledger, monkeypatch):
    """Were both to read at once, neither could write before the other gave way."""
    spend(ledger, 0.9)
    read, both = parts._read_entries, threading.Barrier(2)

    def slow(connection):
        entries = read(connection)
        with suppress(threading.BrokenBarrierError):
            both.wait(0.5)
        return entries

    monkeypatch.setattr(parts, "_read_entries", slow)
    with ThreadPoolExecutor(2) as pool:
        asked = [pool.submit(spend, BudgetLedger(ledger.path), 0.1) for _ in range(2)]
    codes = [getattr(one.exception(), "code", "charged") for one in asked]
    assert sorted(codes) == ["charged", "exceeded"]


def declare_apart(path):
    try:
        BudgetLedger(path).declare("p", datasets=["d"], unit="person", epsilon=1.0, manager="me")
    except ReleaseError as error:
        return 3 if error.code == "declared" else 4
    return 0


def test_a_ledger_is_made_whole_by_one_of_many_for_its_owner_alone(tmp_path):
    """Nobody sees it half made: a file without its tables is taken for a cut one."""
    path = tmp_path / "ledger.sqlite"
    with ThreadPoolExecutor(8) as pool:
        codes = [code for code, _ in pool.map(lambda _: run_apart(declare_apart, path), range(8))]
    assert sorted(codes) == [0] + [3] * 7
    assert BudgetLedger(path).verify() == 1
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


def ask_as_another_user(folder):
    """Of root nothing is kept back, so another user asks."""
    (folder / "shut").mkdir(0o700)
    os.chmod(folder, 0o555)
    os.chmod(folder / "kept.sqlite", 0o444)
    if os.geteuid() == 0:
        for above in folder.parents[:4]:
            os.chmod(above, 0o755)
        os.setuid(65534)
    else:
        os.chmod(folder / "shut", 0)
    kept, shut = BudgetLedger(folder / "kept.sqlite"), BudgetLedger(folder / "shut" / "l.sqlite")
    assert kept.verify() == 3
    for act in (lambda: spend(kept, 0.1), shut.verify, shut.budgets):
        with pytest.raises(ReleaseError) as refused:
            act()
        print(refused.value, file=sys.stderr)


def test_a_ledger_that_may_not_be_written_is_shown_and_verified(kept):
    code, said = run_apart(ask_as_another_user, kept.path.parent)
    assert code == 0, said
    written, *read = said.splitlines()
    assert "may not be written. Make both writable; nothing was charged" in written
    assert ["cannot be read: permission denied" in one for one in read] == [True, True]


def forge(path, number, kind, text):
    """Replace an entry and everything that proves it: only its contents can tell."""
    with sqlite3.connect(path) as connection:
        connection.execute("update entries set kind=?, body=? where id=?", (kind, text, number))
        previous = parts.FIRST_HASH
        rows = connection.execute("select * from entries order by id").fetchall()
        for row in rows:
            digest = parts.row_hash((*row[:5], previous))
            update = "update entries set previous=?, hash=? where id=?"
            connection.execute(update, (previous, digest, row[0]))
            previous = digest
        connection.execute("update head set id=?, hash=?", (len(rows), previous))


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
        "update entries set body = cast(body as blob) where id = 3",
        "delete from entries where id = 2; update head set id = 2",
    ],
)
def test_a_cut_or_changed_ledger_is_not_written_to(kept, cut):
    assert len(kept.entries()) == 3  # what was read once is read again when the file changes
    with sqlite3.connect(kept.path) as connection:
        connection.executescript(cut)
    before = kept.path.read_bytes()
    for act in (BudgetLedger.entries, *WRITES.values(), BudgetLedger.verify):
        with pytest.raises(ReleaseError) as refused:
            act(kept)
        assert refused.value.code in ("broken", "ledger")
    assert kept.path.read_bytes() == before


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        *(
            ("release", f'{{"dataset": "a", "epsilon": {epsilon}, "delta": 0.0}}')
            for epsilon in ("NaN", "1e999", "-0.5", "true", f"1{'0' * 5000}")
        ),
        *(("release", text) for text in ('{"dataset": "a', "[]", "null", "[" * 100_000)),
        ("raise", "{}"),
        ("join", "{}"),
        ("spend", '{"dataset": "a", "epsilon": 0.5, "delta": 0.0}'),
    ],
)
def test_a_damaged_entry_is_refused_in_one_line_and_one_of_the_right_form_read(kept, kind, text):
    forge(kept.path, 3, kind, text)
    with pytest.raises(ReleaseError, match="entry 3 of the ledger cannot be read"):
        kept.budgets()
    forge(kept.path, 3, "release", '{"dataset": "a", "epsilon": 0.25, "delta": 0.0}')
    assert kept.budget("town").remaining_epsilon == 1.75


def another(path):
    with sqlite3.connect(path) as connection:
        connection.execute("create table entries (words text)")


def not_text(path):
    WRITES["declare"](BudgetLedger(path))
    with sqlite3.connect(path) as connection:
        connection.execute("update entries set body = cast(x'ff' as text)")


@pytest.mark.parametrize(
    ("name", "make"),
    [
        *(("l", make) for make in (Path.mkdir, Path.touch, another, not_text)),
        ("l", lambda path: path.write_bytes(b"not a database at all" * 100)),
        *((odd, bool) for odd in ("n" * 300, "a\0b", "a\ud800b")),
    ],
)
def test_what_is_no_ledger_is_refused_and_no_older_copy_is_advised(tmp_path, name, make):
    one = BudgetLedger(tmp_path / name)
    make(one.path)
    for act in (one.entries, one.verify, lambda: WRITES["declare"](one)):
        with pytest.raises(ReleaseError, match=r"nothing|unknown until it is read") as refused:
            act()
        said = str(refused.value)
        assert "restore" not in said
        assert "another ledger" not in said  # it would know nothing of what was spent
        assert "copy" not in said or "lacks what was spent since" in said
    assert not [left for left in tmp_path.iterdir() if left.name.startswith(".ledger-")]


ODD = ["a\x1b[2Jb", "a\nb", "a\0b", "a\ud800b", "a\N{RIGHT-TO-LEFT OVERRIDE}b", " ", "n" * 300]


@pytest.mark.parametrize("odd", ODD)
def test_names_that_cannot_be_shown_are_refused(kept, odd):
    whole = {"people": "b", "datasets": ["b"], "unit": "person", "epsilon": 1.0, "manager": "me"}
    for own in ({"people": odd}, {"datasets": [odd]}, {"manager": odd}, {"other_managers": [odd]}):
        with pytest.raises(ParameterError, match="must "):
            kept.declare(**{**whole, **own})
    for act in (
        lambda: kept.join("town", dataset=odd, manager="me"),
        lambda: kept.raise_to("town", epsilon=9.0, delta=0.0, manager="me", reason=odd),
        lambda: spend(kept, 0.1, dataset=odd),
    ):
        with pytest.raises(ParameterError, match="must "):
            act()
    assert kept.verify() == 3
    persian = "می\N{ZERO WIDTH NON-JOINER}خواهم"  # its words keep their joiners
    kept.declare(**{**whole, "people": persian})
    assert kept.budget(persian).remaining_epsilon == 1


def test_an_older_copy_is_whole_but_lacks_the_hash_of_a_statement(kept):
    older = kept.path.read_bytes()
    entry = spend(kept, 0.5)
    assert kept.verify(f" {entry.chain_hash.upper()} ") == 4
    kept.path.write_bytes(older)
    assert kept.verify() == 3
    with pytest.raises(ReleaseError, match="an older copy that lacks what was spent since"):
        kept.verify(entry.chain_hash)


def test_a_full_disk_is_said_to_be_full_and_nothing_is_damaged(kept, monkeypatch):
    connect = sqlite3.connect

    def small(*given, **named):
        connection = connect(*given, **named)
        connection.execute("pragma max_page_count = 1")  # SQLite says that its disk is full
        return connection

    before = kept.path.read_bytes()
    monkeypatch.setattr(sqlite3, "connect", small)
    with pytest.raises(ReleaseError, match=r"the disk is full\. Make space; nothing was charged"):
        spend(kept, 0.1, record={"note": "n" * 10_000})
    with pytest.raises(ReleaseError, match=r"disk is full\. Make space; the charge stays spent"):
        kept.finish(kept.entries()[1], "n" * 10_000)
    monkeypatch.undo()
    assert kept.path.read_bytes() == before
    assert kept.verify() == 3


@pytest.mark.parametrize("seed", range(4))
def test_a_flipped_bit_is_found_or_changes_nothing(kept, seed):
    chance, whole, told = random.Random(seed), kept.path.read_bytes(), kept.entries()
    for _ in range(100):
        place = chance.randrange(len(whole))
        damaged = bytearray(whole)
        damaged[place] ^= 1 << chance.randrange(8)
        kept.path.write_bytes(bytes(damaged))
        with suppress(ReleaseError):
            assert kept.entries() == told
