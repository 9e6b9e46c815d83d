"""What every answer says to a browser: fetch from here only, and be framed by nobody."""

import re

import pytest

from pages._ui.app.gate import HEADERS
from tests.support.server import request


def policy(text: str) -> dict[str, set[str]]:
    parts = [part.split() for part in text.split(";")]
    return {what: set(where) for what, *where in parts}


@pytest.mark.parametrize("path", ["/", "/Density", "/_stcore/health", "/media/nothing", "/no.js"])
def test_every_answer_has_them_once(address, path):
    answer = request(address, "GET", path)
    assert {name: answer.headers.get(name.lower()) for name in HEADERS} == HEADERS


def test_nothing_is_fetched_from_or_sent_to_another_place(address):
    said = policy(request(address, "GET", "/").headers["content-security-policy"])
    assert said["default-src"] == {"'self'"}
    assert said["frame-ancestors"] == said["object-src"] == {"'none'"}
    for what, where in said.items():
        outside = {one for one in where if not re.fullmatch(r"'[^']+'|data:|blob:", one)}
        assert not outside, what
    assert not said["script-src"] & {"'unsafe-inline'", "'unsafe-eval'", "data:"}
