"""Several contexts over ε in one chart; a click on a point sets ε."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import streamlit as st

from engine.parameters import EPSILON_STOPS, DensityParameters
from pages._ui import jobs
from pages._ui.cache import density as cached_density, trips as cached_trips
from pages._ui.drawing import charts
from pages._ui.drawing.charts import EPSILON, STROKES, Axis, Line, Point
from pages._ui.jobs import Job, Step
from pages._ui.shell.settings import EPSILON_SLIDER, use_settings
from pages._ui.views.context import Side

Asked = tuple[tuple[Any, ...], ...]
"""One tuple of a cache's arguments for every stop of ε."""

LAW = "A method without an exact law has no curve here: {names}."


def usable(sides: Sequence[Side], *, key: str) -> None:
    """Draw the share of usable zones, or of trips in usable flows, over ε."""
    if isinstance(sides[0].context.parameters, DensityParameters):
        stops = [_stops(side) for side in sides]
        _follow(key, sides, stops, charts.share("Usable zones"), usable_zones)
        return
    known = [side for side in sides if side.context.method.expected is not None]
    stops = [_stops(side) for side in known]
    shares = [
        [cached_trips.usable_share(*side.context.vary(epsilon=one).exact) for one in some]
        for side, some in zip(known, stops, strict=True)
    ]
    _chart(key, known, stops, shares, charts.share("Trips in usable flows"))
    if len(known) < len(sides):
        missing = ", ".join(side.name for side in sides if side not in known)
        st.caption(LAW.format(names=missing))


def error(sides: Sequence[Side], *, key: str) -> None:
    """Draw the mean error of a flow over ε: exact where there is a law, else of one draw."""
    axis = Axis(title="Mean error (trips), log scale", kind="log", tip=".3~g", ticks=6)
    # without the slider's own ε, so that it finds the same curve wherever it stands
    _follow(key, sides, [EPSILON_STOPS for _ in sides], axis, mean_errors)
    st.caption(
        "Over all pairs of zones; the exact expectation where a method has a law, else one draw "
        "each."
    )


def usable_zones(asked: tuple[Asked, ...]) -> Iterator[Step]:
    """Yield the shares of usable zones of every setting, point by point."""
    return _points(asked, lambda *one: cached_density.judged(*one).usable_share)


def mean_errors(asked: tuple[Asked, ...]) -> Iterator[Step]:
    """Yield the mean errors of a flow of every setting, point by point."""
    return _points(asked, cached_trips.mean_error)


def _points(asked: tuple[Asked, ...], read: Callable[..., float]) -> Iterator[Step]:
    total, done = sum(map(len, asked)), 0
    known: list[tuple[float, ...]] = [() for _ in asked]
    for point in range(max(map(len, asked))):
        for index, each in enumerate(asked):
            if point < len(each):
                known[index] = (*known[index], read(*each[point]))
                done += 1
                yield Step(done, total, tuple(known))


def _stops(side: Side) -> list[float]:
    return sorted({side.context.epsilon, *EPSILON_STOPS})


def _follow(
    key: str,
    sides: Sequence[Side],
    every: Sequence[Sequence[float]],
    axis: Axis,
    steps: Callable[[tuple[Asked, ...]], Iterator[Step]],
) -> None:
    asked = tuple(
        tuple(side.context.vary(epsilon=stop).asked for stop in stops)
        for side, stops in zip(sides, every, strict=True)
    )
    work = jobs.job(key, steps, asked, delay_s=jobs.RESTED_S)

    def show(running: Job) -> None:
        jobs.progress(running, "Points over ε", key)
        _chart(key, sides, every, running.result or tuple(() for _ in sides), axis)

    jobs.live(key, work, show)


def _chart(
    key: str,
    sides: Sequence[Side],
    every: Sequence[Sequence[float]],
    values: Sequence[Sequence[float]],
    axis: Axis,
) -> None:
    known = [
        (side, stops[: len(some)], some, dash)
        for side, stops, some, dash in zip(sides, every, values, STROKES, strict=False)
        if some
    ]
    charts.curve(
        [
            Line(name=side.name, x=stops, y=some, colour=side.colour, dash=dash)
            for side, stops, some, dash in known
        ],
        at=EPSILON,
        of=axis,
        points=[
            Point(x=stop, y=value, colour=side.colour, shape="ring")
            for side, stops, some, _ in known
            for stop, value in zip(stops, some, strict=True)
            if stop == side.context.epsilon and value == value
        ],
        on_pick=take_click,
        key=f"{key}_chart",
        alt=f"{axis.said} over epsilon, one curve a setting",
    )
    st.caption("Rings: the ε of each setting. Click a point to set ε in the sidebar to it.")


def take_click(epsilon: float) -> None:
    """Set ε to that of the point that was clicked."""
    use_settings(epsilon=min(EPSILON_SLIDER, key=lambda stop: abs(stop - epsilon)))
