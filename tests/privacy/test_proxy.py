"""Explorers behind the proxy of ``deploy``, which is really started: open to all, and by login."""

import shutil
from contextlib import ExitStack

import pytest
from websockets.exceptions import InvalidStatus

from pages._ui.app.gate import HEADERS
from tests.support.proxy import PASS, Login, caddy, proxied
from tests.support.server import Visitor, request, served

UPLOAD = "/_stcore/upload_file/a/b"


def behind(*addresses):
    return {"EXPLORERS": " ".join(["to", *(one.rpartition("/")[2] for one in addresses)])}


@pytest.fixture(scope="module")
def open_to_all(data_root, tmp_path_factory):
    caddy()
    with (
        served({"MOBILITY_DATA": str(data_root), "MOBILITY_PUBLIC": "1"}) as explorer,
        proxied("Caddyfile", tmp_path_factory.mktemp("open"), **behind(explorer)) as address,
    ):
        yield address


@pytest.fixture(scope="module")
def login(data_root, tmp_path_factory):
    """The address, and the login service."""
    caddy()
    limit = {"EXPLORER_UPLOAD": "1000000"}
    with (
        Login() as service,
        served({"MOBILITY_DATA": str(data_root)}) as explorer,
        proxied(
            "Caddyfile.login",
            tmp_path_factory.mktemp("login"),
            EXPLORER_LOGIN=service.host,
            **limit,
            **behind(explorer),
        ) as address,
    ):
        yield address, service


def test_a_visitor_sees_home_through_the_proxy(open_to_all):
    with Visitor(open_to_all) as visitor:
        drawn = str(visitor.run())
    assert "demo-city" in drawn
    assert "exception {" not in drawn


@pytest.mark.parametrize("path", ["/", "/no.js"])
def test_every_answer_through_the_proxy_forbids_frames_and_foreign_scripts_once(open_to_all, path):
    answer = request(open_to_all, "GET", path)
    for name in HEADERS:
        assert name.lower() in answer.headers
    assert answer.headers["x-frame-options"] == "DENY"
    policy = answer.headers["content-security-policy"]
    assert policy.count("default-src 'self'") == policy.count("frame-ancestors 'none'") == 1


@pytest.mark.parametrize("path", [UPLOAD, "/_stcore/metrics", "/_stcore/metrics/"])
def test_a_public_proxy_takes_no_file_and_tells_no_use(open_to_all, path):
    for method in ("GET", "PUT", "POST"):
        assert request(open_to_all, method, path).status == 403


@pytest.mark.long
def test_a_browser_stays_on_its_explorer_and_goes_on_with_another_when_that_stops(
    data_root, tmp_path
):
    caddy()
    shutil.copytree(data_root / "demo-city", tmp_path / "data" / "second-city")

    def is_second(cookie):
        with Visitor(address, {"Cookie": cookie}) as visitor:
            drawn = str(visitor.run())
        assert ("second-city" in drawn) != ("only-visits" in drawn)
        return "second-city" in drawn

    with served({"MOBILITY_DATA": str(data_root)}) as one, ExitStack() as stops:
        two = stops.enter_context(served({"MOBILITY_DATA": str(tmp_path / "data")}))
        with proxied("Caddyfile", tmp_path, **behind(one, two)) as address:
            cookies = set()
            for _ in range(40):  # 2⁻³⁹ that all of them come to one
                cookies.add(request(address, "GET", "/").headers["set-cookie"].partition(";")[0])
            first, second = sorted(cookies, key=is_second)
            for _ in range(3):
                assert (is_second(first), is_second(second)) == (False, True)
            stops.close()
            assert not is_second(second)


def test_who_is_not_known_to_the_login_gets_nothing(login):
    address, _ = login
    for path in ("/", "/_stcore/health", "/_stcore/host-config", "/media/a.zip"):
        assert request(address, "GET", path).status == 401
        assert request(address, "GET", path, {"Remote-User": "colleague"}).status == 401
    assert request(address, "PUT", UPLOAD, body=b"a").status == 401
    with pytest.raises(InvalidStatus, match="401"):
        open_stream(address)


def open_stream(address):
    from websockets.sync.client import connect

    stream = f"{address.replace('http', 'ws', 1)}/_stcore/stream"
    with connect(stream, subprotocols=["streamlit"], proxy=None):
        raise AssertionError("a session was opened without a login")


def test_who_is_known_gets_a_session_and_its_uploads_are_limited(login):
    address, service = login
    with Visitor(address, PASS) as visitor:
        assert "demo-city" in str(visitor.run())
        assert visitor.upload(b"uid,origin\n" * 100).status == 204
        assert visitor.upload(b"x" * 1_500_000).status == 413
        unsized = {**PASS, "Transfer-Encoding": "chunked"}
        assert request(address, "PUT", UPLOAD, unsized, b"1\r\na\r\n0\r\n\r\n").status == 411
        assert visitor.upload(b"uid,origin\n" * 100).status == 204
    assert request(address, "GET", "/_stcore/metrics", PASS).status == 403
    service.asked.clear()
    request(address, "GET", "/", {**PASS, "Remote-User": "the director"})
    assert service.asked
    assert not [one for one in service.asked if "Remote-User" in one]
