"""Releases that are stopped, killed or fail: what is said is what is spent, and no half is left."""

import os
import signal
import sqlite3
from types import SimpleNamespace

import pytest

from engine import release as package
from engine.errors import DatasetError
from engine.release import BudgetLedger, ReleaseError, flow_writer as way, plan
from engine.release.bundle import HIDDEN_PREFIX, claim_folder, required_bytes
from engine.release.command import main
from tests.support.processes import run_apart
from tests.support.releases import ONE_DAY, flows, release

AFTER_CHARGE = ("charge", "write", "seal", "reveal")
ONE = ("od", "demo-city", "--epsilon", "0.5", "--to", "2026-06-01", "--tuned-on", "public")
ONE = (*ONE, "--trips", "1000000000")


def release_and_stop(ledger, out, where, sent):
    """Send a signal to this process where a release comes to; of a charge, when it is made."""
    owner = {"load_counts": way, "write": way, "charge": BudgetLedger}.get(where, package)
    act = getattr(owner, where)

    def struck(*given, **rest):
        value = act(*given, **rest) if where == "charge" else None
        if not rest.get("dry_run"):
            os.kill(os.getpid(), sent)
        return value

    setattr(owner, where, struck)
    return main([*ONE, "--ledger", str(ledger), "--out", str(out)])


@pytest.mark.parametrize(
    ("where", "spent", "sent"),
    [
        ("load_counts", 0, signal.SIGINT),
        ("render_texts", 0, signal.SIGINT),
        *((name, 1, signal.SIGINT) for name in AFTER_CHARGE),
        *(("load_counts", 0, signal.SIGKILL), ("write", 1, signal.SIGKILL)),
    ],
)
def test_a_stopped_release_leaves_no_half_bundle(ledger, demo, tmp_path, where, spent, sent):
    """A stopped one says what is spent, and leaves nothing to sweep; `described` is rehearsed."""
    code, said = run_apart(release_and_stop, ledger.path, tmp_path / "out", where, sent)
    assert code == (130 if sent == signal.SIGINT else -sent)
    if sent == signal.SIGINT:
        due = "ε = 0.5 stays spent (entry 2 of the ledger)" if spent else "nothing was spent and"
        assert said.startswith(f"the release was stopped: {due}")
        assert said.count("\n") == 1
        assert [path.name for path in tmp_path.iterdir()] == ["ledger.sqlite"]
    assert not list(tmp_path.glob("out/*"))  # at most claimed, and empty
    assert ledger.budget("people").spent_epsilon == 0.5 * spent
    assert ledger.budget("people").release_count == spent
    if sent == signal.SIGKILL:  # the next release sweeps what this one left
        release(flows(**ONE_DAY), demo, tmp_path / "out", ledger=ledger)
        names = sorted(path.name for path in tmp_path.iterdir())
        assert names == ["ledger.sqlite", "out", "out.zip"]
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
        ("write", raised(MemoryError), r"\(MemoryError\).*stays spent \(entry 2 of the ledger\)"),
        ("write", raised(DatasetError("refused")), r"\(DatasetError\).*stays spent.*entry 2"),
        ("write", half, r"\(No space left on device\).*stays spent.*since noise"),
        ("write", of_another, r"stays spent.*no bundle was written"),
        ("finish", raised(KeyboardInterrupt), r"complete: use it; ε = 0\.5 stays spent .entry 2"),
        ("finish", raised(sqlite3.OperationalError), "is complete.*stays spent"),
    ],
)
def test_a_failure_says_what_is_spent(ledger, demo, tmp_path, monkeypatch, place, fault, words):
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


def test_a_full_disk_is_seen_before_any_charge(ledger, demo, tmp_path, monkeypatch):
    needed = required_bytes(plan(flows(**ONE_DAY), demo).cell_count, demo.zones)
    little = SimpleNamespace(free=needed - 1)
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
    with pytest.raises(KeyboardInterrupt, match=r"stays spent \(entry 2 of the ledger\)"):
        release(flows(**ONE_DAY), demo, tmp_path / "out", ledger=ledger)
    with pytest.raises(ReleaseError, match="; what was spent is unknown until it is read"):
        ledger.find_charge("secret")
