"""Repeated draws behind the ranges of numbers, in steps: one piece of work, whoever asks."""

from collections.abc import Iterator
from dataclasses import dataclass

from engine.contract import Seen
from engine.density import DensityScores
from engine.origin_destination.scores import TripScores
from engine.parameters import DensityParameters, ODParameters
from engine.usability import DensityUsability
from pages._ui.cache import density as cached_density, trips as cached_trips, verbs
from pages._ui.cache.draws import DISTANCE_REPEATS, REPEATS
from pages._ui.cache.window import Window
from pages._ui.jobs.work import Step
from pages._ui.shell.settings import Seed


@dataclass(frozen=True)
class Drawn:
    """Repeated draws: scores, and the week's mean earth mover's distance of some of them."""

    scores: tuple[DensityScores, ...] = ()
    distances_m: tuple[float, ...] = ()

    @property
    def ranges_known(self) -> bool:
        """Whether all scores are there that a range is made of."""
        return len(self.scores) >= REPEATS


def density_draws(key: Seen, parameters: DensityParameters, seed: Seed) -> Iterator[Step]:
    """Yield `Drawn` as the draws come: all scores first, then the distances, which take longer."""
    total = REPEATS + DISTANCE_REPEATS * cached_density.chunks()
    done, drawn = 0, Drawn()
    for repeat in range(REPEATS):
        score = verbs.scores(key, parameters, seed, repeat=repeat)
        done, drawn = done + 1, Drawn((*drawn.scores, score))
        yield Step(done, total, drawn)
    for repeat in range(DISTANCE_REPEATS):
        for _ in cached_density.distances(key, parameters, seed, repeat):
            done += 1
            yield Step(done, total, drawn)
        distance = cached_density.distance_of_week(key, parameters, seed, repeat)
        drawn = Drawn(drawn.scores, (*drawn.distances_m, distance))
        yield Step(done, total, drawn)


def density_scores(
    key: Seen, parameters: DensityParameters, seed: Seed, repeats: int
) -> Iterator[Step]:
    """Yield the scores of one draw, two, … of a density; the first is the draw on the page."""
    scores: tuple[DensityScores, ...] = ()
    for repeat in range(repeats):
        scores = (*scores, verbs.scores(key, parameters, seed, repeat=repeat))
        yield Step(len(scores), repeats, scores)


@dataclass(frozen=True)
class Moved:
    """How far visits seem to move in one draw: mean earth mover's distance over the week, in m."""

    distance_m: float


def density_moves(
    key: Seen, parameters: DensityParameters, seed: Seed, repeats: int
) -> Iterator[Step]:
    """Yield `Moved` of one draw, two, … of a density, chunk by chunk of the week's hours."""
    total, done = repeats * cached_density.chunks(), 0
    moves: tuple[Moved, ...] = ()
    for repeat in range(repeats):
        for _ in cached_density.distances(key, parameters, seed, repeat):
            done += 1
            yield Step(done, total, moves)
        moves = (*moves, Moved(cached_density.distance_of_week(key, parameters, seed, repeat)))
        yield Step(done, total, moves)


def estimate_draws(
    key: Seen, parameters: ODParameters, seed: Seed, window: Window, repeats: int
) -> Iterator[Step]:
    """Yield how our reading of one draw, two, … agrees with the truth, one matrix each."""
    for (draws,) in cached_trips.repeated(key, (parameters,), seed, window, repeats):
        yield Step(len(draws.scores), repeats, draws.scores)


def trip_draws(
    key: Seen, parameters: ODParameters, seed: Seed, window: Window, repeats: int = REPEATS
) -> Iterator[Step]:
    """Yield the scores of one draw, two, … of one matrix; the first is the draw on the page."""
    scores: tuple[TripScores, ...] = ()
    for repeat in range(repeats):
        scores = (*scores, verbs.scores(key, parameters, seed, window, repeat))
        yield Step(len(scores), repeats, scores)


def judged_densities(
    key: Seen, settings: tuple[DensityParameters, ...], seed: Seed
) -> Iterator[Step]:
    """Yield for how many zones the draw on the page can be used at each of `settings`."""
    judgements: tuple[DensityUsability, ...] = ()
    for one in settings:
        judgements = (*judgements, cached_density.judged(key, one, seed))
        yield Step(len(judgements), len(settings), judgements)
