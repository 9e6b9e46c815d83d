"""Decisions on private releases: many draws over many settings, with noise common to all ε.

How often a release meets a target is what means cannot tell.

Noise is drawn day by day as standard variates, one generator for each draw, so that draw i is
the same however many are asked for and whatever the settings. The whole-number noise added is
⌊scale·η + ½⌋, as in `engine.origin_destination.release`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .. import noise, sweeping, validation
from ..arrays import Floats, Singles
from ..datasets import Dataset
from ..errors import ParameterError
from ..metrics import mean_of_known
from ..origin_destination.matrices import Days
from ..origin_destination.mechanism import algorithm_1, rounded_laplace
from ..parameters import ODParameters
from .aid import Outflow
from .epidemic import Scene
from .model import Compartments, EpidemicParameters
from .populations import LEAST_PRIVATE_POPULATION, Populations
from .selection import first_zones, overlap, true_selection

BLOCK_CELLS = 2**22
"""Most numbers of prevalence in one block (32 MB)."""

FIRST_DRAWS, MOST_DRAWS = 4, 16
"""Draws of the first block, which a person waits for, and of the later ones."""


def private_epidemics(
    dataset: Dataset,
    origins: Sequence[str],
    parameters: EpidemicParameters | None,
    settings: Sequence[ODParameters],
    draws: int,
    *,
    rng: np.random.Generator,
    populations: Populations | None = None,
    days: Days = None,
) -> Iterator[Floats]:
    """Draw private releases of every day, run the epidemics on them, and yield block by block.

    Parameters
    ----------
    dataset, origins, parameters, populations, days
        As in `engine.decisions.true_epidemic`, errors too.
    settings : sequence of ODParameters
        With the same unit and T; ε and τ may differ.
    draws : int
        Releases of each setting, at least 1.
    rng : numpy.random.Generator
        Its state fixes all noise; draw i of a longer run equals draw i of a shorter one.

    Yields
    ------
    array, shape (settings, draws, origins, days, zones)
        I/N of some draws, in their order, from 0 to 1; the first has at most `FIRST_DRAWS`. N is
        private where the populations are confidential.

    Examples
    --------
    >>> from engine import datasets
    >>> year = datasets.load("afghanistan-2020")
    >>> settings = [ODParameters(epsilon=epsilon, unit="trip") for epsilon in (0.1, 0.5)]
    >>> blocks = private_epidemics(year, ["AFG-1767"], None, settings, 2, days=slice(0, 9),
    ...                            rng=np.random.default_rng(0))
    >>> [block.shape for block in blocks]
    [(2, 2, 1, 9, 34)]
    """
    wanted = validation.whole_number("draws", draws, 1, remedy="20 is usual")
    if len({(each.unit, each.max_trips_per_user) for each in settings}) != 1:
        raise ParameterError(
            "settings must be at least one, all with the same unit and max_trips_per_user",
            value=f"{len(settings)} that differ" if settings else "none",
            remedy="compare different units in separate runs",
            settings=("settings",),
        )
    scene = Scene.of(dataset, origins, populations, days)
    model, numbered = parameters or EpidemicParameters(), sweeping.generators(rng)
    zones = len(scene.populations.counts)
    one = len(settings) * zones * max(zones, len(scene.origins) * len(scene.days))
    most = max(1, min(MOST_DRAWS, BLOCK_CELLS // one))
    ends = pairwise([0, *range(min(most, FIRST_DRAWS), wanted, most), wanted])
    return (_block(scene, model, settings, [*map(numbered, range(*span))]) for span in ends)


def _block(
    scene: Scene,
    model: EpidemicParameters,
    settings: Sequence[ODParameters],
    generators: Sequence[np.random.Generator],
) -> Floats:
    """Return the prevalence of one block of draws."""
    people = _private_populations(scene.populations, settings, generators)
    now = Compartments(people, scene.origins, model)
    *lead, origins, zones = now.infected.shape
    prevalence = np.empty((*lead, origins, len(scene.days), zones))
    released = Releases(settings, len(generators), zones)
    trips = scene.matrices(settings[0].unit, settings[0].max_trips_per_user)
    each = people[..., None, :]
    np.divide(now.infected, each, out=prevalence[..., 0, :])
    for day, matrix in enumerate(trips, start=1):
        flows = released.draw(matrix, generators)
        now.next_day(flows if model.direction == "departures" else flows.swapaxes(-1, -2))
        np.divide(now.infected, each, out=prevalence[..., day, :])
    return prevalence


class Releases:
    """Room for one day's releases under all settings, used again every day.

    `draw` returns P2's Algorithm 1 on the kept counts: shape (settings, draws, zones, zones).
    """

    def __init__(self, settings: Sequence[ODParameters], draws: int, zones: int) -> None:
        self._settings = settings
        self._standard = np.empty((draws, zones, zones), dtype=np.float32)
        self._diagonals = np.einsum("dzz->dz", self._standard)  # a view
        self._pair = np.empty((2, zones, zones), dtype=np.float32)
        self._scaled = np.empty_like(self._standard)
        self._released = np.empty((len(settings), draws, zones, zones))

    def draw(self, matrix: Floats, generators: Sequence[np.random.Generator]) -> Floats:
        """Return one day's releases; valid until the next call."""
        for standard, generator in zip(self._standard, generators, strict=True):
            noise.standard_laplace(generator, self._pair, out=standard)
        self._diagonals[...] = 0.0  # an empty cell without noise is released as 0
        for private, each in zip(self._released, self._settings, strict=True):
            release_counts(matrix, self._standard, each, room=self._scaled, out=private)
        return self._released


def release_counts(
    counts: Floats, standard: Singles, settings: ODParameters, *, room: Singles, out: Floats
) -> None:
    """Fill `out` with Algorithm 1 on kept counts, for given standard Laplace variates.

    `counts` broadcasts to the shape of `standard`, `room` and `out`.
    """
    sampler = rounded_laplace(standard, settings.noise_scale, room=room, out=out)
    noisy, shown = algorithm_1(counts, settings, sampler)
    np.multiply(noisy, shown, out=out)


def _private_populations(
    populations: Populations,
    settings: Sequence[ODParameters],
    generators: Sequence[np.random.Generator],
) -> Floats:
    """Return the populations of each private run, shape (settings, draws, zones)."""
    counts = populations.counts
    # drawn in any case, so that the trips' noise is the same with public populations
    standard = np.stack([noise.laplace(each, 1.0, len(counts)) for each in generators])
    if not populations.confidential:
        return np.broadcast_to(counts, (len(settings), *standard.shape)).copy()
    scales = np.array([1 / each.epsilon for each in settings])[:, None, None]
    return np.maximum(counts + scales * standard, LEAST_PRIVATE_POPULATION)


@dataclass(frozen=True, eq=False)
class AidDraws:
    """Drawn releases of the trips out of an affected area.

    Attributes
    ----------
    totals : array, shape (settings, draws)
        Released trips out of the area, all days together.
    overlap : array, shape (settings, draws)
        Share of the true first k destinations that a release names, mean over the days on which
        anyone left; NaN where nobody ever did.
    first : array, shape (settings, days, destinations)
        Released totals by destination in the first draw.
    """

    totals: Floats
    overlap: Floats
    first: Floats


def private_aid(
    leaving: Outflow,
    settings: Sequence[ODParameters],
    draws: int,
    k: int = 3,
    *,
    rng: np.random.Generator,
) -> AidDraws:
    """Draw releases under several settings with common noise.

    Parameters
    ----------
    leaving : Outflow
        Trimmed with the unit and T of all `settings`.
    settings : sequence of ODParameters
    draws : int
        At least 1.
    k : int
        Destinations chosen a day, from 1 to the number of destinations.
    rng : numpy.random.Generator
        Draw i of a longer run equals draw i of a shorter one.

    Examples
    --------
    >>> from engine import datasets
    >>> from engine.decisions import outflow, shock
    >>> week = datasets.load("rwanda-districts")
    >>> params = ODParameters(epsilon=0.5, unit="trip")
    >>> drawn = private_aid(outflow(week, shock(week), params), [params], 5,
    ...                     rng=np.random.default_rng(0))
    >>> drawn.totals.shape
    (1, 5)
    """
    wanted = validation.whole_number("draws", draws, 1, remedy="100 is usual")
    shape = leaving.kept.shape
    chosen_k = validation.whole_number(
        "k", k, 1, shape[2], remedy="the area leaves that many zones to go to; 3 is P2's"
    )
    truly = true_selection(leaving, chosen_k)[-1]
    numbered = sweeping.generators(rng)
    totals = np.empty((len(settings), wanted))
    named = np.empty((len(settings), wanted))
    first = np.empty((len(settings), shape[0], shape[2]))
    pair, room = np.empty((2, *shape), np.float32), np.empty(shape, np.float32)
    standard, released = np.empty(shape, np.float32), np.empty(shape)
    for done in range(wanted):
        noise.standard_laplace(numbered(done), pair, out=standard)
        for row, each in enumerate(settings):
            release_counts(leaving.kept, standard, each, room=room, out=released)
            by_destination = released.sum(axis=1)
            totals[row, done] = by_destination.sum()
            chosen = first_zones(by_destination, chosen_k)[-1]
            named[row, done] = mean_of_known(overlap(chosen, truly))
            if done == 0:
                first[row] = by_destination
    return AidDraws(totals=totals, overlap=named, first=first)
