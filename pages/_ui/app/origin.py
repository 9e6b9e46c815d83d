"""Under which names the server answers, whether to this computer's own browser or to everybody.

A server that is open to everybody shows simulated people only and makes nothing: said by
``MOBILITY_PUBLIC=1`` or ``streamlit run app.py -- --public``.
"""

import os
import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase
from ipaddress import ip_address
from urllib.parse import urlsplit

import streamlit as st

_PROXY_HEADERS = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via")

NOT_ADMITTED = (
    "This server answers only to the browser of the computer it runs on. To serve it under "
    "another name, start it with --server.allowedHosts and that name."
)


def is_admitted(hosts: Sequence[str], origins: Sequence[str]) -> bool:
    """Whether a request may be answered, by the names it was sent under.

    Anybody's site can point a name of its own at this computer (DNS rebinding); the visitor's
    browser then takes this server for a part of that site, and says so in both headers. A server
    that listens on this computer only answers to this computer's names and to those in Streamlit's
    own ``server.allowedHosts``; an origin may also stand in ``server.corsAllowedOrigins``. Another
    web application on this computer has its name, too: of this computer's own origins the port must
    be the host's. Browsers always send a host; what sends none is none.
    """
    if not is_loopback(st.get_option("server.address")):
        return True
    ports = {_parts(host)[1] for host in hosts}
    return all(_is_named(host) for host in hosts) and all(
        origin in st.get_option("server.corsAllowedOrigins")
        or (
            _is_named(origin)
            and (not is_loopback(_parts(origin)[0]) or ports <= {_parts(origin)[1]})
        )
        for origin in origins
    )


def is_for_one_account() -> bool:
    """Whether the server listens for whoever started it: no public, no name that a proxy needs."""
    local = is_loopback(st.get_option("server.address"))
    return local and not is_public() and not st.get_option("server.allowedHosts")


def is_served_locally() -> bool:
    """Whether only this computer's own browser can be at the other end.

    Everything is asked for: the address served on, the address and origins that a proxy would need
    to be allowed, and the request itself, which must name this computer (no rebound name) and must
    not have been passed on.
    """
    addresses = (st.get_option("server.address"), st.get_option("browser.serverAddress"))
    if not all(is_loopback(address) for address in addresses):
        return False
    if st.get_option("server.corsAllowedOrigins"):
        return False
    headers = st.context.headers
    if any(name in headers for name in _PROXY_HEADERS):
        return False
    hosts = headers.get_all("Host")
    is_local = is_admitted(hosts, headers.get_all("Origin"))
    return is_local and bool(hosts) and all(is_loopback(_parts(host)[0]) for host in hosts)


def _is_named(text: str) -> bool:
    """Whether a host or origin is this computer or a name that was allowed."""
    name, _ = _parts(text)
    return is_loopback(name) or any(
        fnmatchcase(name, allowed.strip().lower())
        for allowed in st.get_option("server.allowedHosts")
        if name
    )


def _parts(text: str) -> tuple[str, int | None]:
    """Return name and port of a ``Host`` or ``Origin``; no name where either cannot be read."""
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return "", None
    return (parts.hostname or "").rstrip("."), port


def is_loopback(name: str | None) -> bool:
    """Whether a name or address means this computer, however it is resolved."""
    try:
        return name == "localhost" or ip_address(name or "").is_loopback
    except ValueError:
        return False


def is_public() -> bool:
    """Whether the server was started for the public."""
    flag = os.environ.get("MOBILITY_PUBLIC", "").strip().lower()
    return flag not in ("", "0", "false", "no", "off") or "--public" in sys.argv[1:]
