"""A flow on a map shows which way it goes, and there and back lie apart."""

import numpy as np
import shapely

from pages._ui.drawing.arrows import arrows

RNG = np.random.default_rng(0)
START, END = RNG.uniform(0, 500, (40, 2)), RNG.uniform(0, 500, (40, 2))
WIDTHS = RNG.uniform(0.7, 5.0, 40)


def test_the_tip_is_at_the_destination_and_the_head_is_the_widest_part():
    for outline, start, end, width in zip(
        arrows(START, END, WIDTHS), START, END, WIDTHS, strict=True
    ):
        assert np.linalg.norm(outline - end, axis=1).min() == 0
        arrow = shapely.Polygon(outline)
        assert arrow.is_valid
        assert arrow.distance(shapely.Point(start)) < width
        half = shapely.LineString([start, end]).length / 2
        near_end = arrow.intersection(shapely.Point(end).buffer(half)).area
        near_start = arrow.intersection(shapely.Point(start).buffer(half)).area
        assert near_end > near_start


def test_there_and_back_are_two_arrows_apart():
    there, back = arrows(START, END, WIDTHS), arrows(END, START, WIDTHS)
    for one, other, start, end in zip(there, back, START, END, strict=True):
        middle = shapely.Point((start + end) / 2).buffer(0.2 * np.linalg.norm(end - start))
        both = shapely.Polygon(one).intersection(shapely.Polygon(other))
        assert both.intersection(middle).area == 0


def test_two_zones_with_one_centre_draw_nothing_that_breaks():
    assert np.isfinite(arrows(START[:1], START[:1], WIDTHS[:1])).all()
