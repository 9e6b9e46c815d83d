"""The oracle of ``research.methods``: a posterior that nothing beats in its own world."""

import numpy as np
import pytest
from scipy import stats

from engine.origin_destination.estimate.measurement import discrete_laplace
from engine.origin_destination.estimate.prediction import predict
from engine.origin_destination.estimate.reading import from_flow_back, read
from engine.origin_destination.estimate.statements import noise_variance
from research.methods.bound import World

ZONES, RATE = 9, 0.3


def some_city(seed=0):
    rng = np.random.default_rng(seed)
    place = rng.random((ZONES, 2)) * 1e4
    distances = np.hypot(*(place[:, None] - place).T)
    size = rng.lognormal(1.5, 0.7, ZONES)
    shared = np.triu(rng.gamma(0.5, 2, (ZONES, ZONES)), 1)
    true = rng.poisson(np.outer(size, size) * (shared + shared.T))
    return true, distances


def noise(rng):
    cells = discrete_laplace(rng.laplace(0, 1, (ZONES, ZONES)), RATE)
    return cells * (1 - np.eye(ZONES, dtype=np.int64))


def test_oracle_is_the_posterior_of_both_noisy_counts_of_a_pair():
    true, distances = some_city()
    mu = predict(true, 1e-9, distances)
    cells = true + noise(np.random.default_rng(1))
    _, mean = World(true, distances).read(cells, RATE)
    pairs = sorted(zip(*np.triu_indices(ZONES, 1), strict=True), key=lambda p: mu[p] * mu[p[::-1]])
    m = np.arange(400)
    for stratum in np.array_split(np.array(pairs), 10):
        for a, b in [*stratum, *stratum[:, ::-1]]:
            posterior = np.zeros(len(m))
            for c, d in [*stratum, *stratum[:, ::-1]]:
                there = mu[a, b] * true[c, d] / mu[c, d]
                back = mu[b, a] * true[d, c] / mu[d, c]
                seen = np.exp(-RATE * np.abs(m - max(cells[b, a], 0)))
                posterior += stats.poisson.pmf(m, there) * (stats.poisson.pmf(m, back) @ seen)
            posterior *= np.exp(-RATE * np.abs(m - max(cells[a, b], 0)))
            # the oracle's steps of intensity are 5%
            assert mean[a, b] == pytest.approx(posterior @ m / posterior.sum(), rel=0.05, abs=0.05)


def test_in_its_world_no_reading_is_better():
    true, distances = some_city()
    world, rng = World(true, distances), np.random.default_rng(2)
    errors = []
    for _ in range(25):
        dealt = world.deal(rng)
        cells = dealt + noise(rng)
        predicted = predict(cells, noise_variance(RATE), distances)
        ours, with_mu = (
            read(cells, RATE, from_flow_back(cells, RATE, mu)) for mu in (predicted, world.mu)
        )
        median, mean = world.read(cells, RATE)
        flows = [np.abs(x - dealt).mean() for x in (median, ours.typical, with_mu.typical, cells)]
        sums = [
            ((x.sum(axis=1) - dealt.sum(axis=1)) ** 2).mean()
            for x in (mean, ours.mean, with_mu.mean, cells)
        ]
        errors.append([flows, sums])
    for best, *others in np.mean(errors, axis=0):
        assert best < min(others)
