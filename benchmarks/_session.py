"""One session of the explorer over Streamlit's websocket, as a browser holds it."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

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
                    self.widgets[one.label.partition(":")[0]] = one
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
