"""What can be picked: read once, and anew as soon as a folder has changed."""

import os
import shutil

import pytest

from engine.datasets import storage
from pages._ui.shell import catalogue

LONG_AGO = (1e9, 1e9)


@pytest.fixture
def settled(data_root, tmp_path, monkeypatch):
    """Return datasets of this test alone, whose folders have not changed for long."""
    root = tmp_path / "installed"
    shutil.copytree(data_root, root)
    monkeypatch.setenv("MOBILITY_DATA", str(root))
    rest(root)
    return root


def rest(root):
    """Let every folder have changed long ago."""
    for folder, _, _ in os.walk(root):
        os.utime(folder, LONG_AGO)


def test_folders_are_read_once(settled, monkeypatch):
    first = catalogue.shared()
    monkeypatch.setattr(storage, "current_version", lambda _: pytest.fail("read again"))
    assert catalogue.shared() == first


@pytest.mark.parametrize("place", [".", "local"])
def test_what_comes_goes_or_breaks_is_seen_at_once(settled, place):
    known = catalogue.shared()
    new = settled / place / "newcomer"
    new.mkdir()
    os.utime(new, LONG_AGO)
    assert catalogue.shared() == known
    version = storage.current_version(settled / "local" / "town")
    shutil.copytree(version, new / "v")
    (new / "current").write_text("v")
    assert catalogue.shared()["newcomer"].key.dataset == str(new / "v")
    rest(settled)
    assert "newcomer" in catalogue.shared()
    (new / "v" / "dataset.json").unlink()
    assert catalogue.shared() == known
    shutil.rmtree(new)
    assert catalogue.shared() == known
