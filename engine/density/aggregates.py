"""True and pre-sampled counts of zones, towers and cover, cached by ℓ; all confidential."""

import numpy as np

from ..arrays import Floats
from ..datasets import Dataset, memoise
from .multiscale_estimation import TowerTree, build_tree


def truth(dataset: Dataset) -> Floats:
    """Return the true visits by zone and hour, Fᵀ X, shape (zones, 168) (P1, Formula 1)."""
    return dataset.tessellation.overlap.T @ dataset.truth_by_tower.astype(np.float64)


def presampled_counts(dataset: Dataset, max_visits_per_user: int) -> Floats:
    """Return the zones' visits after pre-sampling at most ℓ visits a person (P1 §5.1).

    Shape (zones, 168); confidential. Removing one person changes it by at most ℓ in L₁, √ℓ in L₂.
    """
    return dataset.tessellation.overlap.T @ tower_series(dataset, max_visits_per_user)


def cover_series(dataset: Dataset, max_visits_per_user: int) -> Floats:
    """Return the pre-sampled visits of the cells of the cover ℂ (erratum D2).

    Shape (cover, 168), towers first; confidential. Each visit is split by shares that sum to 1, so
    removing one person changes the result by at most ℓ in L₁ and √ℓ in L₂.
    """
    return memoise(
        dataset,
        ("cover series", max_visits_per_user),
        lambda: dataset.tessellation.to_cover @ tower_series(dataset, max_visits_per_user),
    )


def tower_series(dataset: Dataset, max_visits_per_user: int) -> Floats:
    """Return the pre-sampled visits of the towers, shape (towers, 168), read-only."""
    return memoise(
        dataset,
        ("tower series", max_visits_per_user),
        lambda: dataset.presampled_by_tower(max_visits_per_user).astype(np.float64),
    )


def tower_tree(dataset: Dataset) -> TowerTree:
    """Return the public tree over the towers, cached with the base dataset for all its views."""
    return memoise(
        getattr(dataset, "base", dataset),
        "tower tree",
        lambda: build_tree(dataset.towers.geometry.get_coordinates().to_numpy()),
    )
