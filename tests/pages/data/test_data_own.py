"""Datasets of one's own on the Data page: kept, deleted, made on first use."""

import json
import os
import shutil
import threading
from pathlib import Path

import pytest

from engine import datasets, synthetic
from engine.datasets import storage
from engine.errors import DatasetError
from pages._ui.data import first_use as data_first_use, wording as data_wording
from pages._ui.data.own import OwnData
from tests.support.data_page import (
    DISTRICTS,
    PLACES,
    TRIPS,
    built,
    button,
    ended,
    filled,
    html_of,
    text,
    upload,
    uploader,
    widget,
)
from tests.support.link import held


def test_a_dataset_is_kept_for_its_owner_only_and_deleted(open_data, local, own_root):
    app = built(filled(open_data))
    button(app, "data_keep_trips-2015-09").click().run()
    folder = own_root / "local" / "trips-2015-09"
    assert datasets.load("trips-2015-09").has_trips
    assert app.session_state["session"].datasets == {}
    for path in (own_root / "local", folder, *folder.rglob("*")):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600)
    assert "kept on this computer in data/local" in html_of(app)
    button(app, "data_another").click().run()
    assert "Kept on this computer" in [one.value for one in app.subheader]
    button(app, "data_delete_trips-2015-09").click().run()
    assert not folder.exists()
    assert "Kept on this computer" not in [one.value for one in app.subheader]


def test_a_damaged_dataset_is_named_and_can_be_deleted(open_data, local, own_root):
    folder = own_root / "local" / "torn"
    (folder / "v1").mkdir(parents=True)
    (folder / "v1" / "dataset.json").write_text("{", encoding="utf-8")
    (folder / "current").write_text("v1", encoding="utf-8")
    app = open_data()
    assert "torn cannot be opened" in html_of(app)
    button(app, "data_delete_torn").click().run()
    assert not folder.exists()
    assert "torn" not in html_of(app)


def kept(folder: Path, **changes: object) -> Path:
    """A copy of a whole dataset, kept on this computer; return the folder of its version."""
    source = Path(__file__).parents[3] / "data" / "rwanda-districts"
    shutil.copytree(source, folder)
    version = storage.current_version(folder)
    document = {**storage.read_metadata(version), **changes}
    (version / "dataset.json").write_text(json.dumps(document), encoding="utf-8")
    return version


BROKEN = {
    "checksums_list": {"checksums": [1, 2]},
    "checksums_null": {"checksums": None},
    "checksums_odd": {"checksums": {"zones.parquet": {"a": [1]}}},
    "name_a_number": {"name": 5},
    "source_a_list": {"source": ["x"]},
    "simulated_as_text": {"simulated": "yes"},
    "people_as_text": {"people_public": "many"},
    "days_without_end": {"last_day": "9999-12-31"},
    "days_backwards": {"last_day": "0001-01-01"},
    "half_a_character": {"description": "\ud800"},
    "no_time_zone": {"time_zone": "Africa"},
}


def test_whatever_is_in_broken_datasets_each_can_be_deleted(open_data, local, own_root):
    place = own_root / "local"
    names = [*BROKEN, "deep", "pipe", "no_zones", "pointer", "report"]
    version = {name: kept(place / name, **BROKEN.get(name, {})) for name in names}
    (version["deep"] / "dataset.json").write_text('{"a":' + "[" * 200_000, encoding="utf-8")
    (version["pipe"] / "dataset.json").unlink()
    os.mkfifo(version["pipe"] / "dataset.json")
    (version["no_zones"] / "zones.parquet").unlink()
    (place / "pointer" / "current").write_text("v\0" + "x" * 300, encoding="utf-8")
    (version["report"] / "ingest.json").write_text('{"rows": [1], "files": 3}', encoding="utf-8")
    app = open_data()
    assert not app.exception, app.exception
    for left in range(len(names), 0, -1):
        said = html_of(app)
        assert said.count("cannot be opened") + said.count("Cannot be shown") == left
        assert "6 · Name and build" in text(app)
        button(app, f"data_delete_{names[left - 1]}").click().run()
        assert not app.exception, app.exception
        assert not (place / names[left - 1]).exists()
    assert "cannot be opened" not in html_of(app)


def test_names_of_broken_datasets_cannot_break_the_page(open_data, local, own_root):
    for name in ("esc\x1b[31m", "bell\x07[31m", "half\udc80"):
        (own_root / "local" / name).mkdir(parents=True)
        (own_root / "local" / name / "current").write_text("v1", encoding="utf-8")
    app = open_data()
    assert not app.exception, app.exception
    assert html_of(app).count("cannot be opened") == 3
    assert "\x1b" not in html_of(app)
    for key in [one.key for one in app.button if (one.key or "").startswith("data_delete_")]:
        button(app, key).click().run()
    assert list((own_root / "local").iterdir()) == []


def test_a_name_that_is_taken_is_refused(open_data):
    app = filled(open_data)
    name = widget(app.text_input, "data_name")
    name.set_value("demo-city").run()
    assert "another name (this one is taken)" in text(app)
    widget(app.text_input, "data_name").set_value("../x").run()
    assert "a name in lower-case letters" in text(app)
    assert button(app, "data_start").disabled


@pytest.fixture
def maker(monkeypatch, tiny_city, own_root):
    """A maker of the dataset of first use that takes as long as the test wants."""
    data_first_use._works.clear()
    go_on = threading.Event()
    calls = []

    def ensure(name, progress):
        calls.append(name)
        progress(0.25)
        assert go_on.wait(20)
        progress(0.5)
        document = storage.read_metadata(tiny_city.folder) | {"name": name}
        document.pop("checksums")
        storage.write_version(
            own_root / "local" / name,
            document,
            lambda version: [
                (version / path.name).write_bytes(path.read_bytes())
                for path in tiny_city.folder.glob("*.parquet")
            ],
        )

    monkeypatch.setattr(synthetic, "ensure", ensure)
    yield go_on, calls
    go_on.set()
    for work in data_first_use._works.values():
        ended(work)
    data_first_use._works.clear()


def test_a_large_dataset_is_made_on_first_use(open_data, local, maker):
    go_on, calls = maker
    app = open_data()
    assert f"<b>{DISTRICTS}</b>" in html_of(app)
    assert "About 7 minutes and 41 MB on this computer, once." in text(app)
    button(app, f"data_make_{DISTRICTS}").click().run()
    other = open_data()
    assert button(other, f"data_make_{DISTRICTS}_cancel").label == "Stop"
    data_first_use.start(DISTRICTS)
    assert calls == [DISTRICTS]  # nobody makes it twice at once
    go_on.set()
    ended(data_first_use._works[DISTRICTS])
    other.run()
    assert "Kept on this computer" in [one.value for one in other.subheader]
    assert not any((one.key or "") == f"data_make_{DISTRICTS}" for one in other.button)
    assert DISTRICTS in datasets.available()


def test_making_it_can_be_stopped_and_begun_again(open_data, local, maker):
    go_on, calls = maker
    app = open_data()
    button(app, f"data_make_{DISTRICTS}").click().run()
    button(app, f"data_make_{DISTRICTS}_cancel").click().run()
    go_on.set()
    ended(data_first_use._works[DISTRICTS])
    assert data_first_use._works[DISTRICTS].state == "cancelled"
    assert "go on from where it was" in text(app.run())
    button(app, f"data_make_{DISTRICTS}").click().run()
    ended(data_first_use._works[DISTRICTS])
    assert calls == [DISTRICTS] * 2
    assert DISTRICTS in datasets.available()


def test_what_goes_wrong_in_making_is_told(open_data, local, maker, monkeypatch):
    def full(*_: object) -> None:
        raise DatasetError("the disk is full; free some space and start again")

    monkeypatch.setattr(synthetic, "ensure", full)
    app = open_data()
    button(app, f"data_make_{DISTRICTS}").click().run()
    ended(data_first_use._works[DISTRICTS])
    assert "the disk is full; free some space" in html_of(app.run())


def test_it_is_offered_to_this_computer_only(open_data):
    assert DISTRICTS not in html_of(open_data())


def test_every_dataset_of_first_use_says_what_it_costs():
    assert data_first_use.COSTS.keys() == data_first_use.ON_FIRST_USE.keys()


def test_two_files_with_different_columns_are_judged_each_by_itself(open_data):
    app = open_data()
    other = b"person;when;somewhere\n1;2015-09-07;A\n"
    uploader(app, "table").upload("trips_2015_09.csv", TRIPS, "text/csv")
    uploader(app, "table").upload("visits_2015_09.csv", other, "text/csv")
    app.run()
    upload(app, "locations", "stations.csv", PLACES)
    assert not app.exception, app.exception
    assert "visits_2015_09.csv: column &#x27;Usuario_Id&#x27;" in html_of(app)
    assert {"5 · Zones", "6 · Name and build"} <= {
        one.value.strip("*") for one in app.markdown if one.value.startswith("**")
    }
    assert button(app, "data_start").disabled


def test_what_is_needed_is_said_once():
    assert data_wording.needed(["the column of place"] * 2) == "Still needed: the column of place."


def test_days_are_added_to_a_dataset_of_ones_own(open_data):
    app = built(filled(open_data))
    button(app, "data_another").click().run()
    more = TRIPS.replace(b"2015-09-07", b"2015-10-01")
    upload(app, "more_files", "october.csv", more)
    assert button(app, "data_more_start").disabled, "what is lost has not been agreed to"
    widget(app.checkbox, "data_more_leave").check().run()
    button(app, "data_more_start").click().run()
    ended(held(app, OwnData).build)
    assert held(app, OwnData).build.state == "finished", held(app, OwnData).build.error
    (folder,) = app.session_state["session"].datasets.values()
    grown = datasets.load(folder)
    assert str(grown.metadata.last_day) == "2015-10-01"
    assert grown.trips.day(30).n.sum() == 3
    assert not grown.has_trips_by_person
