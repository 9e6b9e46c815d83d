"""Methods side by side on the same data: numbers, maps, a curve over ε, and what each loses."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from pages._ui.drawing.colours import SERIES
from pages._ui.views import maps, numbers
from pages._ui.views.context import Context, Side


def draw(
    contexts: Sequence[Context[Any]], *, key: str, over: Callable[[Sequence[Side]], None]
) -> None:
    """Draw methods side by side, however many there are.

    Each has a colour of its own, on the maps as on the curve.

    Parameters
    ----------
    contexts : sequence of Context
        One a method, of the same dataset.
    key : str
        Begins the keys of what is drawn.
    over : callable
        Draws the curve over ε.
    """
    sides = [
        Side(numbers.title(one), colour, one) for one, colour in zip(contexts, SERIES, strict=False)
    ]
    numbers.beside(f"{key}_numbers", contexts)
    maps.draw(sides, maps.PRIVATE, key=f"{key}_map", first_true=True)
    over(sides)
    st.markdown("**What each of them loses**")
    for column, side in zip(st.columns(len(sides), gap="large"), sides, strict=True):
        lines = side.context.method.loses
        column.markdown("\n".join((f"*{side.name}*", "", *(f"- {line}" for line in lines))))
