"""Running one statement of an engine under watch: progress, stop signal, faults retold."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from engine.ingest.backends import faults
from engine.ingest.inputs.sources import Source
from engine.ingest.progress import Monitor

_POLL_SECONDS = 0.1


def watched(
    work: Callable[[], Any],
    monitor: Monitor,
    sources: Sequence[Source],
    share: Callable[[], float],
    interrupt: Callable[[], None],
    spill: Path | None = None,
) -> Any:
    """Do `work` in a thread of its own and return its result.

    Meanwhile the monitor hears of the `share` done. If it raises (cancelled, Ctrl-C), `interrupt`
    stops the engine before the exception goes on.
    """
    outcome: dict[str, Any] = {}
    # an event, not the thread's own state: that is wrong after a Ctrl-C during a join
    ended = threading.Event()

    def run() -> None:
        try:
            outcome["result"] = work()
        except BaseException as error:
            outcome["error"] = error
        finally:
            ended.set()

    threading.Thread(target=run, name="ingest-statement").start()
    try:
        over = False
        while not over:
            over = ended.wait(_POLL_SECONDS)
            monitor.update(share())
    except BaseException:
        while not ended.wait(_POLL_SECONDS):
            interrupt()
        raise
    if "error" in outcome:
        raise faults.of_engine(outcome["error"], sources, spill) from None
    return outcome["result"]
