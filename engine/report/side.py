"""One report as a page shows it: private numbers with their ranges, or true ones."""

from collections.abc import Mapping
from dataclasses import dataclass

from ..arrays import Floats, Integers
from .aggregates import ReportTable
from .analyses import Analysis
from .fivenumbers import true_five_numbers
from .measures import Extent
from .mechanism import ReportRelease
from .settings import ReportParameters
from .vectors import numbers


@dataclass(frozen=True, eq=False, kw_only=True)
class Side:
    """One report as a page shows it.

    Attributes
    ----------
    values : mapping of Analysis to array of int64
        Numbers as shown, not below 0.
    reach : mapping of Analysis to array
        How far noise moves each number nine times in ten; empty for numbers without noise.
    five : mapping of Analysis to array
        Five numbers of histograms.
    """

    name: str
    parameters: ReportParameters
    extent: Extent
    values: Mapping[Analysis, Integers]
    reach: Mapping[Analysis, Floats]
    five: Mapping[Analysis, Floats]

    @classmethod
    def of(cls, name: str, release: ReportRelease, extent: Extent) -> "Side":
        """Return a private report as a side."""
        return cls(
            name=name,
            parameters=release.parameters,
            extent=extent,
            values=release.counts,
            reach={analysis: one.half_widths() for analysis, one in release.results.items()},
            five={analysis: one.private for analysis, one in release.five_numbers.items()},
        )

    @classmethod
    def true(cls, name: str, table: ReportTable, parameters: ReportParameters) -> "Side":
        """Return the counts of all trips as a side (confidential)."""
        plan = parameters.plan
        shown = [a for a in Analysis if a in plan.asked or a in plan.derived]
        return cls(
            name=name,
            parameters=parameters,
            extent=table.extent,
            values={a: numbers(table, a, parameters) for a in shown},
            reach={},
            five={a: true_five_numbers(table, a, parameters) for a in shown if a.is_histogram},
        )

    def cost(self, analysis: Analysis) -> str:
        """Say what an analysis costs."""
        if not self.reach:
            return "without noise"
        epsilon = self.parameters.epsilon_of(analysis)
        return f"ε = {epsilon:.3g}" if epsilon else "free, from other noisy counts"
