"""Our own methods: one reading at full size, and against the plain code of the tests."""

import numpy as np

from benchmarks.measure import Row, bounded, cpu_seconds
from engine import datasets
from engine.arrays import Floats, Integers
from engine.datasets import Dataset
from engine.density.gaussian import gaussian_strength
from engine.density.zoom.measure import ZoomNoise, measure
from engine.density.zoom.reading import read
from engine.density.zoom.tree import Tree, build_tree
from engine.origin_destination import sums
from engine.origin_destination.estimate import reading
from tests.reference import estimate_reference, zoom_reference

ZONES, SMALL, RATES = 421, 10, (0.1, 0.3, 1.0)
TRIPS_A_ZONE = 100
ZOOM_LIMIT, ESTIMATE_LIMIT = 0.1, 0.15


def rows() -> list[Row]:
    return [*zoom_rows(), *estimate_rows()]


def zoom_rows() -> list[Row]:
    """Paris from its true tables to the reading; the plain code reads demo-city."""
    table: list[Row] = []
    paris, _, noise, tree = _city("paris")
    for epsilon in (0.1, 1.0):
        strength = gaussian_strength(epsilon, 1e-7)
        whole = cpu_seconds(lambda s=strength: read(measure(paris.zoom_tables, s, noise.add), tree))
        what = f"measure and read Paris by zoom, ε {epsilon:g}"
        table.append(bounded(what, whole, ZOOM_LIMIT, "CPU"))
    demo, positions, noise_of_demo, demo_tree = _city("demo-city")
    noisy = measure(demo.zoom_tables, gaussian_strength(1.0, 1e-7), noise_of_demo.add)
    ours = cpu_seconds(lambda: read(noisy, demo_tree))
    plain = cpu_seconds(lambda: zoom_reference.read(noisy, positions), 1)
    return [*table, Row("read demo-city by zoom, against plain loops", ours, plain, note="CPU")]


def _city(name: str) -> tuple[Dataset, Floats, ZoomNoise, Tree]:
    city = datasets.load(name)
    positions = city.towers.geometry.get_coordinates().to_numpy()
    tree = build_tree(positions)
    districts = int(tree.districts.max()) + 1
    noise = ZoomNoise.draw(np.random.default_rng(0), len(positions), districts)
    return city, positions, noise, tree


def estimate_rows() -> list[Row]:
    """One noisy matrix; the plain code reads a small one."""
    table: list[Row] = []
    for rate in RATES:
        cells, distances_m = noisy_matrix(ZONES, rate)
        seconds = cpu_seconds(lambda r=rate, c=cells, d=distances_m: _read(c, r, d), 10)
        what = f"read one matrix of {ZONES}² by estimate, ε {rate:g}"
        table.append(bounded(what, seconds, ESTIMATE_LIMIT, "CPU"))
    rate = RATES[-1]
    cells, distances_m = noisy_matrix(SMALL, rate)
    variance = sums.noise_variance(rate)

    def plainly() -> None:
        mu = estimate_reference.predict(cells, variance, distances_m)
        most = int(cells.max()) + 43
        flat = {pair: (trips, 1.0) for pair, trips in mu.items()}
        behind = estimate_reference.intensity(cells, rate, flat, most)
        back = {
            (a, b): (trips * mu[b, a] / mu[a, b], own) for (a, b), (trips, own) in behind.items()
        }
        expected = {(b, a): known for (a, b), known in back.items()}
        estimate_reference.read_expected(cells, rate, expected, most)

    ours = cpu_seconds(lambda: _read(cells, rate, distances_m))
    plain = cpu_seconds(plainly, 1)
    what = f"read one matrix of {SMALL}² by estimate, against plain loops"
    return [*table, Row(what, ours, plain, note="CPU")]


def _read(cells: Integers, rate: float, distances_m: Floats) -> None:
    reading.read(cells, rate, reading.expected_alone(cells, rate, distances_m))


def noisy_matrix(zones: int, rate: float) -> tuple[Integers, Floats]:
    """Return trips of zones of unequal size, few between far ones, with noise; and distances."""
    rng = np.random.default_rng(0)
    places = rng.uniform(0, 300_000, (zones, 2))
    distances_m = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
    size = rng.lognormal(0.0, 1.3, zones)
    flow = np.outer(size, size) / (10_000 + distances_m) ** 1.5
    np.fill_diagonal(flow, 0.0)
    chance = 1 - np.exp(-rate)
    noise = rng.geometric(chance, flow.shape) - rng.geometric(chance, flow.shape)
    cells = rng.poisson(flow * (TRIPS_A_ZONE * zones / flow.sum())) + noise
    np.fill_diagonal(cells, 0)
    return cells, distances_m
