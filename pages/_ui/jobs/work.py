"""What long work is: a function that yields steps, asked for by its arguments alone."""

import time
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from engine.errors import ExplorerError
from pages._ui.shell import problems

State = Literal["running", "finished", "cancelled", "failed"]

STRETCH_S = 1.0
"""How long one work goes on before another has its turn."""

_TELL_S = 0.2
"""Steps that follow one another faster are not all sent on."""


@dataclass(frozen=True)
class Step:
    """How far a job is: steps done, of how many, and what it has found so far."""

    done: int
    total: int
    result: Any


@dataclass(frozen=True)
class Ask:
    """What is asked for: two sessions that ask the same share the answer.

    Attributes
    ----------
    function : callable
        At the top of a module, so that another process finds it by name; it yields `Step` and must
        not call Streamlit's elements.
    arguments : tuple of hashable
        Dataset key, settings and seed: never arrays.
    """

    function: Callable[..., Iterator[Step]]
    arguments: tuple[Hashable, ...]


@dataclass(frozen=True)
class Stretch:
    """How a stretch of work ended, with the last step where it has not been told yet.

    `state` is ``running`` where more is to come.
    """

    state: State
    step: Step | None = None
    error: str = ""


class Bench:
    """Works begun in one process or thread; each goes on a stretch at a time."""

    def __init__(self) -> None:
        self._begun: dict[int, Iterator[Step]] = {}

    def go_on(
        self, number: int, ask: Ask, tell: Callable[[Step], None], stop: Callable[[], bool]
    ) -> Stretch:
        """Work for a stretch, at least one step, or until `stop` says so."""
        until = time.monotonic() + STRETCH_S
        told_at = -float("inf")
        step: Step | None = None
        try:
            if number not in self._begun:
                self._begun[number] = ask.function(*ask.arguments)
            while (following := next(self._begun[number], None)) is not None:
                step, now = following, time.monotonic()
                if stop() or now >= until:
                    return Stretch("running", step)
                if now - told_at >= _TELL_S:
                    tell(step)
                    step, told_at = None, now
            ended = Stretch("finished", step)
        except ExplorerError as problem:
            ended = Stretch("failed", step, str(problem))
        except Exception as problem:
            # the message may quote the data: neither page nor log repeat it
            where = problems.log(problem)
            words = f"This could not be computed; the server's log names the place ({where})."
            ended = Stretch("failed", step, words)
        self.drop(number)
        return ended

    def drop(self, number: int) -> None:
        """Forget a work that nobody wants any more."""
        self._begun.pop(number, None)
