"""Releases that fail or are killed: the cost stays spent, and the message says so."""

import random
import signal
import sqlite3
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from engine import datasets
from engine.release import BudgetLedger, Product, ReleaseError, release
from tests.support.releases import ROOT, flows


def test_a_full_disk_leaves_the_cost_spent_and_no_bundle(ledger, demo, tmp_path, monkeypatch):
    def full(self, dataset, folder, progress):
        (folder / "flows.csv").write_text("half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Product, "write", full)
    with pytest.raises(ReleaseError, match="stays spent, since its noise was drawn"):
        release(demo, flows(), tmp_path / "out", ledger=ledger, tuning="public")
    assert ledger.budget("people").releases == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ledger.sqlite"]


def test_a_disk_that_would_be_full_is_seen_before_anything_is_spent(
    ledger, demo, tmp_path, monkeypatch
):
    cells = flows(days=(0,)).plan(demo).cells
    little = SimpleNamespace(free=100 * cells)
    monkeypatch.setattr("shutil.disk_usage", lambda _: little)
    with pytest.raises(ReleaseError, match=r"2 MB free.*nothing was spent"):
        release(demo, flows(days=(0,)), tmp_path / "out", ledger=ledger, tuning="public")
    assert ledger.budget("people").releases == 0
    little.free = 120 * cells
    out = release(demo, flows(days=(0,)), tmp_path / "out", ledger=ledger, tuning="public")
    assert sum(one.stat().st_size for one in out.rglob("*") if one.is_file()) < little.free


def test_a_failure_after_the_bundle_is_there_says_so(ledger, demo, tmp_path, monkeypatch):
    def full(self, intent, digest):
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(BudgetLedger, "finish", full)
    with pytest.raises(ReleaseError, match=r"is there, whole.*stays spent") as refused:
        release(demo, flows(days=(0,)), tmp_path / "out", ledger=ledger, tuning="public")
    assert "nothing was charged" not in str(refused.value)
    assert (tmp_path / "out" / "SHA256SUMS").is_file()
    assert ledger.budget("people").releases == 1


def test_a_folder_that_another_release_took_meanwhile_is_not_said_to_be_this_one(
    ledger, demo, tmp_path, monkeypatch
):
    def slow(self, dataset, folder, progress):
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "flows.csv").write_text("of another release")

    monkeypatch.setattr(Product, "write", slow)
    with pytest.raises(ReleaseError, match=r"could not be written.*stays spent"):
        release(demo, flows(), tmp_path / "out", ledger=ledger, tuning="public")
    assert (tmp_path / "out" / "flows.csv").read_text() == "of another release"


def test_whatever_fails_after_the_charge_the_message_says_that_it_is_spent(
    ledger, demo, tmp_path, monkeypatch
):
    def fail(self, dataset, folder, progress):
        raise MemoryError

    monkeypatch.setattr(Product, "write", fail)
    with pytest.raises(ReleaseError, match=r"\(MemoryError\).*entry 2 of the ledger, stays spent"):
        release(demo, flows(), tmp_path / "out", ledger=ledger, tuning="public")


@pytest.mark.long
def test_killed_at_any_moment_the_cost_is_spent_and_no_half_bundle_is_left(tmp_path):
    ledger = BudgetLedger(tmp_path / "ledger.sqlite")
    ledger.declare("people", datasets=["demo-city"], unit="person", epsilon=1000.0, by="me")
    chance = random.Random(4)
    command = [sys.executable, "-m", "engine", "release", "od", "demo-city", "--epsilon", "0.5"]
    for number in range(20):
        out = tmp_path / f"out{number}"
        arguments = ["--ledger", str(ledger.path), "--tuned-on", "public", "--out", str(out)]
        process = subprocess.Popen(
            [*command, *arguments], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(chance.uniform(0.5, 12))
        process.send_signal(signal.SIGKILL)
        process.wait()
        releases = [entry for entry in ledger.entries() if entry.kind == "release"]
        if out.exists():
            assert (out / "SHA256SUMS").is_file()
            assert releases
    spent = ledger.budget("people").releases
    assert spent >= sum((tmp_path / f"out{n}").exists() for n in range(20))
    ledger.verify()
    release(datasets.load("demo-city"), flows(), tmp_path / "next", ledger=ledger, tuning="public")
    left = [path.name for path in tmp_path.iterdir() if path.name.startswith(".partial")]
    assert left == []
    assert ledger.budget("people").releases == spent + 1
