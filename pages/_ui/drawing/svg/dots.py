"""A quantile dot plot: each dot is one draw of the noise, and the draws can be played."""

from collections.abc import Sequence

import numpy as np

from pages._ui.drawing import colours
from pages._ui.drawing.svg import sketches

DOTS = 25
"""Dots of the plot, one a draw."""
PLAYED = 20
"""Draws that are played, one after another."""
_COLUMNS = 18
HEIGHT = 170


def places(values: Sequence[float]) -> list[tuple[float, int]]:
    """Return where each dot stands: from 0 to 1 along the axis, and how high in its column.

    Parameters
    ----------
    values : sequence of float
        Finite; in the order of the draws, which is kept.

    Examples
    --------
    >>> places([1.0, 2.0, 1.0])
    [(0.0, 0), (1.0, 0), (0.0, 1)]
    """
    low, high = min(values), max(values)
    span = (high - low) or 1.0
    taken: dict[int, int] = {}
    positions = []
    for value in values:
        column = round((_COLUMNS - 1) * (value - low) / span)
        height = taken.get(column, 0)
        taken[column] = height + 1
        positions.append((round(column / (_COLUMNS - 1), 4), height))
    return positions


def dot_plot(values: Sequence[float], words: Sequence[str], *, what: str, key: str) -> None:
    """Draw one dot a draw, with its number in words, and a button that plays them.

    Parameters
    ----------
    values, words : sequences of the same length
        Draws in their order, the page's own first; those without a value are left out.
    what : str
        What the number is.
    """
    known = [(value, said) for value, said in zip(values, words, strict=True) if np.isfinite(value)]
    if not known:
        return
    shown = [value for value, _ in known]
    said = [text for _, text in known]
    order = np.argsort(shown, kind="stable")
    low, middle, high = (said[order[at]] for at in (0, len(order) // 2, -1))
    sketches.component("dot_plot", "dots", "dots")(
        key=key,
        height=HEIGHT + 60,
        data={
            "height": HEIGHT,
            "what": what,
            "alt": f"{what}: {len(known)} draws from {low} to {high}, the middle one {middle}",
            "dots": [[*place, text] for place, text in zip(places(shown), said, strict=True)],
            "ends": [low, high],
            "played": min(PLAYED, len(known)),
            "colours": {"dot": colours.PRIVATE, "here": colours.HERE},
        },
    )
