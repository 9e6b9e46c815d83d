"""Releases that are stopped, and several that want one name: what is said is what is spent."""

import signal
import subprocess
import sys

import pytest

from engine.release import BudgetLedger, ReleaseError, release
from engine.release.claim import _PARTIAL, claimed
from tests.support.releases import ROOT, flows

SLOW = """
import sys, time
from engine.release import (Product, bundle, command)

def wait(before):
    def inner(*given, **rest):
        if before:
            print("here", flush=True)
            time.sleep(1)
        value = act(*given, **rest)
        if not before and not rest.get("rehearsal"):
            print("here", flush=True)
            time.sleep(1)
        return value
    return inner

where = sys.argv.pop(1)
if where in ("prepare", "write"):
    act = getattr(Product, where)
    setattr(Product, where, wait(before=True))
else:
    act = getattr(bundle, where)
    setattr(bundle, where, wait(before=where != "_charge"))
sys.exit(command.main(sys.argv[1:]))
"""


ONE = ("od", "demo-city", "--epsilon", "0.5", "--days", "0", "--tuned-on", "public")


def started(ledger, out, *, where, asked=ONE):
    command = [sys.executable, "-c", SLOW, where, *asked]
    process = subprocess.Popen(
        [*command, "--ledger", str(ledger.path), "--out", str(out)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    while "here" not in (line := process.stdout.readline()):
        assert line, process.communicate()[1]
    return process


@pytest.mark.parametrize(
    ("number", "where", "spent", "words"),
    [
        (signal.SIGINT, "prepare", 0, "stopped: nothing was spent, and nothing was written"),
        (signal.SIGTERM, "statement", 0, "stopped: nothing was spent"),  # in the rehearsal
        (signal.SIGINT, "_charge", 1, "stopped: ε = 0.5, entry 2 of the ledger, is spent"),
        (signal.SIGTERM, "write", 1, "stopped: ε = 0.5, entry 2 of the ledger, is spent"),
        (signal.SIGTERM, "_zip", 1, "stopped: ε = 0.5, entry 2 of the ledger, is spent"),
    ],
)
def test_a_stopped_release_says_what_is_spent_and_leaves_nothing(
    ledger, tmp_path, number, where, spent, words
):
    process = started(ledger, tmp_path / "out", where=where)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said.startswith(words)
    assert said.count("\n") == 1
    assert ledger.budget("people").releases == spent
    assert [path.name for path in tmp_path.iterdir()] == ["ledger.sqlite"]


def test_a_signal_in_the_last_steps_waits_for_their_end(ledger, demo, tmp_path, monkeypatch):
    finish = BudgetLedger.finish

    def interrupted(self, intent, digest):
        signal.raise_signal(signal.SIGINT)
        finish(self, intent, digest)

    monkeypatch.setattr(BudgetLedger, "finish", interrupted)
    with pytest.raises(KeyboardInterrupt, match=r"whole: use it; ε = 0\.5, entry 2"):
        release(demo, flows(days=(0,)), tmp_path / "out", ledger=ledger, tuning="public")
    assert (tmp_path / "out" / "SHA256SUMS").is_file()
    assert (tmp_path / "out.zip").is_file()
    assert [entry.kind for entry in ledger.entries()] == ["budget", "release", "done"]


def test_stopped_while_modules_are_imported_there_is_no_traceback():
    command = [sys.executable, "-X", "importtime", "-m", "engine", "release", "verify"]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    while "numpy" not in process.stderr.readline():
        pass
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 130
    assert "stopped; nothing was written, nor spent" in said
    assert "Traceback" not in said


def test_of_four_releases_to_one_folder_one_pays(ledger, tmp_path):
    script = (
        "import sys\nfrom engine.release import bundle, command\n"
        "print('ready', flush=True); sys.stdin.readline()\n"
        "sys.exit(command.main(sys.argv[1:]))"
    )
    ask = ["od", "demo-city", "--days", "0", "--epsilon", "0.5", "--tuned-on", "public"]
    options = ["--ledger", str(ledger.path), "--out", str(tmp_path / "out")]
    several = [
        subprocess.Popen(
            [sys.executable, "-c", script, *ask, *options],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
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
    with claimed(tmp_path / "out") as work:
        assert work.name.startswith(_PARTIAL)
        with (
            pytest.raises(ReleaseError, match="another release is writing right now"),
            claimed(tmp_path / "out"),
        ):
            pass
        with claimed(tmp_path / "other") as other:  # and sweeps nothing of the living
            assert work.exists()
            assert other != work
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_release_left_is_swept_and_blocks_nobody(tmp_path):
    script = (
        "import sys, time; from pathlib import Path\n"
        "from engine.release.claim import claimed\n"
        "with claimed(Path(sys.argv[1])) as work:\n"
        "    (work / 'flows.csv').write_text('half'); print('here', flush=True); time.sleep(60)"
    )
    for name in ("out", "another"):
        command = [sys.executable, "-c", script, str(tmp_path / name)]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        process.stdout.readline()
        process.kill()
        process.communicate()
    (tmp_path / f"{_PARTIAL}1234abcd-4-x").mkdir()  # of an older version
    with claimed(tmp_path / "out") as work:
        assert [path.name for path in tmp_path.iterdir()] == [work.name]
        assert sorted(path.name for path in work.iterdir()) == ["out", "out.zip"]


def test_an_archive_whose_folder_is_gone_is_not_written_over(demo, ledger, tmp_path):
    archive = tmp_path / "out.zip"
    archive.write_bytes(b"an earlier release")
    before = ledger.entries()
    with pytest.raises(ReleaseError, match="must not exist yet"):
        release(demo, flows(), tmp_path / "out", ledger=ledger, tuning="public")
    assert archive.read_bytes() == b"an earlier release"
    assert ledger.entries() == before
