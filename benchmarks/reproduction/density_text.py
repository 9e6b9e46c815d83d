"""Write what P1 reports beside what was measured."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from benchmarks.reproduction import causes as causes
from benchmarks.reproduction import density as measured
from benchmarks.reproduction.density import DensityPlan, Key, TotalsError, Utility
from benchmarks.reproduction.density_lines import SCALED, Evidence, lines
from benchmarks.reproduction.published import P1, P1_DELTA, P1_PEOPLE
from benchmarks.reproduction.tables import Line, Spread, lines_table, number, table
from engine.arrays import Floats
from engine.datasets import Dataset
from engine.density import default_cluster_minimum

HOURS_SHOWN = (0, 3, 4, 5, 6, 9, 12, 15, 18, 21)


@dataclass(frozen=True)
class DensityResults:
    """Everything that was measured on one dataset."""

    name: str
    plan: DensityPlan
    curves: dict[Key, Utility]
    evidence: Evidence
    totals: dict[float, TotalsError]
    quartiles: dict[float, tuple[Floats, Floats]]
    quartiles_lpa: tuple[Floats, Floats]
    zones_within: Spread

    @property
    def lines(self) -> list[Line]:
        """The numbers that P1 prints, beside ours."""
        return lines(self.curves, self.evidence, self.plan)


def gather(dataset: Dataset, plan: DensityPlan) -> DensityResults:
    """Run everything of P1 that is built."""
    named = measured.schemes(plan.base)
    sizes = causes.sizes(dataset, plan)
    extra = {
        "no noise": measured.without_noise(plan.base),
        SCALED: measured.scaled_to_p1(plan, sizes.zone_mean_sampled),
        "LPA on towers": replace(plan.base, variant="towers_laplace"),
        "no scaling": replace(plan.base, scaling=False),
        "no smoothing": replace(plan.base, smoothing=False),
    }
    keyed = {(name, plan.max_visits, plan.epsilon): settings for name, settings in extra.items()}
    evidence = Evidence(
        sizes=sizes,
        clipping=causes.clipping(dataset, plan),
        weeks=causes.weeks(dataset, plan),
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
        by_hour={
            name: measured.errors_by_hour(dataset, named[name], plan)
            for name in ("EFPAG", "EFPAG−")
        },
    )
    return DensityResults(
        name=dataset.id,
        plan=plan,
        curves=measured.curves(dataset, plan) | measured.measure(dataset, keyed, plan),
        evidence=evidence,
        totals=measured.totals_errors(dataset, plan),
        quartiles={
            epsilon: measured.zone_quartiles(dataset, replace(plan.base, epsilon=epsilon), plan)
            for epsilon in plan.epsilons
        },
        quartiles_lpa=measured.zone_quartiles(dataset, named["LPA"], plan),
        zones_within=measured.share_of_zones_within(
            dataset, plan.base, plan, P1["mre_over_l"].value
        ),
    )


def text(result: DensityResults) -> list[str]:
    """Return the part of the report on P1."""
    plan = result.plan
    return [
        f"## Density (P1) on `{result.name}`",
        "",
        f"ε = {plan.epsilon:g}, δ = 2·10⁻⁶, ℓ = {plan.max_visits} unless another is shown; "
        f"{plan.repeats} releases for each figure, as in P1, {plan.distance_repeats} for "
        "distances. LPA adds Laplace noise to every count of the cover; EFPA and EFPAG cluster its "
        "cells to a least total τ and perturb Fourier coefficients with Laplace or Gaussian noise. "
        "Every scheme is held against the counts before sampling. MRE: mean relative "
        "error of a zone's 168 hours, averaged over zones (0.17 is 17%). PC: Pearson correlation "
        "of a zone's week with the true one, averaged over zones. Earth mover's distance: how far "
        "the average visit would have to move to turn one map of an hour into the other, averaged "
        "over the week.",
        "",
        "### Numbers that P1 prints (§5 and §6)",
        "",
        *lines_table(result.lines),
        *_weeks(result),
        "### What P1 says of figures that are drawn, not tabulated",
        "",
        *_claims(result),
        "",
        *_figure_6(result),
        *_figures_7_and_8(result),
        *_figure_9(result),
        *_figures_10_and_11(result),
    ]


def _weeks(result: DensityResults) -> list[str]:
    rows = [
        [
            label,
            weeks.mre.text(),
            weeks.pearson.text(),
            weeks.distance.text(unit=" m"),
            weeks.less_efpa_mre.text(signed=True),
            weeks.less_efpa_pearson.text(signed=True),
        ]
        for label, weeks in result.evidence.weeks.items()
    ]
    header = ["weeks of the towers", "MRE", "PC", "distance", "MRE less EFPA's", "PC less EFPA's"]
    printed = [P1[f"efpag_{kind}"] for kind in ("mre", "pearson", "emd")]
    theirs = [
        "P1, Orange's customers",
        *(number(figure.value) for figure in printed[:2]),
        f"{number(printed[2].value)} m",
        *(number(P1[f"efpag_less_efpa_{kind}"].value, True) for kind in ("mre", "pearson")),
    ]
    return [
        "How far the likeness of weeks carries: EFPAG on the same towers and totals with other "
        "weeks, made for this table only (the dataset is not tuned to it). P1's two differences "
        f"are means over ε, ours are at ε = {result.plan.epsilon:g}; distances of the altered "
        f"weeks over {len(result.plan.few_hours)} hours.",
        "",
        *table(header, [*rows, theirs]),
        "",
    ]


def _claims(result: DensityResults) -> list[str]:
    plan, totals = result.plan, result.totals
    low, high = plan.epsilons[0], plan.epsilons[-1]
    better = all(t.totals.mean() < t.unsampled.mean() for t in totals.values())
    gains = {e: t.unsampled.mean() - t.totals.mean() for e, t in totals.items()}

    def mre(name: str, kept: int, epsilon: float) -> float:
        return Spread.of(result.curves[name, kept, epsilon].mean_relative_error).mean

    worse = [
        mre("LPA", kept, epsilon) / mre("EFPAG", kept, epsilon)
        for kept in plan.max_visits_shown
        for epsilon in plan.epsilons
    ]
    efpag = result.curves["EFPAG", plan.max_visits, plan.epsilon]
    error, pearson = Spread.of(efpag.mean_relative_error), Spread.of(efpag.pearson)
    ahead = {
        e: mre("EFPA", plan.max_visits, e) - mre("EFPAG", plan.max_visits, e) for e in plan.epsilons
    }
    medians = [Spread.of(errors[:, 1]).mean for errors, _ in result.quartiles.values()]
    widths = [Spread.of(e[:, 2] - e[:, 0]).mean for e, _ in result.quartiles.values()]
    sizes, noise = result.evidence.sizes, P1["lpa_noise"].value
    rows = [
        (
            "§5.3: the noise of LPA (141) is larger than the mean count in the cover",
            f"mean count {number(sizes.cover_mean_sampled)}",
            noise > sizes.cover_mean_sampled,
        ),
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
            f"§6.1: at ε = {plan.epsilon:g} MRE is below 20% and PC above 0.95",
            f"{error.text(100, '%')} and {pearson.text()}",
            error.mean < 0.2 and pearson.mean > 0.95,
        ),
        (
            "figure 8: EFPAG outperforms EFPA, above all at small ε",
            f"EFPA's MRE less EFPAG's: {number(ahead[low], True)} at ε = {low:g}, "
            f"{number(ahead[high], True)} at {high:g} (why: above)",
            min(ahead.values()) > 0 and ahead[low] >= ahead[high],
        ),
        (
            "§6: δ = 2·10⁻⁶ < 1/N",
            f"1/N is {1 / P1_PEOPLE:.1e} for P1's own N: an erratum of P1 (D7)",
            P1_DELTA < 1 / P1_PEOPLE,
        ),
        (
            "figure 10: medians of the zones' MRE do not change significantly with ε",
            f"{number(medians[0])} at ε = {low:g}, {number(medians[-1])} at {high:g}, less than "
            "the quartiles are apart",
            abs(medians[0] - medians[-1]) < min(widths),
        ),
        (
            "figure 10: MRE varies more between zones at small ε",
            f"quartiles {number(widths[0])} apart at ε = {low:g}, {number(widths[-1])} at {high:g}",
            widths[0] > widths[-1],
        ),
        (
            "figure 11: practical utility for most zones (our reading: MRE of at most 0.2)",
            f"{result.zones_within.text(100, '%')} of the zones",
            result.zones_within.mean > 0.5,
        ),
    ]
    header = ["P1 says", "measured here", "holds"]
    return table(
        header,
        [[says, ours, "yes" if holds else "**no**"] for says, ours, holds in rows],
        words=(1, 2),
    )


def _figure_6(result: DensityResults) -> list[str]:
    rows = [
        [
            f"{epsilon:g} ({epsilon / 2:g})",
            Spread.of(errors.shares).text(),
            Spread.of(errors.totals).text(),
            Spread.of(errors.unsampled).text(),
        ]
        for epsilon, errors in result.totals.items()
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


def _figures_7_and_8(result: DensityResults) -> list[str]:
    plan = result.plan
    epsilons = plan.epsilons

    def rows(names: Sequence[tuple[str, int]], pearson: bool) -> list[list[str]]:
        lines: list[list[str]] = []
        for name, kept in names:
            label = name if kept == plan.max_visits else f"{name}, ℓ = {kept}"
            utilities = [result.curves[name, kept, epsilon] for epsilon in epsilons]
            values = [u.pearson if pearson else u.mean_relative_error for u in utilities]
            lines.append([label, *(Spread.of(v).text() for v in values)])
        return lines

    def both(names: Sequence[tuple[str, int]]) -> list[str]:
        columns = [f"ε = {epsilon:g}" for epsilon in epsilons]
        errors = table(["MRE", *columns], rows(names, False))
        return [*errors, "", *table(["PC", *columns], rows(names, True)), ""]

    return [
        "### Figure 7: utility and ℓ",
        "",
        *both([(name, kept) for name in ("EFPAG", "LPA") for kept in plan.max_visits_shown]),
        "### Figure 8: utility and scheme",
        "",
        *both([(name, plan.max_visits) for name in measured.schemes(plan.base)]),
        f"ℓ = {plan.max_visits} where none is named. “EFPA−” and “EFPAG−” are without scaling and "
        "smoothing; “one k” is `efpag_joint`, the default here. Means over ε above are over these "
        "columns; P1's own ε are only in its drawing.",
        "",
    ]


def _figure_9(result: DensityResults) -> list[str]:
    improved, plain = (
        result.evidence.by_hour[name].reshape(-1, 7, 24).mean(axis=1)
        for name in ("EFPAG", "EFPAG−")
    )
    rows = [
        [f"{hour:02d}:00"]
        + [Spread.of(each[:, hour]).text() for each in (improved, plain, plain / improved)]
        for hour in HOURS_SHOWN
    ]
    plan = result.plan
    apart = [
        [name, Spread.of(values).text(unit=" m")]
        for name, values in result.evidence.distances.items()
    ]
    return [
        "### Figure 9a: mean relative error by hour, mean of the seven days",
        "",
        *table(["hour", "EFPAG", "EFPAG−", "EFPAG− / EFPAG"], rows),
        "",
        "### Figure 9b: earth mover's distance",
        "",
        *table(["scheme", "mean"], apart),
        "",
        f"Over {len(plan.hours)} hours of the week and {plan.distance_repeats} releases.",
        "",
    ]


def _figures_10_and_11(result: DensityResults) -> list[str]:
    def row(label: str, quartiles: tuple[Floats, Floats]) -> list[str]:
        return [label, *(Spread.of(kind[:, i]).text() for kind in quartiles for i in range(3))]

    epsilon = result.plan.epsilon
    rows = [row(f"EFPAG, ε = {e:g}", quartiles) for e, quartiles in result.quartiles.items()]
    rows.append(row(f"LPA, ε = {epsilon:g}", result.quartiles_lpa))
    header = ["", *(f"{what} {share}" for what in ("MRE", "PC") for share in ("25%", "50%", "75%"))]
    return [
        "### Figures 10 and 11: quartiles over zones",
        "",
        *table(header, rows),
        "",
    ]
