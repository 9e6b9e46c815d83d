"""Write what P1 reports beside what was measured."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchmarks import _reproduce_density as measured
from benchmarks._reproduce_density import DAYLIGHT, DensityPlan, Key, Sizes, TotalsError, Utility
from benchmarks._reproduce_density_lines import Evidence, lines
from benchmarks._reproduce_published import P1
from benchmarks._reproduce_tables import Spread, lines_table, number, percent, table
from engine.datasets import Dataset
from engine.density import default_cluster_minimum

Floats = NDArray[np.float64]

HOURS_SHOWN = (0, 3, 4, 5, 6, 9, 12, 15, 18, 21)


@dataclass(frozen=True)
class DensityResults:
    """Everything that was measured on one dataset."""

    plan: DensityPlan
    curves: dict[Key, Utility]
    evidence: Evidence
    sizes: Sizes
    totals: dict[float, TotalsError]
    by_hour: dict[str, Floats]
    quartiles: dict[float, tuple[Floats, Floats]]
    quartiles_lpa: tuple[Floats, Floats]
    zones_within: Spread


def gather(dataset: Dataset, plan: DensityPlan) -> DensityResults:
    """Run everything of P1 that is built."""
    named = measured.schemes(plan.base)
    sizes = measured.sizes(dataset, plan)
    extra = {
        "no noise": measured.without_noise(plan.base),
        "P1's mean count": measured.scaled_to_p1(plan, sizes.zone_mean_sampled),
        "LPA on zones": replace(plan.base, variant="zones_laplace"),
        "LPA on towers": replace(plan.base, variant="towers_laplace"),
        "no scaling": replace(plan.base, scaling=False),
        "no smoothing": replace(plan.base, smoothing=False),
    }
    keyed = {(name, plan.max_visits, plan.epsilon): settings for name, settings in extra.items()}
    curves = measured.curves(dataset, plan) | measured.measure(dataset, keyed, plan)
    by_hour = {
        name: measured.errors_by_hour(dataset, named[name], plan) for name in ("EFPAG", "EFPAG−")
    }
    evidence = Evidence(
        sizes=sizes,
        distances={
            name: measured.distances(dataset, settings, plan)
            for name, settings in {**named, "no noise": extra["no noise"]}.items()
            if name in ("LPA", "EFPA", "EFPAG", "EFPAG, one k", "no noise")
        },
        taus={name: default_cluster_minimum(named[name]) for name in ("EFPAG", "EFPA")},
        clusters={
            name: measured.clusters(dataset, named[name], plan) for name in ("EFPAG", "EFPA")
        },
        visits=float(dataset.truth_by_tower.sum()),
        visits_errors=measured.visits_errors(dataset, plan),
        max_visits_cap=dataset.metadata.max_visits_cap,
        by_hour=by_hour,
    )
    return DensityResults(
        plan=plan,
        curves=curves,
        evidence=evidence,
        sizes=sizes,
        totals=measured.totals_errors(dataset, plan),
        by_hour=by_hour,
        quartiles={
            epsilon: measured.zone_quartiles(dataset, replace(plan.base, epsilon=epsilon), plan)
            for epsilon in plan.epsilons
        },
        quartiles_lpa=measured.zone_quartiles(dataset, named["LPA"], plan),
        zones_within=measured.share_of_zones_within(
            dataset, plan.base, plan, P1["mre_over_l"].value
        ),
    )


def text(found: DensityResults) -> list[str]:
    """Return the part of the report on P1."""
    return [
        "## Density (P1)",
        "",
        f"ε = {found.plan.epsilon:g}, δ = 2·10⁻⁶, ℓ = {found.plan.max_visits} unless another is "
        f"shown; {found.plan.repeats} releases each, as P1; mean ± standard deviation over them.",
        "",
        "### Numbers in P1's text",
        "",
        *lines_table(lines(found.curves, found.evidence, found.plan)),
        "### What P1 says of its figures, which are drawn and not tabulated",
        "",
        *_claims(found),
        "",
        *_figure_6(found),
        *_figures_7_and_8(found),
        *_figure_9(found),
        *_figures_10_and_11(found),
    ]


def _claims(found: DensityResults) -> list[str]:
    plan = found.plan
    low, high = plan.epsilons[0], plan.epsilons[-1]
    totals = found.totals
    better = all(t.totals.mean() < t.unsampled.mean() for t in totals.values())
    gains = {e: t.unsampled.mean() - t.shares.mean() for e, t in totals.items()}

    def mean(name: str, kept: int, epsilon: float) -> float:
        return Spread.of(found.curves[name, kept, epsilon].mean_relative_error).mean

    worse = [mean("LPA", k, e) / mean("EFPAG", k, e)
             for k in plan.max_visits_shown for e in plan.epsilons]  # fmt: skip
    efpag = found.curves["EFPAG", plan.max_visits, plan.epsilon]
    mre, pearson = Spread.of(efpag.mean_relative_error), Spread.of(efpag.pearson)
    ahead = {
        e: mean("EFPA", plan.max_visits, e) - mean("EFPAG", plan.max_visits, e) for e in (low, high)
    }
    medians = [Spread.of(errors[:, 1]).mean for errors, _ in found.quartiles.values()]
    widths = [Spread.of(e[:, 2] - e[:, 0]).mean for e, _ in found.quartiles.values()]
    rows = [
        (
            "figure 6: sampling clearly boosts the accuracy of the towers' totals, most at small ε",
            f"MRE lower by {number(gains[low])} at ε = {low:g}, by {number(gains[high])} at "
            f"{high:g}",
            better and gains[low] >= gains[high],
        ),
        (
            "figure 7: LPA is significantly worse at every ℓ",
            f"its MRE is {number(min(worse))} to {number(max(worse))} times EFPAG's",
            min(worse) > 1,
        ),
        (
            f"§6.1: at ε = {plan.epsilon:g} MRE is below 20% and the correlation above 0.95",
            f"{mre.text()} and {pearson.text()}",
            mre.mean < 0.2 and pearson.mean > 0.95,
        ),
        (
            "figure 8: EFPAG outperforms EFPA, above all at small ε",
            f"EFPA's MRE less EFPAG's: {number(ahead[low], True)} at ε = {low:g}, "
            f"{number(ahead[high], True)} at {high:g}",
            ahead[low] > 0 and ahead[low] >= ahead[high],
        ),
        (
            "figure 10: medians of the zones' MRE hardly change with ε",
            f"{number(medians[0])} at ε = {low:g}, {number(medians[-1])} at {high:g}",
            None,
        ),
        (
            "figure 10: MRE varies more between zones at small ε",
            f"quartiles {number(widths[0])} apart at ε = {low:g}, {number(widths[-1])} at {high:g}",
            widths[0] > widths[-1],
        ),
        (
            "figure 11: practical utility for most zones",
            f"MRE of at most 0.2 in {percent(found.zones_within.mean)} of the zones",
            found.zones_within.mean > 0.5,
        ),
    ]
    marks = {True: "yes", False: "**no**", None: "not a number"}
    header = ["P1 says", "measured here", "holds"]
    return table(header, [[says, ours, marks[holds]] for says, ours, holds in rows])


def _figure_6(found: DensityResults) -> list[str]:
    rows = [
        [
            f"{epsilon:g} ({epsilon / 2:g})",
            Spread.of(errors.shares).text(),
            Spread.of(errors.totals).text(),
            Spread.of(errors.unsampled).text(),
        ]
        for epsilon, errors in found.totals.items()
    ]
    header = ["ε (ε′)", "6a: shares, sampled", "6b: totals, sampled", "without sampling"]
    return [
        "### Figure 6: totals of the towers, MRE over towers",
        "",
        *table(header, rows),
        "",
        "Without sampling, shares and totals have one error: both are noisy totals, divided by "
        "the number of visits or not.",
        "",
    ]


def _figures_7_and_8(found: DensityResults) -> list[str]:
    plan = found.plan
    epsilons = plan.epsilons

    def rows(names: Sequence[tuple[str, int]], pearson: bool) -> list[list[str]]:
        lines = []
        for name, kept in names:
            label = f"{name}, ℓ = {kept}"
            utilities = [found.curves[name, kept, epsilon] for epsilon in epsilons]
            values = [u.pearson if pearson else u.mean_relative_error for u in utilities]
            lines.append([label, *(Spread.of(v).text() for v in values)])
        return lines

    def both(names: Sequence[tuple[str, int]]) -> list[str]:
        columns = [f"ε = {epsilon:g}" for epsilon in epsilons]
        errors = table(["MRE", *columns], rows(names, False))
        return [*errors, "", *table(["Pearson", *columns], rows(names, True)), ""]

    return [
        "### Figure 7: utility and ℓ",
        "",
        *both([(name, kept) for name in ("EFPAG", "LPA") for kept in plan.max_visits_shown]),
        "### Figure 8: utility and scheme",
        "",
        *both([(name, plan.max_visits) for name in measured.schemes(plan.base)]),
        "“EFPA−” and “EFPAG−” are without scaling and smoothing; “one k” is `efpag_joint`, the "
        "default here; averages “over ε” above are over the columns of this table.",
        "",
    ]


def _figure_9(found: DensityResults) -> list[str]:
    improved, plain = (
        measured.by_hour_of_day(found.by_hour[name], HOURS_SHOWN) for name in ("EFPAG", "EFPAG−")
    )
    rows = [
        ["EFPAG", *(number(value) for value in improved)],
        ["EFPAG−", *(number(value) for value in plain)],
        ["ratio", *(number(value) for value in plain / improved)],
    ]
    plan = found.plan
    apart = [
        [name, Spread.of(values).text(unit=" m")]
        for name, values in found.evidence.distances.items()
    ]
    return [
        "### Figure 9a: mean relative error by hour of the day",
        "",
        *table(["hour", *(f"{hour:02d}" for hour in HOURS_SHOWN)], rows),
        "",
        f"Daylight is {DAYLIGHT.start}:00 to {DAYLIGHT.stop}:00 in what follows P1 above.",
        "",
        "### Figure 9b: earth mover's distance",
        "",
        *table(["scheme", "mean"], apart),
        "",
        f"Over {len(plan.hours)} hours of the week (every seventh, so each hour of the day once) "
        f"and {plan.distance_repeats} releases.",
        "",
    ]


def _figures_10_and_11(found: DensityResults) -> list[str]:
    def row(label: str, quartiles: tuple[Floats, Floats]) -> list[str]:
        return [label, *(Spread.of(kind[:, i]).text() for kind in quartiles for i in range(3))]

    epsilon = found.plan.epsilon
    rows = [row(f"EFPAG, ε = {e:g}", quartiles) for e, quartiles in found.quartiles.items()]
    rows.append(row(f"LPA, ε = {epsilon:g}", found.quartiles_lpa))
    header = ["", *(f"{what} {share}" for what in ("MRE", "PC") for share in ("25%", "50%", "75%"))]
    return [
        "### Figures 10 and 11: quartiles over zones",
        "",
        *table(header, rows),
        "",
    ]
