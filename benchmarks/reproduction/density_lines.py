"""P1's printed numbers beside ours, each with the measurement that explains a difference."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.reproduction.causes import AT_RANDOM, FARTHER, Clipping, Sizes, Weeks, farther
from benchmarks.reproduction.density import DAYLIGHT, DensityPlan, Key, Utility, by_hour_of_day
from benchmarks.reproduction.published import P1, P1_MAX_VISITS_CAP, P1_VISITS_FOOTNOTE
from benchmarks.reproduction.tables import Line, Spread, compare, number, percent
from engine import density
from engine.arrays import Floats


@dataclass(frozen=True)
class Evidence:
    """What explains differences; see `causes` and `density`."""

    sizes: Sizes
    clipping: Clipping
    weeks: dict[str, Weeks]
    distances: dict[str, Floats]
    taus: dict[str, float]
    clusters: dict[str, Floats]
    visits: float
    visits_errors: Floats
    max_visits_cap: int
    by_hour: dict[str, Floats]


@dataclass(frozen=True)
class At:
    """Utility at the plan's ε and ℓ, and its averages over the plan's ε."""

    curves: dict[Key, Utility]
    plan: DensityPlan

    def mre(self, name: str, kept: int | None = None) -> Spread:
        """Return the MRE of a scheme."""
        return Spread.of(self._one(name, kept).mean_relative_error)

    def pearson(self, name: str, kept: int | None = None) -> Spread:
        """Return the correlation of a scheme."""
        return Spread.of(self._one(name, kept).pearson)

    def less(self, one: str, other: str, measure: str, epsilons: tuple[float, ...]) -> Spread:
        """Return the difference of two schemes averaged over ε, repeat by repeat."""
        kept = self.plan.max_visits
        differences = [
            getattr(self.curves[one, kept, e], measure)
            - getattr(self.curves[other, kept, e], measure)
            for e in epsilons
        ]
        return Spread.of(np.mean(differences, axis=0))

    def _one(self, name: str, kept: int | None) -> Utility:
        return self.curves[name, kept or self.plan.max_visits, self.plan.epsilon]


def lines(curves: dict[Key, Utility], evidence: Evidence, plan: DensityPlan) -> list[Line]:
    """Return every number of P1's §5 and §6 beside ours."""
    at = At(curves, plan)
    return [
        *_averages(at, evidence),
        *_differences(at, evidence),
        *_distances(evidence),
        *_sizes(evidence, plan),
    ]


def _averages(at: At, evidence: Evidence) -> Iterator[Line]:
    lpa, efpag = _lpa(at, evidence), _efpag(at, evidence)
    yield compare("LPA, MRE", P1["lpa_mre"], at.mre("LPA"), lpa)
    yield compare("LPA, PC", P1["lpa_pearson"], at.pearson("LPA"), lpa)
    yield compare("EFPAG, MRE", P1["efpag_mre"], at.mre("EFPAG"), efpag)
    yield compare("EFPAG, PC", P1["efpag_pearson"], at.pearson("EFPAG"), efpag)
    for kept in at.plan.max_visits_shown:
        ours = at.mre("EFPAG", kept)
        yield compare(f"EFPAG, ℓ = {kept}, MRE", P1["mre_over_l"], ours, efpag, show_reach=True)
        ours = at.pearson("EFPAG", kept)
        yield compare(f"EFPAG, ℓ = {kept}, PC", P1["pearson_over_l"], ours, efpag, show_reach=True)


def _lpa(at: At, evidence: Evidence) -> str:
    sizes, clipping = evidence.sizes, evidence.clipping
    zones_mean, cover_mean = P1["zone_mean"].value, P1["cover_mean"].value
    return (
        "the noise is P1's, so the counts it falls on must differ, of which P1 prints only means: "
        f"a tenth of our zones, the quietest, makes {clipping.quietest_share.text(100, '%')} of "
        f"the MRE (the others: {clipping.without_quietest.text()}), and {sizes.cover_zones} of "
        f"our {sizes.cover} cover cells are zones, where P1's mean counts imply a smaller cover "
        f"({zones_mean:.0f}/{cover_mean:.0f} of its 989 zones, about "
        f"{989 * zones_mean / cover_mean:.0f} cells); LPA on the towers alone gives "
        f"{at.mre('LPA on towers').text()} and {at.pearson('LPA on towers').text()}."
    )


def _efpag(at: At, evidence: Evidence) -> str:
    near, random = evidence.weeks[farther(FARTHER[0])], evidence.weeks[AT_RANDOM]
    low = at.plan.epsilons[0]
    strict = Spread.of(at.curves["EFPAG", at.plan.max_visits, low].mean_relative_error)
    return (
        "the weeks of our towers are more alike than P1's seem to be. Not noise: at "
        f"ε = {low:g} MRE is only {strict.text()}, without noise {at.mre('no noise').text()}, and "
        f"with counts as small as P1's {at.mre(SCALED).text()}. With every tower's week "
        f"{FARTHER[0]:g} times as far from the mean week MRE is {near.mre.text()} and PC "
        f"{near.pearson.text()} (table below); whether neighbours are alike matters little here "
        f"(weeks dealt out at random: {random.mre.text()})."
    )


SCALED = "P1's mean count"


def _differences(at: At, evidence: Evidence) -> Iterator[Line]:
    epsilons, small = at.plan.epsilons, at.plan.epsilons[:2]
    tau = _tau(at, evidence)
    for measure, name in (("mean_relative_error", "mre"), ("pearson", "pearson")):
        yield compare(
            f"EFPAG less EFPA, mean over ε, {'MRE' if name == 'mre' else 'PC'}",
            P1[f"efpag_less_efpa_{name}"],
            at.less("EFPAG", "EFPA", measure, epsilons),
            tau,
            signed=True,
        )
    sizes = evidence.sizes
    lost = 1 - sizes.zone_mean_sampled / sizes.zone_mean
    laplace = at.less("EFPA", "EFPA−", "mean_relative_error", epsilons)
    alone = (
        f"sampling drops {percent(lost)} of our visits and only scaling brings them back: at "
        f"ε = {at.plan.epsilon:g} MRE is {at.mre('EFPAG').text()} with both, "
        f"{at.mre('no smoothing').text()} without smoothing, {at.mre('no scaling').text()} "
        "without scaling; P1 does not print how many visits its sampling drops. With EFPA, which "
        f"P1's name “EFPA−” may mean, the difference is {laplace.text(signed=True)}."
    )
    yield compare(
        "scaling and smoothing, mean over ε, MRE",
        P1["improved_mre"],
        at.less("EFPAG", "EFPAG−", "mean_relative_error", epsilons),
        alone,
        signed=True,
    )
    plain = Spread.of(
        [at.curves["EFPAG−", at.plan.max_visits, epsilon].pearson for epsilon in small]
    )
    yield compare(
        f"scaling and smoothing, ε of {' and '.join(f'{e:g}' for e in small)}, PC",
        P1["improved_pearson"],
        at.less("EFPAG", "EFPAG−", "pearson", small),
        f"without them PC is {plain.text()} here already, which leaves little to gain.",
        signed=True,
    )
    yield _daylight(evidence, lost)


def _tau(at: At, evidence: Evidence) -> str:
    epsilons = at.plan.epsilons
    means = {name: Spread.of(values).text() for name, values in evidence.clusters.items()}
    same = {
        measure: at.less("EFPAG", "EFPA, τ of EFPAG", measure, epsilons).text(signed=True)
        for measure in ("mean_relative_error", "pearson")
    }
    apart = evidence.weeks[farther(FARTHER[-1])]
    return (
        f"EFPA's own τ ({number(evidence.taus['EFPA'])} against {number(evidence.taus['EFPAG'])}) "
        f"leaves it fewer, larger clusters ({means['EFPA']} against {means['EFPAG']}), which "
        "costs little where weeks are alike: with one τ for both the difference is "
        f"{same['mean_relative_error']} in MRE and {same['pearson']} in PC, with weeks "
        f"{FARTHER[-1]:g} times as far apart and two τ {apart.less_efpa_mre.text(signed=True)} "
        f"and {apart.less_efpa_pearson.text(signed=True)} (ε = {at.plan.epsilon:g})."
    )


def _daylight(evidence: Evidence, lost: float) -> Line:
    improved, plain = (evidence.by_hour[name] for name in ("EFPAG", "EFPAG−"))
    hours = list(DAYLIGHT)
    ratio = by_hour_of_day(plain, hours) / by_hour_of_day(improved, hours)
    best = hours[int(np.argmax(ratio))]
    each = plain.reshape(len(plain), 7, 24).mean(1) / improved.reshape(len(plain), 7, 24).mean(1)
    left, before = (by_hour_of_day(errors, [best]).item() for errors in (improved, plain))
    why = (
        f"sampling drops {percent(lost)} of our visits, so the error that scaling can mend is "
        f"{number(before)} at that hour, of which it leaves {number(left)}; a factor of 4 needs "
        "a larger first or a smaller second."
    )
    return compare(
        f"figure 9a, error without over with both, best hour from {DAYLIGHT.start}:00 to "
        f"{DAYLIGHT.stop}:00 (ours {best}:00)",
        P1["daylight_factor"],
        Spread.of(each[:, best]),
        why,
    )


def _distances(evidence: Evidence) -> Iterator[Line]:
    left = Spread.of(evidence.distances["no noise"]).text(unit=" m")
    apart, clipping = evidence.weeks[farther(FARTHER[-1])], evidence.clipping
    shared = (
        f"weeks more alike than P1's, as for MRE: {left} are left without noise, and with weeks "
        f"{FARTHER[-1]:g} times as far from the mean week EFPA has "
        f"{apart.efpa_distance.text(unit=' m')} and EFPAG {apart.distance.text(unit=' m')}; what "
        "is then still missing is not explained."
    )
    reasons = {
        "LPA": f"mostly bias, not noise: negative counts become 0, which adds "
        f"{clipping.invented.text(100, '%')} to our sampled visits where zones are quiet, and "
        "the mean of all releases, in which most noise cancels, is still off by "
        f"{number(clipping.distance_of_mean_m)} m; how many zones are quiet P1 does not print.",
        "EFPA": shared,
        "EFPAG": shared,
    }
    for name in ("LPA", "EFPA", "EFPAG"):
        yield compare(
            f"{name}, earth mover's distance",
            P1[f"{name.lower()}_emd"],
            Spread.of(evidence.distances[name]),
            reasons[name],
            unit=" m",
        )


def _sizes(evidence: Evidence, plan: DensityPlan) -> Iterator[Line]:
    sizes = evidence.sizes
    d7 = (
        "P1's own N × mean is 162.5 visits an hour and zone before sampling (erratum D7); ours, "
        f"calibrated to that, is {number(sizes.zone_mean)} before and "
        f"{number(sizes.zone_mean_sampled)} after sampling {plan.max_visits} visits a person."
    )
    ours = Spread.of([sizes.zone_mean_sampled])
    yield compare("mean count per hour of zones, pre-sampled", P1["zone_mean"], ours, d7)
    cover = (
        f"our cover has {sizes.cover} cells ({sizes.cover_towers} towers, {sizes.cover_zones} "
        "zones) that share the visits of the zones, P1's must have fewer (see LPA)."
    )
    ours = Spread.of([sizes.cover_mean_sampled])
    yield compare("mean count per hour of the cover, pre-sampled", P1["cover_mean"], ours, cover)
    stage = density.ledger(
        density.with_epsilon(plan.base, plan.epsilon, variant="lpa"),
        cover_size=sizes.cover,
        max_visits_cap=evidence.max_visits_cap,
    ).stages[0]
    noise = math.sqrt(2) * (stage.noise_scale or math.nan)
    yield compare(
        "LPA's noise, standard deviation in visits", P1["lpa_noise"], Spread.of([noise]), "–"
    )
    yield _visits(evidence, plan)


def _visits(evidence: Evidence, plan: DensityPlan) -> Line:
    published = P1["visits_error"]
    ours = Spread.of(evidence.visits_errors)
    scale, theirs = (4 * cap / plan.epsilon for cap in (evidence.max_visits_cap, P1_MAX_VISITS_CAP))
    return Line(
        "|K − K̂|/K on average",
        f"< {published.value:.0e}",
        f"{ours.mean:.0e} ± {ours.deviation:.0e}",
        ours.mean < published.value,
        published.source,
        f"the noise on K̂ is 4·K_max/ε = {number(scale)} visits on average, "
        f"{scale / evidence.visits:.1e} of our K = {number(evidence.visits)}; with P1's own "
        f"K_max = {P1_MAX_VISITS_CAP} and K = {number(P1_VISITS_FOOTNOTE)} it is still "
        f"{theirs / P1_VISITS_FOOTNOTE:.1e}, and below 10⁻⁵ only for ε above "
        f"{number(theirs * plan.epsilon / P1_VISITS_FOOTNOTE / published.value)} (D7).",
    )
