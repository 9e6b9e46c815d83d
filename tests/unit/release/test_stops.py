"""Releases that are stopped, killed or fail: what is said is what is spent, and no half is left."""

import random
import signal
import sqlite3
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from engine import datasets
from engine.errors import DatasetError
from engine.release import BudgetLedger, ReleaseError, flows as way, plan
from engine.release.bundle import PARTIAL, claimed, room
from tests.support.releases import ONE_DAY, ROOT, flows, release

SLOW = """
import sys, time
import engine.release as package
from engine.release import bundle, command, flows

where = sys.argv.pop(1)
owner = {"prepare": flows, "write": flows, "intend": package.BudgetLedger}.get(where, package)
act = getattr(owner, where)

def wait(*given, **rest):
    if where == "intend":
        value = act(*given, **rest)
        if not rest.get("rehearsal"):
            print("@now", flush=True)
            time.sleep(2)
        return value
    print("@now", flush=True)
    time.sleep(2)
    return act(*given, **rest)

setattr(owner, where, wait)
sys.exit(command.main(sys.argv[1:]))
"""
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


@pytest.mark.parametrize(
    ("where", "spent", "words"),
    [
        ("prepare", 0, "stopped: nothing was spent, and nothing was written"),
        ("described", 0, "stopped: nothing was spent"),  # in the rehearsal
        ("intend", 1, "stopped: ε = 0.5, entry 2 of the ledger, stays spent"),
        ("write", 1, "stopped: ε = 0.5, entry 2 of the ledger, stays spent"),
        ("seal", 1, "stopped: ε = 0.5, entry 2 of the ledger, stays spent"),
    ],
)
def test_a_stopped_release_says_what_is_spent_and_leaves_nothing(
    ledger, tmp_path, where, spent, words
):
    process = started(ledger, tmp_path / "out", where=where)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said.startswith(words)
    assert said.count("\n") == 1
    assert ledger.budget("people").releases == spent
    assert [path.name for path in tmp_path.iterdir()] == ["ledger.sqlite"]


@pytest.mark.parametrize(
    ("where", "spent"), [("prepare", 0), ("intend", 1), ("write", 1), ("seal", 1), ("reveal", 1)]
)
def test_a_killed_release_leaves_no_half_bundle_and_the_next_sweeps(
    ledger, demo, tmp_path, where, spent
):
    process = started(ledger, tmp_path / "out", where=where)
    process.kill()
    process.communicate()
    assert not list(tmp_path.glob("out/*"))  # at most claimed, and empty
    assert ledger.budget("people").spent_epsilon == 0.5 * spent
    release(flows(**ONE_DAY), demo, tmp_path / "out", ledger=ledger)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["ledger.sqlite", "out", "out.zip"]
    assert ledger.budget("people").releases == spent + 1
    ledger.verify()


def stopped(*_):
    signal.raise_signal(signal.SIGINT)


def full(*_):
    raise sqlite3.OperationalError("disk I/O error")


@pytest.mark.parametrize(
    ("finish", "kind", "words"),
    [
        (stopped, KeyboardInterrupt, r"whole: use it; ε = 0\.5, entry 2"),
        (full, ReleaseError, r"is there, whole.*stays spent"),
    ],
)
def test_what_comes_in_the_last_steps_leaves_a_whole_bundle_and_says_so(
    ledger, demo, tmp_path, monkeypatch, finish, kind, words
):
    monkeypatch.setattr(BudgetLedger, "finish", finish)
    with pytest.raises(kind, match=words) as said:
        release(flows(**ONE_DAY), demo, tmp_path / "out", ledger=ledger)
    assert "nothing was charged" not in str(said.value)
    assert (tmp_path / "out" / "SHA256SUMS").is_file()
    assert (tmp_path / "out.zip").is_file()
    assert [entry.kind for entry in ledger.entries()] == ["budget", "release"]


def test_of_four_releases_to_one_folder_one_pays(ledger, tmp_path):
    script = (
        "import sys\nfrom engine.release import command\n"
        "print('ready', flush=True); sys.stdin.readline()\n"
        "sys.exit(command.main(sys.argv[1:]))"
    )
    options = [*ONE, "--ledger", str(ledger.path), "--out", str(tmp_path / "out")]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    command = [sys.executable, "-c", script, *options]
    several = [subprocess.Popen(command, cwd=ROOT, text=True, **pipes) for _ in range(4)]
    for one in several:
        one.stdout.readline()
    for one in several:
        one.stdin.write("\n")
        one.stdin.flush()
    said = [one.communicate(timeout=120)[1] for one in several]
    assert sorted(one.returncode for one in several) == [0] + [2] * 3
    assert sum("nothing was spent" in words for words in said) == 3
    assert ledger.budget("people").releases == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ledger.sqlite", "out", "out.zip"]


def test_a_name_is_one_releases_own_until_it_ends(tmp_path):
    with claimed(tmp_path / "out", 1) as folder:
        assert folder.parent.name.startswith(PARTIAL)
        with pytest.raises(ReleaseError, match="'out', which does"), claimed(tmp_path / "out", 1):
            pass
        with claimed(tmp_path / "other", 1) as other:  # and sweeps nothing of the living
            assert folder.exists()
            assert other != folder
    assert list(tmp_path.iterdir()) == []


def half(plan, view, folder, progress):
    (folder / "flows.csv").write_text("half")
    raise OSError(28, "No space left on device")


def none(*_):
    raise MemoryError


def damaged(*_):
    raise DatasetError("of an error that says what is refused")


@pytest.mark.parametrize(
    ("place", "fault", "words"),
    [
        ("prepare", none, r"\(MemoryError\).*nothing was spent"),
        ("write", none, r"\(MemoryError\).*entry 2 of the ledger, stays spent"),
        ("write", damaged, r"\(DatasetError\).*entry 2 of the ledger, stays spent"),
        ("write", half, r"\(No space left on device\).*stays spent, since noise"),
    ],
)
def test_whatever_fails_is_said_with_what_is_spent_and_leaves_nothing(
    ledger, demo, tmp_path, monkeypatch, place, fault, words
):
    monkeypatch.setattr(way, place, fault)
    with pytest.raises(ReleaseError, match=words):
        release(flows(), demo, tmp_path / "out", ledger=ledger)
    assert ledger.budget("people").releases == (place == "write")
    assert [path.name for path in tmp_path.iterdir()] == ["ledger.sqlite"]


def test_a_disk_that_would_be_full_is_seen_before_anything_is_spent(
    ledger, demo, tmp_path, monkeypatch
):
    little = SimpleNamespace(free=room(plan(flows(**ONE_DAY), demo).cells, demo.zones) - 1)
    monkeypatch.setattr("shutil.disk_usage", lambda _: little)
    with pytest.raises(ReleaseError, match=r"3 MB free.*nothing was spent"):
        release(flows(**ONE_DAY), demo, tmp_path / "out", ledger=ledger)
    assert ledger.budget("people").releases == 0
    little.free += 1
    release(flows(**ONE_DAY), demo, tmp_path / "out", ledger=ledger)


def test_a_folder_that_was_filled_meanwhile_is_not_said_to_be_this_one(
    ledger, demo, tmp_path, monkeypatch
):
    def slow(plan, dataset, folder, progress):
        (tmp_path / "out" / "flows.csv").write_text("of another")

    monkeypatch.setattr(way, "write", slow)
    with pytest.raises(ReleaseError, match=r"stays spent.*no bundle was written"):
        release(flows(), demo, tmp_path / "out", ledger=ledger)
    assert (tmp_path / "out" / "flows.csv").read_text() == "of another"


@pytest.mark.long
def test_killed_at_any_moment_the_cost_is_spent_and_no_half_bundle_is_left(tmp_path):
    ledger = BudgetLedger(tmp_path / "ledger.sqlite")
    ledger.declare("people", datasets=["demo-city"], unit="person", epsilon=1000.0, by="me")
    chance = random.Random(4)
    for number in range(20):
        out = tmp_path / f"out{number}"
        options = ["--ledger", str(ledger.path), "--out", str(out)]
        process = subprocess.Popen(
            [sys.executable, "-m", "engine", "release", *ONE, *options],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(chance.uniform(0.5, 6))
        process.send_signal(signal.SIGKILL)
        process.wait()
        if out.exists() and list(out.iterdir()):
            assert (out / "SHA256SUMS").is_file()
    spent = ledger.budget("people").releases
    assert spent >= sum((tmp_path / f"out{n}" / "SHA256SUMS").exists() for n in range(20))
    ledger.verify()
    release(flows(), datasets.load("demo-city"), tmp_path / "next", ledger=ledger)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".partial")]
    assert ledger.budget("people").releases == spent + 1
