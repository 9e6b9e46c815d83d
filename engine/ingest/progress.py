"""Progress of a build, and cancellation."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

from ..errors import ExplorerError


class Cancelled(ExplorerError):
    """The build was cancelled; nothing was written."""


class BuildStage(NamedTuple):
    """A stage of a build: its title, and its usual share of the time."""

    title: str
    weight: int


@dataclass(frozen=True)
class Progress:
    """Progress of a build: stage, a share 0 to 1 that never falls, seconds left, a choice made."""

    stage: str
    fraction: float
    seconds_left: float | None = None
    note: str = ""


ProgressCallback = Callable[[Progress], None]

_ESTIMATE_FROM = 0.05


class Monitor:
    """Converts the progress of statements to that of the build; raises `Cancelled` on a stop."""

    def __init__(
        self, callback: ProgressCallback | None = None, cancel: threading.Event | None = None
    ) -> None:
        self._callback = callback
        self._cancel = cancel
        self._started = time.monotonic()
        self._stages: list[BuildStage] = []
        self._stage = BuildStage("", 0)
        self._done = 0.0
        self._fraction = 0.0

    def set_stages(self, stages: list[BuildStage]) -> None:
        """Set the following stages, in order."""
        self._stages = stages

    def start_stage(self, stage: BuildStage) -> None:
        """Begin `stage` and complete the ones before it."""
        earlier_stages = takewhile(lambda other: other != stage, self._stages)
        self._done = float(sum(earlier_stage.weight for earlier_stage in earlier_stages))
        self._stage = stage
        self.update(0.0)

    def update(self, share: float) -> None:
        """Report that `share` (0 to 1) of a statement is done; raise `Cancelled` on a stop."""
        self.check()
        if not self._stages:  # of a preview or simulated people nobody sees the progress
            return
        share = min(max(share, 0.0), 1.0)
        total_weight = sum(stage.weight for stage in self._stages)
        done = self._done + self._stage.weight * share
        self._fraction = max(self._fraction, done / total_weight)
        self._report()

    def tell(self, note: str) -> None:
        """Report a choice before rows are counted by it."""
        if self._callback is not None:
            self._callback(Progress(self._stage.title, self._fraction, note=note))

    def finish(self) -> None:
        """Report the end of the build."""
        self._fraction, self._stage = 1.0, BuildStage("done", 0)
        self._report()

    def check(self) -> None:
        """Raise `Cancelled` after a request to stop."""
        if self._cancel is not None and self._cancel.is_set():
            raise Cancelled("the build was cancelled; nothing was written")

    def _report(self) -> None:
        if self._callback is None:
            return
        spent, done = time.monotonic() - self._started, self._fraction
        seconds_left = spent * (1 / done - 1) if done > _ESTIMATE_FROM else None
        self._callback(Progress(self._stage.title, done, seconds_left))
