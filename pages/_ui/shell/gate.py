"""What passes between browser and server at all, whatever page is asked for; see docs/deploy.md."""

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.file_util import get_static_dir

from pages._ui.shell.local import NOT_ADMITTED, admitted, public

CLOSED = ("/_stcore/upload_file/", "/_stcore/metrics")
"""Not there on a public server: it takes no file, and tells nobody how much it is used."""


def _inline() -> str:
    """Return what lets the scripts in Streamlit's own page pass, and no other inline one."""
    page = Path(get_static_dir(), "index.html").read_text(encoding="utf-8")
    digests = [
        sha256(one.encode()).digest() for one in re.findall(r"<script>(.*?)</script>", page, re.S)
    ]
    return " ".join(f"'sha256-{b64encode(one).decode()}'" for one in digests)


_CONTENT = {
    "default-src": "'self'",
    # tables are read by WebAssembly, our own scripts reach the browser as text
    "script-src": f"'self' 'wasm-unsafe-eval' blob: {_inline()}",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "worker-src": "'self' blob:",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}
HEADERS = {
    "Content-Security-Policy": "; ".join(f"{what} {where}" for what, where in _CONTENT.items()),
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""On every answer: nothing is fetched from or sent to another place, and no other page frames it.

The last keeps other sites from embedding files whose address they know or guess.
"""
_HEADERS = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]


class Gate:
    """ASGI middleware before all of Streamlit's own."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it before anything of it has been read."""

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                sent = [one for one in message.get("headers", ()) if one[0].lower() not in _NAMES]
                message = {**message, "headers": [*sent, *_HEADERS]}
            await send(message)

        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
        elif not admitted(_values(scope, b"host"), _values(scope, b"origin")):
            await _refuse(scope, guarded, NOT_ADMITTED)
        elif public() and any(path in f"{scope['path']}/" for path in CLOSED):
            await _refuse(scope, guarded, "A public server takes no files.")
        else:
            await self._app(scope, receive, guarded)


_NAMES = {name for name, _ in _HEADERS}


def _values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]


async def _refuse(scope: Scope, send: Send, words: str) -> None:
    if scope["type"] == "websocket":  # closed before it is accepted: the handshake gets a 403
        await send({"type": "websocket.close", "code": 1008})
        return
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": words.encode()})
