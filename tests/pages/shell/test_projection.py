"""The view of a map holds its region at any width."""

import numpy as np
import pytest

from pages._ui.drawing.maps import WORLD, from_plane, to_plane, view_of

RWANDA = (28.86, -2.84, 30.90, -1.05)


@pytest.mark.parametrize("bounds", [RWANDA, (2.2, 48.8, 2.5, 48.95), (20.0, 60.0, 20.1, 69.0)])
@pytest.mark.parametrize(("width", "height"), [(640, 520), (310, 340)])
def test_a_view_holds_the_region_and_fills_one_side(bounds, width, height):
    view = view_of(bounds, width, height)
    west, south, east, north = bounds
    corners = to_plane(np.array([[west, south], [east, north]])) * WORLD * 2.0**view.zoom
    shares = np.abs(corners[1] - corners[0]) / (width, height)
    assert (shares <= 1).all()
    assert shares.max() > 0.9
    centre = to_plane(np.array([view.longitude, view.latitude])) * WORLD * 2.0**view.zoom
    assert centre == pytest.approx(corners.mean(axis=0), abs=2)


def test_the_plane_and_back():
    places = np.array([[28.86, -2.84], [2.35, 48.85], [-70.0, 64.0]])
    assert from_plane(to_plane(places)) == pytest.approx(places)
