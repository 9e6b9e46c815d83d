"""Whether a connection comes from another account of this computer, which has its own data."""

import os
from array import array
from ipaddress import ip_address
from pathlib import Path

from pages._ui.app.origin import is_loopback

End = tuple[str, int]
_TABLES = Path("/proc/net/tcp"), Path("/proc/net/tcp6")
_LISTENING, _NO_PROCESS, _ROOT = "0A", "0", 0
_IPV4_IN_IPV6 = bytes(10) + b"\xff\xff"

OTHER_ACCOUNT = (
    "This server answers to the account that started it only. To serve other accounts of this "
    "computer as well, start it with --server.allowedHosts 127.0.0.1."
)


def is_other_account(peer: End | None, server: End | None) -> bool:
    """Whether the system says that another account than this process's own made a connection.

    Where nothing can be known (another computer, a system without these tables) it is none. Who has
    gone already counts as another: of a closed socket the account is forgotten. Root reads every
    file anyway, and passes on what comes from outside of a virtual machine.
    """
    if peer is None or server is None or not is_loopback(peer[0]):
        return False
    ends = [*zip(_write_forms(peer), _write_forms(server), strict=True)]
    shows_listeners = False
    for table in _TABLES:
        try:
            rows = table.read_text(encoding="ascii").splitlines()[1:]
        except OSError:
            continue
        for row in rows:
            _, local, remote, state, _, _, _, account, _, process_socket, *_ = row.split()
            if (local, remote) in ends:
                has_process = process_socket != _NO_PROCESS
                return not has_process or int(account) not in (os.geteuid(), _ROOT)
            shows_listeners |= state == _LISTENING and local.endswith(f":{server[1]:04X}")
    return shows_listeners


def _write_forms(end: End) -> list[str]:
    """Return an end of a connection as the tables write it; one of IPv4 also as one of IPv6."""
    packed = ip_address(end[0]).packed
    forms = [packed, _IPV4_IN_IPV6 + packed] if len(packed) == 4 else [packed]
    words = ("".join(f"{word:08X}" for word in array("I", form)) for form in forms)
    return [f"{address}:{end[1]:04X}" for address in words]
