"""Home's small curve over ε as vector graphics: a library of charts takes a second to load."""

from collections.abc import Sequence

import numpy as np

from engine.parameters import EPSILON_STOPS
from pages._ui.drawing import colours
from pages._ui.drawing.svg import sketches
from pages._ui.wording.numbers import percent

HEIGHT = 160
_TICKS = (0.01, 0.03, 0.1, 0.3, 1, 3, 10)


def epsilon_curve(
    epsilons: Sequence[float],
    shares: Sequence[float],
    current: float,
    *,
    title: str,
    key: str,
    alt: str,
) -> float | None:
    """Draw a share between 0 and 100% over ε (logarithmic) with "you are here".

    Parameters
    ----------
    epsilons, shares : sequences
        Points of the curve; NaN leaves a gap. Those above 1 are drawn at the upper edge, so that
        the axis is the same for every setting and nothing jumps.
    current : float
        The slider's ε.
    alt : str
        What a screen reader says.

    Returns
    -------
    float or None
        The ε of the point that has just been clicked.
    """
    result = sketches.component("curve_sketch", "curve", "sketch_curve")(
        key=key,
        height=HEIGHT,
        data={
            "height": HEIGHT,
            "alt": alt,
            "title": title,
            "foot": "Privacy loss (ε), log scale",
            "ticks": [[_across(tick), f"{tick:g}"] for tick in _TICKS],
            "points": [
                [_across(epsilon), min(share, 1.0), f"{percent(share)} at ε = {epsilon:g}"]
                for epsilon, share in zip(epsilons, shares, strict=True)
                if np.isfinite(share)
            ],
            "here": [_across(current), f"you are here: ε = {current:g}"],
            "top": "≥ 100%" if any(share > 1 for share in shares) else "100%",
            "colours": {"line": colours.PRIVATE, "here": colours.HERE},
        },
        on_across_change=lambda: None,
    )
    across = result.get("across")
    return next((one for one in epsilons if _across(one) == across), None)


def _across(epsilon: float) -> float:
    """Return the place of an ε on the logarithmic axis, from 0 to 1."""
    low, high = np.log(EPSILON_STOPS[0]), np.log(EPSILON_STOPS[-1])
    return round(float((np.log(epsilon) - low) / (high - low)), 4)
