"""Write P2's Table S2 beside what was measured."""

import math
from collections.abc import Iterator, Sequence

from benchmarks.reproduction import trips as measured
from benchmarks.reproduction.published import P2_THRESHOLD, TABLE_S2, SmallShares
from benchmarks.reproduction.tables import number, table
from benchmarks.reproduction.trips import READINGS, Shares, TripsPlan
from engine import origin_destination as od

BOUND = 3.0
"""Points: what the generator was allowed at the share of the data that are not private."""


def within_reach(name: str, shares: Shares) -> list[bool]:
    """Return whether each private share of a column is within `BOUND` of the printed one."""
    pairs = zip(TABLE_S2[name].private, shares.expected["daily"], strict=True)
    return [abs(100 * ours - printed) <= BOUND for printed, ours in pairs]


def is_possible(column: SmallShares, place: int, epsilon: float) -> bool:
    """Return whether Algorithm 1 can make the printed share of the share that is not private."""
    low, high = measured.possible_shares(column.not_private, epsilon)
    return low - 0.05 <= column.private[place] <= high + 0.05


def shares_text(result: dict[str, Shares], missing: Sequence[str], plan: TripsPlan) -> list[str]:
    """Return the part of the report on Table S2."""
    rows = [row for name, shares in result.items() for row in _rows(name, shares, plan)]
    header = [
        "data",
        "ε",
        "printed",
        "possible",
        "ours, exact or expected",
        "drawn",
        "difference",
        READINGS["travelled"],
        READINGS["week"],
    ]
    return [
        f"### Table S2: share of counts below {P2_THRESHOLD}, in percent",
        "",
        "P2 does not say which counts; ours are daily matrices over all off-diagonal pairs, exact "
        f"for the truth, then expected (exact law) and drawn ({plan.repeats} draws of all days). "
        "The last two columns are other readings, exact or expected. “Possible” is what Algorithm "
        "1 can make, in expectation, of the share printed for the data that are not private. The "
        "generator was set to that share (first row of each dataset, [calibration.md]"
        "(calibration.md)) wherever it can be met, so that row is no test.",
        "",
        *table(header, rows, words=(1,)),
        "",
        *_missing(missing),
        f"Where ours differ by more than {BOUND:g} points, and where P2's table contradicts "
        "itself:",
        "",
        *(f"- {reason}" for name, shares in result.items() for reason in _why(name, shares, plan)),
        f"- **ε = {plan.epsilons[0]:g}, fine levels**: {_fine_words(plan.epsilons[0])}",
        "",
        *_readings(result),
    ]


def _missing(missing: Sequence[str]) -> Iterator[str]:
    for name in missing:
        yield (
            f"`{name}` is missing here: it is not shipped and was not made before this run; make "
            f"it with `python -m engine.synthetic {name}`. P2 prints "
            f"{TABLE_S2[name].not_private}% for it, and "
            f"{', '.join(f'{share}%' for share in TABLE_S2[name].private)} as ε grows."
        )
        yield ""


def _rows(name: str, shares: Shares, plan: TripsPlan) -> Iterator[list[str]]:
    column = TABLE_S2[name]
    readings = [reading for reading in READINGS if reading != "daily"]

    def others(values: dict[str, float]) -> list[str]:
        return [f"{100 * values[reading]:.1f}" for reading in readings]

    true = 100 * shares.true["daily"]
    yield [
        column.label,
        "not private",
        f"{column.not_private:.1f}",
        "–",
        f"{true:.2f}",
        "–",
        _signed(true - column.not_private),
        *others(shares.true),
    ]
    for place, epsilon in enumerate(plan.epsilons):
        low, high = measured.possible_shares(column.not_private, epsilon)
        ours = {reading: values[place] for reading, values in shares.expected.items()}
        far = 100 * ours["daily"] - column.private[place]
        yield [
            column.label,
            f"{epsilon:g}",
            f"{column.private[place]:.1f}",
            f"{low:.1f} to {high:.1f}"
            + ("" if is_possible(column, place, epsilon) else "; **printed is not**"),
            f"{100 * ours['daily']:.2f}",
            shares.drawn[place].text(100),
            _signed(far) if abs(far) <= BOUND else f"**{_signed(far)}**",
            *others(ours),
        ]


def _signed(points: float) -> str:
    return f"{round(points, 1) + 0.0:+.1f}"  # + 0.0 turns -0.0 into 0.0


def _why(name: str, shares: Shares, plan: TripsPlan) -> Iterator[str]:
    column = TABLE_S2[name]
    mean, least = measured.least_share_by_mean(column)
    near = within_reach(name, shares)
    if column.not_private < least - 0.05:
        yield (
            f"**{column.label}**: Table 1 means {number(mean)} trips a daily pair, so at least "
            f"{least:.1f}% of daily pairs lie below {P2_THRESHOLD} and the printed "
            f"{column.not_private}% cannot be of daily matrices (erratum O6); ours has "
            f"{100 * shares.true['daily']:.1f}%."
        )
        return
    for place, epsilon in enumerate(plan.epsilons):
        if not is_possible(column, place, epsilon):
            _, high = measured.possible_shares(column.not_private, epsilon)
            yield (
                f"**{column.label}, ε = {epsilon:g}**: from {column.not_private}% Algorithm 1 "
                f"makes at most {high:.1f}%, {column.private[place]}% is printed (O6)."
            )
        elif not near[place]:
            printed = column.private[place] - column.not_private
            yield (
                f"**{column.label}, ε = {epsilon:g}**: noise lifts "
                f"{100 * shares.revealed[place]:.1f} points of our pairs over τ and pushes "
                f"{100 * shares.lost[place]:.1f} points below; the printed change of "
                f"{printed:+.1f} points needs more flows just above τ or more empty ones "
                f"(ours: {100 * shares.empty:.1f}% empty), which P2 does not print."
            )


def _fine_words(epsilon: float) -> str:
    params = measured.settings(epsilon)
    empty = 100 * od.reading(0, params).suppressed
    # cut towards 0, noise reaches τ only if it was τ at least
    cut = 100 * (1 - 0.5 * math.exp(-P2_THRESHOLD / params.noise_scale))
    return (
        "P2 prints 88.2% or 88.3% for all three countries, whatever the share before; a matrix "
        f"without any trip is {empty:.2f}% by Algorithm 1, and {cut:.2f}% if noise were cut to "
        "whole trips as the text on figure 2 suggests."
    )


def _readings(result: dict[str, Shares]) -> list[str]:
    rows: list[list[str]] = []
    for name, shares in result.items():
        column = TABLE_S2[name]
        mean, least = measured.least_share_by_mean(column)
        far = {reading: measured.distance_from(column, shares, reading) for reading in READINGS}
        nearest = min(far, key=lambda reading: far[reading])
        marked = [
            f"**{points:.1f}**" if reading == nearest else f"{points:.1f}"
            for reading, points in far.items()
        ]
        rows.append([column.label, number(mean), f"{least:.1f}%", *marked])
    header = ["data", "mean trips a daily pair", "so below 15 at least", *READINGS.values()]
    return [
        "Which reading fits: mean difference from the four printed shares, in points, nearest in "
        "bold; beside it what the mean of P2's Table 1 allows for daily pairs (Markov).",
        "",
        *table(header, rows),
        "",
    ]
