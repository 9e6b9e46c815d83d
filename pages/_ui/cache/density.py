"""Streamlit caches of the Density page: wrappers that take a dataset key, settings and a seed."""

from collections.abc import Iterator

import numpy as np

from engine import density, metrics, usability
from engine.arrays import Floats
from engine.contract import Seen
from engine.parameters import HOURS_PER_WEEK, DensityParameters
from engine.usability import DensityUsability
from pages._ui.cache import scope as cached_scope, verbs
from pages._ui.cache.datasets import dataset
from pages._ui.cache.draws import CHUNK_HOURS
from pages._ui.shell.settings import Seed


@cached_scope.data(max_entries=4096, show_spinner=False)
def judged(key: Seen, parameters: DensityParameters, seed: Seed) -> DensityUsability:
    """Return for how many zones the release on the page can be used."""
    return usability.judge_density(verbs.scores(key, parameters, seed), visits_an_hour(key))


def visits_an_hour(key: Seen) -> Floats:
    """Return the mean true visits an hour of each zone, however many hours are counted together."""
    return verbs.truth(key).sum(axis=1) / HOURS_PER_WEEK


def distances(
    key: Seen, parameters: DensityParameters, seed: Seed, repeat: int = 0
) -> Iterator[Floats]:
    """Yield the earth mover's distance in metres of the week's hours, a few at a time.

    Pieces are cached alike whoever asks, and a slider move can interrupt between two.
    """
    for chunk in range(chunks()):
        yield _distance(key, parameters, seed, repeat, chunk)


def distance_of_week(
    key: Seen, parameters: DensityParameters, seed: Seed, repeat: int = 0
) -> float:
    """Return the mean of `distances` over the week: of pieces that are there already, at once."""
    return metrics.mean_of_known(np.concatenate(list(distances(key, parameters, seed, repeat))))


def chunks() -> int:
    """Return in how many pieces `distances` comes."""
    return -(-HOURS_PER_WEEK // CHUNK_HOURS)


@cached_scope.data(max_entries=8192, show_spinner=False)
def _distance(
    key: Seen, parameters: DensityParameters, seed: Seed, repeat: int, chunk: int
) -> Floats:
    window = slice(chunk * CHUNK_HOURS, (chunk + 1) * CHUNK_HOURS)
    private = verbs.release(key, parameters, seed, repeat=repeat).counts[:, window]
    return metrics.earth_movers_distance(
        verbs.truth(key)[:, window],
        np.maximum(private, 0.0),
        dataset(key).tessellation.zone_distances_m,
    )


@cached_scope.data(max_entries=1024, show_spinner=False)
def at_equal_proved(key: Seen, parameters: DensityParameters) -> DensityParameters:
    """Return the settings with ε rescaled, so that their best proved total is the ε they had."""
    size = dataset(key).tessellation.cover_size
    return density.at_equal_proved_epsilon(parameters, parameters.epsilon, size)


@cached_scope.data(max_entries=64, show_spinner=False)
def central_zone(key: Seen) -> str:
    """Return the id of the zone nearest to the middle among the busier half, so that it has a week.

    It reads the truth, which the page shows beside it; no slider and no draw changes the choice.
    """
    places = dataset(key)
    visits = verbs.truth(key).sum(axis=1).astype(float)
    centres = places.tessellation.zone_centres_m
    middle = (centres.min(axis=0) + centres.max(axis=0)) / 2
    away = ((centres - middle) ** 2).sum(axis=1)
    usual = np.median(visits[visits > 0]) if (visits > 0).any() else 0.0
    nearest = int(np.argmin(np.where(visits >= usual, away, np.inf)))
    return str(places.zones["zone_id"].iloc[nearest])


@cached_scope.data(max_entries=64, show_spinner=False)
def map_limits(key: Seen, parameters: DensityParameters, seed: Seed) -> tuple[float, float]:
    """Return the round ends of the scales of counts and of errors, the same for every hour.

    One cell or hour in 500 lies beyond and takes the colour of the end.
    """
    true = verbs.truth(key)
    private = verbs.release(key, parameters, seed).counts
    count = float(np.quantile(true, 0.998)) if true.size else 0.0
    error = float(np.quantile(np.abs(private - true), 0.998)) if true.size else 0.0
    return _round_up(max(count, 1.0)), _round_up(max(error, 1.0))


def _round_up(value: float) -> float:
    """Return the next of 1, 2, 5, 10, 20, … at or above `value`."""
    power = 10.0 ** np.floor(np.log10(value))
    return float(next(step * power for step in (1, 2, 5, 10) if step * power >= value * 0.999))
