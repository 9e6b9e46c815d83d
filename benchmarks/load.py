"""Many people at once, by websocket: ``python -m benchmarks load [sessions] [moves]``."""

import os
import random
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

from benchmarks.measure import Row, quantile
from engine.parameters import EPSILON_STOPS
from tests.support.server import free_port, running

SESSIONS, MOVES, LIMIT_MB = 100, 3, 400.0
LIMITS_S = {100: 0.6, 200: 1.5}
"""The 95th percentile of a move, by the number of sessions."""
STOPS = [f"{epsilon:g}" for epsilon in EPSILON_STOPS]
PAUSE_S = (3.0, 7.0)
PATIENCE_S = 120.0
_ARRIVAL_S = 0.3
_SETTLE_S = 5.0


@dataclass
class Measured:
    """What all sessions have seen, in seconds."""

    first: list[float] = field(default_factory=list)
    moves: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    busy: list[bool] = field(default_factory=list)


def _visit(address: str, number: int, moves: int, measured: Measured) -> None:
    """Open home, then move the slider."""
    time.sleep(number * _ARRIVAL_S)
    chance, at = random.Random(number), STOPS.index("1")
    try:
        with connect(
            address,
            subprotocols=["streamlit"],
            max_size=None,
            open_timeout=PATIENCE_S,
            ping_timeout=PATIENCE_S,
        ) as line:
            home = Session(line)
            measured.first.append(home.ask())
            for _ in range(moves):
                home.rest(chance.uniform(*PAUSE_S))
                at = min(max(at + chance.choice((-2, -1, 1, 2)), 0), len(STOPS) - 1)
                measured.moves.append(home.ask(STOPS[at]))
            measured.busy.append(home.was_busy)
    except Exception as problem:  # whatever it is, it is counted
        measured.failures.append(f"{type(problem).__name__} {problem}"[:80])


def rows() -> Iterator[Row]:
    """Measure 100 and 200 sessions on one process."""
    for sessions in LIMITS_S:
        yield from measure(sessions, MOVES)


def measure(sessions: int, moves: int) -> Iterator[Row]:
    """Measure so many sessions that move so often each."""
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    address = f"ws://127.0.0.1:{port}/_stcore/stream"
    with running(command, f"http://127.0.0.1:{port}") as process:
        _visit_all(address, 1, 1, Measured())  # what everybody shares is read before
        before, worked = _memory(process.pid)[0], processor_s(process.pid)
        measured = Measured()
        _visit_all(address, sessions, moves, measured)
        worked = processor_s(process.pid) - worked
        after, helpers = _memory(process.pid)
        load = os.getloadavg()[0]
    moved = measured.moves
    many = f"{sessions} sessions, {len(moved)} moves"
    first = quantile(measured.first, 0.5)
    yield Row(f"{many}: first verdict, median", first, note=f"{sum(measured.busy)} were told: busy")
    problems = "; ".join(dict.fromkeys(measured.failures))
    yield Row(f"{many}: failures", len(measured.failures), 0, problems, "")
    each = f"{(after - before) / sessions:.1f} MB a session; workers {helpers:.0f} MB"
    yield Row(f"{many}: memory of the server", after, LIMIT_MB, each, "MB")
    late = quantile(moved, 0.95)
    limit_s = next((LIMITS_S[most] for most in sorted(LIMITS_S) if sessions <= most), None)
    yield Row(
        f"{many}: move to new verdict, 95th percentile",
        late,
        limit_s,
        f"median {quantile(moved, 0.5):.2f} s; {worked / max(1, len(moved)):.3f} s of the "
        f"server's processor time a move; load of the machine {load:.1f}",
    )


def _visit_all(address: str, sessions: int, moves: int, measured: Measured) -> None:
    with ThreadPoolExecutor(sessions) as people:
        for number in range(sessions):
            people.submit(_visit, address, number, moves, measured)
    time.sleep(_SETTLE_S if sessions == 1 else 0)


def _memory(process: int) -> tuple[float, float]:
    """Return the resident memory of a process and of those it started, in MB (Linux)."""
    own = helpers = 0.0
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
        except OSError:
            continue  # ended meanwhile
        resident = float(fields.get("VmRSS", "0").split()[0]) / 1024
        if int(fields["Pid"]) == process:
            own = resident
        elif int(fields["PPid"]) == process:
            helpers += resident
    return own, helpers


def processor_s(process: int) -> float:
    """Return the processor time that a process itself has taken (Linux)."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Session:
    """Home by the line of a websocket, and the parts that it wants to be asked for again."""

    def __init__(self, line: Any) -> None:
        self._line = line
        self._slider, self._value = "", ""
        self._due: dict[str, tuple[float, float]] = {}  # by part: when it is, and how often
        self.was_busy = False

    def ask(self, value: str = "") -> float:
        """Ask for home with ε at a value; return the seconds until the verdict is drawn."""
        self._value, start = value, time.perf_counter()
        self._send()
        while 'class="gauges"' not in self._receive(start + PATIENCE_S):
            if time.perf_counter() > start + PATIENCE_S:
                raise TimeoutError
        return time.perf_counter() - start

    def rest(self, seconds: float) -> None:
        """Follow what the server sends for so long."""
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            self._receive(end)

    def _receive(self, end: float) -> str:
        """Return the text that is drawn next; empty if another message, or none, comes first."""
        due = min([end, *(when for when, _ in self._due.values())])
        try:
            raw = self._line.recv(timeout=max(due - time.perf_counter(), 0))
        except TimeoutError:
            self._ask_again()
            return ""
        message = ForwardMsg.FromString(raw)
        kind = message.WhichOneof("type")
        if kind == "new_session" and not message.metadata.run.fragment_ids:
            self._due.clear()  # as a browser does: the page says anew which parts it wants
        elif kind == "auto_rerun":
            part, every_s = message.auto_rerun.fragment_id, message.auto_rerun.interval
            self._due.setdefault(part, (time.perf_counter() + every_s, every_s))
        return self._read(message.delta.new_element) if kind == "delta" else ""

    def _read(self, element: Any) -> str:
        kind = element.WhichOneof("type") or ""
        drawn: Any = getattr(element, kind, None)
        text = str(getattr(drawn, "body", ""))
        if kind == "alert" and "could not be drawn" in text:
            raise RuntimeError(text[:60])
        if getattr(drawn, "label", "").startswith("Privacy loss"):
            self._slider = drawn.id
        self.was_busy |= 'class="busy"' in text
        return text

    def _ask_again(self) -> None:
        now = time.perf_counter()
        for part, (when, every_s) in self._due.items():
            if when <= now:
                self._due[part] = now + every_s, every_s
                self._send(part)

    def _send(self, part: str = "") -> None:
        message = BackMsg()
        asked = message.rerun_script
        asked.fragment_id, asked.is_auto_rerun = part, bool(part)
        if self._value:
            state = asked.widget_states.widgets.add()
            state.id = self._slider
            state.string_array_value.data.append(self._value)
        self._line.send(message.SerializeToString())
