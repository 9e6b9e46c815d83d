"""Where the coordinates of raw rows lie, and whether they are swapped."""

from pathlib import Path

import pytest

from engine.errors import InputError
from engine.ingest.inputs.sources import inspect
from engine.ingest.look import area, seem_swapped
from engine.ingest.options import Reading
from tests.reference.ingest_inputs import write_csv

NAMES = {"uid": "uid", "datetime": "datetime", "lat": "lat", "lng": "lng"}


def test_the_area_leaves_single_points_far_away_out(tmp_path: Path) -> None:
    inside = [(20.651 + i / 10_000, -103.399 + i / 10_000) for i in range(400)]
    rows = [(i, "2015-09-07", *at) for i, at in enumerate([*inside, (0, 0)])]
    path = write_csv(tmp_path / "v.csv", tuple(NAMES), rows)
    assert area({inspect(path): NAMES}, Reading()) == (-103.4, 20.65, -103.35, 20.7)


def test_rows_without_coordinates_have_no_area(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "v.csv", tuple(NAMES), [("a", "2015-09-07", "x", "y")])
    with pytest.raises(InputError, match="no row has coordinates"):
        area({inspect(path): NAMES}, Reading())


@pytest.mark.parametrize(
    ("longitude", "latitude", "expected"),
    [(2.3, 48.8, False), (48.8, 2.3, True), (100.0, 30.0, False)],
)
def test_points_far_from_the_places_are_swapped_only_if_that_mends_them(
    longitude: float, latitude: float, expected: bool
) -> None:
    assert seem_swapped(longitude, latitude, (2.2, 48.7, 2.5, 49.0)) is expected
