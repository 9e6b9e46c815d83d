"""`empirical_bayes` in plain slow Python: one cell at a time, every sum written out."""

import math

import numpy as np

from tests.reference import od_reference


def noise_pmf(rate, reach):
    """{z: P(Z = z)} for |z| ≤ reach."""
    return od_reference.noise_pmf(rate, "discrete_laplace", reach + 1)


def noise_tail(z, rate):
    """P(|Z| > z), by summing."""
    return 1 - sum(noise_pmf(rate, z).values())


def total_reach(rate, cells, confidence, support):
    """The least z with P(|S| ≤ z) ≥ confidence, by convolving the law of one cell `cells` times."""
    one = np.array(list(noise_pmf(rate, support).values()))
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


def scale_up(days, beyond, rate, deviations, most):
    """(kept + beyond)/kept trips of all days, as far as those beyond exceed their noise."""
    far = int(60 / rate)
    variance = len(days) * sum(z * z * p for z, p in noise_pmf(rate, far).items())
    kept = sum(int(day[pair]) for day in days for pair in off_diagonal(day))
    more, most_beyond = sum(beyond), kept * (most - 1)
    if min(more, most_beyond) <= deviations * math.sqrt(variance):
        return 1.0
    believed = 1 - deviations**2 * variance / min(more, most_beyond) ** 2
    return min(1 + believed * more / kept, most)


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


STEPS = range(-30, 31)
THETA = [0.0, *(math.exp(0.2 * k) for k in STEPS)]


def learn(rows):
    """The law of θ of cells, each a list of P(y | θ): sixty rounds from one broad law."""
    none, centre = 0.3, -math.log(0.7) - 1.4**2 / 2
    weights = [math.exp(-((0.2 * k - centre) ** 2) / (2 * 1.4**2)) for k in STEPS]
    start = law = [none, *((1 - none) * w / sum(weights) for w in weights)]
    for _ in range(60):
        sums = [0.0] * len(law)
        for row in rows:
            joint = [p * w for p, w in zip(row, law, strict=True)]
            sums = [s + j / sum(joint) for s, j in zip(sums, joint, strict=True)]
        law = [(s + 5 * p) / (len(rows) + 5) for s, p in zip(sums, start, strict=True)]
    return law


def groups(cells, rate, expected, most):
    """Yield {pair: (step of what is expected, P(y | θ))} of cells as uncertain, and their law."""
    powers = {
        pair: min(max(round(math.log(max(u, 1e-12), 4)), -5), 2)
        for pair, (_, u) in expected.items()
    }
    known = {}
    for power in set(powers.values()):
        rows = {}
        for pair in (one for one in powers if powers[one] == power):
            step, y = round(math.log(expected[pair][0]) / 0.2), max(cells[pair], 0)
            for k in STEPS:
                if (step + k, y) not in known:
                    mean = math.exp(0.2 * (step + k))
                    law = [negative_binomial(m, mean, 100.0) for m in range(most + 1)]
                    known[step + k, y] = chance(y, law, rate)
            rows[pair] = step, [math.exp(-rate * y), *(known[step + k, y] for k in STEPS)]
        yield rows, learn([row for _, row in rows.values()])


def intensity(cells, rate, expected, most):
    """{pair: (mean, relative variance)} of the intensity; counts run from 0 to `most`."""
    moments = {}
    for rows, law in groups(cells, rate, expected, most):
        for pair, (_, row) in rows.items():
            joint = [p * w for p, w in zip(row, law, strict=True)]
            sums = [sum(j * t**r for j, t in zip(joint, THETA, strict=True)) for r in range(3)]
            mean = sums[1] / sums[0]
            moments[pair] = mean * expected[pair][0], sums[2] / sums[0] / mean**2 - 1
    return moments


def read_expected(cells, rate, expected, most):
    """{pair: (mean, typical, empty)}; counts run from 0 to `most`."""
    readings, spread, reach = {}, {}, 0
    while noise_tail(reach, rate) > 0.05 / len(expected):
        reach += 1
    for rows, law in groups(cells, rate, expected, most):
        for pair, (step, _) in rows.items():
            prior = [law[0]] + [0.0] * most
            for k, weight in zip(STEPS, law[1:], strict=True):
                mean = math.exp(0.2 * (step + k))
                for m in range(most + 1):
                    prior[m] += weight * negative_binomial(m, mean, 100.0)
            y = max(cells[pair], 0)
            joint = [p * math.exp(-rate * abs(y - m)) for m, p in enumerate(prior)]
            joint = [p / sum(joint) for p in joint]
            below = np.cumsum(joint)
            mean = sum(m * p for m, p in enumerate(joint))
            spread[pair] = sum((m - mean) ** 2 * p for m, p in enumerate(joint))
            median = next(m for m in range(most + 1) if below[m] >= 0.5)
            readings[pair] = np.array([mean, median, joint[0]])
    # what the means lack of the noisy sum, as far as it exceeds its noise
    q = math.exp(-rate)
    apart = sum(cells[pair] - values[0] for pair, values in readings.items())
    apart *= max(0.0, 1 - len(readings) * 2 * q / (1 - q) ** 2 / max(apart**2, 1))
    for pair, values in readings.items():
        values[0] += apart * spread[pair] / max(sum(spread.values()), 1)
        y = max(cells[pair], 0)
        values[:2] = np.clip(values[:2], max(y - reach, 0), y + reach)
    return readings


def assisted(prior, noisy, rate, most):
    """Hulls of {m ≤ most : y in A(m)} by y, every A(m) and its chance by the model summed out."""
    q = math.exp(-rate)
    splits = sorted(((k + 0.5) / 21 for k in range(21)), key=lambda s: abs(s - 0.5))

    def least(level):  # least z ≥ 0 with P(Z > z) ≤ level
        z = 0
        while q ** (z + 1) / (1 + q) > level * (1 + 1e-9):
            z += 1
        return z

    sets = [(least(0.05 * s), least(0.05 * (1 - s))) for s in splits]
    model = {v: q ** max(-v, 0) * chance(v, prior, rate) for v in range(-200, most + 200)}
    accepted = []
    for m in range(most + 1):
        masses = [sum(model[v] for v in range(m - d, m + u + 1)) for d, u in sets]
        down, up = sets[min(range(len(sets)), key=lambda k: masses[k])]
        accepted.append((m - down, m + up))
    hulls = []
    for y in noisy:
        holding = [m for m, (low, high) in enumerate(accepted) if low <= y <= high]
        hulls.append((min(holding), max(holding)) if holding else (0, 0))
    return hulls


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

    far = {p: math.log(max(distances[p], 500.0)) for p in pairs}
    middle = sum(far.values()) / len(pairs)

    def fitted(power, rounds):
        near = {p: math.exp(-power * (far[p] - middle)) for p in pairs}
        rows, columns = [1.0] * zones, [1.0] * zones
        for _ in range(rounds):
            for a in range(zones):
                rows[a] = out[a] / sum(near[a, b] * columns[b] for b in range(zones) if b != a)
            for b in range(zones):
                columns[b] = into[b] / sum(near[a, b] * rows[a] for a in range(zones) if a != b)
        return {(a, b): max(rows[a] * near[a, b] * columns[b], 1e-9) for a, b in pairs}

    def unlikely(power):
        trips = fitted(power, 3)
        return sum(
            (cells[p] - trips[p]) ** 2 / (variance + trips[p]) + math.log(variance + trips[p])
            for p in pairs
        )

    best = 1.5
    for step in (1.0, 0.5, 0.25):
        best = min((best, best - step, best + step), key=unlikely)
    return fitted(best, 12)


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
