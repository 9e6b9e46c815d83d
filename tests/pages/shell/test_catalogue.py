"""What can be picked: every run sees what lies there now."""

import shutil

import pytest

from engine.datasets import storage
from pages._ui.app import catalogue


@pytest.mark.parametrize("place", [".", "local"])
def test_what_comes_goes_or_breaks_is_seen_at_once(data_root, tmp_path, monkeypatch, place):
    root = tmp_path / "installed"
    shutil.copytree(data_root, root)
    monkeypatch.setenv("MOBILITY_DATA", str(root))
    known = catalogue.shared_entries()
    new = root / place / "newcomer"
    new.mkdir()
    assert catalogue.shared_entries() == known
    version = storage.current_version(root / "local" / "town")
    shutil.copytree(version, new / "v")
    (new / "current").write_text("v")
    assert catalogue.shared_entries()["newcomer"].key.dataset_id == str(new / "v")
    (new / "v" / "dataset.json").unlink()
    assert catalogue.shared_entries() == known
    shutil.rmtree(new)
    assert catalogue.shared_entries() == known
