"""The strongest attacker against every trip of a dataset: the typical one and the most exposed.

One trip's exposure depends on the size of its flow alone, so the average over millions of trips is
a weighted sum over the distinct counts. It is computed from confidential data.
"""

from dataclasses import dataclass

import numpy as np

from ..errors import ParameterError
from ..origin_destination import LawName
from ..origin_destination.exact.histogram import CountHistogram
from ..parameters import ODParameters
from .cells import Corridor, one_cell_advantage
from .strongest import exposed, strongest


@dataclass(frozen=True, kw_only=True)
class TripAverages:
    """Exposure of single trips, over all trips that trimming keeps; confidential.

    Attributes
    ----------
    trips : float
        Trips averaged over.
    typical : float
        Mean advantage of the strongest attacker against one of them.
    most_exposed : float
        The largest advantage against any of them.
    proven_without_noise : float
        Share of the trips that suppression without noise exposes with certainty: their flow has
        τ′ = max(τ, 1) trips or more, so that taking one away changes what is published.
    """

    trips: float
    typical: float
    most_exposed: float
    proven_without_noise: float

    @property
    def typical_guess(self) -> float:
        """Share of right guesses about the typical trip, where a coin gets half."""
        return (1 + self.typical) / 2

    @property
    def most_exposed_guess(self) -> float:
        """The same about the most exposed trip."""
        return (1 + self.most_exposed) / 2


def over_trips(
    histogram: CountHistogram, parameters: ODParameters, *, law: LawName = "rounded_laplace"
) -> TripAverages:
    """Return the averages over the trips in a histogram of counts.

    Parameters
    ----------
    histogram : CountHistogram
        Of daily matrices, or of their sum at ``person``, with the T of `parameters`.

    Raises
    ------
    ParameterError
        If no trip is kept.

    Examples
    --------
    >>> from engine.origin_destination.exact.histogram import histogram_of_matrix
    >>> counted = histogram_of_matrix([[0, 40], [1, 0]])
    >>> averages = over_trips(counted, ODParameters(epsilon=0.5, unit="trip"))
    >>> round(averages.typical, 4), round(averages.proven_without_noise, 4)
    (0.2158, 0.9756)
    """
    counts, members = histogram.by_kept
    trips = counts * np.asarray(members @ histogram.cells)
    total = float(trips.sum())
    if total == 0:
        raise ParameterError(
            "histogram must have a trip between zones, got none; choose days with trips"
        )
    travelled = counts > 0
    counts, trips = counts[travelled], trips[travelled]
    cells = exposed(parameters, law)
    if cells.threshold is None:  # every trip is exposed alike
        alike = strongest([Corridor(trips=1, rest=0)], parameters, law=law).roc.advantage
        advantage = np.full(len(counts), alike)
    else:
        advantage = one_cell_advantage(
            1, counts - 1, rate=cells.rate, threshold=cells.threshold, law=law
        )
    shown = counts >= parameters.least_shown
    return TripAverages(
        trips=total,
        typical=float(trips @ advantage) / total,
        most_exposed=float(advantage.max()),
        proven_without_noise=float(trips[shown].sum()) / total,
    )
