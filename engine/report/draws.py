"""Where the noise of a report comes from: standard variates that follow a slider, or whole ones."""

from typing import Protocol

import numpy as np

from .. import noise
from ..arrays import Floats, Integers
from .analyses import Analysis

_ORDER = {analysis: number for number, analysis in enumerate(Analysis)}
_LARGEST_NOISE = 2.0**62
_GUMBEL = 1


class NoiseSource(Protocol):
    """Gives every count of an analysis its whole-number noise.

    A release that leaves the building brings its own source, with variates from a vetted library.
    """

    def counts(self, analysis: Analysis, scales: Floats, /) -> Integers:
        """Return one whole number of noise for each scale (of a Laplace law)."""
        ...

    def gumbel(self, analysis: Analysis, number: int, size: int, /) -> Floats:
        """Return standard Gumbel variates for the draw of one of five numbers."""
        ...


class ReportNoise:
    """Standard variates of one report, drawn once and scaled by the mechanism.

    Every analysis has a stream of its own, which only grows longer: the same noise follows ε, M,
    weights and the number of bins, so that what moves with a slider is the slider's own (common
    random numbers). Laplace noise is rounded half up to whole numbers (exploration; erratum O5).

    Examples
    --------
    >>> source = ReportNoise.draw(np.random.default_rng(0))
    >>> few = source.counts(Analysis.WEEKDAYS, np.full(3, 10.0))
    >>> bool((source.counts(Analysis.WEEKDAYS, np.full(7, 10.0))[:3] == few).all())
    True
    """

    def __init__(self, entropy: tuple[int, ...]) -> None:
        self._entropy = entropy
        self._laplace: dict[Analysis, Floats] = {}
        self._gumbels: dict[tuple[Analysis, int], Floats] = {}

    @classmethod
    def draw(cls, rng: np.random.Generator) -> "ReportNoise":
        """Draw the noise of one report: same state of `rng`, same noise."""
        return cls(tuple(int(word) for word in rng.integers(0, 2**32, size=4)))

    def counts(self, analysis: Analysis, scales: Floats, /) -> Integers:
        """Return rounded Laplace noise of the given scales."""
        drawn = self._laplace.get(analysis)
        if drawn is None or len(drawn) < len(scales):
            drawn = noise.laplace(self._generator(analysis, 0), 1.0, len(scales))
            self._laplace[analysis] = drawn
        scaled = drawn[: len(scales)] * scales
        scaled += 0.5
        np.floor(scaled, out=scaled)
        return np.clip(scaled, -_LARGEST_NOISE, _LARGEST_NOISE, out=scaled).astype(np.int64)

    def gumbel(self, analysis: Analysis, number: int, size: int, /) -> Floats:
        """Return standard Gumbel variates."""
        drawn = self._gumbels.get((analysis, number))
        if drawn is None or len(drawn) < size:
            generator = self._generator(analysis, _GUMBEL + number)
            drawn = self._gumbels[analysis, number] = noise.standard_gumbel(generator, size)
        return drawn[:size]

    def _generator(self, analysis: Analysis, stream: int) -> np.random.Generator:
        words = [*self._entropy, _ORDER[analysis], stream]
        return np.random.default_rng(np.random.SeedSequence(words))
