"""Datasets of one's own on the Data page: kept, deleted, and twins of one's own zones."""

import errno
import json
import os
import shutil
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from engine import datasets, origin_destination as od
from engine.datasets import storage
from engine.ingest.inputs import column_mapping
from pages._ui.data import builds, messages
from pages._ui.data.builds import DataState
from tests.support.data_page import (
    PAGE,
    built,
    button,
    ended,
    filled,
    html_of,
    text,
    upload,
    widget,
)
from tests.support.ingests import squares
from tests.support.page import held


def test_a_dataset_is_kept_for_its_owner_only_and_deleted(open_data, local, own_root):
    app = built(filled(open_data))
    button(app, "data_keep_trips-2015-09").click().run()
    folder = own_root / "local" / "trips-2015-09"
    assert datasets.load("trips-2015-09").has_trips
    assert app.session_state["session"].datasets == {}
    for path in (own_root / "local", folder, *folder.rglob("*")):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600)
    assert "saved on this computer in data/local" in html_of(app)
    button(app, "data_another").click().run()
    assert "Saved on this computer" in [one.value for one in app.subheader]
    button(app, "data_delete_trips-2015-09").click().run()
    assert not folder.exists()
    assert "Saved on this computer" not in [one.value for one in app.subheader]


def kept(folder: Path, **changes: object) -> Path:
    """A copy of a whole dataset, kept on this computer; return the folder of its version."""
    source = Path(__file__).parents[3] / "data" / "rwanda-districts"
    shutil.copytree(source, folder)
    version = storage.current_version(folder)
    document = {**storage.read_metadata(version), **changes}
    (version / "dataset.json").write_text(json.dumps(document), encoding="utf-8")
    return version


BROKEN = json.loads(Path(__file__).with_name("broken.json").read_text("utf-8"))


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
    for gone, name in enumerate(names[len(BROKEN) - 1 :]):  # one whose document is wrong is enough
        said = html_of(app)
        assert said.count("cannot be opened") + said.count("Cannot be shown") == len(names) - gone
        assert "4 · Name and build" in text(app)
        button(app, f"data_delete_{name}").click().run()
        assert not app.exception, app.exception
        assert not (place / name).exists()


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


def test_every_kind_and_column_has_a_name():
    known = {name for kind in column_mapping.REQUIRED for name in column_mapping.REQUIRED[kind]}
    known |= {name for kind in column_mapping.OPTIONAL for name in column_mapping.OPTIONAL[kind]}
    assert known <= messages.COLUMNS.keys()


def test_what_is_written_of_an_upload_when_the_disk_is_full_goes(temporary):
    class Upload:
        file_id, name = "1", "trips.csv"

        def getbuffer(self):
            raise OSError(errno.ENOSPC, "No space left on device")

    space = builds.Workspace()
    with pytest.raises(OSError, match="No space"):
        space.store_files("table", [Upload()])
    assert not list(space.folder.rglob("*.csv"))


def test_an_upload_is_stored_once_however_many_runs_ask_for_it(temporary):
    class Upload:
        file_id, name = "1", "trips.csv"

        def getbuffer(self):
            time.sleep(0.05)  # a second run has time to ask
            return b"uid,datetime\n"

    space = builds.Workspace()
    paths = []
    runs = [
        threading.Thread(target=lambda: paths.extend(space.store_files("table", [Upload()])))
        for _ in range(6)
    ]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert len(set(paths)) == 1
    assert len(list(space.folder.glob("*/trips.csv"))) == 1
    space.delete_uploads()
    assert not list(space.folder.glob("*/trips.csv"))
    space.remove()


RESIDENTS = (4_000, 0, 1_000, 5_000)
NAMED = {"zone": ["Z0", "Z1", "Z2", "Z3"], "name": ["=cmd()"] * 4}
BARE = squares(**NAMED).to_json().encode()
ZONES = squares(**NAMED, population=RESIDENTS).to_json().encode()


def opened(open_page) -> AppTest:
    app = open_page(PAGE)
    door = next(one for one in app.segmented_control if one.key == "data_door")
    door.set_value("I have no data yet, or may not look at them").run()
    assert not app.exception, app.exception
    return app


def test_a_twin_is_four_actions_from_the_page_to_home(open_page) -> None:
    app = upload(opened(open_page), "twin", "my zones.geojson", ZONES)
    assert widget(app.number_input, "data_twin_people").value == sum(RESIDENTS) / 10
    assert "4 zones" in text(app)
    button(app, "data_twin_start").click().run()
    assert not app.exception, app.exception
    ended(held(app, DataState).build)
    app.run()
    assert "twin-my-zones was built in" in text(app)
    folder = app.session_state["session"].datasets["twin-my-zones"]
    twin = datasets.load(folder)
    assert twin.metadata.simulated
    homes = np.asarray(twin.homes)
    assert homes.sum() == 1_000
    assert homes[1] == 0
    assert od.truth(twin).sum() / 1_000 / 7 > 0.7
    button(app, "data_home_twin-my-zones").click().run()
    assert not app.exception, app.exception
    assert twin.metadata.scenario["twin"]["people"] == 1_000


def test_beside_a_twin_that_is_kept_the_next_has_another_name(open_page, monkeypatch) -> None:
    kept = {**datasets.available(), "twin-few": datasets.data_root() / "local" / "twin-few"}
    monkeypatch.setattr(datasets, "available", lambda: kept)
    app = upload(opened(open_page), "twin", "few.geojson", ZONES)
    widget(app.checkbox, "data_twin_one_trip").set_value(True).run()
    button(app, "data_twin_start").click().run()
    build = held(app, DataState).build
    ended(build)
    folder = app.run().session_state["session"].datasets["twin-few-2"]
    assert datasets.load(folder).metadata.scenario["twin"]["one_trip"]
    assert build.name == "twin-few-2"


def test_a_file_without_residents_says_so_and_one_that_is_none_is_refused(open_page) -> None:
    app = upload(opened(open_page), "twin", "bare.geojson", BARE)
    assert widget(app.selectbox, "data_twin_residents").value is None
    assert widget(app.number_input, "data_twin_people").value == 10_000
    app = upload(opened(open_page), "twin", "wrong.geojson", b"{}")
    assert "Cannot be read" in text(app)


def test_what_cannot_be_made_is_said_before_it_is_tried(open_page) -> None:
    app = upload(opened(open_page), "twin", "few.geojson", ZONES)
    widget(app.number_input, "data_twin_trips").set_value(200.0).run()
    assert not app.exception, app.exception
    assert "trips_a_day must be" in text(app)
    assert button(app, "data_twin_start").disabled
