"""Origin–destination release straight from P2, plain and slow, independent of the engine."""

import math
from functools import cache


def algorithm_1(matrix, epsilon, max_trips_per_user, suppression_threshold, standard_noise):
    """Steps 2 and 3 of Algorithm 1 with given standard Laplace variates, cell by cell."""
    scale = max_trips_per_user / epsilon
    private = []
    for a, row in enumerate(matrix):
        private.append([])
        for b, count in enumerate(row):
            if a == b:
                private[-1].append(0)
                continue
            rounded = count + math.floor(standard_noise[a][b] * scale + 0.5)
            private[-1].append(rounded if rounded >= suppression_threshold else 0)
    return private


def matrices_of(people, zones, days, max_trips=None, *, per_day=True):
    """Daily matrices of people's trips, of each at most the first `max_trips` a day or in all."""
    matrices = [[[0] * zones for _ in range(zones)] for _ in range(days)]
    for trips in people:
        used = {}
        for day, origin, destination in trips:
            key = day if per_day else "all"
            used[key] = used.get(key, 0) + 1
            if max_trips is None or used[key] <= max_trips:
                matrices[day][origin][destination] += 1
    return matrices


def laplace_cdf(x, scale):
    return 0.5 * math.exp(x / scale) if x < 0 else 1 - 0.5 * math.exp(-x / scale)


@cache
def noise_pmf(rate, law, reach):
    """{z: P(Z = z)} for |z| ≤ reach, from the definition of each noise."""
    if law == "rounded_laplace":
        cdf = [laplace_cdf(z - 0.5, 1 / rate) for z in range(1 - reach, 1)]
        lower = {
            z: laplace_cdf(z + 0.5, 1 / rate) - cdf[z - 1 + reach] for z in range(1 - reach, 0)
        }
        # the upper half by symmetry: 1 − tiny loses digits
        return lower | {-z: p for z, p in lower.items()} | {0: 1 - 2 * laplace_cdf(-0.5, 1 / rate)}
    q = math.exp(-rate)
    return {z: (1 - q) / (1 + q) * q ** abs(z) for z in range(1 - reach, reach)}


def released_value(value, suppression_threshold):
    return value if value >= max(suppression_threshold, 1) else 0


def released_pmf(count, rate, suppression_threshold, law, reach):
    """{value: P(out = value)}."""
    outcome = {}
    for z, p in noise_pmf(rate, law, reach).items():
        value = released_value(count + z, suppression_threshold)
        outcome[value] = outcome.get(value, 0.0) + p
    return outcome


def mean_of(function, pmf):
    return math.fsum(p * function(value) for value, p in pmf.items())
