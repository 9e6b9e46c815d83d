"""What a row of the benchmark table is and how a time is taken."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One line of the table; times in seconds.

    `reference` is the plain or peer implementation timed in the same run, None where there is no
    peer. `met` is None for figures that are reported without a bound.
    """

    work: str
    ours: float
    reference: float | None
    limit: str
    met: bool | None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Our time over the reference's."""
        return None if self.reference is None else self.ours / self.reference


def median_seconds(function: Callable[[], object], repeats: int = 20) -> float:
    """Return the median wall-clock time of `repeats` calls after one call to warm up."""
    function()
    times: list[float] = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def cpu_seconds(function: Callable[[], object], repeats: int = 20) -> float:
    """Return the median CPU time of `repeats` calls: what a shared machine cannot stretch."""
    function()
    times: list[float] = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return statistics.median(times)
