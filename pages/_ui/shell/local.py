"""Whether the browser at the other end is this computer's own."""

import streamlit as st

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via")


def served_locally() -> bool:
    """Whether only this computer's own browser can be at the other end.

    Everything is asked for: the address served on, the address and origins that a proxy would need
    to be allowed, and the request itself, which must name this computer (no rebound name) and must
    not have been passed on.
    """
    addresses = (st.get_option("server.address"), st.get_option("browser.serverAddress"))
    if any(address not in _LOOPBACK for address in addresses):
        return False
    if st.get_option("server.corsAllowedOrigins"):
        return False
    headers = st.context.headers
    if any(name in headers for name in _FORWARDED):
        return False
    host = headers.get("Host") or ""
    name = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    return name in _LOOPBACK
