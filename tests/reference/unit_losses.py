"""Privacy loss of a release between two datasets, measured where its noise is asked for.

Both datasets come out of the real ingest and each product writes its real tables. OpenDP is
replaced by somebody who keeps what would get noise, and who answers the second dataset with what
the first was answered: that is the loss of one outcome, also where a later scale follows from
earlier noisy numbers.
"""

from pathlib import Path
from typing import Any

import numpy as np

from engine import report
from engine.contract import Setting
from engine.datasets import Dataset
from engine.ingest import ingest
from engine.release import WAYS, noise, plan
from engine.release.noise import zcdp_epsilon
from engine.resolution import look_at
from tests.support.ingests import MONDAY, options, write_trips

Trip = tuple[str, int, int | None, str, str]
"""Person, start, length in seconds or None, origin, destination."""


def ingested(trips: list[Trip], folder: Path, name: str, **changes: Any) -> Dataset:
    """The dataset that the real ingest makes of one week of raw trips."""
    asked = options(
        folder,
        "trips",
        [write_trips(folder / f"{name}.parquet", trips)],
        first_day=MONDAY,
        last_day=MONDAY.replace(day=MONDAY.day + 6),
        people_public=10**6,
        **{"out": folder / name} | changes,
    )
    return ingest(asked)[0]


class Asked:
    """What a product asks noise for: arrays of whole numbers, their scales and the law."""

    def __init__(self, answers: "Asked | None" = None) -> None:
        self.stages: list[tuple[str, np.ndarray, np.ndarray]] = []
        self._answers = answers

    def take(self, law: str, counts: np.ndarray, scales: Any) -> np.ndarray:
        kept = np.array(counts, dtype=np.int64)
        self.stages.append((law, kept, np.broadcast_to(scales, kept.shape)))
        return kept if self._answers is None else self._answers.stages[len(self.stages) - 1][1]

    def choose(self, scores: list[int], scale: float) -> int:
        """Keep the scores; answer with the least of the first dataset's."""
        answer = self.take("choice", np.array(scores), scale)
        return int(np.argmin(answer))

    def counts(self, _analysis: Any, scales: np.ndarray, /) -> np.ndarray:
        """Noise of a report: none; its counts are taken from the result."""
        return np.zeros(len(scales), dtype=np.int64)


def asked(
    setting: Setting, dataset: Dataset, folder: Path, patch: Any, answers: Asked | None = None
) -> Asked:
    """What a setting asks noise for when it writes its tables of `dataset`."""
    recorded = Asked(answers)
    if isinstance(setting.parameters, report.ReportParameters):
        drawn = report.release(dataset, setting.parameters, noise=recorded)
        for result in drawn.results.values():
            own = result.variates == 1  # others are sums of noisy numbers
            recorded.take("laplace", result.noisy[own], result.scales[own])
        return recorded
    with patch.context() as inside:
        inside.setattr(
            noise, "discrete_laplace", lambda n, scale: recorded.take("laplace", n, scale)
        )
        inside.setattr(noise, "discrete_gaussian", lambda n, s: recorded.take("gaussian", n, s))
        inside.setattr(noise, "least", recorded.choose)
        folder.mkdir()
        view = look_at(dataset, setting.zones, setting.when)
        way = WAYS[setting.parameters.method]
        way.write(plan(setting, dataset), view, folder, lambda _share: None)
    return recorded


def changes(one: Asked, other: Asked) -> list[tuple[str, float, float]]:
    """By stage: the law; |Δ|₁/scale or the range's, ρ of Gaussian noise; |Δ| in the law's norm."""
    by_stage = []
    for (law, a, scales), (same_law, b, same_scales) in zip(one.stages, other.stages, strict=True):
        assert law == same_law
        assert (scales == same_scales).all()
        moved = np.abs(a - b).astype(np.float64)
        if law == "choice":  # what is added to all scores changes no choice
            apart = float(np.ptp(a.astype(float) - b.astype(float)))
            by_stage.append((law, apart / float(scales.flat[0]), apart))
        elif law == "laplace":
            by_stage.append((law, float((moved / scales).sum()), float(moved.sum())))
        else:
            rho = float((moved**2 / (2 * scales**2)).sum())
            by_stage.append((law, rho, float(np.sqrt((moved**2).sum()))))
    return by_stage


def loss(one: Asked, other: Asked, delta: float) -> float:
    """ε at δ by which two datasets can be told apart, at most."""
    total = {"laplace": 0.0, "choice": 0.0, "gaussian": 0.0}
    for law, size, _ in changes(one, other):
        total[law] += size
    pure = total["laplace"] + total["choice"]
    if total["gaussian"] == 0:
        return pure
    return pure + zcdp_epsilon(total["gaussian"], delta)
