"""What becomes of cells and trips: the records that an expectation is made of."""

from dataclasses import dataclass

import numpy as np

from ...arrays import Floats
from .. import laws
from ..laws import NoiseLaw
from .histogram import CountHistogram


@dataclass(frozen=True, kw_only=True)
class Share:
    """Expected cells of one outcome and the trips in them.

    Attributes
    ----------
    cells : array
        Expected number of cells, shape () or the shape of a grid of settings.
    trips : array
        Expected number of true trips in these cells; for phantom flows, which have none, the
        trips that the release invents.
    """

    cells: Floats
    trips: Floats


@dataclass(frozen=True, kw_only=True)
class Outcomes:
    """What becomes of cells whose true count is below τ′ = max(τ, 1), and of the others.

    The first four add up to all cells; `empty` is a part of the first, `phantom` of the second.

    Attributes
    ----------
    kept_suppressed : Share
        Below τ′ and released as 0.
    revealed : Share
        Below τ′ and released as a number, which noise alone has lifted there.
    lost : Share
        At least τ′ and released as 0.
    kept : Share
        At least τ′ and released as a number.
    empty : Share
        No true trip, and released as 0.
    phantom : Share
        No true trip, and released as a number: a flow that does not exist.
    """

    kept_suppressed: Share
    revealed: Share
    lost: Share
    kept: Share
    empty: Share
    phantom: Share


@dataclass(frozen=True, kw_only=True)
class Errors:
    """Errors of released against true counts over one population of cells; NaN where it is empty.

    Attributes
    ----------
    cells : float
        Cells in the population.
    mean_absolute, median_absolute : float
        Trips. The median is that of all cells and draws together.
    mean_relative, median_relative : float
        2|out − t|/(out + t), from 0 to 2; 0/0 counts as 0 (P2, figure 2). The median
        is found to within 10⁻⁵.
    mean_bounded_relative : float
        |out − t|/max(t, 1).
    """

    cells: float
    mean_absolute: float
    median_absolute: float
    mean_relative: float
    median_relative: float
    mean_bounded_relative: float


@dataclass(frozen=True, kw_only=True)
class ErrorSplit:
    """The expected sum of absolute errors by its causes, each added to the ones before.

    Attributes
    ----------
    trimmed : float
        Trips that trimming to T drops.
    noise : float
        What noise adds to that.
    suppression : float
        What suppressing values below τ changes: below 0 where it spares more than it costs,
        because most cells are empty and a 0 is right.
    total : float
        Their sum, E Σ|out − t|.
    """

    trimmed: float
    noise: float
    suppression: float
    total: float


def expected_outcomes(law: NoiseLaw, counted: CountHistogram, threshold: Floats) -> Outcomes:
    """Return the expected outcomes of all cells of a histogram under one setting."""
    suppressed = laws.suppressed_probability(law, counted.kept, threshold)
    small = counted.true < laws.effective_threshold(threshold)
    hidden, shown = counted.cells * suppressed, counted.cells * (1 - suppressed)

    def share(cells: Floats) -> Share:
        return Share(
            cells=np.asarray(cells.sum()), trips=np.asarray(laws.total(cells, counted.true))
        )

    # pair 0 is the empty cell
    invented = counted.cells[0] * laws.mean_shift(law, 0.0, threshold)
    return Outcomes(
        kept_suppressed=share(hidden * small),
        revealed=share(shown * small),
        lost=share(hidden * ~small),
        kept=share(shown * ~small),
        empty=Share(cells=hidden[0], trips=np.zeros(())),
        phantom=Share(cells=shown[0], trips=invented),
    )
