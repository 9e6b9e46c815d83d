"""``python -m engine.ingest``: raw tables → a dataset."""

import os
import signal
import sys
from typing import Any


def _stop(*_: Any) -> None:
    """End at once: nothing has been written, and a compiled module may swallow an exception."""
    if sys.stderr is not None:
        print("stopped; nothing was written", file=sys.stderr, flush=True)
    os._exit(130)


if __name__ == "__main__":
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _stop)  # while modules are being imported

    from .command import main

    signal.signal(signal.SIGINT, before)
    sys.exit(main(sys.argv[1:]))
