"""`estimate` in plain slow Python: one cell at a time, every sum written out."""

import math

import numpy as np


def noise_pmf(z, rate):
    q = math.exp(-rate)
    return (1 - q) / (1 + q) * q ** abs(z)


def noise_tail(z, rate):
    """P(|Z| > z), by summing."""
    return 1 - sum(noise_pmf(j, rate) for j in range(-z, z + 1))


def total_reach(rate, cells, confidence, support):
    """The least z with P(|S| ≤ z) ≥ confidence, by convolving the law of one cell `cells` times."""
    one = np.array([noise_pmf(z, rate) for z in range(-support, support + 1)])
    law = np.array([1.0])
    for _ in range(cells):
        law = np.convolve(law, one)
    middle = len(law) // 2
    z = 0
    while law[middle - z : middle + z + 1].sum() < confidence:
        z += 1
    return z


def certain_flows(cells, rate, level):
    """Benjamini–Hochberg as it stands in the paper: the largest k with p_(k) ≤ level·k/N."""
    zones = len(cells)
    pairs = [(a, b) for a in range(zones) for b in range(zones) if a != b]
    q = math.exp(-rate)
    p = {pair: q ** cells[pair] / (1 + q) if cells[pair] >= 1 else 1.0 for pair in pairs}
    ordered = sorted(p.values())
    passed = [v for k, v in enumerate(ordered, 1) if v <= level * k / len(pairs)]
    bound = max(passed, default=-1.0)
    return [[a != b and p[a, b] <= bound for b in range(zones)] for a in range(zones)]


def spread_poisson(m, intensity, shape=25.0):
    """P(M = m), M Poisson with a gamma intensity."""
    share = intensity / (intensity + shape)
    log_binomial = math.lgamma(m + shape) - math.lgamma(shape) - math.lgamma(m + 1)
    return math.exp(log_binomial + shape * math.log(1 - share) + m * math.log(share))


def read_once(cells, rate, prediction, most):
    """(mean, low, high, empty) of every off-diagonal cell; counts run from 0 to `most`."""
    zones = len(cells)
    pairs = [(a, b) for a in range(zones) for b in range(zones) if a != b]
    steps = {pair: round(math.log(prediction[pair]) / 0.3 * 8) / 8 for pair in pairs}
    theta = range(-20, 21)
    zeta = sum((1 + m) ** -1.5 for m in range(10**6)) + 2 / math.sqrt(10**6)
    tail = [(1 + m) ** -1.5 / zeta for m in range(most + 1)]

    pmf = {}
    for j in range(math.floor(min(steps.values())) - 25, math.ceil(max(steps.values())) + 26):
        pmf[j] = [spread_poisson(m, math.exp(0.3 * j)) for m in range(most + 1)]

    def chance(y, law):
        """P(y), with the noise on both sides of 0."""
        return sum(p * noise_pmf(y - m, rate) for m, p in enumerate(law))

    likelihood = {
        pair: [0.999 * chance(cells[pair], pmf[round(steps[pair]) + k]) for k in theta]
        for pair in pairs
    }
    of_tail = {pair: 0.001 * chance(cells[pair], tail) for pair in pairs}

    def fit(weights):
        return sum(
            math.log(sum(w * p for w, p in zip(weights, likelihood[c], strict=True)) + of_tail[c])
            for c in pairs
        )

    laws = [[float(k == 0) for k in theta]]
    for spread in (0.3 * i for i in range(1, 10)):
        law = [math.exp(-((0.3 * k + spread**2 / 2) ** 2) / (2 * spread**2)) for k in theta]
        laws.append([p / sum(law) for p in law])
    weights = max(laws, key=fit)

    def posterior(y, level):
        """(mean, 5%, 95%, P(0)) with log μ = 0.3·level, level whole."""
        law = [
            0.999 * sum(w * pmf[level + k][m] for w, k in zip(weights, theta, strict=True))
            + 0.001 * tail[m]
            for m in range(most + 1)
        ]
        joint = [p * noise_pmf(y - m, rate) for m, p in enumerate(law)]
        joint = [p / sum(joint) for p in joint]
        below = np.cumsum(joint)
        low, high = (next(m for m in range(most + 1) if below[m] >= p) for p in (0.05, 0.95))
        return np.array([sum(m * p for m, p in enumerate(joint)), low, high, joint[0]])

    known = {}

    def at(pair, shift):
        level = steps[pair] + shift
        whole = math.floor(level)
        ends = []
        for j in (whole, whole + 1):
            key = (cells[pair], j)
            if key not in known:
                known[key] = posterior(*key)
            ends.append(known[key])
        return ends[0] * (1 - level + whole) + ends[1] * (level - whole)

    target = max(sum(cells[pair] for pair in pairs), 1e-3)
    below, above = -3.0, 3.0
    for _ in range(40):
        middle = (below + above) / 2
        if sum(at(pair, middle)[0] for pair in pairs) < target:
            below = middle
        else:
            above = middle
    found = {pair: at(pair, (below + above) / 2) for pair in pairs}
    reach = 0
    while noise_tail(reach, rate) > 0.05 / len(pairs):
        reach += 1
    for pair, values in found.items():
        y = max(cells[pair], 0)
        values[0] = min(max(values[0], y - reach), y + reach)
        values[1], values[2] = math.floor(values[1] + 1e-9), math.ceil(values[2] - 1e-9)
    return found


def predict(cells, variance, distances):
    """The gravity prediction, in loops."""
    zones = len(cells)
    pairs = [(a, b) for a in range(zones) for b in range(zones) if a != b]
    out = [sum(cells[a, b] for b in range(zones) if b != a) for a in range(zones)]
    into = [sum(cells[b, a] for b in range(zones) if b != a) for a in range(zones)]
    noise = variance * (zones - 1)
    both = _positive([(o + i) / 2 for o, i in zip(out, into, strict=True)], noise / 2)
    for z in range(zones):
        apart = out[z] - into[z]
        believed = max(0.0, 1 - 6 * noise / max(apart**2, 1))
        tilt = min(max(believed * apart / (2 * both[z]), -0.95), 0.95)
        out[z], into[z] = both[z] * (1 + tilt), both[z] * (1 - tilt)
    scale = sum(out) / sum(into)
    into = [i * scale for i in into]

    edges = sorted(
        {float(np.quantile([distances[p] for p in pairs], k / 12)) for k in range(1, 12)}
    )
    farthest = max(distances[p] for p in pairs)
    band = {p: sum(e < distances[p] for e in edges if e < farthest) for p in pairs}
    bands = range(max(band.values()) + 1)

    def fitted(band_trips):
        g, rows, columns = dict.fromkeys(pairs, 1.0), [1.0] * zones, [1.0] * zones
        wanted = sum(out) / sum(band_trips)
        for _ in range(12):
            for k in bands:
                members = [p for p in pairs if band[p] == k]
                now = sum(rows[a] * g[a, b] * columns[b] for a, b in members)
                for p in members:
                    g[p] *= band_trips[k] * wanted / now
            for a in range(zones):
                rows[a] = out[a] / sum(g[a, b] * columns[b] for b in range(zones) if b != a)
            for b in range(zones):
                columns[b] = into[b] / sum(g[a, b] * rows[a] for a in range(zones) if a != b)
        return {(a, b): rows[a] * g[a, b] * columns[b] for a, b in pairs}

    product = {(a, b): out[a] * into[b] / sum(into) for a, b in pairs}
    expected = [sum(product[p] for p in pairs if band[p] == k) for k in bands]
    ratio = [sum(cells[p] for p in pairs if band[p] == k) / expected[k] for k in bands]
    peak = ratio.index(max(ratio))
    # the closest non-increasing values: for each band the min over starts of the max over ends
    pooled = list(ratio)
    for k in range(peak, len(ratio)):
        pooled[k] = min(
            max(
                sum(ratio[i] * expected[i] for i in range(s, e + 1)) / sum(expected[s : e + 1])
                for e in range(k, len(ratio))
            )
            for s in range(peak, k + 1)
        )
    overall = max(sum(cells[p] for p in pairs) / sum(product.values()), 1e-9)
    trips = [max(r, 0.02 * overall) * e for r, e in zip(pooled, expected, strict=True)]
    return fitted(trips)


def _positive(totals, variance):
    deviation = math.sqrt(variance)
    least = max(0.01 * deviation, 1e-3)
    most = max(max(totals) + 3 * deviation, 10 * least)
    grid = [least * (most / least) ** (i / 60) for i in range(61)]
    weights = [1 / 61] * 61
    found = []
    for _ in range(61):
        found = []
        for total in totals:
            joint = [
                w * math.exp(-((total - g) ** 2) / (2 * variance))
                for w, g in zip(weights, grid, strict=True)
            ]
            found.append([p / sum(joint) for p in joint])
        weights = [sum(column) / len(totals) for column in zip(*found, strict=True)]
    positive = []
    for total, law in zip(totals, found, strict=True):
        known = total * (grid[1] / grid[0] - 1) > deviation
        mean = total if known else sum(p * g for p, g in zip(law, grid, strict=True))
        nearest = min(max(mean, max(total, 0) - deviation), max(total, 0) + deviation)
        positive.append(max(nearest, least))
    return positive
