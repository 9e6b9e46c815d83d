"""The large numbers of a release and their ranges, the same on every page."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from engine.density import DensityScores
from engine.origin_destination.scores import TripScores
from engine.parameters import ODParameters
from pages._ui.cache.draws import REPEATS
from pages._ui.drawing.cards import Card
from pages._ui.wording.measures import (
    MEAN_ERROR,
    density_displacement,
    density_error,
    density_rhythm,
)
from pages._ui.wording.numbers import fixed, like, metres, percent, trip_count

WAITING = "calculating range …"
RANGES = (
    "Ranges beside the numbers hold in 9 of 10 draws of the noise; where a range uses fewer draws, "
    "their number is shown."
)


def interval(
    values: Sequence[float] | None, write: Callable[[float], str], *, finished: bool = False
) -> str:
    """Write the range of the draws, or that it is to come.

    The next draw lies between the least and the largest of n with probability (n − 1)/(n + 1):
    9 in 10 for `REPEATS`. Fewer are named.

    Examples
    --------
    >>> interval([3.0, 1.0, 2.0], "{:g}".format)
    '1 to 3 (3 draws)'
    """
    if not values:
        return WAITING
    known = [value for value in values if math.isfinite(value)]
    if len(known) < 2:
        return "no value in most draws" if finished or len(values) >= REPEATS else WAITING
    low, high = write(min(known)), write(max(known))
    if low == high:
        return f"{low} in all draws"
    return f"{low} to {high}" + (f" ({len(known)} draws)" if len(known) < REPEATS else "")


EXCEEDED = "Every private count reads 0: the noise exceeds the data."


def density_cards(
    scores: DensityScores,
    repeats: Sequence[DensityScores] | None = None,
    distances_m: Sequence[float] = (),
    *,
    finished: bool = False,
) -> list[Card]:
    """Return error, rhythm, displacement and error of the total with their ranges."""

    def over(name: str) -> list[float] | None:
        return None if repeats is None else [getattr(one, name) for one in repeats]

    error = Card(
        "Relative error (MRE)",
        percent(scores.mean_error),
        interval(over("mean_error"), percent, finished=finished),
        density_error(scores.mean_error),
    )
    if scores.exceeded:
        error = Card(error.label, "–", "", EXCEEDED)
    pending = not distances_m and not finished
    moved = distances_m[0] if distances_m else math.nan
    return [
        error,
        Card(
            "Rhythm kept (Pearson r)",
            fixed(scores.mean_correlation),
            interval(over("mean_correlation"), fixed, finished=finished),
            density_rhythm(scores.mean_correlation),
        ),
        Card(
            "Displacement (EMD)",
            "…" if pending else metres(moved),
            "computed last …" if pending else interval(distances_m, metres, finished=finished),
            "How far visits seem to move." if pending else density_displacement(moved),
        ),
        Card(
            "Error of the total",
            percent(scores.total_error),
            interval(over("total_error"), percent, finished=finished),
            "All visits of the week together are off by this share.",
        ),
    ]


def trip_cards(
    draws: Sequence[TripScores],
    parameters: ODParameters,
    expected: TripScores | None = None,
    *,
    several: bool = False,
) -> list[Card]:
    """Return mean error, common part, relative error and the pairs that read 0.

    Where there is no `expected` they are means of the draws; `several` says that it is of the
    matrices of several days together, for which there are no ranges.
    """

    def card(label: str, name: str, write: Callable[[float], str], meaning: str) -> Card:
        values = [getattr(one, name) for one in draws]
        if expected is None and not values:
            return Card(label, "…", interval(None, write), meaning)
        value = float(np.mean(values)) if expected is None else getattr(expected, name)
        # the unit stands once, beside the value
        ends = like(value) if write is trip_count else write
        note = "expected, all days" if several else interval(values, ends)
        return Card(label, write(value), note, meaning)

    least = parameters.least_shown
    flows = f"flows of {trip_count(least)} or more"
    return [
        card(MEAN_ERROR, "mean_error", trip_count, "How far a flow is off, over all pairs."),
        card(
            "Common part",
            "common_part",
            percent,
            "Of 100 trips so many are where they really were.",
        ),
        card(
            f"Relative error (MRE), flows of {least}+",
            "relative_error",
            percent,
            f"|private − true| / true on average over {flows}.",
        ),
        card("Pairs that read 0", "zero_share", percent, "Of all ordered pairs of zones."),
    ]
