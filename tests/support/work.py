"""Long work for tests of the pool: at the top of a module, as a worker process asks."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import streamlit as st

from engine.parameters import DensityParameters
from pages._ui.jobs import Step


def counted(key: str, steps: int, seconds: float = 0.0) -> Iterator[Step]:
    """Yield 1, 2, … with a pause before each."""
    for number in range(1, steps + 1):
        time.sleep(seconds)
        yield Step(number, steps, (key, number))


def noted(key: str, folder: str) -> Iterator[Step]:
    """Leave one file for each time this is begun."""
    place = Path(folder)
    number = len(list(place.iterdir()))
    (place / str(number)).touch()
    for step in range(20):
        time.sleep(0.05)
        yield Step(step, 20, number)


def refused(key: str) -> Iterator[Step]:
    """Break a rule of the engine after a first result."""
    yield Step(1, 2, "partial")
    DensityParameters(epsilon=-1.0)


def broken(key: str) -> Iterator[Step]:
    """Fail with a message that quotes a row."""
    yield Step(1, 2, "partial")
    row = "Alice, 12 Main Street"
    raise RuntimeError(row)


def place_of_work(key: str, seed: int = 0) -> Iterator[Step]:
    """Tell which process works."""
    yield Step(1, 1, os.getpid())


@st.cache_data(scope="session")
def _doubled(value: int) -> int:
    return 2 * value


def doubled(key: str, value: int) -> Iterator[Step]:
    """Read what is cached for a session."""
    yield Step(1, 1, _doubled(value))


def burned(key: str, pid: int, until_s: float) -> Iterator[Step]:
    """Compute until the process `pid` has had so much processor time; yield how much we had."""
    while spent_s(pid) < until_s:
        for _ in range(100_000):
            pass
        yield Step(1, 2, (os.getpid(), spent_s(os.getpid())))


def spent_s(pid: int) -> float:
    """Return the processor time of a process (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
