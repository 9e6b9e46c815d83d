"""What maps are made of: a scale of colours, names of zones, the largest flows."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from engine.arrays import Floats, Integers, Numbers
from engine.metrics import largest_positions

Kind = Literal["linear", "root"]

# eleven even stops of the palettes, interpolated in between
_VIRIDIS = (
    (68, 1, 84), (72, 36, 117), (65, 68, 135), (53, 95, 141), (42, 120, 142), (33, 145, 140),
    (34, 168, 132), (68, 191, 112), (122, 209, 81), (189, 223, 38), (253, 231, 37),
)  # fmt: skip
_NO_VALUE = (128, 128, 128, 60)


@dataclass(frozen=True)
class Scale:
    """A colour scale from 0, shared by maps that are compared.

    >>> Scale(100).colours(np.array([0.0, 100.0])).tolist()
    [[68, 1, 84, 235], [253, 231, 37, 235]]
    """

    high: float
    kind: Kind = "root"

    def positions(self, values: Floats) -> Floats:
        """Return where values lie on the scale, from 0 to 1; NaN stays NaN."""
        share = np.clip(values / (self.high or 1.0), 0.0, 1.0)
        return np.sqrt(share) if self.kind == "root" else share

    def widths(self, values: Floats) -> Floats:
        """Return how wide the arrows of flows are, in pixels."""
        return 0.8 + 4.2 * self.positions(values)

    def colours(self, values: Floats) -> Integers:
        """Return red, green, blue and opacity of every value, shape (n, 4); NaN is grey."""
        stops = np.array(_VIRIDIS, dtype=float)
        position = self.positions(np.asarray(values, dtype=float))
        missing = np.isnan(position)
        places = np.nan_to_num(position) * (len(stops) - 1)
        channels = [np.interp(places, np.arange(len(stops)), stops[:, i]) for i in range(3)]
        rgba = np.column_stack([*channels, np.full(len(places), 235)]).round().astype(np.int64)
        rgba[missing] = _NO_VALUE
        return rgba

    def gradient(self) -> str:
        """Return the scale's colours from low to high, as styles take them."""
        return ", ".join(f"rgb{stop}" for stop in _VIRIDIS)


def zone_names(place: Any) -> dict[str, str]:
    """Return the names of the zones by their ids, in their order; one used twice has its id."""
    ids, names = place.zones["zone_id"].astype(str), place.zones["name"].astype(str)
    rows = zip(ids, names, names.duplicated(keep=False), strict=True)
    return {id_: f"{name} ({id_})" if double else name for id_, name, double in rows}


def largest_flows(matrix: Numbers, count: int) -> tuple[Integers, Integers]:
    """Return origins and destinations of the largest flows above 0, smallest first.

    Drawn in this order, the largest lie on top. Ties go to the lower zone numbers.

    >>> origins, destinations = largest_flows(np.array([[0, 5], [9, 0]]), 1)
    >>> int(origins[0]), int(destinations[0])
    (1, 0)
    """
    flat = matrix.ravel()
    order = largest_positions(flat, count)
    chosen = order[flat[order] > 0][::-1]
    origins, destinations = np.unravel_index(chosen, matrix.shape)
    return origins.astype(np.int64), destinations.astype(np.int64)
