"""Many people at once, by websocket: ``python -m benchmarks load [sessions] [moves]``."""

import asyncio
import os
import random
import sys
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.measure import Row, quantile
from tests.support.server import free_port, running

SESSIONS, MOVES, LIMIT_MB = 100, 3, 400.0
LIMITS_S = {100: 0.6, 200: 1.5}
"""The 95th percentile of a move, by the number of sessions."""
_EACH = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10)
STOPS = [f"{epsilon:g}" for epsilon in _EACH]
PAUSE_S = (3.0, 7.0)
_ARRIVAL_S = 0.3
_SETTLE_S = 5.0


@dataclass
class Measured:
    """What all sessions have seen, in seconds."""

    first: list[float] = field(default_factory=list)
    moves: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    busy: int = 0


async def _visit(address: str, number: int, moves: int, measured: Measured) -> None:
    """Open home, then move the slider."""
    await asyncio.sleep(number * _ARRIVAL_S)
    chance, at, busy = random.Random(number), STOPS.index("1"), False

    def verdict(body: str) -> bool:
        nonlocal busy
        busy |= 'class="busy"' in body
        return 'class="gauges"' in body

    try:
        async with opened(address, verdict) as home:
            measured.first.append(await home.ask())
            for _ in range(moves):
                await asyncio.sleep(chance.uniform(*PAUSE_S))
                at = min(max(at + chance.choice((-2, -1, 1, 2)), 0), len(STOPS) - 1)
                home.states["Privacy loss"] = [STOPS[at]]
                measured.moves.append(await home.ask())
    except Exception as problem:  # whatever it is, it is counted
        measured.failures.append(f"{type(problem).__name__} {problem}"[:80])
    measured.busy += busy


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
        asyncio.run(_all(address, 1, 1, Measured()))  # what everybody shares is read before
        before, worked = _memory(process.pid)[0], processor_s(process.pid)
        measured = Measured()
        asyncio.run(_all(address, sessions, moves, measured))
        worked = processor_s(process.pid) - worked
        after, helpers = _memory(process.pid)
        load = os.getloadavg()[0]
    moved = measured.moves
    many = f"{sessions} sessions, {len(moved)} moves"
    first = quantile(measured.first, 0.5)
    yield Row(f"{many}: first verdict, median", first, note=f"{measured.busy} were told: busy")
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


async def _all(address: str, sessions: int, moves: int, measured: Measured) -> None:
    visits = (_visit(address, number, moves, measured) for number in range(sessions))
    await asyncio.gather(*visits)
    await asyncio.sleep(_SETTLE_S if sessions == 1 else 0)


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


PATIENCE_S = 120.0


class Session:
    """Widgets by label, and what they were moved to; `drawn` tells the text that is waited for."""

    def __init__(self, line: Any, drawn: Callable[[str], bool]) -> None:
        self._line, self._drawn = line, drawn
        self._got = asyncio.Event()
        self._problem = ""
        self._asking: dict[str, asyncio.Task[None]] = {}
        self.widgets: dict[str, Any] = {}
        self.states: dict[str, list[str]] = {}

    async def ask(self) -> float:
        """Ask for the page until what is waited for is drawn; return the seconds."""
        self._got.clear()
        self._problem = ""
        start = time.perf_counter()
        await self._send()
        await asyncio.wait_for(self._got.wait(), PATIENCE_S)
        if self._problem:
            raise RuntimeError(self._problem)
        return time.perf_counter() - start

    async def read(self) -> None:
        """Follow what the server sends, and ask for the parts that are to be asked for again."""
        from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

        async for raw in self._line:
            message = ForwardMsg.FromString(raw)
            kind, body = message.WhichOneof("type"), ""
            if kind == "delta":
                element = message.delta.new_element
                part = element.WhichOneof("type") or ""
                one = getattr(element, part, None)
                body = str(getattr(one, "body", ""))
                if part == "alert" and "could not be drawn" in body:
                    self._problem = body[:60]
                if hasattr(one, "label"):
                    self.widgets[one.label.partition(" (")[0]] = one
            elif kind == "new_session" and not message.metadata.run.fragment_ids:
                self.stop()  # as a browser does: the page says anew which parts it wants
            elif kind == "auto_rerun":
                again = message.auto_rerun
                if again.fragment_id not in self._asking:
                    asking = asyncio.create_task(self._again(again.fragment_id, again.interval))
                    self._asking[again.fragment_id] = asking
            if self._problem or self._drawn(body):
                self._got.set()

    def stop(self) -> None:
        """Ask for nothing any more."""
        for one in self._asking.values():
            one.cancel()
        self._asking.clear()

    async def _again(self, fragment: str, every_s: float) -> None:
        while True:
            await asyncio.sleep(every_s)
            await self._send(fragment)

    async def _send(self, fragment: str = "") -> None:
        from streamlit.proto.BackMsg_pb2 import BackMsg

        message = BackMsg()
        asked = message.rerun_script
        asked.fragment_id, asked.is_auto_rerun = fragment, bool(fragment)
        for label, value in self.states.items():
            state = asked.widget_states.widgets.add()
            state.id = self.widgets[label].id
            state.string_array_value.data.extend(value)
        await self._line.send(message.SerializeToString())


@asynccontextmanager
async def opened(address: str, drawn: Callable[[str], bool]) -> AsyncGenerator[Session]:
    """Yield a session of the server at the address of a websocket; nothing is asked for yet."""
    from websockets.asyncio.client import connect

    async with connect(
        address,
        subprotocols=["streamlit"],
        max_size=None,
        open_timeout=PATIENCE_S,
        ping_timeout=PATIENCE_S,
    ) as line:
        session = Session(line, drawn)
        reading = asyncio.create_task(session.read())
        try:
            yield session
        finally:
            session.stop()
            reading.cancel()
