import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.density.clustering import cluster_cells


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


def test_zero_makes_every_cell_its_own_cluster_even_where_totals_are_negative() -> None:
    totals = np.array([-3.0, 2.0, -1.0])
    labels = cluster_cells(totals, np.zeros((3, 2)), np.ones(3), 0.0)
    assert labels.tolist() == [0, 1, 2]


def test_ties_go_to_the_lowest_cell() -> None:
    centres = np.array([[0.0, 0], [2, 0], [4, 0], [6, 0]])
    labels = cluster_cells(np.array([1.0, 1, 1, 1]), centres, np.ones(4), 2.0)
    assert labels.tolist() == [0, 0, 1, 1]


def test_a_large_cell_pulls_the_centre() -> None:
    centres = np.array([[0.0, 0], [10, 0], [11, 0], [-2, 0]])
    totals, areas = np.array([1.0, 2, 50, 50]), np.array([1.0, 1000, 1, 1])
    # 0 is nearest to 3; the total of {0, 3} is enough, then 1 joins 2
    assert cluster_cells(totals, centres, areas, 10.0).tolist() == [0, 1, 1, 0]


def test_one_cell_is_one_cluster() -> None:
    assert cluster_cells(np.array([-5.0]), np.zeros((1, 2)), np.ones(1), 7.0).tolist() == [0]
