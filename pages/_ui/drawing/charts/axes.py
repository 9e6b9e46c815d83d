"""Axes: what is placed along them, on which scale, and how its numbers are written."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from engine.parameters import EPSILON_STOPS, HOURS_PER_WEEK
from pages._ui.drawing.charts.spec import Spec

_SI = (
    "abs(datum.value) < 1 && datum.value != 0 ? format(datum.value, '~g') "
    ": format(datum.value, '~s')"
)
_MULTIPLES = (
    "datum.value >= 1e6 ? format(datum.value / 1e6, ',') + ' million times' : "
    "datum.value >= 10 ? format(datum.value, ',') + ' times' : format(datum.value, '~%')"
)
_LOG_TICKS = (
    0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, *(10.0**power for power in range(1, 13))
)  # fmt: skip
_MOST_TICKS = 7
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_FEW = 24
"""So few blocks of a week are named on the axis one by one."""


@dataclass(frozen=True, kw_only=True)
class Axis:
    """How one quantity is placed and written.

    Attributes
    ----------
    title : str
        Words with the unit.
    kind : str
        The scale: numbers, days (``time``) or ``names`` in their order.
    form : str
        How numbers are written on the axis, as d3 does; empty: SI prefixes.
    tip : str
        How they are written in tooltips.
    domain : pair of float, optional
        The ends; else those of the data.
    ticks : sequence or int, optional
        Where marks stand, or about how many.
    labels : str, optional
        A Vega expression that writes them.
    zero, reverse : bool
        Whether an axis without a domain starts at 0, and whether it runs downwards.
    padding : float, optional
        Of names, before the first and after the last.
    """

    title: str
    kind: Literal["linear", "log", "symlog", "sqrt", "time", "names"] = "linear"
    form: str = ""
    tip: str = ",.2~f"
    domain: tuple[float, float] | None = None
    ticks: Sequence[float | str] | int | None = None
    labels: str | None = None
    zero: bool = True
    reverse: bool = False
    padding: float | None = None
    more: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def type(self) -> str:
        """Vega's name for the kind of its values."""
        return {"time": "temporal", "names": "nominal"}.get(self.kind, "quantitative")

    def encode(self, column: str) -> Spec:
        """Return the encoding of a column on this axis."""
        axis: Spec = {"grid": self.kind == "linear", "labelFlush": self.kind != "names"}
        if self.labels or not (self.form or self.kind in ("time", "names")):
            axis["labelExpr"] = self.labels or _SI
        elif self.form:
            axis["format"] = self.form
        if self.kind == "names":
            axis["labelAngle"] = 0
        if isinstance(self.ticks, int):
            axis["tickCount"] = self.ticks
        elif self.ticks is not None:
            axis["values"] = list(self.ticks)
        scale: Spec = {}
        if self.kind not in ("time", "names"):
            scale = {"type": self.kind, "nice": self.kind == "linear" and self.domain is None}
            scale |= {"domain": list(self.domain)} if self.domain else {}
            if self.kind == "linear" and not self.domain:
                scale["zero"] = self.zero
        scale |= {"reverse": True} if self.reverse else {}
        scale |= {} if self.padding is None else {"type": "point", "padding": self.padding}
        encoded = {"field": column, "type": self.type, "title": self.title}
        if self.kind == "names":
            encoded["sort"] = None
        return encoded | {"axis": axis | dict(self.more), "scale": scale}

    @property
    def said(self) -> str:
        """Its title in a tooltip."""
        return self.title.partition(", log scale")[0]

    def tip_of(self, column: str, title: str = "") -> Spec:
        """Return how a column on this axis reads in a tooltip."""
        shown = {"field": column, "type": self.type, "title": title or self.said}
        return shown if self.kind == "names" else shown | {"format": self.tip}

    def far(self, value: Any) -> bool:
        """Whether a value lies in the right third, where words must stand left of it."""
        if self.domain is None or not isinstance(value, int | float):
            return False
        low, high, at = (
            math.log(max(one, 1e-9)) if self.kind == "log" else one for one in (*self.domain, value)
        )
        return at > low + 0.67 * (high - low)


EPSILON = Axis(
    title="Privacy loss (ε), log scale",
    kind="log",
    form="~g",
    tip="~g",
    domain=(EPSILON_STOPS[0], EPSILON_STOPS[-1]),
    ticks=(0.01, 0.03, 0.1, 0.3, 1, 3, 10),
    more={"titlePadding": 4},
)
"""The x axis of every curve over ε."""


def share(title: str, *, whole: bool = True, **look: Any) -> Axis:
    """Return an axis of shares in percent, from 0 to 100% if `whole`; `look` as of `Axis`."""
    domain = (0.0, 1.0) if whole else None
    return Axis(
        **{"title": title, "form": "~%", "tip": ".1%", "domain": domain, "zero": whole} | look
    )


def multiples(title: str, low: float, high: float) -> Axis:
    """Return a logarithmic axis for errors: percent below ten, then multiples."""
    top = high * 1.1
    ticks = [tick for tick in _LOG_TICKS if low <= tick <= top]
    if high / low > 100:
        ticks = [tick for tick in ticks if f"{tick:e}".startswith("1.")]
    ticks = ticks[:: math.ceil(len(ticks) / _MOST_TICKS) or 1]
    if len(ticks) < 2:
        ticks = [float(f"{low + part * (top - low):.2g}") for part in (0.1, 0.5, 0.9)]
    labels, domain = _MULTIPLES, (low, top)
    return Axis(title=title, kind="log", tip=".1%", domain=domain, ticks=ticks, labels=labels)


def week(names: Sequence[str]) -> tuple[list[float] | list[str], Axis]:
    """Return where the blocks of a week stand, and their axis, Monday 00:00 first.

    Parameters
    ----------
    names : sequence of str
        What the blocks are called, in their order: 168 hours, or fewer blocks.

    Examples
    --------
    >>> week([f"block {i}" for i in range(42)])[0][1]
    4.0
    """
    if len(names) <= _FEW:
        return list(names), Axis(
            title="Part of the week (local time)",
            kind="names",
            more={"labelAngle": -35, "labelLimit": 170},
        )
    step = HOURS_PER_WEEK / len(names)
    labels = " : ".join(f"datum.value == {24 * day} ? '{name}'" for day, name in enumerate(_DAYS))
    return [step * i for i in range(len(names))], Axis(
        title="Hour of the week (local time)",
        domain=(0.0, HOURS_PER_WEEK - step),
        ticks=range(0, HOURS_PER_WEEK, 24),
        labels=f"{labels} : ''",
    )
