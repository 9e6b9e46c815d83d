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


@dataclass(frozen=True)
class Row:
    """One line of the table: a measured figure and the most it may be, if anything, in `unit`."""

    work: str
    value: float
    bound: float | None = None
    note: str = ""
    unit: str = "s"

    @property
    def is_met(self) -> bool:
        """Whether the figure keeps its bound."""
        return self.bound is None or self.value <= self.bound


def against(
    work: str, ours: float, reference: float, factor: float, of: str, note: str = ""
) -> Row:
    """Return the line of a bound on our time: `factor` times that of a reference, named by `of`."""
    notes = [f"bound: {factor:g} × {of}", *([note] if note else [])]
    return Row(work, ours, factor * reference, "; ".join(notes))


def timed(
    function: Callable[[], T], clock: Callable[[], float] = time.perf_counter
) -> tuple[float, T]:
    """Return what one call takes, and its result."""
    start = clock()
    result = function()
    return clock() - start, result


def cpu_seconds(function: Callable[[], object], repeats: int) -> float:
    """Return the median CPU time of `repeats` calls, which a shared machine cannot stretch."""
    function()  # to warm up
    return statistics.median(timed(function, time.process_time)[0] for _ in range(repeats))


def quantile(times: Sequence[float], share: float) -> float:
    """Return the time below which such a share lies; not a number where there are none."""
    return float(np.quantile(times, share)) if times else math.nan


class Child(NamedTuple):
    """What a process of its own took: by the clock, of processors, and of memory."""

    seconds: float
    cpu: float
    peak_mb: float


_CHILD = """
import json, time
def peak():  # not ru_maxrss, which begins with what the parent process held
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024
start, cpu = time.perf_counter(), time.process_time()
{body}
print(json.dumps([time.perf_counter() - start, time.process_time() - cpu, peak()]))
"""


def child(body: str) -> Child:
    """Run code in a process of its own (Linux)."""
    code = _CHILD.format(body=body)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"a benchmark's process failed: {done.stderr.strip()[-500:]}")
    return Child(*json.loads(done.stdout.splitlines()[-1]))
