"""A class of sixty phones on one server: ``python -m benchmarks classroom``.

Sessions speak Streamlit's websocket as phones do: each comes in by the room's link, asks again and
again whether something has come out, and votes several times.
"""

import asyncio
import random
import re
from collections.abc import Iterator
from contextlib import AsyncExitStack

from benchmarks import load
from benchmarks._session import opened
from benchmarks.measure import Row, bounded, quantile

PHONES, VOTES, LIMIT_S = 60, 4, 1.0
PAGE, PAUSE_S, _ARRIVAL_S = "Class", (3.0, 10.0), 10.0
_CODE = re.compile(r'class-code">(\w+)<')


def rows() -> Iterator[Row]:
    """Measure sixty phones in one room."""
    with load.served() as (address, process):
        worked = load.processor_s(process.pid)
        first, votes = asyncio.run(_class(address))
        worked = load.processor_s(process.pid) - worked
    for what, times in (("come in", first), ("vote", votes)):
        late = quantile(times, 0.95)
        yield bounded(
            f"class of {PHONES}: {what}, 95th percentile of {len(times)}",
            late,
            LIMIT_S,
            f"median {quantile(times, 0.5):.2f} s; processor time of the server in all "
            f"{worked:.1f} s",
        )


async def _class(address: str) -> tuple[list[float], list[float]]:
    """Return how long coming in and voting took."""
    first: list[float] = []
    votes: list[float] = []
    async with AsyncExitStack() as stack:
        wall = await stack.enter_async_context(opened(address, page=PAGE))
        await wall.ask()
        await wall.ask(press="Open a room")
        code = _CODE.search(wall.said)
        assert code, wall.said

        async def take_part(number: int) -> None:
            chance = random.Random(number)
            await asyncio.sleep(chance.uniform(0, _ARRIVAL_S))
            query = f"class_code={code[1]}"
            phone = await stack.enter_async_context(opened(address, query, page=PAGE))
            first.append(await phone.ask())
            for _ in range(VOTES):
                await asyncio.sleep(chance.uniform(*PAUSE_S))
                pills = [one for label, one in phone.widgets.items() if hasattr(one, "click_mode")]
                phone.states = {
                    one.label.partition(":")[0]: [chance.choice([o.content for o in one.options])]
                    for one in pills
                }
                phone.states["Why?"] = chance.choice(list(phone.widgets["Why?"].options))
                votes.append(await phone.ask(press="Vote", awaited="Your vote"))

        await asyncio.gather(*(take_part(number) for number in range(PHONES)))
    return first, votes
