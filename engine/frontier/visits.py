"""Every setting of the density, judged by repeated draws: it has no exact law.

The same noise is carried over all settings of a method and, where it counts towers, over all levels
of zones, so that a difference between two of them is the settings' and not the draw's.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from .. import density, privacy, sweeping, usability
from ..arrays import Floats
from ..contract import Seen
from ..datasets import Dataset
from ..errors import DatasetError
from ..parameters import HOURS_PER_WEEK, DensityMethod, DensityParameters, gaussian_for
from ..resolution import ZoneLevel, look_at
from .candidate import Candidate
from .need import Need, levels

EPSILONS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
"""Fewer than for flows: each is a few releases, not a law."""
LIMITS: dict[DensityMethod, tuple[int, ...]] = {"efpag_joint": (14, 30, 100), "zoom": (30,)}
"""ℓ of each method; `zoom` samples nobody and does not use it. Both make hours and add them up to
blocks, so that one release is judged at every block."""
OF_TOWERS: frozenset[DensityMethod] = frozenset({"zoom"})
"""Methods whose release is of towers: one is seen from every level of zones."""
DRAWS = 5
"""Releases behind each mean and its standard error."""
_DAYS = 7


def least_blocks(need: Need) -> int:
    """Return into how many blocks of hours the week must at least be cut."""
    return HOURS_PER_WEEK if need.read == "density" else 1


def steps(dataset: Dataset, need: Need) -> list[tuple[DensityMethod, tuple[ZoneLevel, ...]]]:
    """Return what to judge together: levels that meet the need first, quick methods first.

    Raises `DatasetError` if the dataset has no visits.
    """
    if not dataset.has_density:
        raise DatasetError(
            f"dataset '{dataset.id}' has no visits, so {need.read} cannot be judged; choose a "
            "dataset with visits, or read='flows'"
        )
    zones = need.least_zones(dataset)
    order = sorted(levels(dataset), key=lambda level: level.zones < zones)
    methods: list[DensityMethod] = [one for one in LIMITS if one != "zoom" or dataset.has_zoom]
    return [
        (method, together)
        for method in methods
        for together in ([tuple(order)] if method in OF_TOWERS else [(level,) for level in order])
    ]


def judged(
    dataset: Dataset, need: Need, rng: np.random.Generator
) -> Iterator[tuple[float, tuple[Candidate, ...]]]:
    """Yield the share that is done and candidates: those of a step come with its last release."""
    work = steps(dataset, need)
    numbered = sweeping.generators(rng)
    for index, (method, together) in enumerate(work):
        limits = LIMITS[method]
        for position, limit in enumerate(limits):
            settings = [
                DensityParameters(
                    epsilon=epsilon,
                    max_visits_per_user=limit,
                    method=method,
                    gaussian=gaussian_for(method, epsilon),
                )
                for epsilon in EPSILONS
            ]
            for share, batch in _batch(dataset, together, settings, numbered(index)):
                yield (index + (position + share) / len(limits)) / len(work), batch


def _batch(
    dataset: Dataset,
    together: Sequence[ZoneLevel],
    settings: list[DensityParameters],
    rng: np.random.Generator,
) -> Iterator[tuple[float, tuple[Candidate, ...]]]:
    """Judge settings at every level and block of hours; nothing where there are no visits."""
    views = [look_at(dataset, level.name) for level in together]
    truths = [density.truth(view) for view in views]
    first = views[0]
    if not truths[0].any():
        yield 1.0, ()
        return

    def at_all(_: Floats, release: density.DensityRelease) -> list[tuple[float, float]]:
        scored: list[tuple[float, float]] = []
        by_tower = None if release.reading is None else release.reading.by_tower
        hours = release.counts
        for view, true in zip(views, truths, strict=True):
            if by_tower is not None:
                hours = view.tessellation.overlap.T @ by_tower
            seen = replace(release, counts=hours)
            scores = density.scores(true, seen)
            share = usability.judge_density(scores, true.sum(axis=1) / HOURS_PER_WEEK).usable_share
            scored.append((share, float(np.abs(seen.counts - true).sum() / true.sum())))
        return scored

    known: dict[tuple[int, int], list[tuple[float, float]]] = defaultdict(list)
    for point in sweeping.sweep(density, first, settings, DRAWS, rng=rng, score=at_all):
        for place, one in enumerate(point.scores):
            known[place, point.setting].append(one)
        if point.setting + 1 == len(settings) and point.repeat + 1 < DRAWS:
            yield (point.repeat + 1) / DRAWS, ()
    candidates: list[Candidate] = []
    for (place, setting), drawn in sorted(known.items()):
        shares, errors = zip(*drawn, strict=True)
        level = together[place]
        ledger = density.plan(views[place], settings[setting]).ledger
        candidates.append(
            Candidate(
                parameters=settings[setting],
                seen=Seen(dataset=dataset.id, zones=level.name),
                zones=level.zones,
                matrices=HOURS_PER_WEEK,
                days=_DAYS,
                risk=privacy.risk_of_ledger(ledger, settings[setting].epsilon).best_guess,
                use=float(np.mean(shares)),
                use_error=float(np.std(shares, ddof=1) / np.sqrt(DRAWS)),
                error=float(np.mean(errors)),
            )
        )
    yield 1.0, tuple(candidates)
