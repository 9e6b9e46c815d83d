"""What a row of the benchmark table is and how a time is taken."""

import json
import math
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

T = TypeVar("T")
ROOT = Path(__file__).parents[1]
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
    reference: float | None = None
    limit: str = "–"
    met: bool | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Our time over the reference's."""
        return None if self.reference is None else self.ours / self.reference


def against(
    work: str, ours: float, reference: float, most: float, of: str = "", note: str = ""
) -> Row:
    """Return the line of a bound on our time over that of the reference, which `of` may name."""
    limit = f"≤ {most:g} × {of}".strip()
    return Row(work, ours, reference, limit, ours <= most * reference, note)


def bounded(work: str, seconds: float, limit_s: float, note: str = "") -> Row:
    """Return the line of a bound in seconds, held against plain NumPy and Python in the same run.

    The reference is what they take now, on this machine, for what they did in `limit_s` where the
    bound was set: a machine of half the speed, or a busy one, has twice as long. A note that begins
    with CPU says that `seconds` are processor time; else both are of the clock.
    """
    clock = time.process_time if note.startswith("CPU") else time.perf_counter
    reference = limit_s * min(timed(_plain, clock)[0] for _ in range(3)) / AT_REST_S
    return Row(work, seconds, reference, f"≤ {limit_s:g} s at rest: 1", seconds <= reference, note)


def _plain() -> None:
    np.random.default_rng(0).standard_normal(2_000_000)
    sum(number * number for number in range(300_000))


def timed(
    function: Callable[[], T], clock: Callable[[], float] = time.perf_counter
) -> tuple[float, T]:
    """Return what one call takes, and its result."""
    start = clock()
    result = function()
    return clock() - start, result


def median_seconds(
    function: Callable[[], object],
    repeats: int = 20,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Return the median wall-clock time of `repeats` calls after one call to warm up."""
    function()
    return statistics.median(timed(function, clock)[0] for _ in range(repeats))


def cpu_seconds(function: Callable[[], object], repeats: int = 20) -> float:
    """Return the median CPU time of `repeats` calls: what a shared machine cannot stretch."""
    return median_seconds(function, repeats, time.process_time)


def quantile(times: Sequence[float], share: float) -> float:
    """Return the time below which such a share lies; not a number where there are none."""
    return float(np.quantile(times, share)) if times else math.nan


class Child(NamedTuple):
    """What a process of its own took: by the clock, of processors, and of memory."""

    seconds: float
    cpu: float
    peak_mb: float
    grown_mb: float


_CHILD = """
import json, time
def peak():  # not ru_maxrss, which begins with what the parent process held
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024
{before}
start, cpu, held = time.perf_counter(), time.process_time(), peak()
{body}
print(json.dumps([time.perf_counter() - start, time.process_time() - cpu, peak(), peak() - held]))
"""


def child(body: str, before: str = "") -> Child:
    """Run code in a process of its own; `before` is neither timed nor counted as growth (Linux)."""
    code = _CHILD.format(before=before, body=body)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"a benchmark's process failed: {done.stderr.strip()[-500:]}")
    return Child(*json.loads(done.stdout.splitlines()[-1]))
