"""The Data page: files in, columns guessed, errors in plain words, a report that adds up."""

import logging
import threading
import time
from datetime import date
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from engine import datasets, storage, synthetic
from engine.errors import DatasetError
from engine.ingest import mapping
from pages._ui import (
    catalogue,
    data_build,
    data_first_use,
    data_guesses,
    data_report,
    data_store,
    data_wording,
    wording,
)
from tests.reference.ingest_inputs import TOWERS

PAGE = "pages/8_Data.py"
CANARY = "canary-4711"
HEADER = "Usuario_Id,Inicio_del_viaje,Fin_del_viaje,Origen_Id,Destino_Id"
ROWS = [
    f"{person},2015-09-{day:02d} 08:{person:02d}:00,2015-09-{day:02d} 09:10:00,{origin},{end}"
    for day in range(7, 14)
    for person, (origin, end) in enumerate(("AB", "BC", "CD", "DD", "AZ"))
]
TRIPS = "\n".join([HEADER, *ROWS, ROWS[0]]).encode()
PLACES = "\n".join(
    ["id,latitude,longitude,name", *(f"{i},{lat},{lng},<b>{i}</b>" for i, lat, lng in TOWERS)]
).encode()
DISTRICTS = "afghanistan-2020-districts"


@pytest.fixture
def temporary(tmp_path, monkeypatch) -> Path:
    """A folder that holds all temporary ones of this test."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


@pytest.fixture
def open_data(open_page, temporary):
    """Open the page; its session's folder goes with the test."""
    opened = []

    def run(**query: str) -> AppTest:
        app = open_page(PAGE, **query)
        opened.append(app)
        return app

    yield run
    for app in opened:
        if data_build._KEY in app.session_state:
            app.session_state[data_build._KEY].cancel()
            app.session_state[data_build._KEY].wait(10)
        if data_store._KEY in app.session_state:
            app.session_state[data_store._KEY].remove()


@pytest.fixture
def local(monkeypatch) -> None:
    """Be served to this computer's own browser."""
    monkeypatch.setattr(data_store, "served_locally", lambda: True)


@pytest.fixture
def own_root(data_root, tmp_path, monkeypatch) -> Path:
    """A data folder of this test alone, with demo-city."""
    root = tmp_path / "data"
    root.mkdir()
    (root / "demo-city").symlink_to(data_root / "demo-city")
    monkeypatch.setenv("MOBILITY_DATA", str(root))
    return root


def uploader(app: AppTest, name: str):
    return next(one for one in app.get("file_uploader") if one.key.startswith(f"data_{name}_"))


def upload(app: AppTest, name: str, file: str, contents: bytes) -> AppTest:
    uploader(app, name).upload(file, contents, "text/csv").run()
    assert not app.exception, app.exception
    return app


def html_of(app: AppTest) -> str:
    return "\n".join(element.proto.body for element in app.get("html"))


def text(app: AppTest) -> str:
    parts = [*app.markdown, *app.caption, *app.info, *app.warning, *app.error, *app.title]
    return "\n".join([*(str(part.value) for part in parts), html_of(app)])


def widget(parts, key: str):
    return next(part for part in parts if part.key and part.key.startswith(key))


def filled(open_data) -> AppTest:
    app = upload(open_data(), "table", "trips_2015_09.csv", TRIPS)
    upload(app, "locations", "stations.csv", PLACES)
    return zone(app, "America/Mexico_City")


def zone(app: AppTest, name: str) -> AppTest:
    return widget(app.selectbox, "data_time_zone").set_value(name).run()


def button(app: AppTest, key: str):
    return widget(app.button, key)


def built(app: AppTest, seconds: float = 30.0) -> AppTest:
    """Press the button and run the page until the build has ended, as a browser would."""
    button(app, "data_start").click().run()
    assert not app.exception, app.exception
    ended(app.session_state[data_build._KEY], seconds)
    return app.run()


def ended(work, seconds: float = 30.0) -> None:
    work.wait(seconds)
    assert work.state != "running"


def test_the_empty_page_says_what_is_needed_and_what_there_is(open_data):
    app = open_data()
    assert button(app, "data_start").disabled
    assert "Still needed: a table, places or zones, the period" in text(app)
    listed = html_of(app)
    for name in ("demo-city", "only-visits", "flows"):
        assert f"<b>{name}</b>" in listed
    assert "2,000<small>simulated</small>" in listed
    assert "30<small>40 places</small>" in listed
    assert "Licence: MIT" in listed


def test_bad_query_parameters_do_no_harm(open_data):
    app = open_data(data_way="x", od_data="../../etc", epsilon="nan", data_table="<b>")
    assert not app.exception
    assert button(app, "data_start").disabled


def test_columns_kind_period_and_name_are_guessed(open_data):
    app = filled(open_data)
    chosen = {
        one.label: one.value
        for one in app.selectbox
        if one.key and one.key.startswith(("data_trips_", "data_locations_"))
    }
    assert chosen == {
        "Person": "Usuario_Id",
        "Time": "Inicio_del_viaje",
        "Origin": "Origen_Id",
        "Destination": "Destino_Id",
        "End time (optional)": "Fin_del_viaje",
        "Place": "id",
        "Latitude": "latitude",
        "Longitude": "longitude",
        "Name (optional)": "name",
    }
    days = [one.value for one in app.date_input]
    assert days == [date(2015, 9, 1), date(2015, 9, 30)]
    assert widget(app.selectbox, "data_week").value == date(2015, 9, 7)
    assert widget(app.text_input, "data_name").value == "trips-2015-09"
    assert not button(app, "data_start").disabled
    assert "confidential" in " ".join(str(one.value) for one in app.warning)
    assert "Usuario_Id<span>Person</span>" in html_of(app)


def test_a_time_zone_far_from_the_places_is_questioned(open_data):
    app = filled(open_data)
    assert "Is it the right one?" not in text(app)
    assert "longitude -103°" in text(zone(app, "Asia/Tokyo"))


def test_coordinates_alone_question_a_time_zone_too(open_data):
    rows = b"user,time,lat,lon\np,2015-09-07 08:00:00,20.6,-103.3\n"
    app = zone(upload(open_data(), "table", "points_2015_09.csv", rows), "Asia/Tokyo")
    assert "longitude -103°" in text(app)


def test_several_files_are_one_table(open_data):
    app = open_data()
    files = [(f"trips_2015_{month}.csv", TRIPS, "text/csv") for month in ("08", "09")]
    uploader(app, "table").set_value(files).run()
    assert [one.value for one in app.date_input] == [date(2015, 8, 1), date(2015, 9, 30)]
    assert widget(app.text_input, "data_name").value == "trips"
    assert "The first of 2 files is shown" in text(app)


def test_a_column_left_out_or_taken_twice_is_named(open_data):
    app = filled(open_data)
    end = widget(app.selectbox, "data_trips_end_datetime")
    end.set_value("Inicio_del_viaje").run()
    assert "a column of its own for each" in text(app)
    assert button(app, "data_start").disabled
    widget(app.selectbox, "data_trips_end_datetime").set_value("").run()
    assert not button(app, "data_start").disabled
    upload(app, "table", "places.csv", b"user,when,place\np,2015-09-07,A\n")
    assert "the column of " in text(app)


def test_a_build_is_reported_exactly_and_stands_in_the_pickers(open_data):
    app = built(filled(open_data))
    report = app.session_state[data_build._KEY].result
    assert report["rows"] == {
        "read": 36,
        "used": 21,
        "unused": {"outside_area": 7, "self_trip": 7, "duplicate": 1},
    }
    page = html_of(app)
    assert "<td>used</td><td>21</td>" in page
    assert '<tr class="sum"><td>all</td><td>36</td>' in page
    assert wording.CONFIDENTIAL_BANNER in [one.value for one in app.warning]
    assert "trips-2015-09" in app.session_state[catalogue.SESSION_DATASETS]
    button(app, "data_home_trips-2015-09").click().run()
    app.switch_page("app.py").run()
    assert not app.exception, app.exception
    names = [str(option) for one in app.selectbox for option in one.options]
    assert sum("trips-2015-09 · confidential" in name for name in names) == 2
    assert "trips-2015-09" not in str(dict(app.query_params))


def test_people_by_bin_stand_only_under_the_banner(open_data):
    app = built(filled(open_data))
    button(app, "data_another").click().run()
    assert "In this session" in [one.value for one in app.subheader]
    banners = [one for one in app.warning if one.value == wording.CONFIDENTIAL_BANNER]
    assert len(banners) == html_of(app).count("Visits a person, in the week") == 1


def test_an_uploads_copy_goes_when_it_is_built(open_data, temporary):
    app = filled(open_data)
    assert {path.name for path in temporary.rglob("*.csv")} == {"trips_2015_09.csv", "stations.csv"}
    assert all(path.stat().st_mode & 0o077 == 0 for path in temporary.rglob("*"))
    built(app)
    assert list(temporary.rglob("*.csv")) == []
    assert len(list(temporary.rglob("trips.parquet"))) == 1
    app.session_state[data_store._KEY].remove()
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize(
    ("file", "contents", "words"),
    [
        ("a.csv", b"", "a.csv: the file is empty"),
        ("a.csv", HEADER.encode(), "only a header, 0 rows"),
        ("a.parquet", TRIPS, "claims to be Parquet"),
        ("a.csv", b"uid,UID,datetime\n1,2,3\n", "appears twice"),
        ("a.csv", "\n".join([HEADER, ROWS[0], "p" * 200_000]).encode(), "is longer than"),
        ("a.csv", TRIPS.decode().encode("utf-16"), "UTF-16"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_at_once(open_data, file, contents, words):
    app = upload(open_data(), "table", file, contents)
    assert words in html_of(app)
    assert "a table that can be read" in text(app)
    assert button(app, "data_start").disabled


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (f"{CANARY},{CANARY},,A,B", "in 1 of 37 rows, the first in row 37"),
        (f"{CANARY},1,2", "too many or too few columns (line 38)"),
        (f'"{CANARY},1,2,A,B', "a quote that is not closed"),
    ],
)
def test_a_build_that_fails_leaks_nothing(open_data, temporary, caplog, row, words):
    caplog.set_level(logging.DEBUG)
    app = upload(open_data(), "table", "trips_2015_09.csv", TRIPS + f"\n{row}\n".encode())
    upload(app, "locations", "stations.csv", PLACES)
    built(zone(app, "America/Mexico_City"))
    assert words in html_of(app)
    assert "Cannot be built" in html_of(app)
    assert CANARY not in text(app)
    assert CANARY not in caplog.text
    assert list(temporary.rglob("*.parquet")) == []
    assert (
        catalogue.SESSION_DATASETS not in app.session_state
        or not (app.session_state[catalogue.SESSION_DATASETS])
    )
    assert len(uploader(app, "table").value) == 1  # the form is as it was


def test_an_unforeseen_error_is_told_without_its_message(open_data, monkeypatch, caplog):
    def broken(*_: object) -> None:
        raise RuntimeError(CANARY)

    monkeypatch.setattr(data_build, "ingest", broken)
    app = built(filled(open_data))
    assert "not foreseen (RuntimeError)" in html_of(app)
    assert CANARY not in text(app) + caplog.text


def test_a_build_can_be_cancelled(open_data, monkeypatch, temporary):
    entered = threading.Event()
    whole = data_build.ingest

    def slow(options, tell, cancel):
        entered.set()
        assert cancel.wait(20)
        return whole(options, tell, cancel)

    monkeypatch.setattr(data_build, "ingest", slow)
    app = filled(open_data)
    button(app, "data_start").click().run()
    assert entered.wait(10)
    button(app, "data_build_cancel").click().run()
    ended(app.session_state[data_build._KEY])
    app.run()
    assert "Cancelled; nothing was written." in text(app)
    assert list(temporary.rglob("*.parquet")) == []
    assert len(uploader(app, "table").value) == 1


def test_names_of_columns_and_files_stay_inert(open_data):
    hostile = b'<img src=x>,"![p](http://h/p.png)",=1+1,d\n<script>,[a](http://h),$x$,:red[a]\n'
    app = upload(open_data(), "table", "<i>x.csv", hostile)
    page = html_of(app)
    assert "<img" not in page
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "http://h" not in "\n".join(str(one.value) for one in [*app.markdown, *app.caption])


def test_paths_are_offered_to_this_computer_only(open_data, local, tmp_path):
    (tmp_path / "trips_2015_09.csv").write_bytes(TRIPS)
    app = open_data()
    app.session_state["data_way"] = "Path on this computer"
    app.run()
    widget(app.text_input, "data_table_path").set_value(str(tmp_path / "trips_*.csv")).run()
    assert "1 file, " in text(app)
    assert "Usuario_Id<span>Person</span>" in html_of(app)
    widget(app.text_input, "data_table_path").set_value(str(tmp_path / "none.csv")).run()
    assert "no such file" in html_of(app)


def test_from_elsewhere_no_path_can_be_named_and_nothing_kept(open_data):
    app = open_data()
    app.session_state["data_way"] = "Path on this computer"
    app.run()
    assert not any("path" in (one.key or "") for one in app.text_input)
    assert len(app.get("file_uploader")) == 3
    assert data_wording.LOCAL_ONLY in text(app)
    assert "<b>town</b>" in html_of(app)
    assert not any((one.key or "").startswith("data_delete_town") for one in app.button)
    built(zone(upload_all(app), "UTC"))
    assert not any((one.key or "").startswith("data_keep_") for one in app.button)


def upload_all(app: AppTest) -> AppTest:
    upload(app, "table", "trips_2015_09.csv", TRIPS)
    return upload(app, "locations", "stations.csv", PLACES)


def test_a_dataset_is_kept_for_its_owner_only_and_deleted(open_data, local, own_root):
    app = built(filled(open_data))
    button(app, "data_keep_trips-2015-09").click().run()
    folder = own_root / "local" / "trips-2015-09"
    assert datasets.load("trips-2015-09").has_trips
    assert app.session_state[catalogue.SESSION_DATASETS] == {}
    for path in (own_root / "local", folder, *folder.rglob("*")):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600)
    assert "kept on this computer in data/local" in html_of(app)
    button(app, "data_another").click().run()
    assert "Kept on this computer" in [one.value for one in app.subheader]
    button(app, "data_delete_trips-2015-09").click().run()
    assert not folder.exists()
    assert "Kept on this computer" not in [one.value for one in app.subheader]


def test_a_name_that_is_taken_is_refused(open_data):
    app = filled(open_data)
    name = widget(app.text_input, "data_name")
    name.set_value("demo-city").run()
    assert "another name (this one is taken)" in text(app)
    widget(app.text_input, "data_name").set_value("../x").run()
    assert "a name of small letters" in text(app)
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
    assert "About 5 minutes and 41 MB on this computer, once." in text(app)
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


@pytest.mark.parametrize(
    ("address", "headers", "expected"),
    [
        ("127.0.0.1", {"Host": "127.0.0.1:8501"}, True),
        ("127.0.0.1", {"Host": "localhost"}, True),
        ("127.0.0.1", {"Host": "[::1]:8501"}, True),
        ("127.0.0.1", {}, False),
        ("127.0.0.1", {"Host": "evil.example"}, False),
        ("127.0.0.1", {"Host": "127.0.0.1.evil.example:8501"}, False),
        ("127.0.0.1", {"Host": "localhost", "X-Forwarded-For": "10.0.0.9"}, False),
        ("0.0.0.0", {"Host": "127.0.0.1:8501"}, False),
        (None, {"Host": "127.0.0.1:8501"}, False),
    ],
)
def test_only_loopback_is_local(monkeypatch, address, headers, expected):
    given = {"server.address": address, "browser.serverAddress": "localhost"}

    class Context:
        pass

    Context.headers = headers
    monkeypatch.setattr(data_store.st, "get_option", lambda name: given.get(name))
    monkeypatch.setattr(data_store.st, "context", Context)
    assert data_store.served_locally() is expected


def test_a_sessions_folder_goes_when_the_session_is_gone(temporary, monkeypatch):
    space = data_store.Workspace("a session that never was")
    monkeypatch.setattr(data_store, "_open", [space])
    data_store.close_left()
    assert space.folder.is_dir()
    later = time.monotonic() + data_store.GRACE_S + 1
    monkeypatch.setattr(data_store.time, "monotonic", lambda: later)
    data_store.close_left()
    assert not space.folder.exists()


def test_what_a_killed_process_left_is_swept(temporary):
    gone = temporary / f"{data_store.PREFIX}4194999-abc"
    gone.mkdir()
    foreign = temporary / "other-4194999-abc"
    foreign.mkdir()
    data_store._sweep()
    assert not gone.exists()
    assert foreign.is_dir()


def test_an_account_on_the_page_adds_up():
    account = {"read": 10, "used": 7, "unused": {"duplicate": 2, "self_trip": 1}}
    shown = data_report.account_html("rows", account)
    assert [f"<td>{n}</td>" in shown for n in (7, 2, 1, 10)] == [True] * 4
    assert shown.count("<tr") == 4


def test_every_kind_and_column_has_a_name():
    known = {name for kind in mapping.REQUIRED for name in mapping.REQUIRED[kind]}
    known |= {name for kind in mapping.OPTIONAL for name in mapping.OPTIONAL[kind]}
    assert known <= data_wording.COLUMNS.keys()
    assert data_wording.KINDS.keys() == data_wording.KIND_HELP.keys()


@pytest.mark.parametrize(
    ("columns", "kind"),
    [
        (("uid", "datetime", "tower_id"), "visits"),
        (("user", "time", "lat", "lon"), "points"),
        (("origin", "destination", "flow", "date"), "flows"),
        (("a", "b"), "trips"),
    ],
)
def test_the_kind_of_table_is_guessed(columns, kind):
    assert data_guesses.kind(columns) == kind
