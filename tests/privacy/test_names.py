"""Whom a real server of one computer answers, by name and account, and with which headers."""

import os
import re
import socket
import struct
from contextlib import contextmanager

import pytest
import streamlit as st

from pages._ui.app import account, origin
from pages._ui.app.gate import HEADERS
from pages._ui.release import release_job
from tests.support.server import Visitor, handshake, request, served

EVIL = "http://evil.example:8501"
CONFIGURED = "explorer.example.org"


@pytest.fixture(scope="module")
def named(data_root):
    with served(
        {"MOBILITY_DATA": str(data_root), "STREAMLIT_SERVER_ALLOWED_HOSTS": "*.example.org"}
    ) as url:
        yield url


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example:8501", "Origin": EVIL},
        {"Host": "evil.example:8501"},
        {"Host": "127.0.0.1.evil.example"},
        {"Host": "0.0.0.0:8501"},
        {"Host": "localhost@evil.example"},
        {"Host": ""},
        {"Origin": EVIL},
        {"Origin": "null"},
        {"Host": "localhost:8501", "Origin": "http://localhost:3000"},
        {"Host": "localhost:8501", "Origin": "http://127.0.0.1"},
        {"Host": "localhost:8501", "Origin": "http://localhost:port"},
        {"Origin": "http://127.0.0.1.evil.example"},
    ],
    ids=str,
)
def test_a_rebound_name_opens_no_session_and_gets_no_page(address, headers):
    assert handshake(address, **headers) == 403
    answer = request(address, "GET", "/", headers)
    assert (answer.status, answer.words) == (403, origin.NOT_ADMITTED)


@pytest.mark.parametrize("host", ["127.0.0.1:8501", "localhost", "LOCALHOST.", "[::1]:8501"])
def test_this_computers_names_are_answered(address, host):
    assert handshake(address, Host=host, Origin=f"http://{host}") == 101
    assert request(address, "GET", "/", {"Host": host}).status == 200


def test_its_own_browser_sees_the_datasets_kept_here(address):
    with Visitor(address) as visitor:
        shown = b"".join(message.SerializeToString() for message in visitor.run())
    assert b"town" in shown  # so the refusals above have something to hide


def test_a_name_that_was_configured_is_answered_and_no_other(named):
    assert handshake(named, Host=CONFIGURED, Origin=f"https://{CONFIGURED}") == 101
    assert handshake(named, Host="explorer.example.com", Origin=EVIL) == 403
    assert handshake(named, Host=CONFIGURED, Origin=EVIL) == 403


class Headers(dict):
    def get_all(self, name):
        return [self[name]] if name in self else []


def come_as(monkeypatch, headers, **options):
    given = {
        "server.address": "127.0.0.1",
        "browser.serverAddress": "localhost",
        "server.allowedHosts": [],
        "server.corsAllowedOrigins": [],
        **options,
    }
    monkeypatch.setattr(st, "get_option", given.get)
    monkeypatch.setattr(st, "context", type("Context", (), {"headers": Headers(headers)}))


OWN = {"Host": "127.0.0.1:8501"}


@pytest.mark.parametrize(
    ("options", "headers", "admitted", "locally"),
    [
        ({}, OWN, True, True),
        ({}, {"Host": "localhost"}, True, True),
        ({}, {"Host": "[::1]:8501"}, True, True),
        ({}, {}, True, False),
        ({}, {"Host": "evil.example"}, False, False),
        ({}, {"Host": "[::1"}, False, False),
        ({}, {**OWN, "Origin": EVIL}, False, False),
        ({}, {**OWN, "X-Forwarded-For": "10.0.0.9"}, True, False),
        ({"server.allowedHosts": ["a.example"]}, {"Host": "a.example"}, True, False),
        ({"server.corsAllowedOrigins": [EVIL]}, {**OWN, "Origin": EVIL}, True, False),
        ({"server.address": "0.0.0.0"}, OWN, True, False),
        ({"server.address": "0.0.0.0"}, {"Host": "evil.example"}, True, False),
        ({"server.address": None}, OWN, True, False),
    ],
    ids=str,
)
def test_requests_and_releases_ask_one_function(monkeypatch, options, headers, admitted, locally):
    come_as(monkeypatch, headers, **options)
    hosts, origins = ([v for k, v in headers.items() if k == n] for n in ("Host", "Origin"))
    assert origin.is_admitted(hosts, origins) is admitted
    assert origin.is_served_locally() is locally
    assert release_job.may_release() is locally


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


NOBODY = 65534
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another account")
FORGED = {"X-Forwarded-For": "10.0.0.9"}


@contextmanager
def as_nobody():
    """Sockets that are opened meanwhile are another account's."""
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def refused(address, headers):
    """Return by kind of connection whether it is refused."""
    answer = request(address, "GET", "/", headers)
    assert (answer.words == account.OTHER_ACCOUNT) is (answer.status == 403)
    return answer.status == 403, handshake(address, **headers) == 403


@needs_root
@pytest.mark.parametrize("headers", [{}, FORGED], ids=str)
def test_another_account_gets_no_page_and_opens_no_session(address, headers):
    assert refused(address, headers) == (False, False)
    with as_nobody():
        assert refused(address, headers) == (True, True)
    with Visitor(address, headers) as visitor:
        assert visitor.upload(b"a,b\n").status == 204
        with as_nobody():
            assert visitor.upload(b"a,b\n").status == 403


@needs_root
def test_a_server_for_everybody_or_behind_a_proxy_answers_all_accounts(public, named):
    with as_nobody():
        assert refused(public, {}) == (False, False)
        assert refused(named, {"Host": CONFIGURED}) == (False, False)


@contextmanager
def connected(family, host):
    """Yield a connection: its end at the client, and both names as its server has them."""
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket(family) as client:
        client.connect((host, listener.getsockname()[1]))
        accepted, peer = listener.accept()
        with accepted:
            yield client, peer, accepted.getsockname()


FORMS = [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::ffff:127.0.0.1")]


@needs_root
@pytest.mark.parametrize(("family", "host"), FORMS)
def test_the_account_is_that_of_the_sockets_owner(family, host, monkeypatch):
    with connected(family, host) as (_, peer, server):
        assert not account.is_other_account(peer, server)
        monkeypatch.setattr(os, "geteuid", lambda: 1000)
        assert not account.is_other_account(peer, server)  # root is nobody to hide from
    with as_nobody(), connected(family, host) as (_, peer, server):
        assert account.is_other_account(peer, server)
        monkeypatch.setattr(os, "geteuid", lambda: NOBODY)
        assert not account.is_other_account(peer, server)


@pytest.mark.parametrize("reset", [False, True])
def test_who_has_gone_is_not_taken_for_somebody(reset):
    with connected(*FORMS[0]) as (client, peer, server):
        if reset:  # the system forgets the connection at once
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
        assert account.is_other_account(peer, server)


def test_what_cannot_be_known_is_as_it_was(monkeypatch, tmp_path):
    with connected(*FORMS[0]) as (client, peer, server):
        client.close()
        assert not account.is_other_account(None, server)
        assert not account.is_other_account(("10.0.0.9", 0), server)
        monkeypatch.setattr(account, "_TABLES", (tmp_path / "tcp",))
        assert not account.is_other_account(peer, server)
