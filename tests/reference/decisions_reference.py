"""Decisions straight from P2, plain and slow, independent of the engine (with erratum E1)."""

import itertools
import math

from tests.reference.od_reference import released_pmf


def epidemic(matrices, people, origin, *, beta, mu, alpha, seed_share, steps=1, arrivals=False):
    """Prevalence by day and zone: the seed, then Euler steps; the last day's matrix is unused."""
    zones = range(len(people))
    infected = [seed_share * people[i] if i == origin else 0.0 for i in zones]
    susceptible = [people[i] - infected[i] for i in zones]
    prevalence = [[infected[i] / people[i] for i in zones]]
    for matrix in matrices[:-1]:
        for _ in range(steps):
            new, well = [], []
            for i in zones:
                row = [matrix[j][i] if arrivals else matrix[i][j] for j in zones]
                met = math.fsum(row[j] * infected[j] / people[j] for j in zones)
                rate = beta * susceptible[i] * infected[i] / people[i]
                rate += alpha * beta * susceptible[i] * met / (people[i] + math.fsum(row))
                new.append(rate / steps)
                well.append(mu * infected[i] / steps)
            for i in zones:
                susceptible[i] -= new[i]
                infected[i] += new[i] - well[i]
        prevalence.append([infected[i] / people[i] for i in zones])
    return prevalence


def decisions(true, other, threshold):
    """Per zone: accuracy, precision and recall (None where undefined), and first acting days."""
    figures = []
    for zone in range(len(true[0])):
        should = [day[zone] >= threshold for day in true]
        does = [day[zone] >= threshold for day in other]
        both = sum(s and d for s, d in zip(should, does, strict=True))
        figures.append(
            {
                "accuracy": sum(s == d for s, d in zip(should, does, strict=True)) / len(should),
                "precision": both / sum(does) if any(does) else None,
                "recall": both / sum(should) if any(should) else None,
                "first_true": should.index(True) if any(should) else None,
                "first": does.index(True) if any(does) else None,
            }
        )
    return figures


def first_k(totals, k):
    """The k largest, ties by position, never a 0."""
    order = sorted(range(len(totals)), key=lambda j: (-totals[j], j))
    return [j for j in order[:k] if totals[j] > 0]


def selection_by_enumeration(cells, rate, threshold, k, law, reach):
    """P(each destination among the first k), by all combinations of released totals.

    `cells[j]` lists the counts of the area's cells to destination j.
    """
    totals = []
    for counts in cells:
        total = {0: 1.0}
        for count in counts:
            one = released_pmf(count, rate, threshold, law, reach)
            convolved = {}
            for (x, p), (y, q) in itertools.product(total.items(), one.items()):
                convolved[x + y] = convolved.get(x + y, 0.0) + p * q
            total = convolved
        totals.append(total)
    chosen = [0.0] * len(cells)
    for outcome in itertools.product(*(t.items() for t in totals)):
        weight = math.prod(p for _, p in outcome)
        for j in first_k([v for v, _ in outcome], k):
            chosen[j] += weight
    return chosen
