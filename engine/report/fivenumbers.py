"""The five numbers of one histogram: drawn, read off its noisy bins, and true."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..arrays import Floats, Integers
from . import quantiles
from .aggregates import ReportTable
from .analyses import Analysis
from .bins import coarsen, fine_positions, is_discrete, measure_of
from .draws import NoiseSource
from .measures import FINE_EDGES
from .results import Result
from .settings import FIVE_NUMBERS_SHARE, ReportParameters

Way = Literal["drawn", "from_bins"]


@dataclass(frozen=True, eq=False, kw_only=True)
class FiveNumbers:
    """Five numbers of a histogram, each array of shape (5,), in the unit of its bins.

    Attributes
    ----------
    levels : tuple of float
        The quantiles.
    drawn : array or None
        By the exponential mechanism, in order; None where no budget was given to draws.
    from_bins : array
        Read off the private histogram at no cost; NaN where nothing is left of it.
    """

    levels: tuple[float, ...]
    drawn: Floats | None
    from_bins: Floats

    @property
    def private(self) -> Floats:
        """The five numbers that the report gives: the drawn ones where they were paid for."""
        return self.from_bins if self.drawn is None else self.drawn


def five_numbers(
    result: Result, kept: Integers, parameters: ReportParameters, source: NoiseSource
) -> FiveNumbers:
    """Return the five numbers of a released histogram; `kept` is what they are drawn from."""
    analysis = result.analysis
    edges, levels = parameters.bins_of(analysis).edges, parameters.levels
    epsilon = parameters.epsilon_of(analysis) * parameters.five_numbers_share
    read = quantiles.of_noisy_bins(result.noisy, edges, levels, discrete=is_discrete(analysis))
    return FiveNumbers(
        levels=levels,
        drawn=Questions.of(kept, analysis, parameters).draw(epsilon, source) if epsilon else None,
        from_bins=read,
    )


def true_five_numbers(
    truth: ReportTable, analysis: Analysis, parameters: ReportParameters, *, kept: bool = False
) -> Floats:
    """Return the five numbers of a histogram's fine bins, shape (5,) (confidential).

    Of all trips, or with `kept` of those that are kept.
    """
    measure = measure_of(analysis)
    return quantiles.of_counts(
        truth.counts(measure, parameters.kept if kept else None),
        FINE_EDGES[measure],
        parameters.levels,
        discrete=is_discrete(analysis),
    )


@dataclass(frozen=True, eq=False)
class Questions:
    """What five draws choose from: the candidates, their utilities and how far one unit moves them.

    It holds no noise, so that many draws ask the same.
    """

    analysis: Analysis
    candidates: Floats
    utilities: tuple[Floats, ...]
    sensitivities: tuple[float, ...]

    @classmethod
    def of(cls, counts: Integers, analysis: Analysis, parameters: ReportParameters) -> "Questions":
        """Ask for the five numbers of kept items, counted below, in each bin and above."""
        discrete = is_discrete(analysis)
        return cls(
            analysis,
            quantiles.candidates(parameters.bins_of(analysis).edges, discrete=discrete),
            tuple(quantiles.utilities(counts, q, discrete=discrete) for q in parameters.levels),
            tuple(parameters.quantile_sensitivity(analysis.counted, q) for q in parameters.levels),
        )

    def draw(self, epsilon: float, source: NoiseSource) -> Floats:
        """Draw five quantiles by the exponential mechanism, each with a fifth of `epsilon` (R5).

        They come in order: sorting costs nothing.
        """
        drawn = np.empty(len(self.utilities))
        asked = zip(self.utilities, self.sensitivities, strict=True)
        for number, (scores, change) in enumerate(asked):
            gumbel = source.gumbel(self.analysis, number, len(scores))
            chosen = quantiles.choose(scores, epsilon / len(drawn), change, gumbel)
            drawn[number] = self.candidates[chosen]
        return np.sort(drawn)


def compare_ways(
    table: ReportTable,
    analysis: Analysis,
    parameters: ReportParameters,
    sources: tuple[NoiseSource, ...],
) -> dict[Way, float]:
    """Return the mean distance from the kept five numbers, drawn and from noisy bins.

    Both get the share of ε that the histogram has: five sixths for draws and the rest for bins,
    or all of it for bins. Each of `sources` gives the noise of one repetition. The distances are in
    the unit of the histogram, NaN where bins leave nothing.
    """
    measure, discrete = measure_of(analysis), is_discrete(analysis)
    bins = parameters.bins_of(analysis)
    fine = table.counts(measure, parameters.kept)
    counts = coarsen(fine, fine_positions(analysis, bins))
    true = true_five_numbers(table, analysis, parameters, kept=True)
    epsilon = parameters.epsilon_of(analysis)
    scales = np.full(len(counts), parameters.sensitivity(analysis.counted) / epsilon)
    questions = Questions.of(counts, analysis, parameters)
    fives: list[tuple[Floats, Floats]] = []
    for source in sources:
        drawn = questions.draw(epsilon * FIVE_NUMBERS_SHARE, source)
        noisy = counts + source.counts(analysis, scales)
        read = quantiles.of_noisy_bins(noisy, bins.edges, parameters.levels, discrete=discrete)
        fives.append((drawn, read))
    drawn, read = np.abs(np.array(fives) - true).mean(axis=(0, 2)).tolist()
    return {"drawn": drawn, "from_bins": read}
