"""What P2 prints in Tables 2, 3 and S3, for the page and the report to set beside ours.

Measured on confidential data of real people; ours are simulated. A misprint keeps its printed
value here and has its corrected one beside it (erratum E2).
"""

from dataclasses import dataclass

EPSILONS = (0.1, 0.5, 1.0)


@dataclass(frozen=True)
class Scores:
    """Accuracy, precision and recall in percent, each with its standard deviation over zones."""

    accuracy: tuple[int, int]
    precision: tuple[int, int]
    recall: tuple[int, int]


TABLE_2: dict[tuple[str, str, float], Scores] = {
    ("largest", "provinces", 0.1): Scores((98, 2), (94, 10), (95, 10)),
    ("largest", "provinces", 0.5): Scores((99, 0), (98, 3), (98, 3)),
    ("largest", "provinces", 1.0): Scores((99, 0), (98, 2), (98, 2)),
    ("mid_size", "provinces", 0.1): Scores((90, 8), (64, 33), (63, 33)),
    ("mid_size", "provinces", 0.5): Scores((96, 5), (85, 21), (85, 21)),
    ("mid_size", "provinces", 1.0): Scores((97, 5), (89, 20), (89, 20)),
    ("random", "provinces", 0.1): Scores((93, 8), (74, 31), (74, 32)),
    ("random", "provinces", 0.5): Scores((97, 5), (89, 19), (89, 19)),
    ("random", "provinces", 1.0): Scores((98, 3), (93, 12), (93, 12)),
    ("largest", "districts", 0.1): Scores((83, 11), (61, 27), (64, 27)),
    ("largest", "districts", 0.5): Scores((91, 8), (79, 21), (80, 20)),
    ("largest", "districts", 1.0): Scores((91, 9), (78, 22), (80, 22)),
    ("mid_size", "districts", 0.1): Scores((64, 12), (16, 27), (18, 29)),
    ("mid_size", "districts", 0.5): Scores((72, 12), (33, 29), (35, 30)),
    ("mid_size", "districts", 1.0): Scores((77, 11), (44, 29), (45, 29)),
    ("random", "districts", 0.1): Scores((71, 15), (33, 36), (34, 37)),
    ("random", "districts", 0.5): Scores((79, 13), (52, 31), (53, 32)),
    ("random", "districts", 1.0): Scores((82, 12), (58, 30), (59, 30)),
}
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

TABLE_3: dict[str, tuple[Migration, Migration, Migration]] = {
    "afghanistan-provinces": (
        Migration(49_001, 1.98, 90.47),
        Migration(48_725, 2.54, 90.47),
        Migration(48_722, 2.61, 90.47, 2.54),
    ),
    "afghanistan-districts": (
        Migration(83_327, 4.23, 85.71),
        Migration(82_671, 4.98, 90.47),
        Migration(82_609, 5.05, 90.47),
    ),
    "rwanda-districts": (
        Migration(30_595, 6.23, 90.47),
        Migration(29_930, 8.27, 95.24),
        Migration(29_801, 8.66, 90.47),
    ),
    "rwanda-sectors": (
        Migration(48_085, 5.90, 100.0),
        Migration(47_331, 7.38, 100.0),
        Migration(47_320, 8.66, 100.0, 7.40),
    ),
}
"""Trip level, τ = 15, at ε = 0.1, 0.5 and 1."""

TABLE_S3: dict[tuple[str, int], tuple[Migration, Migration, Migration]] = {
    ("afghanistan-provinces", 99): (
        Migration(42_301, 15.39, 85.71),
        Migration(40_982, 18.03, 85.71),
        Migration(40_920, 18.15, 85.71),
    ),
    ("afghanistan-provinces", 95): (
        Migration(41_492, 17.01, 85.71),
        Migration(40_173, 19.64, 85.71),
        Migration(40_111, 19.77, 85.71),
    ),
    ("afghanistan-provinces", 90): (
        Migration(40_389, 19.21, 85.71),
        Migration(39_070, 21.85, 85.71),
        Migration(39_008, 21.97, 85.71),
    ),
    ("afghanistan-districts", 99): (
        Migration(83_471, 4.06, 85.71),
        Migration(74_755, 14.08, 85.71),
        Migration(74_507, 14.37, 85.71),
    ),
    ("afghanistan-districts", 95): (
        Migration(79_995, 8.06, 85.71),
        Migration(71_298, 18.05, 85.71),
        Migration(71_035, 18.36, 85.71),
    ),
    ("afghanistan-districts", 90): (
        Migration(75_157, 13.62, 85.71),
        Migration(66_374, 23.71, 85.71),
        Migration(66_144, 23.98, 85.71),
    ),
    ("rwanda-districts", 99): (
        Migration(30_710, 5.00, 100.0, 5.88),
        Migration(30_752, 4.87, 100.0, 5.75),
        Migration(30_740, 4.91, 100.0, 5.78),
    ),
    ("rwanda-districts", 95): (
        Migration(29_823, 8.59, 100.0),
        Migration(29_880, 8.42, 100.0),
        Migration(29_883, 8.41, 100.0),
    ),
    ("rwanda-districts", 90): (
        Migration(28_819, 11.67, 100.0),
        Migration(28_866, 11.53, 100.0),
        Migration(28_868, 11.52, 100.0),
    ),
    ("rwanda-sectors", 99): (
        Migration(57_657, 12.83, 80.95),
        Migration(47_504, 9.00, 85.71, 7.04),
        Migration(47_259, 7.52, 85.71),
    ),
    ("rwanda-sectors", 95): (
        Migration(56_365, 10.30, 85.71),
        Migration(46_231, 9.53, 85.71),
        Migration(45_992, 10.00, 85.71),
    ),
    ("rwanda-sectors", 90): (
        Migration(55_273, 8.16, 85.71),
        Migration(45_169, 11.61, 85.71),
        Migration(44_935, 12.07, 85.71),
    ),
}
"""Person-day, T at a percentile of the daily trips, τ = 15; by dataset and percentile."""

PRINTED_T = {
    ("afghanistan-provinces", 99): 6,
    ("afghanistan-provinces", 95): 4,
    ("afghanistan-provinces", 90): 3,
    ("rwanda-districts", 99): 14,
    ("rwanda-sectors", 99): 20,
}
"""The T behind the percentiles where it is known; others are read off our data."""
