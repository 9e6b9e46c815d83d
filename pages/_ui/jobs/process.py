"""What a worker process runs: ``python -m pages._ui.jobs.process``."""

import logging
import os
import pickle
import queue
import signal
import sys
import threading
from typing import BinaryIO

from streamlit import logger as streamlit_logger

from pages._ui.jobs.work import Ask, Bench, Step, Stretch

_NICE = 3
"""The pages go first, but a worker goes on, too: half as fast as one of its like where others take
all the time there is. At 10 it would get a tenth, and starve beside a few busy processes.
"""


def serve(commands: BinaryIO, answers: BinaryIO) -> None:
    """Work as told by `commands` until they end: pickled ("go on" | "stop" | "drop", number, ask).

    `answers` are pickled too: a `Step` where one is told, a `Stretch` at the end of each.
    """
    waiting: queue.Queue[tuple[str, int, Ask | None]] = queue.Queue()
    bench = Bench()
    asks: dict[int, Ask] = {}

    def read() -> None:
        try:
            while True:
                waiting.put(pickle.load(commands))
        except EOFError:
            os._exit(0)  # the server has ended, in whatever way: so does what it started

    def answer(what: Step | Stretch) -> None:
        pickle.dump(what, answers, protocol=pickle.HIGHEST_PROTOCOL)
        answers.flush()

    threading.Thread(target=read, daemon=True).start()
    while True:
        what, number, ask = waiting.get()
        if what == "drop":
            bench.drop(number)
            asks.pop(number, None)
        elif what == "go on":
            asks[number] = ask or asks[number]
            answer(bench.go_on(number, asks[number], answer, lambda: not waiting.empty()))


def main() -> None:
    """Run as a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends this too
    if hasattr(os, "nice"):
        os.nice(_NICE)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing printed may come between
    streamlit_logger.set_log_level(logging.ERROR)  # its caches work without a page, and say so
    serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
