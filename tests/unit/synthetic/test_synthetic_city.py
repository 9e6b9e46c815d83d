import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import geopandas as gpd
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely

from engine import synthetic
from engine.datasets import Dataset, daily
from engine.errors import DatasetError, ParameterError
from engine.geography import projected_crs
from engine.synthetic import outlines
from engine.synthetic.__main__ import main
from engine.synthetic.catalogue import DEMO_CITY
from engine.synthetic.city import CitySpec, make_city, make_places

MAKE_TINY = """
import sys
from pathlib import Path
from dataclasses import replace
from engine.synthetic.catalogue import DEMO_CITY
from engine.synthetic.city import make_city
spec = replace(DEMO_CITY, name="tiny-city", towers=40, zones=30, people=2_000)
print(make_city(spec, Path(sys.argv[1]) / "tiny-city", lambda _: None).folder.name)
"""


def test_tables_fit_each_other(tiny_city: Dataset) -> None:
    people = tiny_city.metadata.people_public
    truth = tiny_city.truth_by_tower
    presampled = tiny_city.presampled_by_tower(168)
    assert truth.shape == (40, 168)
    assert tiny_city.single_visit_by_tower.sum() == people
    assert tiny_city.homes is not None
    assert tiny_city.homes.sum() == people
    assert np.all(presampled.sum(axis=0) <= truth.sum(axis=0))
    assert people < presampled.sum() < truth.sum()
    assert tiny_city.presampled_by_tower(1).sum() == people
    assert tiny_city.trips.whole.n.sum() == tiny_city.trips_by_person.whole.n.sum() > people
    assert np.all(np.diff([tiny_city.presampled_by_tower(limit).sum() for limit in (1, 5, 30)]) > 0)


def test_same_seed_same_contents_in_another_process(tiny_city: Dataset, tmp_path: Path) -> None:
    process = subprocess.run(
        [sys.executable, "-c", MAKE_TINY, str(tmp_path)], check=True, capture_output=True, text=True
    )
    assert process.stdout.strip() == tiny_city.folder.name


def test_another_seed_gives_other_people(
    tiny_city: Dataset, tiny_city_spec: CitySpec, tmp_path: Path
) -> None:
    other = make_city(replace(tiny_city_spec, seed=7), tmp_path / "other", lambda _: None)
    assert not np.array_equal(other.truth_by_tower, tiny_city.truth_by_tower)


def test_zones_partition_the_outline_and_towers_lie_inside(
    tiny_city: Dataset, tiny_city_spec: CitySpec
) -> None:
    region, crs = tiny_city_spec.outline(np.random.default_rng(tiny_city_spec.seed))
    polygons = tiny_city.zones.geometry.to_crs(crs).to_numpy()
    whole = shapely.area(region)
    assert abs(shapely.area(polygons).sum() / whole - 1) < 1e-6
    left, right = shapely.STRtree(polygons).query(polygons, predicate="intersects")
    pairs = left < right
    overlaps = shapely.area(shapely.intersection(polygons[left[pairs]], polygons[right[pairs]]))
    assert overlaps.sum() < 1e-6 * whole
    towers = tiny_city.towers.geometry.to_crs(crs).to_numpy()
    assert np.all(shapely.distance(towers, region) < 0.01)


def test_no_trip_starts_and_ends_in_one_zone(tiny_city: Dataset) -> None:
    for trips in (tiny_city.trips.whole, tiny_city.trips_by_person.whole):
        assert len(trips.n) > 0
        assert np.all(trips.origin != trips.destination)
        assert np.all(trips.n > 0)


def test_no_table_holds_a_persons_id(tiny_city: Dataset) -> None:
    allowed = {
        "zones": {"zone_id", "name", "geometry"},
        "towers": {"location_id", "name", "geometry"},
        "truth": {"location_id", "hour", "n"},
        "presampled": {"location_id", "hour", "rank", "n"},
        "zoom_towers": {"location_id", "hour", "n"},
        "zoom_districts": {"district", "hour", "n"},
        "zoom_city": {"clip_squared", "hour", "n"},
        "zoom_weeks": {"location_id", "n"},
        "zoom_total": {"cap", "n"},
        "single_visit": {"location_id", "n"},
        "homes": {"zone_id", "n"},
        "report": {"measure", "cap", "bin", "n"},
        **{f"{name}_days": set(daily.File._fields) for name in daily.NAMES},
    }
    columns = {p.stem: set(pq.read_schema(p).names) for p in tiny_city.folder.glob("*.parquet")}
    assert columns == allowed
    for path in tiny_city.folder.glob("*/*.arrow"):
        assert set(pa.ipc.open_file(path).schema.names) == {"origin", "destination", "rank", "n"}


def test_neighbours_are_alike_and_shuffled_places_are_not(
    tiny_city_spec: CitySpec, tmp_path: Path
) -> None:
    spec = replace(tiny_city_spec, towers=200, people=5_000)
    city = make_city(spec, tmp_path / "city", lambda _: None)
    towers = city.towers.geometry.to_crs(projected_crs(city.zones))
    places = shapely.get_coordinates(towers.to_numpy())
    activity = city.truth_by_tower.sum(axis=1)
    independent = np.random.default_rng(0).permutation(activity)
    assert moran_z(places, activity) > 5.0
    assert moran_z(places, independent) < 3.0


def moran_z(places: np.ndarray, values: np.ndarray) -> float:
    """Moran's I over 5 nearest neighbours, in standard deviations of random permutations."""
    offset = places[:, None] - places[None, :]
    distance = np.hypot(offset[..., 0], offset[..., 1])
    near = np.argsort(distance, axis=1)[:, 1:6]

    def moran(x: np.ndarray) -> float:
        z = x - x.mean()
        return float((z[:, None] * z[near]).mean() / (z @ z / len(z)))

    rng = np.random.default_rng(1)
    chance = [moran(rng.permutation(values)) for _ in range(500)]
    return (moran(values) - float(np.mean(chance))) / float(np.std(chance))


def test_activity_is_least_at_four_in_the_morning(tiny_city: Dataset) -> None:
    by_hour = tiny_city.truth_by_tower.sum(axis=0).reshape(7, 24).sum(axis=0)
    assert by_hour.argmin() == 4


def test_river_divides_the_invented_city(tiny_city_spec: CitySpec) -> None:
    banks = outlines.invented_city(np.random.default_rng(tiny_city_spec.seed))
    assert banks.geom_type == "MultiPolygon"
    zones = make_places(tiny_city_spec).zones
    assert set(zones.geometry.geom_type) == {"Polygon"}
    assert isinstance(zones, gpd.GeoDataFrame)


def test_names_are_distinct(tiny_city: Dataset) -> None:
    assert tiny_city.zones["name"].is_unique
    assert tiny_city.towers["name"].is_unique


def test_unknown_name_lists_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(DatasetError, match="known are demo-city"):
        synthetic.make("atlantis")
    assert main(["atlantis"]) == 2
    assert "known are demo-city" in capsys.readouterr().err


@pytest.mark.parametrize(
    "few", [{"towers": 1}, {"zones": 1}, {"people": 0}, {"towers": 2.5}, {"people": float("nan")}]
)
def test_a_city_without_anywhere_to_go_or_anybody_is_refused(few):
    (name,) = few
    with pytest.raises(ParameterError, match=rf"{name} must be a whole number .* a city needs"):
        replace(DEMO_CITY, **few)
