"""The handout says what the page says, in one file that needs no other."""

import re
import threading
import xml.etree.ElementTree as ElementTree

import pytest

from pages._ui.home import handout
from tests.support.page import html_of


@pytest.fixture
def saved(open_home, monkeypatch):
    """Open home and make the file as a press does: in a thread that knows no session."""
    files = {}

    def take(label, data, file_name, **named):
        making = threading.Thread(target=lambda: files.update({file_name: data()}))
        making.start()
        making.join()

    monkeypatch.setattr(handout.st, "download_button", take)

    def run(**query):
        files.clear()
        return open_home(**query), files

    return run


CASES = [
    {"od_data": "demo-city", "unit": "person", "max_trips": "30", "threshold": "0"},
    {"od_data": "demo-city", "od_zones": "clusters-10", "epsilon": "3"},
    {"home_shown": "density", "density_data": "demo-city", "epsilon": "0.5"},
]


@pytest.mark.parametrize("query", CASES, ids=str)
def test_the_handout_holds_the_pages_numbers_and_setting(saved, query):
    app, files = saved(**query)
    [text] = files.values()
    quoted = re.search(r"<blockquote>(.*?)</blockquote>", text)[1]
    risk, use = re.findall(r'<span class="words"><b>(.*?)</b>', html_of(app))
    assert risk in quoted
    assert use in quoted
    body = text.partition("<body>")[2]
    for key, value in query.items():
        assert f"{key}={value}" in body or value == "demo-city"
    assert f"(ε): {query.get('epsilon', '1')}<" in body
    if "max_trips" in query:
        assert "Trips kept per person (T): 30<" in body
        assert "Protected in trips: one person, whole period<" in body
    assert "Simulated people" in body
    assert "Not looked at" in body
    assert len(re.findall(r'<svg viewBox[^>]*role="img"', body)) == 2
    assert not re.search(r'(src|href)="(?!:?//|http)', body), "nothing but the link leads elsewhere"
    assert "<script" not in text
    ElementTree.fromstring(re.search(r"<body>.*</body>", text, re.S)[0])  # well-formed, escaped


def test_data_of_real_people_have_no_handout(saved):
    """A file is served to whoever knows its address."""
    app, files = saved()
    assert files
    app.selectbox(key="od_data").set_value("town")
    files.clear()
    app.run()
    assert "town" in html_of(app)
    assert not files
