"""A class of sixty phones on one server: ``python -m benchmarks classroom``.

Sessions speak Streamlit's websocket as phones do: each comes in by the room's link, asks again and
again whether something has come out, and votes several times.
"""

import asyncio
import random
import re
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks import load
from benchmarks.measure import Row, bounded

PHONES, VOTES, LIMIT_S = 60, 4, 1.0
PAUSE_S = (3.0, 10.0)
_ARRIVAL_S, _PATIENCE_S = 10.0, 60.0
_CODE = re.compile(r'class-code">(\w+)<')


@dataclass
class Phone:
    """One session on the page Class: its widgets by label, and what has been sent."""

    line: Any
    query: str = ""
    widgets: dict[str, Any] = field(default_factory=dict)
    said: str = ""
    awaited: str = ""
    ended: bool = False
    drawn: asyncio.Event = field(default_factory=asyncio.Event)
    asking: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    states: dict[str, Any] = field(default_factory=dict)

    async def read(self) -> None:
        """Keep what the server sends, and ask again for the parts that ask to be asked for."""
        from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

        async for raw in self.line:
            message = ForwardMsg.FromString(raw)
            kind = message.WhichOneof("type")
            if kind == "delta":
                element = message.delta.new_element
                one = getattr(element, element.WhichOneof("type") or "", None)
                self.said += str(getattr(one, "body", ""))
                if hasattr(one, "label"):
                    self.widgets[one.label.partition(":")[0]] = one
            elif kind == "auto_rerun":
                again = message.auto_rerun
                if again.fragment_id not in self.asking:
                    asking = asyncio.create_task(self._ask(again.fragment_id, again.interval))
                    self.asking[again.fragment_id] = asking
            elif kind == "script_finished":
                self.ended |= message.script_finished == 0
            if self.ended and self.awaited in self.said:
                self.drawn.set()

    async def run(self, press: str = "", awaited: str = "") -> float:
        """Run the page, perhaps by the press of a button; return the seconds until it is drawn.

        Where a part is asked for at the same time, its words come with the answer to that.
        """
        self.drawn.clear()
        self.said, self.awaited, self.ended = "", awaited, False
        start = time.perf_counter()
        await self._send(press=press)
        await asyncio.wait_for(self.drawn.wait(), _PATIENCE_S)
        return time.perf_counter() - start

    async def _ask(self, fragment: str, every_s: float) -> None:
        while True:
            await asyncio.sleep(every_s)
            await self._send(fragment=fragment)

    async def _send(self, *, press: str = "", fragment: str = "") -> None:
        from streamlit.proto.BackMsg_pb2 import BackMsg

        asked = BackMsg()
        asked.rerun_script.page_name = "Class"
        asked.rerun_script.query_string = self.query
        asked.rerun_script.fragment_id = fragment
        asked.rerun_script.is_auto_rerun = bool(fragment)
        for label, value in self.states.items():
            state = asked.rerun_script.widget_states.widgets.add()
            state.id = self.widgets[label].id
            if label == "Why?":
                state.string_value = value
            else:
                state.string_array_value.data.append(value)
        if press:
            state = asked.rerun_script.widget_states.widgets.add()
            state.id, state.trigger_value = self.widgets[press].id, True
        await self.line.send(asked.SerializeToString())


def rows() -> Iterator[Row]:
    """Measure sixty phones in one room."""
    with load.served() as (address, process):
        worked = load.processor_s(process.pid)
        first, votes = asyncio.run(_class(address))
        worked = load.processor_s(process.pid) - worked
    for what, times in (("come in", first), ("vote", votes)):
        late = float(np.quantile(times, 0.95))
        yield bounded(
            f"class of {PHONES}: {what}, 95th percentile of {len(times)}",
            late,
            LIMIT_S,
            f"median {np.median(times):.2f} s; processor time of the server in all {worked:.1f} s",
        )


async def _class(address: str) -> tuple[list[float], list[float]]:
    """Return how long coming in and voting took."""
    first: list[float] = []
    votes: list[float] = []
    async with AsyncExitStack() as stack:
        wall = await _phone(stack, address)
        await wall.run()
        await wall.run(press="Open a room")
        code = _CODE.search(wall.said)
        assert code, wall.said

        async def take_part(number: int) -> None:
            chance = random.Random(number)
            await asyncio.sleep(chance.uniform(0, _ARRIVAL_S))
            phone = await _phone(stack, address, f"class_code={code[1]}")
            first.append(await phone.run())
            for _ in range(VOTES):
                await asyncio.sleep(chance.uniform(*PAUSE_S))
                pills = [one for label, one in phone.widgets.items() if hasattr(one, "click_mode")]
                phone.states = {
                    one.label.partition(":")[0]: chance.choice([o.content for o in one.options])
                    for one in pills
                }
                phone.states["Why?"] = chance.choice(list(phone.widgets["Why?"].options))
                votes.append(await phone.run(press="Vote", awaited="Your vote"))

        await asyncio.gather(*(take_part(number) for number in range(PHONES)))
    return first, votes


async def _phone(stack: AsyncExitStack, address: str, query: str = "") -> Phone:
    from websockets.asyncio.client import connect

    line = await stack.enter_async_context(
        connect(address, subprotocols=["streamlit"], max_size=None, ping_timeout=None)
    )
    phone = Phone(line, query)
    reading = asyncio.create_task(phone.read())
    stack.callback(lambda: [one.cancel() for one in (reading, *phone.asking.values())])
    return phone
