"""A small map of the zones to build and the places in them, before anything is counted."""

import base64
from typing import Any

import numpy as np
import shapely

from engine.ingest.inputs.places import Places

_WIDTH, _HEIGHT = 640, 300
_MOST_DOTS = 3_000


def picture(places: Places) -> str:
    """Return zones and places as a small map with the degrees at its edges."""
    zones = places.zones.geometry
    west, south, east, north = places.towers.total_bounds
    box = zones.total_bounds
    west, south = min(west, box[0]), min(south, box[1])
    east, north = max(east, box[2]), max(north, box[3])
    stretch = float(np.cos(np.radians((south + north) / 2)))
    wide, high = max((east - west) * stretch, 1e-6), max(north - south, 1e-6)
    scale = min((_WIDTH - 20) / wide, (_HEIGHT - 20) / high)

    def flat(points: Any) -> Any:
        return np.column_stack(
            (10 + (points[:, 0] - west) * stretch * scale, 10 + (north - points[:, 1]) * scale)
        )

    tolerance = 1 / scale
    lines = [
        "M" + "L".join(f"{x:.0f} {y:.0f}" for x, y in flat(shapely.get_coordinates(ring))) + "Z"
        for shape in shapely.simplify(zones.to_numpy(), tolerance)
        for part in shapely.get_parts(shape)
        for ring in [shapely.get_exterior_ring(part)]
        if ring is not None
    ]
    dots = flat(shapely.get_coordinates(places.towers.geometry.to_numpy()))
    step = max(1, len(dots) // _MOST_DOTS)
    marks = "".join(f'<circle cx="{x:.0f}" cy="{y:.0f}" r="1.6"/>' for x, y in dots[::step])
    label = f"Zones and places, {south:.2f}° to {north:.2f}° north, {west:.2f}° to {east:.2f}° east"
    across, down = wide * scale + 20, high * scale + 20
    drawing = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{across:.0f}" height="{down:.0f}">'
        f'<path d="{"".join(lines)}" fill="#2a6f97" fill-opacity="0.12" stroke="#7a8794" '
        f'stroke-width="0.7"/><g fill="#d9972b">{marks}</g></svg>'
    )
    source = base64.b64encode(drawing.encode()).decode()
    return (
        f'<figure class="picture"><img src="data:image/svg+xml;base64,{source}" alt="{label}">'
        f"<figcaption>{label}</figcaption></figure>"
    )
