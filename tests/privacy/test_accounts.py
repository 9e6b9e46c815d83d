"""Other accounts of the same computer: really tried, by sockets that belong to nobody."""

import os
import socket
import struct
from contextlib import contextmanager

import pytest

from pages._ui.app import account
from tests.support.server import Visitor, handshake, request, served

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
@pytest.mark.parametrize(
    "options", [{"MOBILITY_PUBLIC": "1"}, {"STREAMLIT_SERVER_ALLOWED_HOSTS": "127.0.0.1"}], ids=str
)
def test_a_server_for_everybody_or_behind_a_proxy_answers_all_accounts(data_root, options):
    with served({"MOBILITY_DATA": str(data_root), **options}) as url, as_nobody():
        assert refused(url, {}) == (False, False)


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
