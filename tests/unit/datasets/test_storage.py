"""Versions, atomic replacement, checksums and permissions of dataset folders."""

import fcntl
import os
import shutil
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pyarrow.parquet as pq
import pytest

from engine import datasets
from engine.datasets import storage
from engine.errors import DatasetError
from tests.support.processes import run_apart


def writer(content):
    return lambda folder: (folder / "truth.parquet").write_bytes(content) and None


def versions(folder):
    return sorted(path.name for path in folder.iterdir() if path.is_dir())


def test_a_version_becomes_current_and_two_are_kept(tmp_path):
    folder = tmp_path / "set"
    written = [storage.write_version(folder, {"n": i}, writer(b"%d" % i)) for i in range(4)]
    for age, path in enumerate(written):
        if path.exists():
            os.utime(path, (age, age))
    assert storage.current_version(folder) == written[-1]
    assert len(versions(folder)) == 2
    assert written[-1].name in versions(folder)


def test_a_failed_first_write_leaves_nothing(tmp_path):
    def cancelled(partial):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        storage.write_version(tmp_path / "set", {}, cancelled)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", ["", "../elsewhere", "gone", "/"])
def test_a_damaged_pointer_is_refused(tmp_path, content):
    folder = tmp_path / "set"
    storage.write_version(folder, {}, writer(b"x"))
    (folder / "current").write_text(content)
    with pytest.raises(DatasetError, match="does not name a complete version"):
        storage.current_version(folder)


def test_changed_missing_foreign_and_unreadable_files_are_refused(tmp_path):
    version = storage.write_version(tmp_path / "set", {}, writer(b"x"))
    expected = storage.read_metadata(version)["checksums"]
    storage.verify(version, expected)
    (version / "extra.parquet").write_bytes(b"")
    with pytest.raises(DatasetError, match=r"extra\.parquet is not listed"):
        storage.verify(version, expected)
    (version / "extra.parquet").unlink()
    (version / "truth.parquet").write_bytes(b"y")
    with pytest.raises(DatasetError, match=r"truth\.parquet does not match its checksum.*Build"):
        storage.verify(version, expected)
    (version / "truth.parquet").unlink()
    with pytest.raises(DatasetError, match=r"truth\.parquet is missing"):
        storage.verify(version, expected)
    for content in ("{", "[]"):
        (version / "dataset.json").write_text(content)
        with pytest.raises(DatasetError, match=r"dataset\.json"):
            storage.read_metadata(version)


def act_and_be_killed(what, source, target):
    """Keep or delete a dataset, and be killed when half of it is copied."""

    def half(source, target=None, **_):
        if target is not None:
            target.mkdir()
            (target / "current").write_bytes((source / "current").read_bytes())
        os.kill(os.getpid(), signal.SIGKILL)

    shutil.copytree = shutil.rmtree = half
    storage.copy_dataset(source, target) if what == "keep" else storage.delete(target)


@pytest.mark.parametrize("what", ["keep", "delete"])
def test_a_kill_in_the_middle_leaves_nothing_that_is_listed(tmp_path, monkeypatch, what):
    monkeypatch.setenv("MOBILITY_DATA", str(tmp_path))
    source, local = tmp_path / "session" / "mine", tmp_path / "local"
    local.mkdir()
    storage.write_version(source, {}, writer(b"x"))
    if what == "delete":
        storage.copy_dataset(source, local / "mine")
        assert "mine" in datasets.available()
    assert run_apart(act_and_be_killed, what, source, local / "mine")[0] == -signal.SIGKILL
    (left,) = local.iterdir()
    assert "mine" not in datasets.available()
    assert not any(name.startswith(".") for name in datasets.available())
    storage.remove_abandoned(local)
    assert not left.exists()
    storage.copy_dataset(source, local / "mine")
    assert storage.current_version(local / "mine").is_dir()
    storage.delete(local / "mine")
    assert list(local.iterdir()) == []


def build_and_die(folder, at):
    """Die where a version, or the name of the current one, is moved into its place."""

    def deadly(old, new):
        if at == "version" or new.name == "current":
            os._exit(9)
        os.rename(old, new)

    os.replace = deadly
    with storage.lock_for_writing(folder):
        storage.write_version(folder, {}, writer(b"x"))


@pytest.mark.parametrize("at", ["version", "current"])
def test_the_next_start_takes_what_a_killed_build_left_and_frees_its_name(tmp_path, at):
    assert run_apart(build_and_die, tmp_path / "mine", at)[0] == 9
    endings = {path.suffix for path in (tmp_path / "mine").iterdir()}
    assert endings == ({"", ".partial"} if at == "version" else {"", ".tmp"})
    if at == "current":
        (tmp_path / "mine" / "own.tmp").touch()
    with storage.lock_for_writing(tmp_path / "other"):
        storage.remove_unfinished(tmp_path)
        assert (tmp_path / "other" / ".lock").exists()
    left = {path.suffix for path in (tmp_path / "mine").glob("*")}
    assert left == (set() if at == "version" else {".tmp"})  # a version nobody named goes too
    assert (tmp_path / "mine").exists() == (at == "current")


def test_the_version_in_use_outlives_a_killed_build(tmp_path):
    """Built again from the same rows, its folder is newer than the file that names it."""
    used = storage.write_version(tmp_path / "mine", {}, writer(b"x"))
    before = storage.write_version(tmp_path / "mine", {"name": "second"}, writer(b"y"))
    pointer = (tmp_path / "mine" / "current").stat()
    os.utime(before, ns=(pointer.st_mtime_ns + 1, pointer.st_mtime_ns + 1))
    (tmp_path / "mine" / ".lock").touch()
    storage.remove_unfinished(tmp_path)
    assert {path.name for path in (tmp_path / "mine").iterdir()} == {
        *("current", used.name, before.name)
    }


def test_a_hidden_name_is_refused(tmp_path):
    words = r"must not begin with a dot \(given: \.mine\)\. Name another"
    with pytest.raises(DatasetError, match=words), storage.lock_for_writing(tmp_path / ".mine"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_nobody_else_can_look_into_what_is_being_kept(tmp_path, monkeypatch):
    """A copy has the rights of its original only once it is whole."""
    source = storage.write_version(tmp_path / "mine", {}, writer(b"x")).parent
    whole = shutil.copystat
    rights = []

    def look(*names, **how):
        rights.extend(path.stat().st_mode & 0o077 for path in tmp_path.glob(".leaving-*"))
        whole(*names, **how)

    monkeypatch.setattr(shutil, "copystat", look)
    storage.copy_dataset(source, tmp_path / "kept")
    assert set(rights) == {0}


def test_a_lock_that_its_holder_has_just_removed_is_none(tmp_path, monkeypatch):
    """Who opened the file before that would hold it beside whoever makes it anew."""
    flock = fcntl.flock

    def late(descriptor, how):
        (tmp_path / "set" / ".lock").unlink()
        (tmp_path / "set" / ".lock").touch()
        flock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", late)
    lock = storage.lock_for_writing(tmp_path / "set")
    with pytest.raises(DatasetError, match="being built"), lock:
        pass


def test_what_a_living_process_keeps_is_not_swept(tmp_path):
    living = tmp_path / f".leaving-{os.getpid()}-mine"
    living.mkdir()
    storage.remove_abandoned(tmp_path)
    assert living.exists()
    storage.remove_abandoned(tmp_path, starting=True)
    assert not living.exists()


def test_days_of_one_file_are_read_one_at_a_time(monkeypatch):
    """Two readers of one open Parquet file at once end the process, now and then."""
    read, inside, most = pq.ParquetFile.read_row_group, [], []

    def slowly(file, group):
        inside.append(group)
        time.sleep(0.01)
        most.append(len(inside))
        inside.remove(group)
        return read(file, group)

    trips = datasets.load("rwanda-districts").trips
    monkeypatch.setattr(pq.ParquetFile, "read_row_group", slowly)
    with ThreadPoolExecutor(4) as readers:
        assert len(list(readers.map(trips.day, range(7)))) == 7
    assert most == [1] * 7
