"""Every constant of the method `zoom`; all are public, none is read off data.

What halving and doubling each of them does is measured by ``python -m research methods`` and
printed in ``docs/mechanisms.md``.
"""

from dataclasses import dataclass

TABLES = ("towers", "districts", "city", "weeks", "visits")
"""The five tables that are measured, in the order of `ZoomConstants.shares`."""


@dataclass(frozen=True, kw_only=True)
class ZoomConstants:
    """Constants of measuring and reading.

    Attributes
    ----------
    shares : tuple of five floats
        Shares of μ² of the tables in `TABLES`; they sum to 1.
    lepski_factor : float
        A larger cap's sum must exceed a smaller one's by this many of its σ to be preferred.
    city_noise : float
        The largest noise of the city's table, as a share of the visits in a mean hour, at which
        a larger clip is taken.
    city_errors : float
        Standard errors by which a group of the city's week must exceed the noise.
    tower_errors : float
        The same for differences between the weeks of halves, and for single cells.
    region_level : int
        Level of the tree whose totals the last shrinkage of sizes keeps; 3 gives 8 regions.
    least_weight : float
        Least weight of a tower where weeks are compared, in noises of one tower's size.
    least_hour : float
        Least share of an hour in the week that the towers' weeks are compared with, as a part of
        an even hour's.
    rounds : int
        Rounds of re-weighting in the estimate of a signal variance.
    """

    shares: tuple[float, float, float, float, float] = (0.30, 0.28, 0.10, 0.27, 0.05)
    lepski_factor: float = 2.0
    city_noise: float = 0.02
    city_errors: float = 2.0
    tower_errors: float = 3.5
    region_level: int = 3
    least_weight: float = 0.3
    least_hour: float = 0.1
    rounds: int = 3


DEFAULTS = ZoomConstants()
