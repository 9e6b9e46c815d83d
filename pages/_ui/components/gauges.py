"""The gauges: what a guarantee is worth, and what the numbers can be used for."""

import html
from collections.abc import Sequence
from dataclasses import dataclass

from engine.verdict import Verdict
from pages._ui.components.colours import LEVELS, SIGNS
from pages._ui.components.tables import help_html


@dataclass(frozen=True, kw_only=True)
class Gauge:
    """One share on a scale with its verdict; `amount` is its number alone, `pinned` another's."""

    name: str
    level: Verdict
    sentence: str
    note: str
    rule: str
    value: float
    low: float
    high: float
    bands: Sequence[tuple[float, Verdict]]
    amount: str = ""
    pinned: str = ""

    def across(self, value: float) -> float:
        """Return where a value stands on the scale, in percent.

        >>> gauge = Gauge(name="", level="good", sentence="", note="", rule="", value=0.75, low=0.5,
        ...               high=1.0, bands=[(1.0, "good")])
        >>> gauge.across(0.75)
        50.0
        """
        share = (value - self.low) / (self.high - self.low)
        return round(100 * min(max(share, 0.0), 1.0), 2)


def gauges_html(gauges: Sequence[Gauge], *, name: str) -> str:
    """Return the gauges side by side, all of one dataset `of`; what they say is said in words."""
    label = html.escape(f"Verdict on {name}")
    parts = "".join(_gauge_html(gauge) for gauge in gauges)
    return f'<div class="gauges" role="group" aria-label="{label}">{parts}</div>'


def _gauge_html(gauge: Gauge) -> str:
    parts = html.escape(gauge.sentence).split("*")
    words = "".join(f"<b>{part}</b>" if i % 2 else part for i, part in enumerate(parts))
    needle = ""
    if gauge.value == gauge.value:
        needle = f'<i class="needle" style="left:{gauge.across(gauge.value)}%"></i>'
    if gauge.pinned:
        words += f' <span class="pinned">pinned: {html.escape(gauge.pinned)}</span>'
    spoken = html.escape(gauge.sentence.replace("*", ""))
    return (
        f'<div class="gauge {gauge.level}"{help_html(f"{gauge.note} {gauge.rule}".strip())}>'
        f'<div class="head"><span class="name"><span aria-hidden="true">{SIGNS[gauge.level]}'
        f"</span> {html.escape(gauge.name)}</span> "
        f'<span class="words">{words}</span></div>'
        f'<div class="scale" role="img" aria-label="{spoken}" style="{_band_style(gauge)}">'
        f"{_signs_html(gauge)}{needle}</div>"
        f'<div class="note">{html.escape(gauge.note)}</div></div>'
    )


def _signs_html(gauge: Gauge) -> str:
    """Return each band's sign and limit where it begins: nothing is told by colour alone."""
    starts = [gauge.low, *(end for end, _ in gauge.bands[:-1])]
    return "".join(
        f'<i class="sign" style="left:{gauge.across(start)}%" aria-hidden="true">{SIGNS[level]}'
        f"{'' if start == gauge.low else round(100 * start)}</i>"
        for start, (_, level) in zip(starts, gauge.bands, strict=True)
    )


def _band_style(gauge: Gauge) -> str:
    stops, start = [], 0.0
    for end, level in gauge.bands:
        until = gauge.across(end)
        stops.append(f"{LEVELS[level]} {start}% {until}%")
        start = until
    return f"background: linear-gradient(90deg, {', '.join(stops)})"
