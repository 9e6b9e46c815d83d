"""No suppressed count can be computed back from all files of a bundle, unless sums are asked for.

The attacker reads every table, knows which sum of cells each column holds, and solves the linear
system of all of them.
"""

from dataclasses import replace

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
from scipy.linalg import null_space

from engine import origin_destination as od
from engine.origin_destination.mechanism import discrete_laplace
from engine.release import opendp_noise, plan
from tests.support.releases import flows, ours, seen, statement_of, view_of, written

FOUR = od.ODParameters(epsilon=1.0, max_trips_per_user=4, unit="person-day")
SPAN = {"zones": "clusters-9", "step": "whole", "first": 1, "last": 4, "span": 2}
SETTINGS = {
    "daily": seen(FOUR, zones="clusters-12", first=1, last=2),
    "coarse": seen(replace(FOUR, suppression_threshold=100), zones="clusters-9", step="week"),
    "whole": seen(replace(FOUR, suppression_threshold=100), zones="clusters-12", step="whole"),
    "span": seen(replace(FOUR, suppression_threshold=100), **SPAN),
    "trip": flows(unit="trip", zones="clusters-12", last=0),
    "person": flows(epsilon=0.5, unit="person", zones="clusters-12", step="whole"),
}
ENDS = ("low_95", "high_95")


@pytest.fixture
def draw(monkeypatch):
    """Return what writes a bundle with the noise of a seed, and the noisy cells of its matrices."""

    def write(setting, dataset, folder, change=None, **rest):
        rng, drawn = np.random.default_rng(5), []

        def noisy(counts, scale):
            cells = counts + discrete_laplace(rng.laplace(0, 1, counts.shape), 1 / scale)
            drawn.append(cells if change is None else change(cells))
            return drawn[-1]

        monkeypatch.setattr(opendp_noise, "discrete_laplace", noisy)
        written(setting, dataset, folder, **rest)
        zones = len(view_of(setting, dataset).zones)
        cells = np.zeros((len(drawn), zones, zones))
        cells[:, ~np.eye(zones, dtype=bool)] = drawn
        return cells

    return write


def tables(folder):
    """Return every table of a bundle by its name."""
    read = {".csv": pd.read_csv, ".parquet": pd.read_parquet, ".geojson": gpd.read_file}
    return {
        path.relative_to(folder).as_posix(): read[path.suffix](path)
        for path in sorted(folder.rglob("*"))
        if path.suffix in read
    }


def sums_of(name, column, table, shape, ids):
    """Return for each row of a column the weights of the cells that it adds up."""
    weights = np.zeros((len(table), *shape))
    where = {zone: number for number, zone in enumerate(ids)}
    ends = [
        table.get(end, table.get(other)) for end, other in (("origin", ""), ("dest", "destination"))
    ]
    when = table.get("date", table.get("period_from"))
    periods = [] if when is None else list(dict.fromkeys(when))
    for row in range(len(table)):
        if "zone_id" in table:
            at = where[table["zone_id"][row]]
            weights[row][(slice(None), at) if column.startswith("out") else (..., at)] = 1
            continue
        chosen = [
            slice(None) if end is None or end.isna()[row] else where[end[row]] for end in ends
        ]
        matrix = slice(None) if when is None else periods.index(when[row])
        weights[row][(matrix, *chosen)] = 1
        if "verdict" in table:
            weights[row] *= np.array([-1, 1])[:, None, None]
    weights[:, :, np.eye(shape[-1], dtype=bool)] = 0
    return weights


def equations(folder, cells, ids):
    """Return weights of cells and their sums, of every column that adds cells up in all its rows.

    Also where all rows differ from the sum by one number, a bar.
    """
    found = []
    for name, table in tables(folder).items():
        for column in table.columns:
            numbers = table[column]
            if not pd.api.types.is_numeric_dtype(numbers) or numbers.dtype == bool:
                continue
            part = table[numbers.notna()].reset_index(drop=True)
            if name.endswith("totals.csv"):
                part = part[part["flows"] == "all"].reset_index(drop=True)
            if name == "flowmap/locations.csv" or not len(part):
                continue
            weights = sums_of(name, column, part, cells.shape, ids)
            added = (weights * cells).sum(axis=(1, 2, 3))
            apart = part[column].to_numpy() - added
            if not apart.any() or (len(part) > 4 and np.ptp(apart) == 0):
                found.append((weights.reshape(len(part), -1), added))
    return found


def computed_back(folder, cells, least, ids):
    """Return the hidden cells that all files together determine, with their values."""
    hidden = np.flatnonzero((cells < least) & ~np.eye(cells.shape[-1], dtype=bool))
    assert len(hidden)
    rows = np.concatenate([weights for weights, _ in equations(folder, cells, ids)])[:, hidden]
    rows = np.unique(rows[rows.any(axis=1)], axis=0)
    free = null_space(rows) if len(rows) else np.eye(len(hidden))
    known = hidden[np.abs(free).max(axis=1, initial=0) < 1e-9]
    return dict(zip(known.tolist(), cells.ravel()[known].tolist(), strict=True))


@pytest.mark.parametrize("name", SETTINGS)
def test_all_files_together_give_suppressed_counts_away_only_with_sums(demo, tmp_path, draw, name):
    """With the switch on the attack finds at least four of them, exactly: so it works."""
    setting = SETTINGS[name]
    least, ids = setting.parameters.min_shown_count, list(view_of(setting, demo).zones["zone_id"])
    cells = draw(setting, demo, tmp_path / "sums", sums_before_suppression=True)
    found = computed_back(tmp_path / "sums", cells, least, ids)
    assert len(found) == (cells < least).sum() - 9 if name == "coarse" else len(found) >= 4
    folder = tmp_path / "a"
    assert (draw(setting, demo, folder) == cells).all()
    assert computed_back(folder, cells, least, ids) == {}
    zones = gpd.read_parquet(folder / "zones.parquet")
    assert list(zones.columns) == ["zone_id", "name", "geometry"]
    assert list(gpd.read_file(folder / "zones.geojson").columns) == list(zones.columns)
    hidden = (cells < least)[:, ~np.eye(cells.shape[-1], dtype=bool)].ravel().tolist()
    for table in (pd.read_csv(folder / "flows.csv"), pd.read_parquet(folder / "flows.parquet")):
        assert table["suppressed"].tolist() == hidden
        for column in ("flow", *ENDS):
            assert table[column].isna().tolist() == hidden
    assert_same_with_other_hidden_counts(setting, demo, tmp_path, draw)


def assert_same_with_other_hidden_counts(setting, demo, tmp_path, draw):
    """All files are the same, byte by byte, but verdicts on totals."""
    least, rng = setting.parameters.min_shown_count, np.random.default_rng(0)

    def other(cells):
        return np.where(cells < least, least - 1 - rng.integers(0, 30, cells.shape), cells)

    draw(setting, demo, tmp_path / "b", change=other)
    names = [path.relative_to(tmp_path / "a") for path in (tmp_path / "a").rglob("*.*")]
    assert len(names) >= 8
    for path in names:
        first, second = ((tmp_path / side / path).read_bytes() for side in "ab")
        if path.name != "change.csv":
            assert first == second, path
    if (tmp_path / "a" / "change.csv").exists():
        first, second = (pd.read_csv(tmp_path / side / "change.csv") for side in "ab")
        assert set(first["of"]) == {"flow", "out", "in", "all"}
        flow = first["of"] == "flow"
        pd.testing.assert_frame_equal(first[flow], second[flow])
        numbers = ["change", *ENDS]
        for table in (first, second):
            assert table.loc[~flow, numbers].isna().all(axis=None)


def test_the_statement_says_which_numbers_the_files_hold(demo):
    """A bar of zones' totals and a warning about them stand only where totals are written."""
    setting = SETTINGS["daily"].with_epsilon(0.06)
    for sums in (False, True):
        planned = plan(setting, demo, sums_before_suppression=sums)
        said = statement_of(demo, planned)
        rows, text = [row["what"] for row in said["accuracy"]], " ".join(said["warnings"])
        assert any("trips out of one zone" in row for row in rows) == sums
        assert ("Small zone totals can be negative" in text) == sums
        assert ("Do not add up flows.csv" in text) == (not sums)
        assert ("Add up zones.parquet instead of flows.csv" in text) == sums
        assert ("none of these can be computed back" in said["items"]["bias"]) == (not sums)
        assert ("the noise protects, not τ" in said["items"]["bias"]) == sums
        assert ("not the threshold τ = " in text) == sums
        assert said["sums_before_suppression"] is sums
    unsuppressed = replace(setting, parameters=replace(FOUR, suppression_threshold=1))
    for kept in (unsuppressed, ours(setting)):  # nothing is secret that sums could give away
        assert plan(kept, demo) == plan(kept, demo, sums_before_suppression=True)
        assert plan(kept, demo).has_sums
        assert statement_of(demo, plan(kept, demo))["sums_before_suppression"] is None
