"""The best test of "in or out" in plain Python: all results, sorted by their likelihood ratio."""

import math

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


def area(results):
    """P(a present target looks likelier than an absent one), ties counted half."""
    ranked = sorted(results, key=lambda both: both[0] / both[1])
    below, total = 0.0, 0.0
    for p, q in ranked:
        total += p * (below + q / 2)
        below += q
    return total


def delta(results, epsilon):
    """The hockey-stick divergence at ε."""
    return math.fsum(max(p - math.exp(epsilon) * q, 0.0) for p, q in results)
