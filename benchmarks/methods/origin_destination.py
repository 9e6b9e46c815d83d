"""`estimate` against Algorithm 1: the tables of ``docs/mechanisms.md``."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from benchmarks.methods import bound, certain
from benchmarks.methods.origin_destination_cases import (
    DAY,
    MONTHS,
    WEEK,
    Case,
    bike_days,
    bikes,
    shipped,
)
from engine import datasets
from engine import origin_destination as od
from engine.arrays import Floats
from engine.geography import centre_distances_m
from engine.ledger import simple_ledger
from engine.origin_destination import estimate
from engine.origin_destination.estimate import measurement, prediction, reading

TEXT = Path(__file__).with_suffix(".md")
EPSILONS = (0.1, 0.3, 1.0)
SEEDS = 20
THRESHOLD = 15
LARGE = 15

Report = Callable[[str], None]


@dataclass(frozen=True)
class Scores:
    """What one method scored on one case at one ε, means over the seeds."""

    error: float
    out: float
    leading: float
    common: float
    false: float
    large: float
    covered: float = np.nan


def section(report: Report) -> Iterator[str]:
    """Yield the lines of the section."""
    method, bounds, meaning, history = TEXT.read_text(encoding="utf-8").split("<!-- tables -->\n")
    yield method
    cases = [*shipped(), *bikes()]
    measured = {}
    for case in cases:
        for epsilon in EPSILONS:
            measured[case.name, epsilon] = _measure(case, epsilon)
            report(f"{case.name}, ε {epsilon:g}")
    yield "### Measured\n"
    yield (
        f"{SEEDS} draws of the noise, the same for all methods; trip level (T = 1). Shipped "
        f"datasets: day {DAY + 1}. MiBici: real bike trips of a month, {' and '.join(MONTHS)}, by "
        "station and by clusters of stations (k-means of their places). Flows of ours are medians; "
        "out-totals and leading destinations are of its means. *published τ = 15 / τ = 0 → "
        "estimate*.\n"
    )
    yield from _table(measured)
    yield "\n### The claim\n"
    yield (
        "Against τ = 15: mean absolute error −30%, error of out-totals −40%, common part of "
        "commuters higher.\n"
    )
    yield from _claims(measured)
    yield "\n### What is within reach\n"
    yield bounds.format(draws=SEEDS)
    known = {case.name: case for case in cases}
    missed = [pair for pair, three in measured.items() if not all(_met(*three))]
    yield from bound.lines([(n, e, _reach(known[n], e, report)) for n, e in missed])
    yield meaning
    yield "\n### The claim, a week in one release\n"
    yield (
        "A trip belongs to one day. At trip level seven daily matrices with ε each are therefore "
        "ε-DP together, as one of them is (parallel composition), for both methods alike. Ours "
        "reads every day with the noisy tables of the other six; Algorithm 1 reads each by itself. "
        f"The first seven days, {SEEDS} draws; errors are means over the days.\n"
    )
    weeks = {}
    for case in [*shipped(slice(0, WEEK)), *bike_days()]:
        for epsilon in EPSILONS:
            weeks[case.name, epsilon] = _measure(case, epsilon)
            report(f"{case.name}, a week, ε {epsilon:g}")
    yield from _claims(weeks)
    yield "\n### Losses\n"
    yield from _losses(measured)
    yield "\n### Trimmed trips and several days\n"
    yield from _trimmed(report)
    yield from _several_days(report)
    yield from certain.lines(report)
    yield "\n### What the constants do\n"
    yield from _constants(cases, report)
    yield ""
    yield history


def _measured(cells: NDArray[np.int64], rate: float) -> estimate.Measurement:
    return estimate.Measurement(
        cells=cells,
        rate=rate,
        capped_trips=None,
        days=tuple(range(len(cells))),
        ledger=simple_ledger((), unit="one trip"),
    )


def _measure(case: Case, epsilon: float, seeds: int = SEEDS) -> tuple[Scores, Scores, Scores]:
    """Return the scores of τ = 15, of τ = 0 and of `estimate`, on the same noise."""
    true, shape = case.true, case.true.shape
    off = 1 - np.eye(shape[-1], dtype=np.int64)
    draws: list[list[Scores]] = []
    for seed in range(seeds):
        variates = np.random.default_rng(seed).laplace(0.0, 1.0, shape)
        noise = od.ODNoise(cells=variates)
        scores = []
        for threshold in (THRESHOLD, 0):
            parameters = od.ODParameters(
                epsilon=epsilon, suppression_threshold=threshold, unit="trip"
            )
            counts = od.release_matrix(true, parameters, noise=noise)
            scores.append(_scores(true, counts.astype(np.float64), counts > 0))
        cells = (true + measurement.discrete_laplace(variates, epsilon)) * off
        ours = estimate.read_measurement(_measured(cells, epsilon), case.distances_m)
        covered = ((ours.low <= true) & (true <= ours.high))[true > 0].mean()
        shown = ours.certain | ours.likely
        scores.append(_scores(true, ours.typical, shown, ours.counts, float(covered)))
        draws.append(scores)
    published, unsuppressed, ours = (_mean([draw[i] for draw in draws]) for i in range(3))
    return published, unsuppressed, ours


def _reach(case: Case, epsilon: float, report: Report) -> list[float]:
    """Return changes against τ = 15: errors and out-totals of ours and of the oracle, its world."""
    world, shape = bound.World(case.true[0], case.distances_m), case.true[0].shape
    off = 1 - np.eye(len(world.mu), dtype=np.int64)
    draws: list[list[list[float]]] = []
    for seed in range(SEEDS):
        rng = np.random.default_rng(seed)
        variates = rng.laplace(0.0, 1.0, (1, *shape))
        noise = measurement.discrete_laplace(variates[0], epsilon) * off
        parameters = od.ODParameters(epsilon=epsilon, suppression_threshold=THRESHOLD, unit="trip")
        errors: list[list[float]] = []
        for true in (case.true[0], world.deal(rng)):
            published = od.release_matrix(true[None], parameters, noise=od.ODNoise(cells=variates))[
                0
            ]
            ours = estimate.read_measurement(
                _measured((true + noise)[None], epsilon), case.distances_m
            )
            best, sums = world.read(true + noise, epsilon)
            for flows, totals in (
                (published, published),
                (ours.typical[0], ours.counts[0]),
                (best, sums),
            ):
                agreement = od.agreement(true, flows, sums=totals)
                errors.append([agreement.mean_error, agreement.outgoing_error])
        draws.append(errors)
    report(f"{case.name}, ε {epsilon:g}, what is within reach")
    mean = np.mean(draws, axis=0)
    on_truth, in_world = mean[1:3] / mean[0] - 1, mean[5] / mean[3] - 1
    return [*on_truth.T.ravel().tolist(), *in_world.tolist()]


def _scores(
    true: NDArray[np.int64],
    counts: Floats,
    shown: NDArray[np.bool_],
    sums: Floats | None = None,
    covered: float = np.nan,
) -> Scores:
    agreement = od.agreement(true, counts, shown, sums=sums)
    large = np.abs(counts - true)[true >= LARGE]
    return Scores(
        error=agreement.mean_error,
        out=agreement.outgoing_error,
        leading=agreement.leading_destinations,
        common=agreement.common_part,
        false=agreement.false_share,
        large=float(large.mean()) if len(large) else np.nan,
        covered=covered,
    )


def _mean(scores: list[Scores]) -> Scores:
    return Scores(*np.mean([list(vars(one).values()) for one in scores], axis=0))


Measured = dict[tuple[str, float], tuple[Scores, Scores, Scores]]


def _table(measured: Measured) -> Iterator[str]:
    yield (
        "| data | ε | mean abs. error | error of out-totals | ten leading destinations "
        "| common part | false among shown, τ 15 → ours | error of flows ≥ 15 "
        "| 90% intervals cover |"
    )
    yield "| --- | ---: | --- | --- | --- | --- | --- | --- | ---: |"
    for (name, epsilon), three in measured.items():
        published, _, ours = three
        cells = [
            name,
            f"{epsilon:g}",
            _three([one.error for one in three], "{:.2f}"),
            _three([100 * one.out for one in three], "{:.3g}") + "%",
            _three([100 * one.leading for one in three], "{:.0f}") + "%",
            _three([one.common for one in three], "{:.3f}"),
            f"{100 * published.false:.1f} → {100 * ours.false:.1f}%",
            _three([one.large for one in three], "{:.2f}"),
            f"{100 * ours.covered:.0f}%",
        ]
        yield "| " + " | ".join(cells) + " |"


def _three(values: list[float], form: str) -> str:
    if not np.isfinite(values).all():
        return "–"
    published, unsuppressed, ours = (form.format(value) for value in values)
    return f"{published}/{unsuppressed} → {ours}"


def _met(published: Scores, _: Scores, ours: Scores) -> tuple[bool, bool, bool]:
    return (
        ours.error <= 0.7 * published.error,
        ours.out <= 0.6 * published.out,
        ours.common > published.common,
    )


def _claims(measured: Measured) -> Iterator[str]:
    yield "| data | ε | mean abs. error | out-totals | common part | all three |"
    yield "| --- | ---: | ---: | ---: | ---: | --- |"
    held = 0
    for (name, epsilon), (published, _, ours) in measured.items():
        error, out = ours.error / published.error - 1, ours.out / published.out - 1
        met = _met(published, published, ours)
        held += all(met)
        figures = (
            f"{error:+.0%}" if met[0] else f"**{error:+.0%}**",
            f"{out:+.0%}" if met[1] else f"**{out:+.0%}**",
            f"{published.common:.3f} → {ours.common:.3f}",
        )
        yield (
            f"| {name} | {epsilon:g} | "
            + " | ".join(figures)
            + (f" | {'yes' if all(met) else '**no**'} |")
        )
    yield f"\nAll three hold in {held} of {len(measured)} pairs of data and ε."


def _losses(measured: Measured) -> Iterator[str]:
    """Yield where `estimate` is worse than the better of the two published thresholds."""
    rules: list[tuple[str, Callable[[Scores], float]]] = [
        ("mean absolute error", lambda s: s.error),
        ("out-totals", lambda s: s.out),
        ("ten leading destinations", lambda s: -s.leading),
        ("common part", lambda s: -s.common),
        ("false among shown", lambda s: s.false),
        ("error of flows ≥ 15", lambda s: s.large),
    ]
    yield "Worse than the better of τ = 15 and τ = 0 in hindsight, by measure:\n"
    for name, value in rules:
        worse = [
            f"{data} at {epsilon:g}"
            for (data, epsilon), (first, second, ours) in measured.items()
            if value(ours) > min(value(first), value(second))
        ]
        count = f"{len(worse)} of {len(measured)}"
        yield f"- {name}: {count}" + (f" ({'; '.join(worse)})" if worse else "")


def _trimmed(report: Report) -> Iterator[str]:
    yield "Person-day level, T = 4, ε = 1, 5 draws, errors against the truth before trimming:\n"
    yield "| data | capped count | mean abs. error | error of out-totals | common part |"
    yield "| --- | --- | --- | --- | --- |"
    for name in datasets.available():
        dataset = datasets.load(name)
        if not dataset.has_trips or not dataset.metadata.simulated:
            continue
        true, distances = od.truth(dataset, days=DAY), centre_distances_m(dataset.zones)
        scores: list[list[od.Agreement]] = []
        bought = False
        for seed in range(5):
            noise = od.ODNoise.draw(np.random.default_rng(seed), dataset, days=DAY)
            row = []
            for threshold in (THRESHOLD, 0):
                parameters = od.ODParameters(
                    epsilon=1.0, max_trips_per_user=4, suppression_threshold=threshold
                )
                private = od.release(dataset, parameters, noise=noise, days=DAY)
                row.append(od.agreement(true, private.counts))
            parameters = od.ODParameters(epsilon=1.0, max_trips_per_user=4)
            ours = estimate.release(
                dataset, parameters, noise=noise, days=DAY, distances_m=distances
            )
            bought = ours.measurement.capped_trips is not None
            scores.append([*row, od.agreement(true, ours.typical, sums=ours.counts)])
        mean = {
            key: [float(np.mean([getattr(row[i], key) for row in scores])) for i in range(3)]
            for key in ("mean_error", "outgoing_error", "common_part")
        }
        yield (
            f"| {name} | {'yes' if bought else 'no'} | {_three(mean['mean_error'], '{:.2f}')} | "
            f"{_three([100 * x for x in mean['outgoing_error']], '{:.3g}')}% | "
            f"{_three(mean['common_part'], '{:.3f}')} |"
        )
        report(f"{name}, person-day")


def _several_days(report: Report) -> Iterator[str]:
    yield (
        f"\n{WEEK} daily matrices, trip level, one draw, read alone and with the sum of the other "
        "days:\n"
    )
    yield "| data | ε | mean abs. error: τ 15 / alone → together |"
    yield "| --- | ---: | --- |"
    for case in shipped(slice(0, WEEK)):
        for epsilon in (0.1, 1.0):
            published, _, together = _measure(case, epsilon, seeds=1)
            variates = np.random.default_rng(0).laplace(0.0, 1.0, case.true.shape)
            noisy = case.true + measurement.discrete_laplace(variates, epsilon)
            alone = []
            for true, one in zip(case.true, noisy, strict=True):
                cells = one[None] * (1 - np.eye(len(true), dtype=np.int64))
                read = estimate.read_measurement(_measured(cells, epsilon), case.distances_m)
                alone.append(od.agreement(true, read.typical[0]).mean_error)
            errors = [published.error, float(np.mean(alone)), together.error]
            yield f"| {case.name} | {epsilon:g} | {_three(errors, '{:.2f}')} |"
        report(f"{case.name}, seven days")


CONSTANTS: list[tuple[ModuleType, str, str]] = [
    (prediction, "BANDS", "bands of distance"),
    (prediction, "FITTING_STEPS", "rounds of proportional fitting"),
    (prediction, "TOTAL_STEPS", "grid of totals"),
    (reading, "LOG_STEP", "step of log θ and log μ"),
    (reading, "SPREADS", "spreads of log θ to choose from"),
    (reading, "STEP_SHAPE", "shape around a step of θ"),
    (reading, "SHAPE_STEP", "step of the shapes"),
    (reading, "OWN_ROUNDS", "rounds for the spread of η"),
]
PROBES = (("afghanistan-districts", 0.1), ("rwanda-districts", 0.1), ("demo-city", 1.0))


def _constants(cases: list[Case], report: Report) -> Iterator[str]:
    """Yield what halving and doubling each constant does to the mean absolute error."""
    known = {case.name: case for case in cases}
    probes = [(known[name], epsilon) for name, epsilon in PROBES]
    plain = [_measure(case, epsilon, seeds=2)[2].error for case, epsilon in probes]
    yield "Change of the mean absolute error when a constant is halved / doubled, 2 draws:\n"
    yield "| constant | value | " + " | ".join(f"{n}, ε {e:g}" for n, e in PROBES) + " |"
    yield "| --- | ---: |" + " ---: |" * len(PROBES)
    for module, name, words in CONSTANTS:
        value = getattr(module, name)
        changes: list[list[float]] = []
        for factor in (0.5, 2.0):
            altered = value * factor
            setattr(module, name, max(1, round(altered)) if isinstance(value, int) else altered)
            try:
                errors = [_measure(case, epsilon, seeds=2)[2].error for case, epsilon in probes]
            finally:
                setattr(module, name, value)
            changes.append([a / b - 1 for a, b in zip(errors, plain, strict=True)])
        cells = [f"{half:+.1%} / {twice:+.1%}" for half, twice in zip(*changes, strict=True)]
        yield f"| {words} | {value:g} | " + " | ".join(cells) + " |"
        report(f"{name}")
