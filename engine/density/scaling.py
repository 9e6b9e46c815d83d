"""Noisy totals of the cover's cells: the improved scaling of P1 §5.4.1, or the plain one."""

import math
from typing import NamedTuple

import numpy as np

from ..arrays import Floats
from ..datasets import Dataset
from ..parameters import DensityParameters
from .aggregates import cover_series
from .draws import DensityNoise


class CellTotals(NamedTuple):
    """Noisy totals of the week: Ŝ of every cell of the cover, which can be negative, and K̂.

    Where the noise exceeds the data no cell is above 0: there is nothing to scale by. K̂, all
    visits, is None without the improved scaling.
    """

    cells: Floats
    visits: float | None


def histogram_scale(parameters: DensityParameters) -> float:
    """Return the Laplace scale 2/ε′ = 4/ε of every bin of H̃; one person changes one bin by 1."""
    return 4.0 / parameters.epsilon


def visits_scale(parameters: DensityParameters, max_visits_cap: int) -> float:
    """Return the Laplace scale 2·K_max/ε′ = 4·K_max/ε of K̂ (erratum D5: K_max is public)."""
    return 4.0 * max_visits_cap / parameters.epsilon


def plain_scale(parameters: DensityParameters) -> float:
    """Return the Laplace scale 2ℓ/ε of every cell's pre-sampled total (P1, Algorithm 2)."""
    return 2.0 * parameters.max_visits_per_user / parameters.epsilon


def cell_totals(dataset: Dataset, parameters: DensityParameters, noise: DensityNoise) -> CellTotals:
    """Estimate Ŝ, the total of each cell of the cover, with ε′ = ε/2.

    With the improved scaling the towers' shares come from one visit a person (H̃, sensitivity 1)
    and are multiplied by the noisy number of all visits K̂; the histogram is normalised by its
    own noisy sum, never by the true number of people (erratum D6). Without it Ŝ is the total of
    the pre-sampled series, of sensitivity ℓ.
    """
    if not parameters.scaling:
        series = cover_series(dataset, parameters.max_visits_per_user)
        return CellTotals(series.sum(axis=1) + plain_scale(parameters) * noise.cell_totals, None)
    shares, visits = _sampled(dataset, parameters, noise)
    if shares is None:
        return CellTotals(np.zeros(dataset.tessellation.cover_size), visits)
    return CellTotals(dataset.tessellation.to_cover @ (shares * visits), visits)


def _sampled(
    dataset: Dataset, parameters: DensityParameters, noise: DensityNoise
) -> tuple[Floats | None, float]:
    """Return the towers' noisy shares, None where the noise exceeds the data, and K̂."""
    histogram = dataset.single_visit_by_tower + histogram_scale(parameters) * noise.histogram
    people = math.fsum(histogram)
    scale = visits_scale(parameters, dataset.metadata.max_visits_cap)
    visits = float(dataset.truth_by_tower.sum()) + scale * noise.visits
    return (histogram / people if people > 0 < visits else None), visits
