"""The shipped datasets and the seeds that make them."""

from datetime import date

import numpy as np
import shapely
from pyproj import CRS

from engine.synthetic import outlines
from engine.synthetic.city import CitySpec
from engine.synthetic.visits import Activity


def _invented(rng: np.random.Generator) -> tuple[shapely.Geometry, CRS]:
    return outlines.invented_city(rng), outlines.invented_city_crs()


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
    seed=20260601,
)

CITIES = {spec.name: spec for spec in (DEMO_CITY,)}
