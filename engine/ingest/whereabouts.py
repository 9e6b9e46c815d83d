"""Where the coordinates of raw rows lie, before a build: their area, and whether they are swapped.

**Confidential**: read from the data and for its custodians alone.
"""

import math

from engine.errors import InputError
from engine.ingest import look
from engine.ingest.backends.embedded import DuckDBEngine
from engine.ingest.counting import rows
from engine.ingest.inputs import guess
from engine.ingest.inputs.mapping import Mappings
from engine.ingest.progress import Monitor
from engine.ingest.reading import Reading

Area = tuple[float, float, float, float]
"""West, south, east and north in degrees."""

SHARE_WITHIN = 0.99
"""Share of the rows that `area` leaves between its edges in each direction: single points at 0° or
in another country do not stretch it."""
_STEP_DEGREES = 0.05
_NEAR_DEGREES = 1.0


def area(mappings: Mappings, given: Reading) -> Area:
    """Return the area in which nearly all coordinates of the rows lie, in steps of 0.05 degrees.

    Raises
    ------
    InputError
        If no row has coordinates that can be read.
    """
    engine = DuckDBEngine(look.options("UTC"), list(mappings), Monitor())
    try:
        reader = look.reader(guess.complete(mappings, given), "UTC")
        points = rows.distinct_points(rows.read_all(engine, mappings), reader)
        rest = (1 - SHARE_WITHIN) / 2
        edges = {
            f"{name}_{end}": points[name].quantile(share)
            for name in ("lng", "lat")
            for end, share in (("low", rest), ("high", 1 - rest))
        }
        quantiles = engine.fetch(points.aggregate(**edges)).to_pylist()[0]
    finally:
        engine.close()
    if quantiles["lng_low"] is None:
        raise InputError(
            "no row has coordinates that can be read",
            remedy="choose the columns of coordinates and the decimal mark",
            code="unparsable",
            settings=("mapping", "decimal"),
        )
    west, south = (_down(quantiles[name]) for name in ("lng_low", "lat_low"))
    east, north = (-_down(-quantiles[name]) for name in ("lng_high", "lat_high"))
    return west, south, max(east, west + _STEP_DEGREES), max(north, south + _STEP_DEGREES)


def seem_swapped(longitude: float, latitude: float, within: Area | None = None) -> bool:
    """Return whether a point's longitude and latitude seem to be the wrong way round.

    Parameters
    ----------
    longitude, latitude : float
        Of the point, in degrees, as they were chosen.
    within : Area or None
        Where the places or zones lie, if that is known.

    Examples
    --------
    >>> seem_swapped(20.67, -103.35), seem_swapped(-103.35, 20.67)
    (True, False)
    >>> seem_swapped(48.8, 2.3, within=(2.2, 48.7, 2.5, 49.0))
    True
    """
    if abs(latitude) > 90:
        return abs(longitude) <= 90
    if within is None:
        return False
    return not _near(longitude, latitude, within) and _near(latitude, longitude, within)


def _near(longitude: float, latitude: float, within: Area) -> bool:
    west, south, east, north = within
    across = west - _NEAR_DEGREES <= longitude <= east + _NEAR_DEGREES
    return across and south - _NEAR_DEGREES <= latitude <= north + _NEAR_DEGREES


def _down(degrees: float) -> float:
    return round(math.floor(degrees / _STEP_DEGREES) * _STEP_DEGREES, 2)
