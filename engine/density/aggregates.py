"""True and pre-sampled counts of zones, towers and cover, before any noise; all confidential.

Series by ℓ are memoised with the dataset, since sliders of ε and δ do not change them.
"""

import numpy as np

from ..arrays import Floats
from ..datasets import Dataset, memoise
from .multiscale_estimation import Tree, build_tree


def truth(dataset: Dataset) -> Floats:
    """Return the true visits by zone and hour, P1 Formula (1): Fᵀ X.

    Shape (zones, 168), in the order of ``dataset.zones``; confidential unless simulated.
    """
    return dataset.tessellation.overlap.T @ dataset.truth_by_tower.astype(np.float64)


def presampled_counts(dataset: Dataset, max_visits_per_user: int) -> Floats:
    """Return the zones' visits after pre-sampling ℓ visits a person (P1 §5.1), without noise.

    Shape (zones, 168); confidential. Removing one person changes it by at most ℓ in L₁, √ℓ in L₂.
    """
    return dataset.tessellation.overlap.T @ tower_series(dataset, max_visits_per_user)


def cover_series(dataset: Dataset, max_visits_per_user: int) -> Floats:
    """Return the pre-sampled visits of the minimum cover ℂ (erratum D2), without noise.

    Shape (cover, 168), towers first; confidential. Each visit is split by shares that sum to 1, so
    removing one person changes the result by at most ℓ in L₁ and √ℓ in L₂.
    """

    def build() -> Floats:
        return dataset.tessellation.to_cover @ tower_series(dataset, max_visits_per_user)

    return memoise(dataset, ("cover series", max_visits_per_user), build)


def tower_series(dataset: Dataset, max_visits_per_user: int) -> Floats:
    """Return the pre-sampled visits of the towers, shape (towers, 168), read-only."""

    def build() -> Floats:
        return dataset.presampled_by_tower(max_visits_per_user).astype(np.float64)

    return memoise(dataset, ("tower series", max_visits_per_user), build)


def tower_tree(dataset: Dataset) -> Tree:
    """Return the public tree over the towers, built once for a dataset and its views."""

    def build() -> Tree:
        return build_tree(dataset.towers.geometry.get_coordinates().to_numpy())

    return memoise(getattr(dataset, "base", dataset), "tower tree", build)
