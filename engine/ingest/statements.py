"""Running one statement of an engine under watch: progress, stop signal, faults retold."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

from engine.ingest import faults
from engine.ingest.progress import Monitor
from engine.ingest.sources import Source

_POLL_SECONDS = 0.1


def watched(
    work: Callable[[], Any],
    monitor: Monitor,
    sources: Sequence[Source],
    share: Callable[[], float],
    interrupt: Callable[[], None],
) -> Any:
    """Do `work` in a thread of its own and return its result.

    Meanwhile the monitor hears of the `share` done. If it raises (cancelled, Ctrl-C), `interrupt`
    stops the engine before the exception goes on.
    """
    outcome: dict[str, Any] = {}

    def run() -> None:
        try:
            outcome["result"] = work()
        except BaseException as error:
            outcome["error"] = error

    thread = threading.Thread(target=run, name="ingest-statement")
    thread.start()
    try:
        while thread.is_alive():
            thread.join(_POLL_SECONDS)
            monitor.update(share())
    except BaseException:
        while thread.is_alive():
            interrupt()
            thread.join(_POLL_SECONDS)
        raise
    if "error" in outcome:
        raise faults.of_engine(outcome["error"], sources) from None
    return outcome["result"]
