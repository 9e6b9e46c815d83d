"""One ε over the analyses of a report: weights, locks, and never more than the whole."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from .. import validation
from ..errors import ParameterError
from .aggregates import ReportTable
from .analyses import USER_ANALYSES, Analysis, Unit

ReportMethod = Literal["derived", "package"]
"""``derived`` asks nothing twice (R6); ``package`` gives each of the fifteen analyses a share and
five sixths of a histogram's share to its five numbers, as the package of P3 does."""

PARTS_OF_SHARE = 1_000_000
"""Shares are whole millionths of ε, rounded down, so that they can never add up to more than it."""


@dataclass(frozen=True, kw_only=True)
class Budget:
    """How the privacy loss ε of a report is shared among its analyses.

    Parameters
    ----------
    weights : tuple of (Analysis, float)
        At least 0, relative to each other; an analysis left out weighs 1, and 0 switches it off.
    locked : tuple of (Analysis, float)
        Shares of ε, from 0 to 1, that stay as they are when weights change. They add up to at
        most 1.

    Raises
    ------
    ParameterError
        With rule, value and remedy.

    Examples
    --------
    >>> budget = Budget.of(weights={"flows": 2.0}, locked={"days": 0.5})
    >>> shares = budget.shares([Analysis.DAYS, Analysis.FLOWS, Analysis.HOURS])
    >>> [round(shares[a], 3) for a in (Analysis.DAYS, Analysis.FLOWS, Analysis.HOURS)]
    [0.5, 0.333, 0.167]
    """

    weights: tuple[tuple[Analysis, float], ...] = ()
    locked: tuple[tuple[Analysis, float], ...] = ()

    def __post_init__(self) -> None:
        for name, value in self.weights:
            validation.finite_at_least(f"the weight of {name}", value, 0, _WEIGHT)
        for name, share in self.locked:
            number = validation.as_real(share)
            if number is None or not 0 < number <= 1:
                raise ParameterError(
                    f"the locked share of {name} must be above 0 and at most 1, got {share!r}; "
                    "it is a share of the whole privacy loss"
                )
        total = sum(_parts(share) for name, share in self.locked if self.weight(name) > 0)
        if total > PARTS_OF_SHARE:
            raise ParameterError(
                f"locked shares must add up to at most 1, got {total / PARTS_OF_SHARE:g}; release "
                "a lock or lower a share"
            )

    @classmethod
    def of(
        cls,
        *,
        weights: Mapping[str, float] | None = None,
        locked: Mapping[str, float] | None = None,
    ) -> "Budget":
        """Build it from mappings by the names of analyses."""
        return cls(weights=_named(weights or {}), locked=_named(locked or {}))

    @classmethod
    def usual(cls, unit: Unit, method: ReportMethod = "derived") -> "Budget":
        """Return equal weights; at item level the analyses that count people are off.

        Where visits by zone are derived from those by zone and time of day, these weigh three
        times as much: the sum of eleven noisy windows is then as good as a share of its own.
        """
        weights: dict[str, float] = {}
        if method == "derived":
            weights[str(Analysis.ZONE_WINDOWS)] = _WEIGHT_OF_WINDOWS
        if unit == "item":
            weights |= dict.fromkeys(map(str, USER_ANALYSES), 0.0)
        return cls.of(weights=weights)

    @classmethod
    def fitting(
        cls, table: ReportTable, unit: Unit = "user", method: ReportMethod = "derived"
    ) -> "Budget":
        """Return the usual weights without what a dataset cannot tell.

        Trips found between sightings have no travel times.
        """
        budget = cls.usual(unit, method)
        if table.has_travel_times:
            return budget
        return budget.with_weight(Analysis.TRAVEL_TIME, 0.0)

    def weight(self, analysis: Analysis) -> float:
        """Return the weight of one analysis."""
        return dict(self.weights).get(analysis, 1.0)

    def is_on(self, analysis: Analysis) -> bool:
        """Whether an analysis is in the report."""
        return self.weight(analysis) > 0

    def with_weight(self, analysis: Analysis, weight: float) -> "Budget":
        """Return this budget with another weight of one analysis: unlocked ones share the rest."""
        weights: dict[str, float] = {str(name): value for name, value in self.weights}
        weights[str(analysis)] = weight
        return Budget(weights=_named(weights), locked=self.locked)

    def shares(self, asked: Collection[Analysis]) -> dict[Analysis, float]:
        """Return the share of ε of each analysis that is asked and switched on.

        Locked shares hold; the others divide what is left by their weights. What nobody takes is
        not spent.

        Parameters
        ----------
        asked : collection of Analysis
            Those that cost something.

        Raises
        ------
        ParameterError
            If every weight is 0, or locks leave nothing for an analysis that is on.
        """
        on = [analysis for analysis in Analysis if analysis in asked and self.is_on(analysis)]
        if not on:
            raise ParameterError(
                "at least one analysis must have a weight above 0, got only zeros; switch one on"
            )
        locked = dict(self.locked)
        held = {analysis: _parts(locked[analysis]) for analysis in on if analysis in locked}
        free = PARTS_OF_SHARE - sum(held.values())
        others = {analysis: self.weight(analysis) for analysis in on if analysis not in held}
        together = math.fsum(others.values())
        given = {a: math.floor(free * (weight / together)) for a, weight in others.items()}
        starved = [str(analysis) for analysis, parts in given.items() if parts <= 0]
        if starved:
            raise ParameterError(
                "every analysis that is on needs a share of the privacy loss, got none left for "
                f"{', '.join(starved)}; release a lock, raise its weight or switch it off"
            )
        return {a: (held | given)[a] / PARTS_OF_SHARE for a in on}


_WEIGHT_OF_WINDOWS = 3.0
_WEIGHT = "0 switches an analysis off, 1 is usual"


def _parts(share: float) -> int:
    return max(math.floor(share * PARTS_OF_SHARE + 1e-6), 0)


def _named(values: Mapping[str, float]) -> tuple[tuple[Analysis, float], ...]:
    known = {str(analysis) for analysis in Analysis}
    for name in values:
        validation.one_of("the name of an analysis", str(name), known, "as in Analysis")
    named = {Analysis(str(name)): value for name, value in values.items()}
    return tuple((analysis, named[analysis]) for analysis in Analysis if analysis in named)
