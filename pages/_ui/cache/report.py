"""Cached wrappers of mobility reports: dataset key, settings and seed, never arrays."""

from engine import report
from engine.report import Analysis, ReportParameters
from engine.report.bounding import ErrorParts, error_parts as error_parts_of
from engine.report.fivenumbers import compare_ways
from engine.report.loss import losses as losses_of
from engine.resolution import Key
from pages._ui.cache import scope as cached_scope, verbs
from pages._ui.cache.datasets import dataset
from pages._ui.cache.draws import generator
from pages._ui.shell.settings import Seed

Losses = dict[str, float]

FEWEST_DRAWS = 12
"""Draws behind the choice between two ways to five numbers."""


@cached_scope.data(max_entries=1024, show_spinner=False)
def losses(
    key: Key, parameters: ReportParameters, seed: Seed, analysis: Analysis, names: tuple[str, ...]
) -> Losses:
    """Return named losses of one analysis in the draw on the page; none where it is off."""
    drawn = verbs.release(key, parameters, seed)
    if analysis not in drawn.results:
        return {}
    moved = (
        analysis is Analysis.ZONES and "earth_movers_distance" in names and dataset(key).has_density
    )
    distances = dataset(key).tessellation.zone_distances_m if moved else None
    return losses_of(
        verbs.of(report.truth, key), drawn, analysis, slow=True, distances_m=distances, only=names
    )


@cached_scope.data(max_entries=128, show_spinner=False)
def error_parts(key: Key, parameters: ReportParameters, seed: Seed) -> dict[Analysis, ErrorParts]:
    """Return bounding and noise of every analysis."""
    truth, results = verbs.of(report.truth, key), verbs.release(key, parameters, seed).results
    return {
        analysis: error_parts_of(
            report.numbers(truth, analysis, parameters),
            report.numbers(truth, analysis, parameters, kept=True),
            result,
        )
        for analysis, result in results.items()
    }


@cached_scope.data(max_entries=256, show_spinner=False)
def ways(
    key: Key, parameters: ReportParameters, seed: Seed, analysis: Analysis
) -> dict[str, float]:
    """Return how far five numbers lie from the truth, drawn and from noisy bins."""
    return {**compare_ways(verbs.of(report.truth, key), analysis, parameters, _noises(key, seed))}


@cached_scope.resource(max_entries=8, show_spinner=False)
def _noises(key: Key, seed: Seed) -> tuple[report.ReportNoise, ...]:
    del key  # the seed is the dataset's own; its key keeps the caches of sessions apart
    return tuple(
        report.ReportNoise.draw(generator(seed, "report", repeat)) for repeat in range(FEWEST_DRAWS)
    )
