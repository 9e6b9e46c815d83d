"""Every published figure that the reproduction is held against, with its place in the paper.

P1 is Acs & Castelluccia, "A Case Study: Privacy Preserving Release of Spatio-temporal Density in
Paris", KDD 2014; P2 is Kohli, Aiken & Blumenstock on private origin–destination matrices. Both
were measured on confidential data of real people; ours are simulated.
"""

from dataclasses import dataclass

from research.rows import Published

P1: dict[str, Published] = {
    "lpa_mre": Published(1.01, 0.005, "P1, figure 11a"),
    "lpa_pearson": Published(0.47, 0.005, "P1, figure 11a"),
    "efpag_mre": Published(0.17, 0.005, "P1, figure 11b and §6.3"),
    "efpag_pearson": Published(0.96, 0.005, "P1, figure 11b"),
    "mre_over_l": Published(0.2, 0.03, "P1, §6.1"),
    "pearson_over_l": Published(0.95, 0.03, "P1, §6.1"),
    "efpag_less_efpa_mre": Published(-0.03, 0.005, "P1, §6.1 on figure 8"),
    "efpag_less_efpa_pearson": Published(0.02, 0.005, "P1, §6.1 on figure 8"),
    "improved_mre": Published(-0.07, 0.005, "P1, §6.2 on figure 8"),
    "improved_pearson": Published(0.01, 0.005, "P1, §6.2: “about”, smaller ε"),
    "daylight_factor": Published(4.0, 0.5, "P1, §6.2: “almost a factor of”"),
    "lpa_emd": Published(341, 0.5, "P1, §6.4, figure 9b"),
    "efpa_emd": Published(258, 0.5, "P1, §6.4, figure 9b"),
    "efpag_emd": Published(188, 0.5, "P1, §6.4, figure 9b"),
    "zone_mean": Published(91, 0.5, "P1, §5.2, figure 2b"),
    "cover_mean": Published(120, 0.5, "P1, §5.2, figure 2c"),
    "lpa_noise": Published(141, 0.5, "P1, §5.3"),
    "visits_error": Published(1e-5, 0.0, "P1, footnote 6"),
}
"""Figures of P1 at ε = 0.3, δ = 2·10⁻⁶, ℓ = 30 unless the source says otherwise."""

P1_EPSILON, P1_DELTA, P1_MAX_VISITS = 0.3, 2e-6, 30
P1_MAX_VISITS_SHOWN = (10, 30, 168)
P1_REPEATS = 20

P2_THRESHOLD = 15
P2_EPSILONS = (0.1, 0.5, 1.0)
P2_MEDIAN_ABSOLUTE = {
    0.1: Published(6, 0.5, "P2, text on figure 2"),
    1.0: Published(0, 0.5, "P2, text on figure 2"),
}
P2_MEDIAN_RELATIVE = {
    0.1: Published(0.0254, 0.00005, "P2, text on figure 2"),
    1.0: Published(0.0001, 0.0, "P2, text on figure 2"),
}


@dataclass(frozen=True)
class SmallShares:
    """One column of P2's Table S2: share of counts below 15, in percent.

    `private` is at ε = 0.1, 0.5 and 1; people, mean trips, days and zones are from P2's Table 1.
    """

    label: str
    people: float
    mean_trips: float
    days: int
    zones: int
    not_private: float
    private: tuple[float, float, float]


TABLE_S2: dict[str, SmallShares] = {
    "rwanda-districts": SmallShares(
        "Rwanda 2008, districts", 541e3, 1.53, 7, 30, 49.3, (47.6, 49.2, 49.4)
    ),
    "rwanda-sectors": SmallShares(
        "Rwanda 2008, sectors", 541e3, 2.88, 7, 416, 78.1, (88.3, 90.6, 78.0)
    ),
    "afghanistan-provinces": SmallShares(
        "Afghanistan 2015, provinces", 2.79e6, 0.26, 7, 34, 75.9, (65.9, 75.7, 76.0)
    ),
    "afghanistan-districts": SmallShares(
        "Afghanistan 2015, districts", 2.79e6, 1.73, 7, 421, 96.7, (88.2, 97.1, 96.5)
    ),
    "afghanistan-2020": SmallShares(
        "Afghanistan 2020, provinces", 7.12e6, 14, 305, 34, 73.6, (64.1, 73.5, 73.6)
    ),
    "afghanistan-2020-districts": SmallShares(
        "Afghanistan 2020, districts", 7.12e6, 52, 305, 421, 97.8, (88.2, 97.7, 97.5)
    ),
}
"""P2, Table S2, with the sizes of Table 1; keys are the simulated datasets set to them."""
