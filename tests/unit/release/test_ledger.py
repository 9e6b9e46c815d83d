"""The ledger: budgets, the last share, crashes, changed rows, odd machines."""

import os
import sqlite3
import stat
import subprocess
import sys
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


def test_without_a_budget_nothing_is_released(ledger):
    with pytest.raises(ReleaseError, match="a budget must be declared"):
        spend(ledger, 0.1, dataset="elsewhere")


def test_only_those_named_may_raise_a_budget_and_nobody_lowers_it(ledger):
    with pytest.raises(ReleaseError, match="must come from me, got 'you'"):
        ledger.raise_to("town", epsilon=2.0, delta=1e-6, by="you", reason="more")
    with pytest.raises(ReleaseError, match="only be raised"):
        ledger.raise_to("town", epsilon=0.5, delta=1e-6, by="me", reason="less")
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


@pytest.mark.parametrize(
    "change",
    [
        "update entries set body = replace(body, '0.25', '0.01') where id = 2",
        "update entries set time = '1999-01-01' where id = 1",
        "delete from entries where id = 2",
        "delete from entries where id = 3",
        "delete from entries",
        "update entries set id = 9 where id = 3",
    ],
)
def test_a_changed_or_missing_row_is_found(ledger, change):
    spend(ledger, 0.25)
    spend(ledger, 0.25)
    assert ledger.verify() == 3
    with sqlite3.connect(ledger.path) as connection:
        connection.execute(change)
    with pytest.raises(ReleaseError, match="does not fit the chain"):
        ledger.verify()


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


def test_something_else_than_a_ledger_is_refused(tmp_path):
    path = tmp_path / "ledger.sqlite"
    path.write_bytes(b"not a database at all" * 100)
    with pytest.raises(ReleaseError, match="cannot be read"):
        BudgetLedger(path).entries()


def test_sums_of_many_costs_stay_exact():
    number = sum((parts.exact(0.1) for _ in range(1000)), start=parts.exact(0))
    assert number == 100
