"""A dataset with several density weeks: one of them is chosen like a day."""

import shutil
from datetime import timedelta

import pyarrow.parquet as pq

from engine import datasets
from engine.datasets import growth
from engine.resolution import Resolution
from pages._ui.shell import catalogue

TABLES = ("truth", "presampled", "single_visit")


def test_a_week_is_chosen_and_shown_with_its_own_counts(
    data_root, tmp_path, monkeypatch, open_page
):
    shutil.copytree(data_root / "demo-city", tmp_path / "demo-city")
    monkeypatch.setenv("MOBILITY_DATA", str(tmp_path))
    first = datasets.load(tmp_path / "demo-city")
    read = {name: pq.read_table(first.folder / f"{name}.parquet") for name in TABLES}
    read["truth"] = read["truth"].slice(0, read["truth"].num_rows // 2)
    monday = first.metadata.week + timedelta(days=7)
    both = growth.grown(first, first.metadata, weeks={monday: read})
    assert both.weeks == (first.metadata.week, monday)
    assert 0 < both.at_week(monday).truth_by_tower.sum() < both.truth_by_tower.sum()

    entry = catalogue.entries()["demo-city"]
    assert entry.at_week(entry.metadata.week) is entry
    later = entry.at_week(monday).at(Resolution(hours="day-part"))
    assert later.metadata.week == monday
    assert later.key.name != entry.at(Resolution(hours="day-part")).key.name
    assert later.key.finest.open().truth_by_tower.sum() == read["truth"]["n"].to_numpy().sum()

    page = open_page("pages/1_Density.py")
    (week,) = [box for box in page.selectbox if box.label == "Week that begins on"]
    assert week.value == str(first.metadata.week)
    before = [one.value for one in page.metric] + [one.proto.body for one in page.get("html")]
    week.set_value(str(monday)).run()
    assert not page.exception, page.exception
    assert page.session_state["session"].texts["density_week"] == str(monday)
    assert [one.value for one in page.metric] + [
        one.proto.body for one in page.get("html")
    ] != before
