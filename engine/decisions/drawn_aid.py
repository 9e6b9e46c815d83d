"""Aid by drawn releases: how often a release meets a target, which means cannot tell."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from engine import noise, validation
from engine.arrays import Floats
from engine.decisions.aid import Outflow
from engine.decisions.drawn import SEED_WORDS, release_counts
from engine.decisions.selection import first_zones, true_selection
from engine.parameters import ODParameters


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
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
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
    progress : callable, optional
        Called with draws done and draws in all.
    cancelled : callable, optional
        Asked before each draw; once it returns True, the draws not done are left out.

    Raises
    ------
    ParameterError
        If draws or k is out of range.

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
    members = truly.sum(axis=-1)
    anyone = members > 0
    seed = rng.integers(0, 2**32, size=SEED_WORDS)
    totals = np.empty((len(settings), wanted))
    overlap = np.full((len(settings), wanted), np.nan)
    first = np.empty((len(settings), shape[0], shape[2]))
    pair, room = np.empty((2, *shape), np.float32), np.empty(shape, np.float32)
    standard, released = np.empty(shape, np.float32), np.empty(shape)
    done = 0
    while done < wanted and not (cancelled is not None and cancelled()):
        noise.standard_laplace(np.random.default_rng([*seed, done]), pair, out=standard)
        for row, each in enumerate(settings):
            release_counts(leaving.kept, standard, each, room=room, out=released)
            by_destination = released.sum(axis=1)
            totals[row, done] = by_destination.sum()
            if anyone.any():
                hits = (first_zones(by_destination, chosen_k)[-1] & truly).sum(axis=-1)
                overlap[row, done] = (hits[anyone] / members[anyone]).mean()
            if done == 0:
                first[row] = by_destination
        done += 1
        if progress is not None:
            progress(done, wanted)
    return AidDraws(totals=totals[:, :done], overlap=overlap[:, :done], first=first)
