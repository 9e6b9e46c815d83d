import errno
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import shapely

from engine import datasets, synthetic
from engine.datasets import Dataset
from engine.errors import DatasetError
from engine.geography import projected_crs
from engine.synthetic import outlines
from engine.synthetic.__main__ import main
from engine.synthetic.catalogue import AFGHANISTAN_2015, COUNTRIES, RWANDA_2008
from engine.synthetic.country import CountrySpec, make_country
from engine.synthetic.countryplaces import gravity, make_country_places
from engine.synthetic.days import DayStore

SMALL = replace(
    RWANDA_2008,
    people=20_000,
    plan=replace(
        RWANDA_2008.plan,
        coarse_per_province=dict.fromkeys(RWANDA_2008.plan.coarse_per_province or {}, 2),
        fine=40,
    ),
    shock=replace(RWANDA_2008.shock, zone_id="RWA-3492-02") if RWANDA_2008.shock else None,
    outflow_shares={},
    bustle_factors={},
    mid_size_zone_id="RWA-3494-01",
)


def quiet(_: float) -> None:
    """Show nothing."""


@pytest.fixture(scope="module")
def coarse(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return make_country(SMALL, "coarse", tmp_path_factory.mktemp("a") / "coarse", quiet)


@pytest.fixture(scope="module")
def fine(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return make_country(SMALL, "fine", tmp_path_factory.mktemp("b") / "fine", quiet)


def matrices(dataset: Dataset) -> np.ndarray:
    zones = len(dataset.zones)
    total = np.zeros((len(dataset.metadata.days), zones, zones), dtype=np.int64)
    for day, matrix in enumerate(total):
        rows = dataset.trips.day(day)
        np.add.at(matrix, (rows.origin, rows.destination), rows.n)
    return total


def test_marginals_of_a_small_country(coarse: Dataset, fine: Dataset) -> None:
    for dataset, mean in ((coarse, SMALL.habits.coarse_trips), (fine, SMALL.habits.fine_trips)):
        assert dataset.homes is not None
        assert dataset.homes.sum() == SMALL.people
        assert matrices(dataset).sum() / SMALL.people == pytest.approx(mean, rel=0.05)
        assert dataset.trips.whole.n.sum() == dataset.trips_by_person.whole.n.sum()


def test_fine_trips_across_coarse_zones_are_the_coarse_trips(
    coarse: Dataset, fine: Dataset
) -> None:
    ids = list(coarse.zones["zone_id"])
    owner = np.array([ids.index(zone[: len(ids[0])]) for zone in fine.zones["zone_id"]])
    member = np.eye(len(ids), dtype=np.int64)[owner]
    summed = member.T @ matrices(fine) @ member
    summed[:, np.arange(len(ids)), np.arange(len(ids))] = 0
    np.testing.assert_array_equal(summed, matrices(coarse))


def test_trips_never_start_and_end_in_one_zone(coarse: Dataset, fine: Dataset) -> None:
    for dataset in (coarse, fine):
        assert np.all(dataset.trips.whole.origin != dataset.trips.whole.destination)
        assert np.all(
            dataset.trips_by_person.whole.origin != dataset.trips_by_person.whole.destination
        )


def test_fine_zones_partition_the_outline(fine: Dataset) -> None:
    crs = projected_crs(fine.zones)
    polygons = fine.zones.geometry.to_crs(crs).to_numpy()
    outline = outlines.provinces("rwanda_provinces").geometry.to_crs(crs).to_numpy()
    whole = shapely.area(shapely.union_all(outline))
    assert abs(shapely.area(polygons).sum() / whole - 1) < 1e-6
    left, right = shapely.STRtree(polygons).query(polygons, predicate="intersects")
    pairs = left < right
    overlaps = shapely.area(shapely.intersection(polygons[left[pairs]], polygons[right[pairs]]))
    assert overlaps.sum() < 1e-6 * whole


def test_shock_raises_and_fades_out_migration(tmp_path: Path) -> None:
    assert SMALL.shock is not None
    spec = replace(SMALL, people=60_000)
    calm = make_country(replace(spec, shock=None), "coarse", tmp_path / "calm", quiet)
    shaken = make_country(spec, "coarse", tmp_path / "shaken", quiet)
    zone = list(shaken.zones["zone_id"]).index("RWA-3492-02")
    leaving = matrices(shaken)[:, zone].sum(axis=1)
    assert leaving.sum() > 1.3 * matrices(calm)[:, zone].sum()
    assert leaving[:2].mean() > 1.3 * leaving[-2:].mean()
    assert shaken.metadata.scenario["shock"]["zone_ids"] == ["RWA-3492-02"]
    assert "shock" not in calm.metadata.scenario


def test_epidemic_origins_are_zones_and_the_largest_is_largest(fine: Dataset) -> None:
    origins = fine.metadata.scenario["epidemic_origins"]
    ids = list(fine.zones["zone_id"])
    assert set(origins) == {"largest", "mid_size", "random"}
    assert set(origins.values()) <= set(ids)
    assert fine.homes is not None
    assert fine.homes[ids.index(origins["largest"])] == fine.homes.max()


def test_nearer_provinces_exchange_more(coarse: Dataset) -> None:
    places = make_country_places(SMALL.plan)
    flows = matrices(coarse).sum(axis=0)
    away = ~np.eye(len(flows), dtype=bool)
    near = places.coarse_distances_km < np.median(places.coarse_distances_km[away])
    assert flows[near & away].mean() > 2 * flows[~near].mean()


def test_gravity_is_symmetric_and_meets_its_weights() -> None:
    rng = np.random.default_rng(3)
    weights = rng.uniform(1, 5, 12)
    places = rng.uniform(0, 200, (12, 2))
    offset = places[:, None] - places[None, :]
    flows = gravity(weights, np.hypot(offset[..., 0], offset[..., 1]), 3.0, 1.0, rng)
    np.testing.assert_allclose(flows, flows.T)
    np.testing.assert_allclose(flows.sum(axis=1), weights / weights.sum(), rtol=1e-6)
    assert np.all(np.diag(flows) == 0)


def test_repeated_province_names_are_told_apart() -> None:
    names = make_country_places(AFGHANISTAN_2015.plan).coarse["name"]
    assert names.is_unique
    assert sorted(name for name in names if "(" in name) == [
        "Parwan (AFG-1769)",
        "Parwan (AFG-1772)",
        "Uruzgan (AFG-1752)",
        "Uruzgan (AFG-1753)",
    ]


def test_interrupted_run_goes_on_where_it_stopped(
    coarse: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop_on_day_four(done: float) -> None:
        if done > 0.45:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_country(SMALL, "coarse", tmp_path / "coarse", stop_on_day_four)
    assert not (tmp_path / "coarse").exists()
    days: list[int] = []
    put = DayStore.put

    def note(self: DayStore, day: int, arrays: dict[str, np.ndarray]) -> None:
        days.append(day)
        put(self, day, arrays)

    monkeypatch.setattr(DayStore, "put", note)
    resumed = make_country(SMALL, "coarse", tmp_path / "coarse", quiet)
    assert days == [4, 5, 6]
    assert resumed.metadata.made_by.endswith("coarse")
    np.testing.assert_array_equal(matrices(resumed), matrices(coarse))
    assert [path.name for path in tmp_path.iterdir()] == ["coarse"]


def test_full_disk_is_cleaned_up_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replaced = os.replace

    def full_on_day_three(source: os.PathLike[str], target: os.PathLike[str]) -> None:
        if Path(target).name == "day-002.npz":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replaced(source, target)

    monkeypatch.setattr(os, "replace", full_on_day_three)
    with pytest.raises(DatasetError, match=r"disk is full.*free some space"):
        make_country(SMALL, "coarse", tmp_path / "coarse", quiet)
    assert list(tmp_path.iterdir()) == []


def test_full_disk_while_saving_leaves_the_old_dataset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = make_country(SMALL, "coarse", tmp_path / "coarse", quiet)

    def full(*_: object, **__: object) -> Dataset:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("engine.synthetic.country.datasets.save", full)
    with pytest.raises(DatasetError, match="disk is full"):
        make_country(replace(SMALL, seed=1), "coarse", tmp_path / "coarse", quiet)
    assert datasets.load(tmp_path / "coarse").folder == before.folder
    assert [path.name for path in tmp_path.iterdir()] == ["coarse"]


def test_damaged_day_is_made_again(tmp_path: Path) -> None:
    with DayStore(tmp_path / "set", "key") as store:
        store.put(0, {"keys": np.arange(3)})
        day = next(tmp_path.glob(".set.days/*.npz"))
        day.write_bytes(day.read_bytes()[:20])
        with pytest.raises(DatasetError, match="start again to go on"):
            store.get(0)
        assert not store.has(0)


def test_days_of_other_settings_are_not_used(tmp_path: Path) -> None:
    def interrupted() -> None:
        with DayStore(tmp_path / "set", "old") as store:
            store.put(0, {"keys": np.arange(3)})
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    with DayStore(tmp_path / "set", "old") as same:
        assert same.has(0)
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    with DayStore(tmp_path / "set", "new") as other:
        assert not other.has(0)


@pytest.fixture
def small_catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CountrySpec:
    monkeypatch.setenv("MOBILITY_DATA", str(tmp_path))
    monkeypatch.setitem(synthetic.ON_FIRST_USE, "afghanistan-2020-districts", (SMALL, "fine"))
    return SMALL


@pytest.mark.usefixtures("small_catalogue")
def test_large_dataset_is_made_on_first_use_and_kept(tmp_path: Path) -> None:
    seen: list[float] = []
    first = synthetic.ensure("afghanistan-2020-districts", seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    assert first.folder.is_relative_to(tmp_path / "local")
    again = synthetic.ensure("afghanistan-2020-districts", lambda _: pytest.fail("made twice"))
    assert again.folder == first.folder


def test_shipped_datasets_are_those_of_the_catalogue() -> None:
    shipped = {name for name in datasets.available() if datasets.describe(name).simulated}
    assert set(synthetic.shipped()) <= shipped
    assert set(COUNTRIES) <= set(synthetic.shipped())


@pytest.mark.usefixtures("small_catalogue")
def test_command_line_says_how_to_go_on_after_an_interruption(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(DayStore, "put", interrupt)
        assert main(["afghanistan-2020-districts"]) == 130
    assert "finished days are kept" in capsys.readouterr().err
    assert main(["afghanistan-2020-districts"]) == 0
    assert "MB" in capsys.readouterr().out
