"""The shipped datasets and the seeds that make them."""

from datetime import date

import numpy as np
import shapely
from pyproj import CRS

from . import outlines
from .city import CitySpec
from .names import QUARTERS, QUARTIERS
from .visits import Activity


def _invented(rng: np.random.Generator) -> tuple[shapely.Geometry, CRS]:
    return outlines.invented_city(rng), outlines.invented_city_crs()


def _paris(rng: np.random.Generator) -> tuple[shapely.Geometry, CRS]:
    del rng  # the outline is given
    return outlines.natural_earth("paris")


DEMO_CITY = CitySpec(
    name="demo-city",
    description="An invented city: one week of visits and trips of the same simulated people",
    source="simulated people in an invented place",
    outline=_invented,
    zones=150,
    towers=200,
    people=50_000,
    activity=Activity(mean=16.0, standard_deviation=18.0, maximum=400),
    monday=date(2026, 6, 1),
    time_zone="UTC",
    with_trips=True,
    quarters=QUARTERS,
    seed=20260601,
)

PARIS = CitySpec(
    name="paris",
    description="Simulated people in the outline of Paris, calibrated to published marginals",
    source="simulated people; outline of the department from Natural Earth",
    outline=_paris,
    zones=989,
    towers=1303,
    people=1_992_846,
    activity=Activity(mean=13.55, standard_deviation=18.33, maximum=732),
    monday=date(2007, 9, 10),
    time_zone="Europe/Paris",
    with_trips=False,
    quarters=QUARTIERS,
    seed=20070910,
)

CITIES = {spec.name: spec for spec in (DEMO_CITY, PARIS)}
