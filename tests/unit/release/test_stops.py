"""Releases that are stopped, killed or fail: what is said is what is spent, and no half is left."""

import signal
import sqlite3
import subprocess
import sys
from types import SimpleNamespace

import pytest

from engine.errors import DatasetError
from engine.release import BudgetLedger, ReleaseError, flow_writer as way, plan
from engine.release.bundle import HIDDEN_PREFIX, claim_folder, required_bytes
from tests.support.releases import ONE_DAY, ROOT, flows, release

SLOW = """
import sys, time
import engine.release as package
from engine.release import bundle, command, flow_writer

where = sys.argv.pop(1)
owners = {"load_counts": flow_writer, "write": flow_writer, "charge": package.BudgetLedger}
owner = owners.get(where, package)
act = getattr(owner, where)

def wait(*given, **rest):
    if where == "charge":
        value = act(*given, **rest)
        if not rest.get("dry_run"):
            stand()
        return value
    stand()
    return act(*given, **rest)

def stand():
    print("@now", flush=True)
    time.sleep(600)  # until the signal comes

setattr(owner, where, wait)
sys.exit(command.main(sys.argv[1:]))
"""
AFTER_CHARGE = ("charge", "write", "seal", "reveal")
ONE = ("od", "demo-city", "--epsilon", "0.5", "--to", "2026-06-01", "--tuned-on", "public")
ONE = (*ONE, "--trips", "1000000000")


def started(ledger, out, *, where):
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, where, *ONE, "--ledger", str(ledger.path), "--out", str(out)],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while "@now" not in (line := process.stdout.readline()):
        assert line, process.communicate()[1]
    return process


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize(
    ("where", "spent"),
    [("load_counts", 0), ("render_texts", 0), *((name, 1) for name in AFTER_CHARGE)],
)
def test_a_stopped_or_killed_release_leaves_no_half_bundle_and_the_next_sweeps(
    ledger, demo, tmp_path, where, spent, sent
):
    """A stopped one says what is spent, and leaves nothing to sweep; `described` is rehearsed."""
    process = started(ledger, tmp_path / "out", where=where)
    process.send_signal(sent)
    _, said = process.communicate(timeout=60)
    if sent == signal.SIGINT:
        due = "ε = 0.5, entry 2 of the ledger, stays spent" if spent else "nothing was spent and"
        assert said.startswith(f"the release was stopped: {due}")
        assert (process.returncode, said.count("\n")) == (130, 1)
        assert [path.name for path in tmp_path.iterdir()] == ["ledger.sqlite"]
    assert not list(tmp_path.glob("out/*"))  # at most claimed, and empty
    assert ledger.budget("people").spent_epsilon == 0.5 * spent
    release(flows(**ONE_DAY), demo, tmp_path / "out", ledger=ledger)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["ledger.sqlite", "out", "out.zip"]
    assert ledger.budget("people").release_count == spent + 1
    ledger.verify()


def test_a_name_is_one_releases_own_until_it_ends(tmp_path):
    with claim_folder(tmp_path / "out", 1) as folder:
        assert folder.parent.name.startswith(HIDDEN_PREFIX)
        with (
            pytest.raises(ReleaseError, match="'out', which does"),
            claim_folder(tmp_path / "out", 1),
        ):
            pass
        with claim_folder(tmp_path / "other", 1) as other:  # and sweeps nothing of the living
            assert folder.exists()
            assert other != folder
    assert list(tmp_path.iterdir()) == []


def half(_plan, _view, folder, _progress):
    (folder / "flows.csv").write_text("half")
    raise OSError(28, "No space left on device")


def of_another(_plan, _view, folder, _progress):
    (folder.parents[1] / "out" / "flows.csv").write_text("of another")


def raised(error):
    def act(*_):
        raise error

    return act


@pytest.mark.parametrize(
    ("place", "fault", "words"),
    [
        ("load_counts", raised(MemoryError), r"\(MemoryError\).*nothing was spent"),
        ("write", raised(MemoryError), r"\(MemoryError\).*entry 2 of the ledger, stays spent"),
        ("write", raised(DatasetError("refused")), r"\(DatasetError\).*entry 2.*stays spent"),
        ("write", half, r"\(No space left on device\).*stays spent, since noise"),
        ("write", of_another, r"stays spent.*no bundle was written"),
        ("finish", raised(KeyboardInterrupt), r"complete: use it; ε = 0\.5, entry 2"),
        ("finish", raised(sqlite3.OperationalError), "is complete.*stays spent"),
    ],
)
def test_whatever_fails_is_said_with_what_is_spent_and_leaves_all_or_nothing(
    ledger, demo, tmp_path, monkeypatch, place, fault, words
):
    monkeypatch.setattr(BudgetLedger if place == "finish" else way, place, fault)
    with pytest.raises((ReleaseError, KeyboardInterrupt), match=words) as said:
        release(flows(**ONE_DAY), demo, tmp_path / "out", ledger=ledger)
    assert isinstance(said.value, KeyboardInterrupt) == ("use it" in words)
    assert "nothing was charged" not in str(said.value)
    kinds = ["budget", "release"][: 1 + (place != "load_counts")]
    assert [entry.kind for entry in ledger.entries()] == kinds
    left = {"finish": ["out", "out.zip"], "write": ["out"] * (fault is of_another)}.get(place, [])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ledger.sqlite", *left]
    assert (tmp_path / "out" / "SHA256SUMS").is_file() == (place == "finish")


def test_a_disk_that_would_be_full_is_seen_before_anything_is_spent(
    ledger, demo, tmp_path, monkeypatch
):
    little = SimpleNamespace(
        free=required_bytes(plan(flows(**ONE_DAY), demo).cell_count, demo.zones) - 1
    )
    monkeypatch.setattr("shutil.disk_usage", lambda _: little)
    with pytest.raises(ReleaseError, match=r"7 MB free.*nothing was spent"):
        release(flows(**ONE_DAY), demo, tmp_path / "out", ledger=ledger)
    assert ledger.budget("people").release_count == 0
    little.free += 1
    release(flows(**ONE_DAY), demo, tmp_path / "out", ledger=ledger)


def test_a_stop_claims_nothing_of_a_damaged_ledger(ledger, demo, tmp_path, monkeypatch):
    def damage(*_):
        ledger.path.write_bytes(b"damaged")
        raise KeyboardInterrupt

    monkeypatch.setattr(way, "write", damage)
    with pytest.raises(KeyboardInterrupt, match="entry 2 of the ledger, stays spent"):
        release(flows(**ONE_DAY), demo, tmp_path / "out", ledger=ledger)
    with pytest.raises(ReleaseError, match="; what was spent is unknown until it is read"):
        ledger.find_charge("secret")
