"""What P2 prints in Tables 2, 3 and S3, for the page and the report to set beside ours.

Measured on confidential data of real people; ours are simulated. A misprint keeps its printed
value here and has its corrected one beside it (erratum E2).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

EPSILONS = (0.1, 0.5, 1.0)


@dataclass(frozen=True)
class Scores:
    """Accuracy, precision and recall in percent, each with its standard deviation over zones."""

    accuracy: tuple[int, int]
    precision: tuple[int, int]
    recall: tuple[int, int]


_TABLE_2 = """
largest provinces  98  2 94 10 95 10  99  0 98  3 98  3  99  0 98  2 98  2
mid_size provinces 90  8 64 33 63 33  96  5 85 21 85 21  97  5 89 20 89 20
random provinces   93  8 74 31 74 32  97  5 89 19 89 19  98  3 93 12 93 12
largest districts  83 11 61 27 64 27  91  8 79 21 80 20  91  9 78 22 80 22
mid_size districts 64 12 16 27 18 29  72 12 33 29 35 30  77 11 44 29 45 29
random districts   71 15 33 36 34 37  79 13 52 31 53 32  82 12 58 30 59 30
"""


def _scores(line: str) -> Iterator[tuple[tuple[str, str, float], Scores]]:
    origin, level, *numbers = line.split()
    table = np.array(numbers, dtype=int).reshape(len(EPSILONS), 3, 2).tolist()
    for epsilon, figures in zip(EPSILONS, table, strict=True):
        accuracy, precision, recall = ((mean, deviation) for mean, deviation in figures)
        yield (origin, level, epsilon), Scores(accuracy, precision, recall)


TABLE_2 = dict(one for line in _TABLE_2.split("\n")[1:-1] for one in _scores(line))
"""By kind of origin (Kabul, Hirat, random), level of zones and ε; trip level, τ = 15."""

ORIGINS = {"largest": "Kabul", "mid_size": "Hirat", "random": "random"}
"""What P2 calls each kind of origin."""


@dataclass(frozen=True)
class Migration:
    """One column of Table 3 or S3.

    Attributes
    ----------
    total : int
        Trips out of the area in the week.
    error : float
        Of the total against the one that is not private, in percent, as printed.
    top : float
        Accuracy of the top 3, in percent; every value is a multiple of 1/21: one draw.
    corrected : float or None
        The error that the printed totals give, where the printed one is a misprint.
    """

    total: int
    error: float
    top: float
    corrected: float | None = None


TRUE_TOTALS = {
    "afghanistan-provinces": 49_994,
    "afghanistan-districts": 87_007,
    "rwanda-districts": 32_627,
    "rwanda-sectors": 51_102,
}
"""Not private, by the simulated dataset that stands for P2's."""

EVENTS = {
    "afghanistan-provinces": "Kunduz, provinces",
    "afghanistan-districts": "Kunduz, districts",
    "rwanda-districts": "Lake Kivu, districts",
    "rwanda-sectors": "Lake Kivu, sectors",
}

_TOTALS = """
afghanistan-provinces  -  49001 1.98       90.47   48725 2.54       90.47   48722 2.61=2.54  90.47
afghanistan-districts  -  83327 4.23       85.71   82671 4.98       90.47   82609 5.05       90.47
rwanda-districts       -  30595 6.23       90.47   29930 8.27       95.24   29801 8.66       90.47
rwanda-sectors         -  48085 5.90      100.00   47331 7.38      100.00   47320 8.66=7.40 100.00
afghanistan-provinces  99 42301 15.39      85.71   40982 18.03      85.71   40920 18.15      85.71
afghanistan-provinces  95 41492 17.01      85.71   40173 19.64      85.71   40111 19.77      85.71
afghanistan-provinces  90 40389 19.21      85.71   39070 21.85      85.71   39008 21.97      85.71
afghanistan-districts  99 83471 4.06       85.71   74755 14.08      85.71   74507 14.37      85.71
afghanistan-districts  95 79995 8.06       85.71   71298 18.05      85.71   71035 18.36      85.71
afghanistan-districts  90 75157 13.62      85.71   66374 23.71      85.71   66144 23.98      85.71
rwanda-districts       99 30710 5.00=5.88 100.00   30752 4.87=5.75 100.00   30740 4.91=5.78 100.00
rwanda-districts       95 29823 8.59      100.00   29880 8.42      100.00   29883 8.41      100.00
rwanda-districts       90 28819 11.67     100.00   28866 11.53     100.00   28868 11.52     100.00
rwanda-sectors         99 57657 12.83      80.95   47504 9.00=7.04  85.71   47259 7.52       85.71
rwanda-sectors         95 56365 10.30      85.71   46231 9.53       85.71   45992 10.00      85.71
rwanda-sectors         90 55273 8.16       85.71   45169 11.61      85.71   44935 12.07      85.71
"""
"""Dataset, percentile of T, and at each ε the total, its error (= corrected) and the top 3."""


def _migration(total: str, error: str, top: str) -> Migration:
    printed, _, corrected = error.partition("=")
    known = float(corrected) if corrected else None
    return Migration(int(total), float(printed), float(top), known)


_COLUMNS = {
    (name, percentile): tuple(_migration(*each) for each in np.reshape(numbers, (-1, 3)).tolist())
    for name, percentile, *numbers in (line.split() for line in _TOTALS.split("\n")[1:-1])
}

TABLE_3 = {name: columns for (name, at), columns in _COLUMNS.items() if at == "-"}
"""Trip level, τ = 15, at ε = 0.1, 0.5 and 1."""

TABLE_S3 = {(name, int(at)): columns for (name, at), columns in _COLUMNS.items() if at != "-"}
"""Person-day, T at a percentile of the daily trips, τ = 15; by dataset and percentile."""

PRINTED_T = {
    ("afghanistan-provinces", 99): 6,
    ("afghanistan-provinces", 95): 4,
    ("afghanistan-provinces", 90): 3,
    ("rwanda-districts", 99): 14,
    ("rwanda-sectors", 99): 20,
}
"""The T behind the percentiles where it is known; others are read off our data."""
