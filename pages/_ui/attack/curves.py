"""Attack: ROC, best guesses over ε, over flows and over days."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from engine.attack import Attack, Reached
from pages._ui.drawing import charts
from pages._ui.drawing.charts import DASHED, EPSILON, LONG, SOLID, Axis, Line, Point, Rule
from pages._ui.drawing.colours import HERE, OTHER, PRIVATE, TRUE

BEST, LIMIT, BARE = "best attack", "guarantee allows", "suppression alone"
_CORNERS = 300
_QUARTERS = (0, 0.25, 0.5, 0.75, 1)
_GUESSES = Axis(
    title="Right guesses out of 100",
    form="d",
    tip=".1f",
    domain=(50, 102),
    ticks=range(50, 101, 10),
)


def roc(attack: Attack, *, key: str) -> None:
    """Draw the ROC of the attack in the region that the guarantee leaves."""
    limit, measured = attack.limit.thinned(_CORNERS), attack.roc.thinned(_CORNERS)
    best = int(np.argmax(measured.true_positives - measured.false_positives))
    charts.curve(
        [
            Line(
                name=LIMIT,
                x=limit.false_positives,
                y=limit.true_positives,
                low=limit.false_positives,
                high=limit.true_positives,
                colour=OTHER,
                dash=LONG,
            ),
            Line(name="a coin", x=[0, 1], y=[0, 1], colour=TRUE, dash=DASHED),
            Line(name=BEST, x=measured.false_positives, y=measured.true_positives),
        ],
        at=charts.share("Absent targets accused (false positives)", ticks=_QUARTERS),
        of=charts.share("Present targets found", ticks=_QUARTERS),
        points=[Point(x=measured.false_positives[best], y=measured.true_positives[best])],
        key=key,
        alt=f"ROC of the best attack, AUC {attack.roc.area:.3f}; at most {attack.limit.area:.3f}",
    )
    st.caption("Shaded: all that the guarantee allows. Red: the test that is right most often.")


def over_epsilon(
    epsilons: tuple[float, ...], reached: Reached, current: float, best: float
) -> None:
    """Draw right guesses out of 100 over ε, with "you are here"."""
    charts.curve(
        _lines(reached),
        x=epsilons,
        at=EPSILON,
        of=_GUESSES,
        points=[Point(x=current, y=100 * best, words="you are here", below=True)],
        key="attack_epsilon",
        alt=f"Right guesses out of 100 over epsilon; {100 * best:.1f} at {current:g}",
    )


def over_flow(
    flows: tuple[int, ...],
    reached: Reached,
    suppressed: Sequence[float] | None,
    *,
    current: int,
    threshold: int,
) -> None:
    """Draw right guesses over the flow's size, with τ, and those that suppression alone leaves.

    Without `suppressed` nothing is suppressed, and τ is not drawn.
    """
    largest = max(flows)
    lines, rules = _lines(reached), [Rule(x=min(current, largest), colour=HERE)]
    if suppressed is not None:
        bare = 100 * np.array(suppressed)
        lines.append(Line(name=BARE, y=bare, colour=TRUE, dash=DASHED))
        rules.append(Rule(x=max(threshold, 1), words=f"τ = {threshold}", top=True))
    charts.curve(
        lines,
        x=flows,
        at=Axis(
            title="Other trips on each route (log scale)",
            kind="symlog",
            form=",d",
            tip=",d",
            domain=(0, largest),
            ticks=[0, *(10**power for power in range(7) if 10**power <= largest)],
        ),
        of=_GUESSES,
        rules=rules,
        key="attack_flow",
        alt="Right guesses out of 100 over the size of the flow"
        + (f"; suppressed below {threshold}" if suppressed is not None else ""),
    )


def over_days(days: tuple[int, ...], reached: Reached) -> None:
    """Draw right guesses after so many daily releases."""
    charts.curve(
        _lines(reached, texts=True),
        x=[f"{count:,} day" if count == 1 else f"{count:,} days" for count in days],
        at=Axis(title="Daily matrices released", kind="names"),
        of=_GUESSES,
        dots=True,
        key="attack_days",
        alt="Right guesses out of 100 after 1, 7, 30 and all days",
    )


def _lines(reached: Reached, *, texts: bool = False) -> list[Line]:
    """Return what the guarantee allows and the best attack, dashed, below it."""
    series: dict[str, tuple[Any, str]] = {
        LIMIT: (reached.limit, OTHER),
        BEST: (reached.best_guess, PRIVATE),
    }
    return [
        Line(
            name=name,
            y=100 * np.asarray(shares),
            colour=colour,
            dash=LONG if name == LIMIT else SOLID,
            texts=[f"{100 * one:.0f}" for one in shares] if texts else None,
            where="above"
            if name == LIMIT
            else "below",  # so that the numbers never lie on each other
        )
        for name, (shares, colour) in series.items()
    ]
