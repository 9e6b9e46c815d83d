"""Every setting of the density, judged by repeated draws: it has no exact law.

The same noise is carried over all settings of a level of zones and a method, so that a difference
between two of them is the settings' and not the draw's.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from .. import attack, contract, density, usability
from ..arrays import Floats
from ..datasets import Dataset
from ..density.aggregates import in_blocks
from ..errors import DatasetError
from ..parameters import HOURS_PER_WEEK, DensityMethod, DensityParameters, gaussian_for
from ..resolution import HourStep, Resolution, ZoneLevel, coarsen, hour_blocks
from .candidate import Candidate
from .need import Need, levels

EPSILONS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
"""Fewer than for flows: each is a few releases, not a law."""
LIMITS: dict[DensityMethod, tuple[int, ...]] = {
    "efpag_joint": (density.suggested_max_visits(), 30, 100),
    "zoom": (30,),
}
"""ℓ of each method; `zoom` samples nobody and does not use it. Both make hours and add them up to
blocks, so that one release is judged at every block."""
DRAWS = 5
"""Releases behind each mean and its standard error."""
_BLOCKS: tuple[HourStep, ...] = ("day-part", "four-hours", "hour")
_DAYS = 7


def least_blocks(need: Need) -> int:
    """Return into how many blocks of hours the week must at least be cut."""
    return HOURS_PER_WEEK if need.read == "density" else 1


def steps(dataset: Dataset, need: Need) -> list[tuple[DensityMethod, ZoneLevel]]:
    """Return what to judge: levels that meet the need first, quick methods first.

    Raises
    ------
    DatasetError
        If the dataset has no visits.
    """
    if not dataset.has_density:
        raise DatasetError(
            f"dataset '{dataset.id}' has no visits, so {need.read} cannot be judged; choose a "
            "dataset with visits, or read='flows'"
        )
    zones = need.least_zones(dataset)
    methods: list[DensityMethod] = [one for one in LIMITS if one != "zoom" or dataset.has_zoom]
    return sorted(product(methods, levels(dataset)), key=lambda item: item[1].zones < zones)


def blocks_of(hours: HourStep) -> int:
    """Return into how many blocks a week is cut."""
    return int(hour_blocks(hours).max()) + 1


def judged(
    dataset: Dataset, need: Need, rng: np.random.Generator
) -> Iterator[tuple[float, tuple[Candidate, ...]]]:
    """Yield the share that is done and the candidates of one level, method and ℓ at a time."""
    work = steps(dataset, need)
    numbered = contract.generators(rng)
    for index, (method, level) in enumerate(work):
        for position, limit in enumerate(LIMITS[method], 1):
            settings = [
                DensityParameters(
                    epsilon=epsilon,
                    max_visits_per_user=limit,
                    method=method,
                    gaussian=gaussian_for(method, epsilon),
                )
                for epsilon in EPSILONS
            ]
            batch = _batch(dataset, level, settings, numbered(index))
            yield (index + position / len(LIMITS[method])) / len(work), tuple(batch)


def _batch(
    dataset: Dataset, level: ZoneLevel, settings: list[DensityParameters], rng: np.random.Generator
) -> Iterator[Candidate]:
    """Judge settings at every block of hours; nothing where there are no visits."""
    at = [Resolution(zones=level.name, hours=hours) for hours in _BLOCKS]
    views = [coarsen(dataset, resolution) for resolution in at]
    truths = [density.truth(view) for view in views]
    hourly = views[_BLOCKS.index("hour")]
    if not truths[0].any():
        return

    def by_blocks(_: Floats, hours: density.DensityRelease) -> list[tuple[float, float]]:
        judged: list[tuple[float, float]] = []
        for view, true in zip(views, truths, strict=True):
            release = replace(hours, counts=in_blocks(view, hours.counts))
            scores = density.scores(true, release)
            share = usability.judge_density(scores, true.sum(axis=1) / HOURS_PER_WEEK).usable_share
            judged.append((share, float(np.abs(release.counts - true).sum() / true.sum())))
        return judged

    judgements: dict[tuple[int, int], list[tuple[float, float]]] = defaultdict(list)
    for point in contract.sweep(density, hourly, settings, DRAWS, rng=rng, score=by_blocks):
        for place, one in enumerate(point.scores):
            judgements[place, point.setting].append(one)
    for (place, setting), drawn in sorted(judgements.items()):
        shares, errors = zip(*drawn, strict=True)
        ledger = density.plan(hourly, settings[setting]).ledger
        yield Candidate(
            parameters=settings[setting],
            resolution=at[place],
            zones=level.zones,
            matrices=blocks_of(_BLOCKS[place]),
            days=_DAYS,
            risk=attack.worth_of_density(ledger, settings[setting].epsilon).best_guess,
            use=float(np.mean(shares)),
            use_error=float(np.std(shares, ddof=1) / np.sqrt(DRAWS)),
            error=float(np.mean(errors)),
        )
