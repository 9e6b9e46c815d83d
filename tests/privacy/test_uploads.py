"""What is sent to a server: nothing to a public one, and nobody's files outlast the session."""

import os
import time

import pytest
from streamlit import runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from pages._ui.app import shutdown
from pages._ui.data.builds import Workspace
from tests.support.server import Visitor, request, served

FILE = b"user,time\n" * 100_000
"""A megabyte."""


def memory_of(address: str) -> int:
    """Return how many bytes of uploads a server that is not public says it holds."""
    lines = request(address, "GET", "/_stcore/metrics").words.splitlines()
    held = [line.split()[-1] for line in lines if "UploadedFileManager" in line]
    return sum(int(float(one)) for one in held)


def test_a_public_server_takes_no_file(public):
    with Visitor(public) as visitor:
        answer = visitor.upload(FILE)
    assert (answer.status, answer.words) == (403, "A public server accepts no files.")
    huge = {"Content-Length": str(600 * 2**20)}
    path = f"/_stcore/upload_file/{visitor.id}/one"
    assert request(public, "PUT", path, huge).status == 403  # before a byte of it has come


@pytest.mark.parametrize("path", ["/_stcore/metrics", "/_stcore/metrics/"])
def test_a_public_server_tells_nobody_how_it_is_used(public, path):
    assert request(public, "GET", path).status == 403
    assert request(public, "GET", "/_stcore/health").status == 200


def test_an_upload_goes_with_its_session_and_what_a_killed_server_left_at_the_start(
    data_root, temporary
):
    """Though nobody else comes."""
    left = temporary / f"{shutdown.FOLDER_PREFIX}4194999-abc" / "raw"
    foreign = temporary / "other-4194999-abc"
    left.mkdir(parents=True)
    foreign.mkdir()
    (left / "trips.csv").write_bytes(FILE)
    hurry = (
        "from pages._ui.app import shutdown; shutdown.GRACE_S, shutdown.CHECK_INTERVAL_S = 1.0, 0.1"
    )
    environment = {"MOBILITY_DATA": str(data_root), "TMPDIR": str(temporary)}
    with served(environment, before=hurry) as url:
        assert not left.parent.exists()
        with Visitor(url) as visitor:
            assert visitor.upload(FILE).status == 204
            assert memory_of(url) == len(FILE)
            time.sleep(1.5)
            assert memory_of(url) == len(FILE)  # as long as it is there
        until = time.monotonic() + 60
        while memory_of(url):
            assert time.monotonic() < until, "the upload stays"
            time.sleep(0.1)
    assert foreign.is_dir()


class Runtime:
    """The server's, as far as it is asked."""

    def __init__(self) -> None:
        self.uploaded_file_mgr = MemoryUploadedFileManager("/upload")
        self.active: set[str] = set()
        self.closed: list[str] = []

    def is_active_session(self, session: str) -> bool:
        return session in self.active

    def close_session(self, session: str) -> None:
        self.closed.append(session)


def test_only_sessions_that_have_been_away_for_long_are_ended(monkeypatch, temporary):
    server, clock = Runtime(), [0.0]
    monkeypatch.setattr(runtime, "get_instance", lambda: server)
    monkeypatch.setattr(shutdown.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(shutdown, "_last_seen", {"stays": 0.0, "goes": 0.0})
    for session in ("stays", "goes"):
        file = UploadedFileRec("one", "a.csv", "text/csv", FILE)
        server.uploaded_file_mgr.add_file(session, file)
    spaces = {session: Workspace() for session in ("stays", "goes")}
    monkeypatch.setattr(
        shutdown, "cleanups", {session: one.remove for session, one in spaces.items()}
    )
    server.active = {"stays"}
    for clock[0] in (shutdown.GRACE_S - 1, shutdown.GRACE_S + 1):
        assert server.closed == []
        assert all(space.folder.is_dir() for space in spaces.values())
        shutdown.end_absent_sessions()
    assert server.closed == ["goes"]
    assert list(server.uploaded_file_mgr.file_storage) == ["stays"]
    for _ in range(6_000):  # a thread deletes it
        if not spaces["goes"].folder.exists():
            break
        time.sleep(0.01)
    assert not spaces["goes"].folder.exists()
    assert spaces["stays"].folder.is_dir()


def test_in_a_container_every_server_has_one_number(temporary):
    own = temporary / f"{shutdown.FOLDER_PREFIX}{os.getpid()}-abc"
    own.mkdir()
    shutdown.sweep_folders()
    assert own.is_dir()
    shutdown.sweep_folders(is_start=True)
    assert not own.exists()
