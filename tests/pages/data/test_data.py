"""The Data page: files in, columns guessed, errors in plain words, a report that adds up."""

import logging
import threading
from datetime import date

import pytest

from engine.text.dataset_text import CONFIDENTIAL_BANNER
from pages._ui.app.parallel import Job
from pages._ui.data import builds, dataset_list
from pages._ui.data.builds import DataState
from tests.support.data_page import (
    CANARY,
    TRIPS,
    built,
    button,
    ended,
    filled,
    html_of,
    text,
    upload,
    upload_all,
    uploader,
    widget,
    zone,
)
from tests.support.page import held


def test_what_is_guessed_can_be_set_otherwise_and_what_cannot_stand_is_named(open_data):
    app = filled(open_data)
    assert not [one for one in app.selectbox if (one.key or "").startswith("data_trips_")]
    table = html_of(app)
    for column, meaning in (
        ("Usuario_Id", "Person"),
        ("Inicio_del_viaje", "Time"),
        ("Origen_Id", "Origin"),
        ("Destino_Id", "Destination"),
        ("Fin_del_viaje", "End time"),
    ):
        assert f"{column} · {meaning}<" in table
    assert "→ Mon 7 Sep 2015 08:00<" in table
    days = [one.value for one in app.date_input]
    assert days == [date(2015, 9, 1), date(2015, 9, 30)]
    assert widget(app.selectbox, "data_week").value == date(2015, 9, 7)
    assert widget(app.text_input, "data_name").value == "trips-2015-09"
    assert not button(app, "data_start").disabled
    assert "confidential" in " ".join(str(one.value) for one in app.warning)
    assert controls(app) <= 21
    button(app, "data_days").click().run()  # read where the name tells a longer period
    assert [one.value for one in app.date_input] == [date(2015, 9, 7), date(2015, 9, 13)]
    widget(app.text_input, "data_name").set_value("demo-city").run()
    assert "another name, because this one is taken" in text(app)
    assert button(app, "data_start").disabled
    widget(app.text_input, "data_name").set_value("../x").run()
    assert "a name in lower-case letters" in text(app)
    assert button(app, "data_start").disabled
    widget(app.text_input, "data_name").set_value("mine").run()
    widget(app.toggle, "data_columns_trips").set_value(True).run()
    end = widget(app.selectbox, "data_trips_end_datetime")
    end.set_value("Inicio_del_viaje").run()
    assert "a different column for each field" in text(app)
    assert button(app, "data_start").disabled
    widget(app.selectbox, "data_trips_end_datetime").set_value("").run()
    assert not button(app, "data_start").disabled
    upload(app, "table", "places.csv", b"user,when,place\np,2015-09-07,A\n")
    assert "a column for “" in text(app)


def controls(app):
    """Count what a person may set or press in the form."""
    kinds = ("text_input", "number_input", "date_input", "selectbox", "multiselect", "toggle",
             "segmented_control", "checkbox", "button", "file_uploader")  # fmt: skip
    keys = [one.key or "" for kind in kinds for one in app.get(kind)]
    others = ("data_home_", "data_keep_", "data_delete_")
    return sum(key.startswith("data_") and not key.startswith(others) for key in keys)


def test_several_files_are_one_table(open_data):
    app = open_data()
    files = [(f"trips_2015_{month}.csv", TRIPS, "text/csv") for month in ("08", "09")]
    uploader(app, "table").set_value(files).run()
    assert [one.value for one in app.date_input] == [date(2015, 8, 1), date(2015, 9, 30)]
    assert widget(app.text_input, "data_name").value == "trips"
    assert "the first of 2 files. All files" in text(app)


def test_a_build_is_reported_exactly_stands_in_the_pickers_and_leaves_no_copy_of_its_uploads(
    open_data, monkeypatch, temporary
):
    app = filled(open_data)
    assert {path.name for path in temporary.rglob("*.csv")} == {"trips_2015_09.csv", "stations.csv"}
    assert all(path.stat().st_mode & 0o077 == 0 for path in temporary.rglob("*"))
    built(app)
    assert list(temporary.rglob("*.csv")) == []
    assert not any(held(app, DataState).caches.values())
    assert len(list(temporary.rglob("trips.parquet"))) == 1
    report = held(app, DataState).build.result
    assert report["rows"] == {
        "read": 36,
        "used": 21,
        "unused": {"outside_area": 7, "self_trip": 7, "duplicate": 1},
    }
    page = html_of(app)
    assert "<td>used</td><td>21</td>" in page
    assert "<td>all</td><td>36</td>" in page
    assert CONFIDENTIAL_BANNER in [one.value for one in app.warning]
    assert "trips-2015-09" in app.session_state["session"].datasets
    monkeypatch.setattr(Job, "advance", lambda job: None)  # home judges nothing
    button(app, "data_home_trips-2015-09").click().run()
    app.switch_page("pages/0_Home.py").run()
    assert not app.exception, app.exception
    names = [str(option) for one in app.selectbox for option in one.options]
    assert "trips-2015-09" in names
    assert "trips-2015-09" not in str(dict(app.query_params))
    held(app, DataState).workspace.remove()
    assert list(temporary.iterdir()) == []


def test_an_uploads_copy_goes_when_it_is_taken_away(open_data, temporary):
    app = upload(open_data(), "table", "trips_2015_09.csv", TRIPS)
    assert len(list(temporary.rglob("*.csv"))) == 1
    uploader(app, "table").set_value([]).run()
    assert list(temporary.rglob("*.csv")) == []
    assert not held(app, DataState).cache_of("looks")  # nor stay its first rows in memory


def test_a_file_that_cannot_be_read_is_refused_at_once(open_data):
    app = upload(open_data(), "table", "a.parquet", TRIPS)
    assert "claims to be Parquet" in html_of(app)
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
    app = filled(open_data, TRIPS + f"\n{row}\n".encode())
    widget(app.text_input, "data_name").set_value("mine").run()
    app = built(app)
    assert words in html_of(app)
    assert "Cannot be built" in html_of(app)
    assert CANARY not in text(app)
    assert CANARY not in caplog.text
    assert list(temporary.rglob("*.parquet")) == []
    assert not app.session_state["session"].datasets
    assert len(uploader(app, "table").value) == 1  # the form is as it was
    assert widget(app.text_input, "data_name").value == "mine"


def test_an_unforeseen_error_is_told_without_its_message(open_data, monkeypatch, caplog):
    def broken(*_: object) -> None:
        raise RuntimeError(CANARY)

    monkeypatch.setattr(builds, "ingest", broken)
    app = built(filled(open_data))
    assert "unexpected error (RuntimeError)" in html_of(app)
    assert CANARY not in text(app) + caplog.text


def test_a_build_can_be_cancelled(open_data, monkeypatch, temporary):
    entered = threading.Event()
    whole = builds.ingest

    def slow(options, tell, cancel):
        entered.set()
        assert cancel.wait(20)
        return whole(options, tell, cancel)

    monkeypatch.setattr(builds, "ingest", slow)
    app = filled(open_data)
    button(app, "data_start").click().run()
    assert entered.wait(10)
    button(app, "data_build_cancel").click().run()
    ended(held(app, DataState).build)
    app.run()
    assert "Cancelled. Nothing was written." in text(app)
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
    assert "Usuario_Id · Person<" in html_of(app)
    widget(app.text_input, "data_table_path").set_value(str(tmp_path / "none.csv")).run()
    assert "no such file" in html_of(app)


def test_from_elsewhere_no_path_can_be_named_and_nothing_kept(open_data):
    app = open_data()
    app.session_state["data_way"] = "Path on this computer"
    app.run()
    assert not any("path" in (one.key or "") for one in app.text_input)
    assert len(app.get("file_uploader")) == 3
    assert dataset_list.LOCAL_ONLY in text(app)
    assert "<b>town</b>" in html_of(app)
    assert not any((one.key or "").startswith("data_delete_town") for one in app.button)
    built(zone(upload_all(app), "UTC"))
    assert not any((one.key or "").startswith("data_keep_") for one in app.button)
