"""Errors of the towers' totals, with one visit a person sampled and without (P1, figure 6)."""

from dataclasses import dataclass

import numpy as np

from engine import metrics
from engine.arrays import Floats
from engine.datasets import Dataset
from engine.density.draws import DensityNoise
from engine.density.scaling import tower_totals
from engine.parameters import DensityParameters


@dataclass(frozen=True, kw_only=True)
class TotalError:
    """Errors of the towers' noisy totals of the week.

    Attributes
    ----------
    shares : float
        Share of all visits that the totals, negative ones as 0, put at a wrong tower, 0 to 1.
    totals : float
        Mean relative error of a tower's total over the towers with any visit; NaN without one.
    """

    shares: float
    totals: float


@dataclass(frozen=True, kw_only=True)
class TotalErrors:
    """Errors with one visit a person sampled and scaled, and with all visits perturbed."""

    sampled: TotalError
    plain: TotalError


def total_errors(
    dataset: Dataset, parameters: DensityParameters, noise: DensityNoise
) -> TotalErrors:
    """Return the errors of the towers' totals under one noise, with and without sampling.

    Examples
    --------
    >>> from engine import datasets
    >>> demo = datasets.load("demo-city")
    >>> noise = DensityNoise.draw(np.random.default_rng(0), demo, "efpag_joint")
    >>> errors = total_errors(demo, DensityParameters(epsilon=1.0), noise)
    >>> errors.sampled.totals < errors.plain.totals
    True
    """
    true = dataset.truth_by_tower.sum(axis=1).astype(np.float64)
    sampled = tower_totals(dataset, parameters, noise)
    plain = tower_totals(dataset, parameters, noise, sampled=False)
    return TotalErrors(sampled=_total_error(true, sampled), plain=_total_error(true, plain))


def _total_error(true: Floats, noisy: Floats) -> TotalError:
    relative = metrics.mean_relative_error(true[:, None], noisy[:, None])
    known = relative[np.isfinite(relative)]
    if not len(known):
        return TotalError(shares=float("nan"), totals=float("nan"))
    wrong = np.abs(_shares(np.maximum(noisy, 0.0)) - _shares(true)).sum() / 2
    return TotalError(shares=float(wrong), totals=float(known.mean()))


def _shares(counts: Floats) -> Floats:
    total = counts.sum()
    return counts / total if total > 0 else np.full(len(counts), 1 / len(counts))
