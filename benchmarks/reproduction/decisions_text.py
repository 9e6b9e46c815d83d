"""Write P2's Tables 2, 3 and S3 and the data of figures S1 to S3 beside what was measured."""

from collections.abc import Iterator

import numpy as np

from benchmarks.reproduction import decisions as measured
from benchmarks.reproduction.decisions import Aid, DecisionsPlan, Epidemics, Load
from benchmarks.reproduction.tables import table
from engine import origin_destination as od
from engine.decisions import OverZones
from engine.decisions.published import (
    EPSILONS,
    EVENTS,
    PRINTED_T,
    TABLE_2,
    TABLE_3,
    TABLE_S3,
    TRUE_TOTALS,
    Migration,
)

LEVELS = {"provinces": "afghanistan-2020", "districts": "afghanistan-2020-districts"}


def text(load: Load, plan: DecisionsPlan) -> list[str]:
    """Return the part of the report on decisions."""
    return [
        "## Decisions (P2, Tables 2, 3 and S3, figures S1 to S3)",
        "",
        "Errata E1 and E2 and what they mean are in [decisions.md](decisions.md). The page "
        "Decisions shows the same figures live.",
        "",
        *_epidemics(load, plan),
        *_aid(load, plan),
    ]


def _epidemics(load: Load, plan: DecisionsPlan) -> Iterator[str]:
    yield "### Table 2: epidemic response"
    yield ""
    result = {
        level: measured.epidemics(dataset, plan)
        for level, name in LEVELS.items()
        if (dataset := load(name)) is not None
    }
    known = {level: each for level, each in result.items() if each is not None}
    if not known:
        yield "No dataset with origins was there to be measured."
        yield ""
        return
    yield (
        "Mean (standard deviation over zones) in percent, ours as the mean over the draws; "
        "“without” counts zones for which recall or precision is undefined, which are left out. "
        "Kabul, Hirat and a random zone are P2's; our random one is named."
    )
    yield ""
    rows = [row for level, each in known.items() for row in _table_2(level, each)]
    yield from table(
        [
            "zones",
            "start",
            "ε",
            "accuracy: P2",
            "ours",
            "never acting",
            "precision: P2",
            "ours",
            "recall: P2",
            "ours",
        ],
        rows,
    )
    yield ""
    for level in LEVELS.keys() - known.keys():
        yield f"`{LEVELS[level]}` is made on first use and was not there: no row for {level}."
        yield ""
    yield "### Figure S1: peak and timing"
    yield ""
    yield (
        "Peak prevalence with the true data, zone-days on which zones act, wrong zone-days from "
        "suppression alone, and the median shift of the first acting day over draws and zones."
    )
    yield ""
    rows = [row for level, each in known.items() for row in _figure_s1(level, each)]
    shifts = [f"shift at ε = {epsilon:g}" for epsilon in EPSILONS]
    yield from table(["zones", "start", "peak", "act", "suppression only", *shifts], rows)
    yield ""


def _table_2(level: str, result: Epidemics) -> Iterator[list[str]]:
    for place, (kind, name) in enumerate(result.origins.items()):
        for epsilon, comparison in result.drawn.items():
            printed = TABLE_2[kind, level, epsilon]
            cells = [level, name, f"{epsilon:g}"]
            for figure in ("accuracy", "precision", "recall"):
                mean, deviation = getattr(printed, figure)
                cells += [f"{mean} ({deviation})", _scores(getattr(comparison, figure), place)]
                if figure == "accuracy":
                    cells.append(f"{100 * float(comparison.never_acting_accuracy[place]):.1f}")
            yield cells


def _scores(figure: OverZones, place: int) -> str:
    mean, deviation = (
        100 * float(np.mean(values[:, place]))
        for values in (figure.mean, figure.standard_deviation)
    )
    without = float(np.mean(figure.undefined[:, place]))
    return f"{mean:.1f} ({deviation:.1f})" + (f", {without:.1f} without" if without else "")


def _figure_s1(level: str, result: Epidemics) -> Iterator[list[str]]:
    for place, name in enumerate(result.origins.values()):
        wrong = (result.quiet.missed + result.quiet.needless)[place].sum()
        shifts = [
            f"{np.nanmedian(comparison.shift[:, place]):+.0f} days"
            for comparison in result.drawn.values()
        ]
        yield [
            level,
            name,
            f"{100 * result.highest[place]:.4f}%",
            f"{result.quiet.acting_true[place].sum():,}",
            f"{wrong:,}",
            *shifts,
        ]


def _aid(load: Load, plan: DecisionsPlan) -> Iterator[str]:
    loaded = {name: dataset for name in EVENTS if (dataset := load(name)) is not None}
    exact = {
        name: result
        for name, dataset in loaded.items()
        if (result := measured.by_epsilon(dataset, measured.trip_level(1.0), plan.most)) is not None
    }
    if not exact:
        yield "### Table 3: aid after a shock"
        yield ""
        yield "No dataset with a shock was there to be measured."
        yield ""
        return
    yield "### Table 3: aid after a shock, trip level"
    yield ""
    yield (
        "Ours are exact: expected total (standard deviation over releases), relative error of the "
        f"expected total, expected overlap of the {plan.k} main destinations, mean over days. P2's "
        "are one draw. [c] marks a misprint corrected from the printed totals."
    )
    yield ""
    yield from table(
        ["event", "ε", "total: P2", "ours", "error: P2", "ours", "top 3: P2", "ours"],
        [
            [EVENTS[name], f"{epsilon:g}", *_migration(name, printed, exact[name][epsilon], plan.k)]
            for name in exact
            for epsilon, printed in zip(EPSILONS, TABLE_3[name], strict=True)
        ],
    )
    yield ""
    totals = ", ".join(
        f"{EVENTS[name]} {TRUE_TOTALS[name]:,} (ours "
        f"{float(exact[name][EPSILONS[0]].totals.together.true):,.0f})"
        for name in exact
    )
    yield f"Not private: {totals}."
    yield ""
    yield from _figures(exact, plan)
    yield from _table_s3(loaded, plan)


def _migration(name: str, printed: Migration, ours: Aid, k: int) -> list[str]:
    together = ours.totals.together
    error = printed.error if printed.corrected is None else printed.corrected
    mark = "" if printed.corrected is None else f" [c], printed {printed.error:.2f}%"
    direction = "−" if printed.total < TRUE_TOTALS[name] else "+"
    return [
        f"{printed.total:,}",
        f"{float(together.expected):,.1f} ({float(together.standard_deviation):,.1f})",
        f"{direction}{error:.2f}%{mark}",
        f"{100 * ours.error:+.2f}%".replace("-", "−"),
        f"{printed.top:.2f}%",
        f"{100 * _mean(ours, k):.3f}%",
    ]


def _mean(result: Aid, k: int) -> float:
    return float(np.nanmean(result.overlap[k - 1]))


def _figures(exact: dict[str, dict[float, Aid]], plan: DecisionsPlan) -> Iterator[str]:
    yield "### Figure S2: out-migration by day, true and expected"
    yield ""
    rows = []
    for name, result in exact.items():
        true = result[EPSILONS[0]].totals.by_day.true
        rows.append([EVENTS[name], "true", *(f"{value:,.0f}" for value in true)])
        rows += [
            [EVENTS[name], f"ε = {e:g}", *(f"{v:,.0f}" for v in each.totals.by_day.expected)]
            for e, each in result.items()
        ]
    days = max(len(row) for row in rows) - 2
    yield from table(["event", "", *(f"day {day + 1}" for day in range(days))], rows)
    yield ""
    yield f"### Figure S3: expected overlap of the first k, k = 1 to {plan.most}, in percent"
    yield ""
    yield from table(
        ["event", "ε", *(f"{k}" for k in range(1, plan.most + 1))],
        [
            [
                EVENTS[name],
                f"{epsilon:g}",
                *(f"{100 * _mean(each, k):.1f}" for k in range(1, plan.most + 1)),
            ]
            for name, result in exact.items()
            for epsilon, each in result.items()
        ],
    )
    yield ""


def _table_s3(loaded: dict[str, object], plan: DecisionsPlan) -> Iterator[str]:
    yield "### Table S3: aid after a shock, T at a percentile of daily trips"
    yield ""
    yield (
        "Unit person-day. T is P2's where it is known and else that percentile in our data "
        "(erratum O4: read off the data). P2's totals hardly change with ε and T as Algorithm 1's "
        "noise would have them change (erratum E2)."
    )
    yield ""
    rows = []
    for (name, percentile), columns in TABLE_S3.items():
        dataset = loaded.get(name)
        if dataset is None:
            continue
        known = measured.percentile_trips(dataset)
        trips = PRINTED_T.get((name, percentile), known.get(percentile))
        if trips is None:
            continue
        base = od.ODParameters(
            epsilon=1.0, max_trips_per_user=trips, suppression_threshold=measured.THRESHOLD
        )
        result = measured.by_epsilon(dataset, base, plan.k)
        if result is None:
            continue
        rows += [
            [
                EVENTS[name],
                f"{percentile}%",
                f"{trips}",
                f"{epsilon:g}",
                *_migration(name, printed, result[epsilon], plan.k),
            ]
            for epsilon, printed in zip(EPSILONS, columns, strict=True)
        ]
    yield from table(
        [
            "event",
            "percentile",
            "T",
            "ε",
            "total: P2",
            "ours",
            "error: P2",
            "ours",
            "top 3: P2",
            "ours",
        ],
        rows,
    )
    yield ""
