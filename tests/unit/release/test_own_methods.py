"""Our own methods released: what their measurements cost adds up to what is charged."""

import numpy as np
import pyarrow.parquet as pq
import pytest

from engine import datasets, origin_destination as od
from engine.origin_destination import estimate
from engine.origin_destination.estimate import measurement
from engine.release import noise
from tests.support.releases import ours, zoom


def test_the_tables_of_zoom_add_up_to_what_is_charged(demo, tmp_path, monkeypatch):
    """By OpenDP's own maps, from the σ that were drawn with; with noise × 0.8 they would not."""
    drawn: list[tuple[int, float]] = []

    def record(counts, sigma):
        drawn.append((counts.size, sigma))
        return counts

    monkeypatch.setattr(noise, "discrete_gaussian", record)
    product = zoom(epsilon=1.0, delta=1e-7)
    product.write(demo, tmp_path, lambda share: None)
    plan = product.plan(demo)  # states noise and sensitivity in visits, as its error bars are
    assert plan.scale == pytest.approx(drawn[1][1] / 1024)
    assert plan.sensitivity == pytest.approx(10**0.5)
    tables = demo.zoom_tables
    sizes = [1, tables.towers.size, tables.districts.size, tables.city[0].size, tables.weeks.size]
    assert [size for size, _ in drawn] == sizes
    clips = [1024 * c for c in (10**0.5, 10**0.5, city_clip(demo), 10**0.5)]
    for visits in (1, 84, 420, 840):
        room = (1 - 63 / 64 * (visits / 840) ** 2) ** 0.5
        changes = [visits, *(clip * room for clip in clips)]
        rho = sum(
            noise.gaussian_rho(change, sigma)
            for change, (_, sigma) in zip(changes, drawn, strict=True)
        )
        assert noise.zcdp_epsilon(rho * (1 - 1e-12), 1e-7) <= 1.0
        assert rho == pytest.approx(noise.zcdp_strength(1.0, 1e-7) ** 2 / 2, rel=1e-9)
        assert noise.zcdp_epsilon(rho / 0.8**2, 1e-7) > 1.2


def city_clip(dataset):
    """Return the clip of the city's table where no noise moves the number of visits."""
    strength = noise.zcdp_strength(1.0, 1e-7)
    tables = dataset.zoom_tables
    clips, bearable = np.sqrt(tables.clips.city), 0.02 * tables.visits / 168
    return float(clips[clips / (strength * 0.11**0.5) <= bearable].max(initial=clips[0]))


def test_the_two_measurements_of_estimate_add_up_to_what_is_charged(tmp_path, monkeypatch):
    scales: list[float] = []

    def record(counts, scale):
        scales.append(scale)
        return counts

    monkeypatch.setattr(noise, "discrete_laplace", record)
    rwanda = datasets.load("rwanda-districts")
    product = ours(od.ODParameters(epsilon=1.0, max_trips_per_user=4), days=(0,))
    assert "together ε = 1" in product.plan(rwanda).proof
    product.write(rwanda, tmp_path, lambda share: None)
    cells, count = scales
    stated = noise.laplace_epsilon(4, cells) + noise.laplace_epsilon(20, count)
    assert stated <= 1.0
    assert stated == pytest.approx(1.0, rel=1e-9)


def test_a_day_is_in_memory_at_a_time_and_noisy_cells_wait_in_a_file(tmp_path, monkeypatch):
    rwanda, asked, measured = datasets.load("rwanda-districts"), [], []
    kept, read_days = measurement.kept, estimate.read_days
    monkeypatch.setattr(
        measurement, "kept", lambda *args, days, **how: asked.append(days) or kept(*args, days=days)
    )
    monkeypatch.setattr(
        estimate, "read_days", lambda cells, far: measured.append(cells) or read_days(cells, far)
    )
    product = ours(od.ODParameters(epsilon=1.0, max_trips_per_user=4), days=(5, 2, 3))
    product.write(rwanda, tmp_path, lambda share: None)
    assert asked == [(5,), (2,), (3,)] * 2, "the cells, then the number of trips"
    assert isinstance(measured[0].cells.base, np.memmap)
    written = pq.read_table(tmp_path / "flows.parquet")["measured"].to_numpy()
    off = ~np.eye(len(rwanda.zones), dtype=bool)
    assert written.tolist() == measured[0].cells[:, off].ravel().tolist()
    assert len(list(tmp_path.iterdir())) == 5, "that file has no name"
