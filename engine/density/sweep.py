"""Repeated releases over many settings: what a curve over ε is drawn from.

One noise is drawn for each repeat and kind of noise and carried over all settings (common random
numbers), so that a difference between two points of a curve is the settings' and not the draw's.
Results arrive one by one and hold a few numbers each, so memory stays flat.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats
from engine.datasets import Dataset
from engine.density.aggregates import truth as true_density
from engine.density.draws import DensityNoise
from engine.density.mechanism import DensityRelease
from engine.density.mechanism import release as draw_release
from engine.density.scores import mean_of_known, scores
from engine.errors import ParameterError
from engine.parameters import DensityMethod, DensityParameters
from engine.validation import whole_number

SEED_WORDS = 4


@dataclass(frozen=True)
class SweepResult:
    """Utility of one release of a sweep.

    Attributes
    ----------
    setting : int
        Index into the settings of the sweep.
    repeat : int
        Which repeat, from 0.
    mean_relative_error, pearson : float
        Averages over the zones that have the figure, as `DensityScores` has them; NaN where none
        has and for a release that is zero everywhere.
    total_error : float
        Relative error of the number of all visits.
    noise_exceeds_data : bool
        Whether the release is zero everywhere.
    """

    setting: int
    repeat: int
    mean_relative_error: float
    pearson: float
    total_error: float
    noise_exceeds_data: bool


@dataclass(frozen=True)
class SweepSummary:
    """Mean and standard deviation over the repeats of one setting that have arrived.

    `repeats` counts releases, `blank` those among them that are zero everywhere and therefore
    without an error or a correlation. A standard deviation of fewer than two values is NaN.
    """

    parameters: DensityParameters
    repeats: int
    blank: int
    mean_relative_error: float
    mean_relative_error_sd: float
    pearson: float
    pearson_sd: float
    total_error: float
    total_error_sd: float


def density_settings(
    base: DensityParameters, methods: Sequence[DensityMethod], epsilons: Sequence[float]
) -> tuple[DensityParameters, ...]:
    """Return `base` with every method and ε, methods outermost.

    Above a total ε of 4 the classical Gaussian is replaced by the analytic one (erratum D4).

    Examples
    --------
    >>> base = DensityParameters(epsilon=1.0)
    >>> [s.gaussian for s in density_settings(base, ["efpag"], [1.0, 5.0])]
    ['classical', 'analytic']
    """
    return tuple(base.at(epsilon, method) for method in methods for epsilon in epsilons)


def density_sweep(
    dataset: Dataset,
    settings: Sequence[DensityParameters],
    repeats: int,
    *,
    rng: np.random.Generator | Sequence[np.random.Generator],
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Iterator[SweepResult]:
    """Release `dataset` under every setting, `repeats` times, and yield each result at once.

    The first repeat of all settings comes first, so that a whole curve stands early and firms up.

    Parameters
    ----------
    dataset : Dataset
    settings : sequence of DensityParameters
    repeats : int
        At least 1; P1 takes 20.
    rng : numpy Generator, or one for each repeat
        Its state fixes all noise. Repeat i of a longer sweep equals repeat i of a shorter one.
        With one for each repeat, repeat i is the release that its own generator draws, so that a
        point of the curve is the mean of releases that are shown elsewhere.
    progress : callable, optional
        Called with results done and results in all, after each.
    cancelled : callable, optional
        Asked before each release; once it returns True the sweep ends.

    Examples
    --------
    >>> from engine import datasets
    >>> demo = datasets.load("demo-city")
    >>> settings = density_settings(DensityParameters(epsilon=1.0), ["efpag_joint"], [0.5, 2.0])
    >>> results = list(density_sweep(demo, settings, 2, rng=np.random.default_rng(0)))
    >>> low, high = summarise(settings, results)
    >>> low.mean_relative_error > high.mean_relative_error
    True
    """
    whole_number("repeats", repeats, 1, remedy="20 is usual")
    generators = _generators(rng, repeats)
    truth = true_density(dataset)
    done = 0
    for repeat in range(repeats):
        drawn: dict[DensityMethod, DensityNoise] = {}
        for index, parameters in enumerate(settings):
            if cancelled is not None and cancelled():
                return
            method = parameters.method
            if method not in drawn:
                drawn.clear()  # settings come by method: one noise at a time is enough
                generator = deepcopy(generators[repeat])  # every method from the same state
                drawn[method] = DensityNoise.draw(generator, dataset, method)
            release = draw_release(dataset, parameters, noise=drawn[method])
            yield _result(index, repeat, truth, release)
            done += 1
            if progress is not None:
                progress(done, repeats * len(settings))


def summarise(
    settings: Sequence[DensityParameters], results: Iterable[SweepResult]
) -> list[SweepSummary]:
    """Return mean and standard deviation for every setting that has any result so far."""
    by_setting: dict[int, list[SweepResult]] = {}
    for result in results:
        by_setting.setdefault(result.setting, []).append(result)
    return [_summary(settings[index], by_setting[index]) for index in sorted(by_setting)]


def _generators(
    rng: np.random.Generator | Sequence[np.random.Generator], repeats: int
) -> Sequence[np.random.Generator]:
    if isinstance(rng, np.random.Generator):
        seed = rng.integers(0, 2**32, size=SEED_WORDS)
        return [np.random.default_rng([*seed, repeat]) for repeat in range(repeats)]
    if len(rng) < repeats:
        raise ParameterError(
            f"rng must be one generator or {repeats}, one for each repeat, got {len(rng)}; "
            "make as many as there are repeats"
        )
    return rng


def _result(setting: int, repeat: int, truth: Floats, release: DensityRelease) -> SweepResult:
    scored = scores(truth, release)
    return SweepResult(
        setting=setting,
        repeat=repeat,
        mean_relative_error=scored.mean_error,
        pearson=scored.mean_correlation,
        total_error=scored.total_error,
        noise_exceeds_data=scored.exceeded,
    )


def _summary(parameters: DensityParameters, results: list[SweepResult]) -> SweepSummary:
    errors = np.array([result.mean_relative_error for result in results])
    correlations = np.array([result.pearson for result in results])
    totals = np.array([result.total_error for result in results])
    return SweepSummary(
        parameters=parameters,
        repeats=len(results),
        blank=sum(result.noise_exceeds_data for result in results),
        mean_relative_error=mean_of_known(errors),
        mean_relative_error_sd=_deviation(errors),
        pearson=mean_of_known(correlations),
        pearson_sd=_deviation(correlations),
        total_error=mean_of_known(totals),
        total_error_sd=_deviation(totals),
    )


def _deviation(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.std(ddof=1)) if len(known) > 1 else float("nan")
