"""Losses in plain Python: all results of a release, with and without the record."""

import itertools
import math
from functools import cache

import numpy as np
from scipy import stats

from tests.reference.od_reference import released_pmf

REACH = 400


@cache
def released_cell(trips, rest, rate, threshold, law):
    """[(P(result | in), P(result | out)), …] of one cell, straight from Algorithm 1."""
    inside = released_pmf(rest + trips, rate, threshold, law, REACH)
    outside = released_pmf(rest, rate, threshold, law, REACH)
    # beyond the reach of either law nothing is left but rounding
    both = [(inside[value], outside.get(value, 0.0)) for value in inside]
    return [(p, q) for p, q in both if p * q > 0]


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
