"""A server open to everybody: simulated people only, and nothing is built or released."""

import sys

import pytest

from pages._ui.app import session_limit
from pages._ui.app.origin import is_public
from pages._ui.frame import page_table
from tests.support.server import Visitor, served


@pytest.fixture
def open_to_all(monkeypatch):
    monkeypatch.setenv("MOBILITY_PUBLIC", "1")


def titles():
    return {page.title for path, page in page_table.PAGES.items() if page_table.has_page(path)}


def test_the_navigation_has_neither_data_nor_release(open_to_all):
    shown = titles()
    assert {"Home", "Density", "Choose"} <= shown
    assert not shown & {"Data", "Release"}


@pytest.mark.parametrize("page", ["pages/6_Release.py", "pages/7_Data.py"])
def test_their_addresses_are_no_pages(open_home, open_to_all, page):
    with pytest.raises(ValueError, match="Could not find"):
        open_home().switch_page(page).run()


def test_a_server_that_has_just_started_does_not_run_them(data_root):
    with served({"MOBILITY_DATA": str(data_root), "MOBILITY_PUBLIC": "1"}) as url:
        for page in ("Release", "Data"):
            with Visitor(url, page=page) as visitor:
                shown = b"".join(one.SerializeToString() for one in visitor.first)
            assert b"epsilon" in shown  # home is shown in its place
            assert b"data_door" not in shown
            assert b"release_" not in shown


def test_no_dataset_of_this_computer_is_offered_or_opened(open_home, open_to_all):
    app = open_home(od_data="town", density_data="town", home_shown="density")
    offered = {option for picker in app.selectbox for option in picker.options}
    assert any("demo-city" in option for option in offered)
    assert not any("town" in option for option in offered)
    assert app.session_state["density_data"] == "demo-city"


def test_without_it_everything_is_there(open_home):
    app = open_home()
    assert {"Data", "Release"} <= titles()
    assert any("town" in option for picker in app.selectbox for option in picker.options)


def test_it_is_said_by_the_environment_or_the_command(monkeypatch):
    monkeypatch.delenv("MOBILITY_PUBLIC", raising=False)
    assert not is_public()
    for said, meant in (("1", True), ("true", True), ("0", False), ("", False)):
        monkeypatch.setenv("MOBILITY_PUBLIC", said)
        assert is_public() is meant
    monkeypatch.setattr(sys, "argv", ["app.py", "--public"])
    assert is_public()


def test_a_crowd_is_told_that_the_page_is_busy(open_home, monkeypatch):
    assert not any("busy" in element.proto.body[:20] for element in open_home().get("html"))
    monkeypatch.setattr(session_limit, "BUSY_PAGES", 0)
    assert any(session_limit.BUSY_NOTE in element.proto.body for element in open_home().get("html"))
