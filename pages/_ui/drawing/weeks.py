"""The x axis of a week: hours, blocks of hours, or the parts of days that are counted together."""

from collections.abc import Sequence

import altair as alt

from engine.parameters import HOURS_PER_WEEK

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_FEW = 24
"""So few blocks are named on the axis one by one."""


def week_axis(names: Sequence[str]) -> tuple[list[float | str], alt.X]:
    """Return where the blocks of a week stand, and their axis.

    Parameters
    ----------
    names : sequence of str
        What the blocks are called, in their order: 168 hours, or fewer blocks.

    Returns
    -------
    places : list
        Of each block on the axis: its first hour, or its name where blocks are few.
    axis : alt.X
        Of the column ``at``.

    Examples
    --------
    >>> week_axis([f"block {i}" for i in range(42)])[0][1]
    4.0
    """
    if len(names) <= _FEW:
        axis = alt.Axis(labelAngle=-35, labelLimit=170)
        return list(names), alt.X(
            "at:N", title="Part of the week (local time)", sort=None, axis=axis
        )
    step = HOURS_PER_WEEK / len(names)
    labels = " : ".join(f"datum.value == {24 * day} ? '{name}'" for day, name in enumerate(_DAYS))
    return [step * i for i in range(len(names))], alt.X(
        "at:Q",
        title="Hour of the week (local time)",
        scale=alt.Scale(domain=[0, HOURS_PER_WEEK - step], nice=False),
        axis=alt.Axis(values=list(range(0, HOURS_PER_WEEK, 24)), labelExpr=f"{labels} : ''"),
    )
