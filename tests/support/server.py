"""A dashboard in a process of its own, and visitors who speak to it without a browser."""

import http.client
import os
import socket
import subprocess
import sys
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

ROOT = Path(__file__).parents[2]
RUN = "from streamlit.web import cli; cli.main()"


@contextmanager
def served(
    environment: Mapping[str, str] | None = None,
    *,
    arguments: Sequence[str] = (),
    before: str = "",
    log: Path = Path(os.devnull),
    command: Sequence[str] | None = None,
    folder: Path = ROOT,
) -> Generator[str]:
    """Serve the dashboard and yield its address; `before` is what the process does first.

    It has one worker: two would take seconds to start, and other tests have the second core.
    """
    port = free_port()
    starts = command or [sys.executable, "-c", f"{before}\n{RUN}", "run", "app.py"]
    whole, address = [*starts, "--server.port", str(port), *arguments], f"http://127.0.0.1:{port}"
    settings = {"MOBILITY_WORKERS": "1", **os.environ, **(environment or {})}
    with running(whole, address, folder=folder, environment=settings, log=log):
        yield address


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(
    command: Sequence[str],
    address: str,
    *,
    folder: Path = ROOT,
    environment: Mapping[str, str] | None = None,
    log: Path = Path(os.devnull),
) -> "Generator[subprocess.Popen[bytes]]":
    """Run a server until it is no longer needed; it is there once it says that it is healthy."""
    whole = {**os.environ, **(environment or {})}
    with log.open("wb") as said:
        process = subprocess.Popen(command, cwd=folder, env=whole, stdout=said, stderr=said)
    try:
        until = time.monotonic() + 60
        while not _healthy(address):
            assert process.poll() is None, f"the server stopped: {log.read_text()}"
            assert time.monotonic() < until, "the server did not answer within 60 s"
            time.sleep(0.05)
        yield process
    finally:
        process.terminate()
        process.wait(timeout=20)


def _healthy(address: str) -> bool:
    """Whether a server answers, and be it that whoever asks must log in."""
    try:
        return request(address, "GET", "/_stcore/health").status in (200, 401)
    except (OSError, http.client.HTTPException):
        return False


class Answer(NamedTuple):
    """An answer that has been read; the names of its headers in small letters."""

    status: int
    headers: dict[str, str]
    words: str


def request(
    address: str,
    method: str,
    path: str,
    headers: Mapping[str, str] | None = None,
    body: bytes = b"",
) -> Answer:
    """Send one request, with the host that `headers` name if they do."""
    given = dict(headers or {})
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=30)
    connection.putrequest(method, path, skip_host="Host" in given)
    sized = {} if "Transfer-Encoding" in given else {"Content-Length": str(len(body))}
    for name, value in {**sized, **given}.items():
        connection.putheader(name, value)
    with suppress(BrokenPipeError, ConnectionResetError):  # refused before all of it was sent
        connection.endheaders(body)
    answer = connection.getresponse()
    words = answer.read().decode("utf-8", "replace")
    connection.close()
    found = {name.lower(): value for name, value in answer.getheaders()}
    return Answer(answer.status, found, words)


def handshake(address: str, **headers: str) -> int:
    """Return the status with which the server answers a browser that opens a session."""
    asked = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
        **headers,
    }
    return request(address, "GET", "/_stcore/stream", asked).status


class Visitor:
    """A session of its own: what a browser says to the server, without the browser."""

    def __init__(
        self, address: str, headers: Mapping[str, str] | None = None, *, page: str = ""
    ) -> None:
        self._address, self._headers = address, dict(headers or {})
        answer = request(address, "GET", "/_stcore/health", self._headers)
        self._token = answer.headers["set-cookie"].partition("=")[2].partition(";")[0]
        self.id, self._page = "", page
        self.first: list[ForwardMsg] = []
        self._buttons: dict[str, str] = {}

    def __enter__(self) -> "Visitor":
        self._stack = ExitStack()
        stream = f"{self._address.replace('http', 'ws', 1)}/_stcore/stream"
        opened = connect(
            stream,
            subprotocols=["streamlit"],
            max_size=None,
            proxy=None,
            additional_headers=self._headers,
        )
        self._socket = self._stack.enter_context(opened)
        self.first = self.run()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def run(self, press: str = "") -> list[ForwardMsg]:
        """Run the page, or press a button by its label; return all that was sent until then."""
        asked = BackMsg()
        asked.rerun_script.query_string = ""
        asked.rerun_script.page_name = self._page
        if press:
            state = asked.rerun_script.widget_states.widgets.add()
            state.id, state.trigger_value = self._buttons[press], True
        self._socket.send(asked.SerializeToString())
        messages = []
        while not messages or messages[-1].WhichOneof("type") != "script_finished":
            messages.append(ForwardMsg.FromString(self._socket.recv(timeout=120)))
            if messages[-1].WhichOneof("type") == "new_session":
                self.id = messages[-1].new_session.initialize.session_id
            button = messages[-1].delta.new_element.button
            self._buttons[button.label] = button.id
        return messages

    def upload(self, content: bytes) -> Answer:
        """Send a file as the browser does, whether or not the page asks for one."""
        name = 'form-data; name="file"; filename="a.csv"'
        head = f"--b\r\nContent-Disposition: {name}\r\nContent-Type: text/csv\r\n\r\n"
        headers = {
            "Content-Type": "multipart/form-data; boundary=b",
            "Cookie": f"_streamlit_xsrf={self._token}",
            "X-Xsrftoken": self._token,
            **self._headers,
        }
        body = head.encode() + content + b"\r\n--b--\r\n"
        return request(self._address, "PUT", f"/_stcore/upload_file/{self.id}/one", headers, body)
