"""What passes between browser and server at all, whatever page is asked for; see docs/deploy.md."""

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

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


class Gate:
    """ASGI middleware before all of Streamlit's own."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it before anything of it has been read."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message.setdefault("headers", ())
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        reason, headers = "", Headers(scope=scope)
        if not is_admitted(headers.getlist("host"), headers.getlist("origin")):
            reason = NOT_ADMITTED
        elif is_for_one_account() and _is_other(scope):
            reason = OTHER_ACCOUNT
        elif is_public() and any(path in f"{scope['path']}/" for path in CLOSED_PATHS):
            reason = "A public server accepts no files."
        answer = self._app
        if reason:  # a socket is closed before it is accepted: the handshake gets a 403
            is_socket = scope["type"] == "websocket"
            answer = WebSocketClose(1008) if is_socket else PlainTextResponse(reason, 403)
        await answer(scope, receive, send_with_headers)


def _is_other(scope: Scope) -> bool:
    """Whether another account asks for more than the many scripts of Streamlit itself."""
    path = scope["path"]
    if path.startswith("/static/") and ".." not in path:
        return False
    return is_other_account(scope.get(PEER), scope["server"])
