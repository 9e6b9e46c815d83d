"""The public tree over the towers: halves of halves down to single towers."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from ...arrays import Floats, Integers
from ...errors import ParameterError


@dataclass(frozen=True, eq=False)
class Tree:
    """A balanced binary tree; it reads positions only, so it costs no privacy.

    `first` and `second`, shape (splits, towers), hold 1 where a tower lies in that half of a split,
    coarse ones first; `level` of a split is 0 for the whole region. `nodes`, shape (levels + 1,
    towers), are each tower's node at every level; the last level holds single towers.
    """

    first: csr_array
    second: csr_array
    level: Integers
    nodes: Integers

    @property
    def district_level(self) -> int:
        """Half the depth of the tree, at which there are about √towers nodes."""
        return (len(self.nodes) - 1) // 2

    @property
    def districts(self) -> Integers:
        """District of every tower, from 0, shape (towers,)."""
        return self.nodes[self.district_level]


def build_tree(positions: Floats) -> Tree:
    """Split the longer side at the median, ties by order, down to single towers.

    `positions` are longitude and latitude in degrees. Only their order decides who is in which
    half, and sides are compared at the mean latitude, so every machine builds the same tree.

    Examples
    --------
    >>> line = np.array([[0.0, 0.0], [3.0, 0.0], [1.0, 0.0], [2.0, 0.0]])
    >>> build_tree(line).districts
    array([0, 1, 0, 1])
    """
    towers = len(positions)
    if positions.shape != (towers, 2) or towers == 0 or not np.isfinite(positions).all():
        raise ParameterError(
            f"positions must be finite, one row a tower, got shape {positions.shape}; take them "
            "from the dataset's towers"
        )
    stretch = np.array([np.cos(np.radians(positions[:, 1].mean())), 1.0])
    parts = [np.arange(towers)]
    nodes = [np.zeros(towers, dtype=np.int64)]
    halves: tuple[list[Integers], list[Integers]] = [], []
    level: list[int] = []
    while any(len(part) > 1 for part in parts):
        finer: list[Integers] = []
        for part in parts:
            if len(part) == 1:
                finer.append(part)
                continue
            sides = np.ptp(positions[part], axis=0) * stretch
            order = part[np.argsort(positions[part, np.argmax(sides)], kind="stable")]
            # parts are kept in the towers' own order, so that ties stay with it
            for half, chosen in zip(halves, np.split(order, [len(part) // 2]), strict=True):
                half.append(np.sort(chosen))
                finer.append(half[-1])
            level.append(len(nodes) - 1)
        parts = finer
        numbers = np.empty(towers, dtype=np.int64)
        for number, part in enumerate(parts):
            numbers[part] = number
        nodes.append(numbers)
    first, second = (_members(parts, towers) for parts in halves)
    return Tree(first, second, np.array(level, dtype=np.int64), np.array(nodes))


def hand_down(tree: Tree, weights: Floats) -> csr_array:
    """Return the map from differences of halves to towers, shape (towers, splits).

    It keeps the weighted mean of every node: the halves of a split move apart by the difference.
    """
    first, second = tree.first @ weights, tree.second @ weights
    to_first, to_second = second / (first + second), first / (first + second)
    return csr_array((tree.first * to_first[:, None] - tree.second * to_second[:, None]).T)


def _members(halves: list[Integers], towers: int) -> csr_array:
    ends = np.cumsum([0, *(len(half) for half in halves)])
    columns = np.concatenate([*halves, np.zeros(0, dtype=np.int64)])
    return csr_array((np.ones(len(columns)), columns, ends), shape=(len(halves), towers))
