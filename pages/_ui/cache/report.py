"""Cached wrappers of mobility reports: dataset key, settings and seed, never arrays."""

from engine import report
from engine.report import Analysis, ReportParameters, ReportRelease
from pages._ui.cache import scope as cached_scope
from pages._ui.cache.datasets import dataset
from pages._ui.cache.draws import generator
from pages._ui.shell.settings import Seed

Losses = dict[str, float]

FEWEST_DRAWS = 12
"""Draws behind the choice between two ways to five numbers."""


@cached_scope.resource(max_entries=8, show_spinner="Reading the report …")
def table(key: str) -> report.ReportTable:
    """Read the counts behind a dataset's report."""
    return report.read(dataset(key))


@cached_scope.data(max_entries=64, show_spinner=False)
def available(key: str) -> bool:
    """Whether a dataset has a report."""
    return report.available(dataset(key))


@cached_scope.resource(max_entries=32, show_spinner=False)
def noise(key: str, seed: Seed, repeat: int = 0) -> report.ReportNoise:
    """Return the noise of one draw, which follows the settings."""
    del key  # the seed is the dataset's own; its key keeps the caches of sessions apart
    return report.ReportNoise.draw(generator(seed, "report", repeat))


@cached_scope.resource(max_entries=24, show_spinner="Drawing the noise …")
def release(key: str, parameters: ReportParameters, seed: Seed) -> ReportRelease:
    """Return the draw on the page."""
    return report.release(table(key), parameters, noise=noise(key, seed))


@cached_scope.data(max_entries=1024, show_spinner=False)
def losses(
    key: str,
    parameters: ReportParameters,
    seed: Seed,
    analysis: Analysis,
    names: tuple[str, ...],
) -> Losses:
    """Return named losses of one analysis in the draw on the page; none where it is off."""
    drawn = release(key, parameters, seed)
    if analysis not in drawn.results:
        return {}
    moved = analysis is Analysis.ZONES and "earth_movers_distance" in names and _has_towers(key)
    distances = dataset(key).tessellation.zone_distances_m if moved else None
    return report.losses(drawn, analysis, slow=True, distances_m=distances, only=names)


@cached_scope.data(max_entries=256, show_spinner=False)
def repeated_losses(
    key: str, parameters: ReportParameters, seed: Seed, repeat: int
) -> dict[Analysis, Losses]:
    """Return the losses of every analysis in one draw; the first is the draw on the page."""
    if repeat == 0:
        drawn = release(key, parameters, seed)
    else:
        drawn = report.release(table(key), parameters, noise=noise(key, seed, repeat))
    return {analysis: report.losses(drawn, analysis) for analysis in drawn.results}


@cached_scope.data(max_entries=128, show_spinner=False)
def error_parts(
    key: str, parameters: ReportParameters, seed: Seed
) -> dict[Analysis, report.ErrorParts]:
    """Return bounding and noise of every analysis."""
    results = release(key, parameters, seed).results
    return {analysis: report.error_parts(result) for analysis, result in results.items()}


@cached_scope.data(max_entries=256, show_spinner=False)
def ways(
    key: str, parameters: ReportParameters, seed: Seed, analysis: Analysis
) -> dict[str, float]:
    """Return how far five numbers lie from the truth, drawn and from noisy bins."""
    return {**report.compare_ways(table(key), analysis, parameters, _noises(key, seed))}


@cached_scope.resource(max_entries=8, show_spinner=False)
def _noises(key: str, seed: Seed) -> tuple[report.ReportNoise, ...]:
    return tuple(noise(key, seed, repeat) for repeat in range(FEWEST_DRAWS))


def _has_towers(key: str) -> bool:
    return dataset(key).has_density
