"""What passes between browser and server at all, whatever page is asked for; see docs/deploy.md."""

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages._ui.app.account import OTHER_ACCOUNT, is_other_account
from pages._ui.app.origin import NOT_ADMITTED, is_admitted, is_for_one_account, is_public
from pages._ui.app.streamlit_internals import PEER, get_static_dir

CLOSED_PATHS = ("/_stcore/upload_file/", "/_stcore/metrics")
"""Not there on a public server: it takes no file, and tells nobody how much it is used."""


def _script_hashes() -> str:
    """Return the policy that lets the inline scripts of Streamlit's own page pass, and no other."""
    page = Path(get_static_dir(), "index.html").read_text(encoding="utf-8")
    digests = [
        sha256(js.encode()).digest() for js in re.findall(r"<script>(.*?)</script>", page, re.S)
    ]
    return " ".join(f"'sha256-{b64encode(digest).decode()}'" for digest in digests)


_CONTENT = {
    "default-src": "'self'",
    # tables are read by WebAssembly, our own scripts reach the browser as text
    "script-src": f"'self' 'wasm-unsafe-eval' blob: {_script_hashes()}",
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
    "Content-Security-Policy": "; ".join(f"{name} {places}" for name, places in _CONTENT.items()),
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""On every answer: nothing is fetched from or sent to another place, and no other page frames it.

The last keeps other sites from embedding files whose address they know or guess.
"""
_RAW_HEADERS = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]


class Gate:
    """ASGI middleware before all of Streamlit's own."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it before anything of it has been read."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                sent = [h for h in message.get("headers", ()) if h[0].lower() not in _NAMES]
                message = {**message, "headers": [*sent, *_RAW_HEADERS]}
            await send(message)

        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
        elif not is_admitted(_header_values(scope, b"host"), _header_values(scope, b"origin")):
            await _refuse(scope, send_with_headers, NOT_ADMITTED)
        elif is_for_one_account() and _is_other(scope):
            await _refuse(scope, send_with_headers, OTHER_ACCOUNT)
        elif is_public() and any(path in f"{scope['path']}/" for path in CLOSED_PATHS):
            await _refuse(scope, send_with_headers, "A public server accepts no files.")
        else:
            await self._app(scope, receive, send_with_headers)


_NAMES = {name for name, _ in _RAW_HEADERS}


def _is_other(scope: Scope) -> bool:
    """Whether another account asks for more than the many scripts of Streamlit itself."""
    path = scope["path"]
    if path.startswith("/static/") and ".." not in path:
        return False
    return is_other_account(scope.get(PEER), scope["server"])


def _header_values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]


async def _refuse(scope: Scope, send: Send, reason: str) -> None:
    if scope["type"] == "websocket":  # closed before it is accepted: the handshake gets a 403
        await send({"type": "websocket.close", "code": 1008})
        return
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": reason.encode()})
