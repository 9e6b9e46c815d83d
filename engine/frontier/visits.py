"""Every setting of the density, judged by repeated draws: it has no exact law.

The same noise is carried over all settings of a view and method, so that a difference between two
of them is the settings' and not the draw's.
"""

from collections.abc import Iterator, Sequence
from functools import cache, partial
from itertools import product

import numpy as np

from engine import attack, density, usability
from engine.arrays import Floats
from engine.datasets import Dataset
from engine.errors import DatasetError
from engine.frontier.candidate import Candidate
from engine.frontier.need import Need, levels
from engine.parameters import HOURS_PER_WEEK, DensityMethod, DensityParameters, gaussian_for
from engine.resolution import HourStep, Resolution, ZoneLevel, coarsen, hour_blocks

EPSILONS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
"""Fewer than for flows: each is a few releases, not a law."""
LIMITS: dict[DensityMethod, tuple[int, ...]] = {"efpag_joint": (10, 30, 100), "zoom": (30,)}
"""ℓ of each method; `zoom` samples nobody and does not use it."""
DRAWS = 3
"""Releases behind each mean and its standard error."""
_BLOCKS: tuple[HourStep, ...] = ("day-part", "four-hours", "hour")
_DAYS = 7


def least_blocks(need: Need) -> int:
    """Return into how many blocks of hours the week must at least be cut."""
    return HOURS_PER_WEEK if need.read == "density" else 1


def steps(dataset: Dataset, need: Need) -> list[tuple[ZoneLevel, HourStep, DensityMethod]]:
    """Return the views and methods to judge: what meets the need first, quick methods first.

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
    zones, blocks = need.least_zones(dataset), least_blocks(need)
    methods: list[DensityMethod] = [one for one in LIMITS if one != "zoom" or dataset.has_zoom]
    work = list(product(methods, levels(dataset), _BLOCKS))
    work.sort(key=lambda item: item[1].zones < zones or blocks_of(item[2]) < blocks)
    return [(level, hours, method) for method, level, hours in work]


def blocks_of(hours: HourStep) -> int:
    """Return into how many blocks a week is cut."""
    return int(hour_blocks(hours).max()) + 1


def judged(
    dataset: Dataset, need: Need, rng: np.random.Generator
) -> Iterator[tuple[float, tuple[Candidate, ...]]]:
    """Yield the share that is done and the candidates of one view, method and ℓ at a time."""
    work = steps(dataset, need)
    opened = cache(partial(coarsen, dataset))
    for index, (level, hours, method) in enumerate(work):
        view = opened(Resolution(zones=level.name, hours=hours))
        true = density.truth(view)
        noises = [density.DensityNoise.draw(rng, view, method) for _ in range(DRAWS)]
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
            batch = (
                Candidate(
                    parameters=parameters,
                    resolution=Resolution(zones=level.name, hours=hours),
                    zones=level.zones,
                    matrices=blocks_of(hours),
                    days=_DAYS,
                    risk=risk(view, parameters),
                    **drawn(view, true, parameters, noises),
                )
                for parameters in settings
                if true.any()
            )
            yield (index + position / len(LIMITS[method])) / len(work), tuple(batch)


def risk(view: Dataset, parameters: DensityParameters) -> float:
    """Return the best guess of whether a person is in the data, from public facts only."""
    ledger = density.ledger(
        parameters,
        cover_size=view.tessellation.cover_size,
        max_visits_cap=view.metadata.max_visits_cap,
    )
    return attack.worth_of_density(ledger, parameters.epsilon).best_guess


def drawn(
    view: Dataset,
    true: Floats,
    parameters: DensityParameters,
    noises: Sequence[density.DensityNoise],
) -> dict[str, float]:
    """Return `use`, its standard error and the error of a visit, over so many releases."""
    shares: list[float] = []
    errors: list[float] = []
    for noise in noises:
        release = density.release(view, parameters, noise=noise)
        scored = density.scores(true, release)
        judgement = usability.judge_density(scored, true.sum(axis=1) / HOURS_PER_WEEK)
        shares.append(judgement.usable_share)
        errors.append(float(np.abs(release.counts - true).sum() / true.sum()))
    return {
        "use": float(np.mean(shares)),
        "use_error": float(np.std(shares, ddof=1) / np.sqrt(len(shares))),
        "error": float(np.mean(errors)),
    }
