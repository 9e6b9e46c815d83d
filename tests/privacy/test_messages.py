"""No message of an error reaches page or log: a library may quote the row it was given."""

import logging

import pytest

from pages._ui.answers import assessments, cached
from pages._ui.app import catalogue, parallel
from pages._ui.frame.page_table import HOME
from tests.support import pieces as work
from tests.support.server import Visitor, served

SECRET = "Alice 4711 at 48.85837, 2.29448"
DRAWN = {
    "pages/0_Home.py": (assessments, "assess_setting"),
    "pages/1_Density.py": (cached, "release"),
    "pages/2_Origin_Destination.py": (cached, "truth"),
}


@pytest.fixture(autouse=True)
def unforeseen_errors_are_raised() -> None:
    """Here a page shows them as a person sees them, unlike in the other tests."""


def fails_without_its_message(open_home, monkeypatch, caplog, path, module, name):
    def broken(*_arguments, **_named):
        raise ValueError(SECRET)

    app = open_home()
    app.switch_page(path)
    monkeypatch.setattr(module, name, broken)
    with caplog.at_level(logging.DEBUG):
        app.run()
    assert not app.exception
    assert app.error
    assert all("Reset" in error.value for error in app.error)
    assert "ValueError" in caplog.text
    assert "Alice" not in "".join(str(getattr(one, "proto", "")) for one in app) + caplog.text


@pytest.mark.parametrize("path", DRAWN)
def test_an_unforeseen_error_is_said_without_its_message(open_home, monkeypatch, caplog, path):
    fails_without_its_message(open_home, monkeypatch, caplog, path, *DRAWN[path])


@pytest.mark.parametrize("path", [HOME, "pages/6_Release.py"])
def test_so_it_is_where_the_settings_are_read(open_home, monkeypatch, caplog, path):
    fails_without_its_message(open_home, monkeypatch, caplog, path, catalogue, "entries")


@pytest.mark.parametrize("processes", ["0", "1"])
def test_so_it_is_in_long_work(monkeypatch, caplog, capfd, processes):
    monkeypatch.setenv(parallel.WORKERS_VARIABLE, processes)
    with caplog.at_level(logging.DEBUG):
        job = parallel.Job(work.broken, ((12,),), 0.0)
        work.finish(job, 600)
    said = job.error + caplog.text + "".join(capfd.readouterr())
    assert "RuntimeError" in said
    assert "Alice" not in said


def test_so_it_is_when_a_button_is_pressed(data_root, tmp_path):
    broken = (
        f"def broken(): raise ValueError({SECRET!r})\n"
        "from pages._ui.settings import seeds; seeds.redraw = broken"
    )
    log = tmp_path / "log"
    debug = ("--logger.level", "debug")
    server = served({"MOBILITY_DATA": str(data_root)}, before=broken, log=log, arguments=debug)
    with server as url, Visitor(url) as visitor:
        messages = visitor.run(press="Redraw")
    shown = b"".join(message.SerializeToString() for message in messages)
    assert b"ValueError" in shown
    assert b"Alice" not in shown
    assert "ValueError" in log.read_text()
    assert "Alice" not in log.read_text()
