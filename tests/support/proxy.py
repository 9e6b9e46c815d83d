"""Caddy before explorers, and a login service that it asks."""

import os
import shutil
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.support.server import free_port, running

DEPLOY = Path(__file__).parents[2] / "deploy"
PASS = {"Authorization": "Bearer of-a-colleague"}


def caddy() -> str:
    """Return the command; its absence skips, or fails where REQUIRE_CADDY=1."""
    command = shutil.which("caddy")
    if command is None:
        if os.environ.get("REQUIRE_CADDY") == "1":
            pytest.fail("Caddy is required, and not installed")
        pytest.skip("needs Caddy (Debian's package caddy)")
    return command


@contextmanager
def proxied(file: str, home: Path, **variables: str) -> Generator[str]:
    """Start Caddy with a file of ``deploy``, yield its address."""
    command = [caddy(), "run", "--config", str(DEPLOY / file), "--adapter", "caddyfile"]
    address = f"http://localhost:{free_port()}"
    own = {"HOME": str(home), "XDG_DATA_HOME": str(home), "EXPLORER_ADDRESS": address}
    with running(command, address, environment={**own, **variables}, log=home / "caddy.log"):
        yield address


class Login:
    """A login service that knows one colleague by a header, and remembers what it was sent."""

    def __init__(self) -> None:
        self.asked: list[Mapping[str, str]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append(dict(self.headers))
                known = self.headers.get("Authorization") == PASS["Authorization"]
                self.send_response(200 if known else 401)
                if known:
                    self.send_header("Remote-User", "colleague")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.host = f"127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> "Login":
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
