"""The best test of "in or out" in plain Python: all results, sorted by their likelihood ratio."""

import itertools
import math

import numpy as np
from scipy import stats

from tests.reference.od_reference import released_pmf

REACH = 400


def cell(trips, rest, rate, threshold, law):
    """[(P(result | in), P(result | out)), …] of one cell, straight from Algorithm 1."""
    inside = released_pmf(rest + trips, rate, threshold, law, REACH)
    outside = released_pmf(rest, rate, threshold, law, REACH)
    # beyond the reach of either law nothing is left but rounding
    return [(inside[value], outside[value]) for value in inside if value in outside]


def several(cells):
    """The results of independent cells together; those with equal losses are counted as one."""
    joint = {0.0: [1.0, 1.0]}
    for results in cells:
        grown = {}
        for loss, (p, q) in joint.items():
            for one_p, one_q in results:
                key = round(loss + math.log(one_p / one_q), 8)
                both = grown.setdefault(key, [0.0, 0.0])
                both[0] += p * one_p
                both[1] += q * one_q
        joint = grown
    return [tuple(both) for both in joint.values()]


def few(results):
    """Results of one cell with those of equal loss taken together."""
    return several([results])


def advantage(results):
    """Total variation: half of all differences."""
    return 0.5 * math.fsum(abs(p - q) for p, q in results)


def delta(results, epsilon):
    """The hockey-stick divergence at ε."""
    return math.fsum(max(p - math.exp(epsilon) * q, 0.0) for p, q in results)


def delta_of_all(costs, epsilon):
    """Least δ at ε of randomised responses that fail outright with their δ: every outcome apart."""
    total = 0.0
    for signs in itertools.product((-1, 1, None), repeat=len(costs)):
        inside = outside = 1.0
        for (one, slack), sign in zip(costs, signs, strict=True):
            right = (1 - slack) / (1 + math.exp(-one))
            wrong = (1 - slack) / (1 + math.exp(one))
            inside *= slack if sign is None else right if sign > 0 else wrong
            outside *= 0.0 if sign is None else wrong if sign > 0 else right
        total += max(inside - math.exp(epsilon) * outside, 0.0)
    return total


def delta_of_equal(one, times, epsilon):
    """The same of `times` randomised responses of one ε: by how many of them are right."""
    right = np.arange(times + 1)
    keep = 1 / (1 + math.exp(-one))
    inside, outside = (stats.binom.pmf(right, times, p) for p in (keep, 1 - keep))
    return float(np.maximum(inside - math.exp(epsilon) * outside, 0).sum())


STRIPS = 3001


def laplace(shift):
    """Chances of narrow strips of Laplace noise of scale 1, moved by `shift` and not."""
    cuts = np.linspace(0, shift, STRIPS)
    outside = np.diff(np.r_[0.0, 1 - np.exp(-cuts) / 2, 1.0])
    return np.diff(np.r_[0.0, np.exp(cuts - shift) / 2, 1.0]), outside


def gaussian(shift):
    cuts = np.linspace(-9, 9 + shift, 2 * STRIPS)
    return tuple(np.diff(np.r_[0.0, stats.norm.cdf(cuts - at), 1.0]) for at in (shift, 0.0))


def choice(reach):
    """A worst pair of a choice with that range of log-ratios, for each of many ε."""
    tops = np.linspace(1e-4, 1 - 1e-4, 401) * reach  # losses top and top − η
    chance = (math.exp(reach) - np.exp(tops)) / math.expm1(reach)
    return [np.array([[p, 1 - p], [p * math.exp(-t), (1 - p) * math.exp(reach - t)]])
            for p, t in zip(chance, tops, strict=True)]  # fmt: skip


def deltas_of(parts, epsilons, points=40_001):
    """δ at each ε of independent strips, times often: losses to the nearest point, then sums."""
    known = [(p[(p > 0) & (q > 0)], q[(p > 0) & (q > 0)], n) for p, q, n in parts]
    reach = sum(n * np.abs(np.log(p / q)).max() for p, q, n in known)
    lead = max(np.abs(np.log(p / q)).max() for p, q, _ in known)  # an atom: it lies on a point
    width = lead / math.ceil(lead * (points - 1) / 2 / reach)
    total, middle = np.ones(1), 0
    for p, q, n in known:
        at = np.rint(np.log(p / q) / width).astype(int)
        one = np.bincount(at - at.min(), p)
        for _ in range(n):
            total, middle = _sum(total, one), middle + at.min()
    loss = (middle + np.arange(len(total))) * width
    return np.array([(total * np.maximum(-np.expm1(e - loss), 0)).sum() for e in epsilons])


def _sum(first, second):
    length = len(first) + len(second) - 1
    size = 1 << (length - 1).bit_length()
    product = np.fft.irfft(np.fft.rfft(first, size) * np.fft.rfft(second, size), size)
    return np.maximum(product[:length], 0)
