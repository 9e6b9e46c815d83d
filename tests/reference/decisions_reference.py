"""Decisions straight from P2, plain and slow, independent of the engine (with erratum E1)."""

import math


def epidemic(matrices, people, origin, *, beta, mu, alpha, seed_share):
    """Prevalence by day and zone: the seed, then Euler steps; the last day's matrix is unused."""
    zones = range(len(people))
    infected = [seed_share * people[i] if i == origin else 0.0 for i in zones]
    susceptible = [people[i] - infected[i] for i in zones]
    prevalence = [[infected[i] / people[i] for i in zones]]
    for matrix in matrices[:-1]:
        new, well = [], []
        for i in zones:
            met = math.fsum(matrix[i][j] * infected[j] / people[j] for j in zones)
            rate = beta * susceptible[i] * infected[i] / people[i]
            rate += alpha * beta * susceptible[i] * met / (people[i] + math.fsum(matrix[i]))
            new.append(rate)
            well.append(mu * infected[i])
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
