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


def negative_binomial(m, mean, shape):
    """P(M = m), M Poisson with a gamma intensity."""
    share = mean / (mean + shape)
    log_binomial = math.lgamma(m + shape) - math.lgamma(shape) - math.lgamma(m + 1)
    return math.exp(log_binomial + shape * math.log(1 - share) + m * math.log(share))


def off_diagonal(cells):
    return [(a, b) for a in range(len(cells)) for b in range(len(cells)) if a != b]


def chance(y, law, rate):
    """P(y) under a law of the count; a noisy count below 0 is read as 0."""
    return sum(p * math.exp(-rate * abs(max(y, 0) - m)) for m, p in enumerate(law))


def intensity(cells, rate, prediction, most):
    """{pair: (mean, relative variance)} of μθ, θ on its grid; counts run from 0 to `most`."""
    theta = range(-30, 31)
    evidence, fits = {}, [0.0] * 15

    def law(spread):
        if spread == 0:
            return [float(k == 0) for k in theta]
        s = 0.2 * spread
        weights = [math.exp(-((0.2 * k + s**2 / 2) ** 2) / (2 * s**2)) for k in theta]
        return [w / sum(weights) for w in weights]

    known = {}
    for pair in off_diagonal(cells):
        step, y = round(math.log(prediction[pair]) / 0.2), max(cells[pair], 0)
        for k in theta:
            if (step + k, y) not in known:
                mean = math.exp(0.2 * (step + k))
                counts = [negative_binomial(m, mean, 100.0) for m in range(most + 1)]
                known[step + k, y] = chance(y, counts, rate)
        evidence[pair] = [known[step + k, y] for k in theta]
        for spread in range(15):
            total = sum(w * p for w, p in zip(law(spread), evidence[pair], strict=True))
            fits[spread] += math.log(max(total, 1e-300))
    best = law(fits.index(max(fits)))
    moments = {}
    for pair, likelihood in evidence.items():
        sums = [
            sum(
                w * p * math.exp(0.2 * r * k)
                for w, p, k in zip(best, likelihood, theta, strict=True)
            )
            for r in range(3)
        ]
        mean = sums[1] / sums[0]
        moments[pair] = mean * prediction[pair], sums[2] / sums[0] / mean**2 - 1
    return moments


def own_variance(cells, rate, expected):
    """Variance of η by five rounds of weighed moments."""
    q = math.exp(-rate)
    own = 0.0
    for _ in range(5):
        above = below = 0.0
        for pair, (mu, u) in expected.items():
            known = 2 * q / (1 - q) ** 2 + mu + u * mu**2
            weight = mu**2 / (known + own * mu**2) ** 2
            above += weight * ((cells[pair] - mu) ** 2 - known)
            below += weight * mu**2
        own = max(above / below, 0.0)
    return own


def read_expected(cells, rate, expected, most):
    """{pair: (mean, typical, low, high, empty)}; counts run from 0 to `most`."""
    own, readings = own_variance(cells, rate, expected), {}
    reach = 0
    while noise_tail(reach, rate) > 0.05 / len(expected):
        reach += 1
    for pair, (mu, u) in expected.items():
        shape = 4.0 ** min(max(round(-math.log(max(u + own + u * own, 1e-12), 4)), -2), 5)
        mean, y = math.exp(0.2 * round(math.log(mu) / 0.2)), max(cells[pair], 0)
        law = [negative_binomial(m, mean, shape) for m in range(most + 1)]
        joint = [p * math.exp(-rate * abs(y - m)) for m, p in enumerate(law)]
        joint = [p / sum(joint) for p in joint]
        below = np.cumsum(joint)
        ends = [next(m for m in range(most + 1) if below[m] >= p) for p in (0.5, 0.05, 0.95)]
        trips = [sum(m * p for m, p in enumerate(joint)), *ends]
        readings[pair] = np.array([*trips, joint[0]])
    # what the means lack of the noisy sum, as far as it exceeds its noise
    q = math.exp(-rate)
    apart = sum(cells[pair] - values[0] for pair, values in readings.items())
    apart *= max(0.0, 1 - len(readings) * 2 * q / (1 - q) ** 2 / max(apart**2, 1))
    squares = {pair: (values[3] - values[2]) ** 2 for pair, values in readings.items()}
    for pair, values in readings.items():
        values[0] += apart * squares[pair] / max(sum(squares.values()), 1)
        y = max(cells[pair], 0)
        values[:4] = np.clip(values[:4], max(y - reach, 0), y + reach)
    return readings


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
        believed = max(0.0, 1 - 4 * math.log(zones) * noise / max(apart**2, 1))
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
    posteriors = []
    for _ in range(61):
        posteriors = []
        for total in totals:
            joint = [
                w * math.exp(-((total - g) ** 2) / (2 * variance))
                for w, g in zip(weights, grid, strict=True)
            ]
            posteriors.append([p / sum(joint) for p in joint])
        weights = [sum(column) / len(totals) for column in zip(*posteriors, strict=True)]
    positive = []
    for total, law in zip(totals, posteriors, strict=True):
        known = total * (grid[1] / grid[0] - 1) > deviation
        positive.append(total if known else sum(p * g for p, g in zip(law, grid, strict=True)))
    return positive
