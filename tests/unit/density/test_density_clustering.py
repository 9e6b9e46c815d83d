import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from engine.density.mechanism import cluster_cells


def plain(totals: np.ndarray, centres: np.ndarray, areas: np.ndarray, minimum: float) -> list[int]:
    """Algorithm 3 with lists of members and centroids computed anew each time."""
    clusters = [[i] for i in range(len(totals))]
    sums = totals.tolist()
    while len(clusters) > 1 and min(sums) < minimum:
        middle = [np.average(centres[c], axis=0, weights=areas[c]) for c in clusters]
        least = sums.index(min(sums))
        distances = [((m - middle[least]) ** 2).sum() for m in middle]
        distances[least] = np.inf
        keep, gone = sorted((least, int(np.argmin(distances))))
        clusters[keep] += clusters.pop(gone)
        sums[keep] += sums.pop(gone)
    labels = [0] * len(totals)
    for label, members in enumerate(sorted(clusters, key=min)):
        for cell in members:
            labels[cell] = label
    return labels


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), size=st.integers(1, 60), share=st.floats(0.01, 1.5))
def test_equals_plain_lists(seed: int, size: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    totals = rng.normal(5.0, 6.0, size)
    centres, areas = rng.uniform(0, 1e4, (size, 2)), rng.uniform(0.5, 2.0, size)
    minimum = share * max(totals.sum(), 1.0)
    labels = cluster_cells(totals, centres, areas, minimum)
    assert labels.tolist() == plain(totals, centres, areas, minimum)


def test_every_cluster_reaches_the_minimum_or_there_is_one() -> None:
    rng = np.random.default_rng(1)
    totals, centres = rng.gamma(1, 10, 500), rng.uniform(0, 1, (500, 2))
    labels = cluster_cells(totals, centres, np.ones(500), 200.0)
    assert np.bincount(labels, weights=totals).min() >= 200
    assert len(np.unique(labels)) > 5
    assert (cluster_cells(totals, centres, np.ones(500), 1e9) == 0).all()


@pytest.mark.parametrize(
    ("totals", "at", "areas", "minimum", "labels"),
    [
        ([-3, 2, -1], [0, 0, 0], [1, 1, 1], 0, [0, 1, 2]),  # 0 joins nothing, negative or not
        ([1, 1, 1, 1], [0, 2, 4, 6], [1, 1, 1, 1], 2, [0, 0, 1, 1]),  # ties: the lowest cell
        # 0 is nearest to 3; the total of {0, 3} is enough, then 1, a large one, joins 2
        ([1, 2, 50, 50], [0, 10, 11, -2], [1, 1000, 1, 1], 10, [0, 1, 1, 0]),
        ([-5], [0], [1], 7, [0]),
    ],
)
def test_by_hand(
    totals: list[int], at: list[int], areas: list[int], minimum: int, labels: list[int]
) -> None:
    centres = np.column_stack([at, np.zeros(len(at))]).astype(float)
    clusters = cluster_cells(np.array(totals, float), centres, np.array(areas, float), minimum)
    assert clusters.tolist() == labels
