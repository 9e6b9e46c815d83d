"""What a row of the benchmark table is and how a time is taken."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

AT_REST_S = 0.045
"""What `_plain` took on the machine, at rest, on which bounds in seconds were set."""


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


def bounded(work: str, seconds: float, limit_s: float, note: str = "") -> Row:
    """Return the line of a bound in seconds, held against plain NumPy and Python in the same run.

    The reference is what they take now, on this machine, for what they did in `limit_s` where the
    bound was set: a machine of half the speed, or a busy one, has twice as long. A note that begins
    with CPU says that `seconds` are processor time; else both are of the clock.
    """
    clock = time.process_time if note.startswith("CPU") else time.perf_counter
    times: list[float] = []
    for _ in range(3):
        start = clock()
        _plain()
        times.append(clock() - start)
    reference = limit_s * min(times) / AT_REST_S
    return Row(work, seconds, reference, f"≤ {limit_s:g} s at rest: 1", seconds <= reference, note)


def _plain() -> None:
    np.random.default_rng(0).standard_normal(2_000_000)
    sum(number * number for number in range(300_000))


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
