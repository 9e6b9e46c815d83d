"""The three marks of our own method and how one of its flows reads, wherever they stand."""

import html
from collections.abc import Iterable
from typing import Any

import numpy as np
import streamlit as st

from engine.arrays import Booleans, Floats, Integers
from engine.ledger import Unit
from engine.origin_destination.estimate import EstimateRelease
from pages._ui.drawing.maps import Scale
from pages._ui.wording.numbers import number

LIKELY_OPACITY = 125
MEANINGS = (
    ("certain", 1.0, "on average at most 5% of all are empty, whatever the model"),
    ("likely", LIKELY_OPACITY / 255, "empty with less than 5%, by the model"),
)
NOT_DRAWN = "The other flows are not drawn, but they count in all sums."


def has(release: Any) -> bool:
    """Whether a release says of its flows which are certain, and in which ranges they lie."""
    return hasattr(release, "certain")


def shown(release: EstimateRelease) -> Booleans:
    """Return which flows are drawn, shape (zones, zones)."""
    return release.shown[0]


def colours(
    release: EstimateRelease, pairs: tuple[Integers, Integers], scale: Scale, values: Floats
) -> Integers:
    """Return the colours of flows on a map, shape (flows, 4): those not certain are lighter."""
    shades = scale.colours(values)
    shades[:, 3] = np.where(release.certain[0][pairs], shades[:, 3], LIKELY_OPACITY)
    return shades


def mark(release: EstimateRelease, origin: int, destination: int) -> str:
    """Return the mark of a flow in one word."""
    if release.certain[0, origin, destination]:
        return "certain"
    return "likely" if release.likely[0, origin, destination] else "not drawn"


def words(release: EstimateRelease, pairs: tuple[Integers, Integers]) -> list[str]:
    """Say how flows read: ``42 (95%: 31–55; 12–72 for all flows at once)``."""
    kept = "" if release.measurement.ledger.unit is Unit.TRIP else " kept trips,"
    estimates = release.typical[0][pairs].tolist()
    return [
        f"{estimate(count)} (95%: {one}; {every}{kept} for all flows at once)"
        for count, one, every in zip(estimates, *ranges(release, pairs), strict=True)
    ]


def ranges(
    release: EstimateRelease, pairs: tuple[Integers, Integers]
) -> tuple[list[str], list[str]]:
    """Return the ranges of flows in words: 95% for each by itself, and for all at once."""
    written: list[list[str]] = []
    for low, high in (release.interval, release.exact_interval()):
        ends = zip(low[0][pairs], high[0][pairs], strict=True)
        written.append([f"{a:,}–{b:,}" for a, b in ends])
    return written[0], written[1]


ONE_BY_ONE = "95% for one flow"
ALL_AT_ONCE = "95% for all flows at once"


def key() -> None:
    """Draw the marks with their meaning."""
    line = "width:1.4rem;height:0.28rem;border-radius:0.14rem;background:currentColor;opacity:"
    swatches([(f"{line}{o:.2f}", name, said) for name, o, said in MEANINGS], NOT_DRAWN)


def swatches(looks: Iterable[tuple[str, str, str]], note: str = "") -> None:
    """Draw what marks look like (their style), their names and meanings, and a note."""
    each = "".join(
        f'<span style="display:inline-flex;align-items:center;gap:0.4rem;margin-right:1.1rem">'
        f'<span style="{look}"></span>{html.escape(name)}: {html.escape(meaning)}</span>'
        for look, name, meaning in looks
    )
    said = f"<span>{html.escape(note)}</span>" if note else ""
    st.html(f'<div class="outcomes" style="font-size:0.82rem">{each}{said}</div>')


def hollow(looks: Iterable[tuple[str, str, str]]) -> None:
    """Draw colours, hollow as maps draw what is wrong, with their names and meanings."""
    look = (
        "width:0.8rem;height:0.8rem;border:2px solid {0};"
        "background:color-mix(in srgb, {0} 28%, transparent)"
    )
    swatches((look.format(colour), name, meaning) for colour, name, meaning in looks)


def estimate(count: float) -> str:
    """Write an estimate: whole trips, but for small ones."""
    return f"{count:,.0f}" if count >= 9.5 else number(count)
