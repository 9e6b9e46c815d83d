"""What stands around every page: errors in words, turns to draw, what can be picked, the start."""

import json
import shutil
import subprocess
import sys
import threading

import pytest

from engine.datasets import storage
from engine.errors import DatasetError
from engine.parameters import DELTA_STOPS
from engine.text.numbers import decimal, scientific
from engine.text.privacy_text import delta_warning
from pages._ui.answers import cached, measures
from pages._ui.app import catalogue, session_limit
from tests.support.page import plain
from tests.support.server import ROOT


@pytest.fixture(autouse=True)
def unforeseen_errors_are_raised() -> None:
    """Here a page shows them as a person sees them, unlike in the other tests."""


def fail_with(monkeypatch, module, name, error):
    def broken(*_arguments, **_named):
        raise error

    monkeypatch.setattr(module, name, broken)


def test_an_error_of_the_engine_is_said_with_its_remedy(open_page, monkeypatch):
    words = "this dataset has too many zones; build it again with coarser ones"
    fail_with(monkeypatch, cached, "truth", DatasetError(words))
    app = open_page("pages/2_Origin_Destination.py")
    assert words in plain(app.error[0].value)


def test_numbers_of_home_that_fail_leave_the_gauges(open_home, monkeypatch):
    fail_with(monkeypatch, measures, "score_expectation", MemoryError())
    app = open_home()
    (error,) = app.error
    assert "coarser zones" in error.value
    assert 'class="gauges"' in "".join(element.proto.body for element in app.get("html"))


def test_a_verdict_names_the_one_dataset_that_it_speaks_of(open_home):
    app = open_home()
    app.selectbox(key="od_data").set_value("only-trips").run()
    shown = "".join(element.proto.body for element in app.get("html"))
    assert shown.count('aria-label="Verdict on only-trips"') == 1
    assert "Verdict on demo-city" not in shown
    app.segmented_control(key="home_shown").set_value("Density").run()
    shown = "".join(element.proto.body for element in app.get("html"))
    assert shown.count('aria-label="Verdict on demo-city"') == 1
    assert "Verdict on only-trips" not in shown


def test_few_pages_are_drawn_at_once():
    drawn, most = 0, 0
    lock = threading.Lock()
    done = threading.Event()

    def page():
        nonlocal drawn, most
        with session_limit.take_turn():
            with lock:
                drawn += 1
                most = max(most, drawn)
            done.wait(0.02)
            with lock:
                drawn -= 1

    pages = [threading.Thread(target=page) for _ in range(10)]
    for one in pages:
        one.start()
    for one in pages:
        one.join()
    assert most == session_limit.MAX_DRAWN_PAGES


def failing():
    with session_limit.take_turn() as busy:
        assert not busy
        raise RuntimeError


def test_a_turn_is_given_back_where_a_page_fails():
    for _ in range(3 * session_limit.MAX_DRAWN_PAGES):
        with pytest.raises(RuntimeError):
            failing()


def test_nobody_waits_for_ever(monkeypatch):
    monkeypatch.setattr(session_limit, "MAX_WAIT_S", 0.05)
    with session_limit.take_turn(), session_limit.take_turn(), session_limit.take_turn() as busy:
        assert busy  # drawn all the same, and said
    with session_limit.take_turn() as busy:
        assert not busy


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


NEVER_FIRST = ["duckdb", "h3", "pyspark", "scipy.signal", "scipy.stats", "sklearn"]
"""Each is loaded by the page or the method that needs it, then."""


HOME = """from streamlit.testing.v1 import AppTest
app = AppTest.from_file("app.py", default_timeout=120).run()
assert not app.exception and app.select_slider(key="epsilon")"""


@pytest.mark.parametrize(
    ("script", "reached", "later"),
    [
        (HOME, "pages._ui.home.home_picture", ["altair", "opendp"]),
        ("import engine.release_arguments", "argparse", ["numpy", "pandas"]),
        ("import engine.release.command", "opendp", ["opendp.extras", "nbformat"]),
        ("import engine.decisions, engine.frontier", "engine.frontier", ["opendp"]),
    ],
)
def test_what_starts_loads_no_library_that_others_need(script, reached, later):
    script += "\nimport json, sys; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = json.loads(done.stdout.strip().splitlines()[-1])
    assert reached in loaded
    assert not {*NEVER_FIRST, *later} & set(loaded)


def test_delta_reads_back_as_the_number_it_is_and_signs_are_typographic():
    assert [float(scientific(stop)) for stop in DELTA_STOPS] == list(DELTA_STOPS)
    assert decimal(-0.0771) == "−0.077"


def test_delta_is_warned_of_only_above_one_over_people():
    assert delta_warning(2e-6, 50_000) is None
    assert delta_warning(1e-4, None) is None
    assert "about 4" in delta_warning(2e-6, 1_992_846)
