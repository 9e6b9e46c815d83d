"""Means with their spread over seeds, and the Markdown tables they are written in."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from benchmarks.reproduction.published import Published

DEVIATIONS = 2
MOST_DECIMALS = 4


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation over seeds; the deviation of a single value is NaN."""

    mean: float
    deviation: float
    count: int

    @classmethod
    def of(cls, values: ArrayLike) -> "Spread":
        """Return the spread of the values that exist (a blank release has no correlation)."""
        known = np.asarray(values, dtype=np.float64).ravel()
        known = known[~np.isnan(known)]
        mean = float(known.mean()) if len(known) else float("nan")
        deviation = float(known.std(ddof=1)) if len(known) > 1 else float("nan")
        return cls(mean, deviation, len(known))

    def agrees(self, published: Published) -> bool:
        """Return whether `published` is within two deviations and its rounding."""
        deviation = 0.0 if math.isnan(self.deviation) else self.deviation
        reach = DEVIATIONS * deviation + published.half_unit
        return abs(self.mean - published.value) <= reach * (1 + 1e-9)

    def text(self, scale: float = 1.0, unit: str = "", signed: bool = False) -> str:
        """Write the mean with as many decimals as its deviation deserves, `MOST_DECIMALS` at most.

        A deviation that would read 0 is left out.
        """
        mean, deviation = self.mean * scale, self.deviation * scale
        if not deviation >= 0.5 * 10**-MOST_DECIMALS:
            return f"{number(mean, signed)}{unit}"
        first = f"{deviation:.0e}"  # 0.00096 is 0.001: one significant digit, rounded
        decimals = min(max(0, -int(first[first.index("e") + 1 :])), MOST_DECIMALS)
        sign = "+" if signed else ""
        return f"{mean:{sign},.{decimals}f} ± {deviation:,.{decimals}f}{unit}"


@dataclass(frozen=True)
class Line:
    """One published figure beside ours, and the measured reason where they differ."""

    what: str
    published: str
    ours: str
    agrees: bool
    source: str
    why: str


def compare(
    what: str,
    published: Published,
    ours: Spread,
    why: str,
    *,
    scale: float = 1.0,
    unit: str = "",
    signed: bool = False,
    show_reach: bool = False,
) -> Line:
    """Return a line for a figure that P1 or P2 states as a number, or as a number ± another."""
    printed = f"{number(published.value * scale, signed)}{unit}"
    if show_reach:
        printed += f" ± {number(published.half_unit * scale)}{unit}"
    return Line(
        what,
        printed,
        ours.text(scale, unit, signed),
        ours.agrees(published),
        published.source,
        why,
    )


def lines_table(lines: Sequence[Line]) -> list[str]:
    """Return the table of `lines` and, below it, why they differ where they do."""
    rows = [
        [line.what, line.published, line.ours, "yes" if line.agrees else "**no**", line.source]
        for line in lines
    ]
    text = table(["figure", "published", "ours", "within reach", "source"], rows, words=(4,))
    reasons: dict[str, list[str]] = {}
    for line in lines:
        if not line.agrees:
            reasons.setdefault(line.why, []).append(line.what)
    if not reasons:
        return [*text, ""]
    items = [f"- **{'; '.join(names)}**: {why}" for why, names in reasons.items()]
    return [*text, "", "Why ours differ:", "", *items, ""]


def table(
    header: Sequence[str], rows: Iterable[Sequence[str]], *, words: Sequence[int] = ()
) -> list[str]:
    """Return a Markdown table: the first column and those of words to the left, others right."""
    marks = ["---" if place in (0, *words) else "---:" for place in range(len(header))]
    escaped = ([cell.replace("|", "\\|") for cell in cells] for cells in (header, marks, *rows))
    return ["| " + " | ".join(cells) + " |" for cells in escaped]


def number(value: float, signed: bool = False) -> str:
    """Write a number with three significant figures, whole from 100 on."""
    sign = "+" if signed else ""
    if math.isnan(value):
        return "–"
    if abs(value) >= 100 or value == round(value):
        return f"{value:{sign},.0f}"
    if abs(value) < 1e-3:
        return f"{value:{sign}.1e}"
    return f"{value:{sign}.3g}"


def percent(value: float, digits: int = 1) -> str:
    """Write a share as a percentage."""
    return "–" if math.isnan(value) else f"{100 * value:.{digits}f}%"
