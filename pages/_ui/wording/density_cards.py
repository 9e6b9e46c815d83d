"""The large numbers of a density release, the same on every page."""

import math
from collections.abc import Sequence

from engine.density import DensityScores
from pages._ui.drawing.cards import Card
from pages._ui.wording.measures import density_displacement, density_error, density_rhythm
from pages._ui.wording.numbers import fixed, metres, percent
from pages._ui.wording.ranges import interval

EXCEEDED = "Every private count reads 0: the noise exceeds the data."


def density_cards(
    scores: DensityScores,
    repeats: Sequence[DensityScores] | None = None,
    distances_m: Sequence[float] = (),
    *,
    finished: bool = False,
) -> list[Card]:
    """Return error, rhythm, displacement and error of the total with their ranges.

    Parameters
    ----------
    scores : DensityScores
        Of the release on the page.
    repeats : sequence of DensityScores, optional
        Of all draws computed, the page's own first; None while they are few.
    distances_m : sequence of float
        Mean earth mover's distances, the page's own first; empty while it is computed.
    finished : bool
        Whether nothing more is to come.
    """

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
