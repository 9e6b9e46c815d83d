"""Write ``docs/attack.md``: ``python -m benchmarks.attack``."""

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.attack import figures, proof
from benchmarks.attack.classifiers import CLASSIFIERS
from benchmarks.attack.control import HABITS, RAW, REMOVED, Plan, Score, scores
from benchmarks.attack.people import DAYS, ZONES, Habit
from engine.attack import Corridor, strongest
from engine.risk import Guarantee

REPORT = Path(__file__).parents[2] / "docs" / "attack.md"
NAMES = {"logistic": "logistic regression (L1)", "forest": "random forest"}
WHO = {
    "rhythm": "travel follows the zone's rhythm",
    "random": "travel at random",
}


def report(plan: Plan) -> Iterator[str]:
    """Yield the lines of the report; everything is computed in the run."""
    yield from _introduction()
    yield from _exact()
    results = list(scores(plan))
    yield from _control(plan, results)


def _introduction() -> Iterator[str]:
    yield "# How much an attacker learns"
    yield ""
    yield "Written by `python -m benchmarks.attack`; do not edit."
    yield ""
    yield (
        "An attacker asks whether one person's trips are in the data. Half the time they are. "
        "*Advantage* is the share of the present he finds less the share of the absent he accuses "
        "(0 for a coin, 1 for certainty); of 100 guesses he gets 50 + 50 × advantage right. "
        "*AUC* is the area under his ROC curve (0.5 for a coin). `engine.attack` computes the best "
        "possible test exactly (Neyman and Pearson), so no attack on the same release does better. "
        "P2 is Kohli, Aiken & Blumenstock; the noise is Algorithm 1 with τ = 15."
    )
    yield ""


def _exact() -> Iterator[str]:
    yield "## The strongest attacker: knows every trip but the target's"
    yield ""
    yield "Trip level, T = 1."
    yield ""
    yield from figures.strongest_table()
    yield ""
    yield (
        "Suppression hides a lone traveller better than noise does; in a flow that is shown it "
        "hides nobody. The guarantee is for one trip: 14 trips of one person may cost 14ε."
    )
    yield ""
    yield "## An attacker who knows habits: the route and the usual flow of 50, not the day's count"
    yield ""
    yield from figures.habits_table()
    yield ""
    yield (
        "What hides the target here is mostly the ordinary variation of everybody else's trips "
        "(Poisson). No guarantee rests on that: whoever knows more sees more."
    )
    yield ""
    yield "## Why noise: suppression alone, against the strongest attacker"
    yield ""
    yield from figures.averages_table()
    yield ""
    yield (
        "Without noise, taking one trip out of a flow that is shown changes the number, and an "
        "attacker who knows all other trips has proof."
    )
    yield ""
    yield "## Density: all stages together"
    yield ""
    yield (
        "Method `efpag_joint`, ℓ = 30, δ = 1e-7, a cover of 934 cells, K_max = 840; every stage by "
        "its worst case, composed by dp_accounting."
    )
    yield ""
    yield from figures.density_table()
    yield ""
    yield from proof.lines()


def _control(plan: Plan, results: list[Score]) -> Iterator[str]:
    by_key = {(score.habit, score.matrices, score.classifier): score for score in results}
    yield "## P2's classifiers (Table S1), with the control they lack"
    yield ""
    yield (
        "P2 trains a classifier on whole daily matrices of the target's past days in and out of "
        "the data, and reports a mean AUC of 0.614 to 0.643 (100 people, no error bars), hardly "
        "less with noise of ε = 0.1 than without. That is not membership: at ε = 0.1, trip level, "
        "no test can tell a matrix with the target's trips from the same matrix without them at an "
        f"AUC above {Guarantee(epsilon=0.1).area:.3f} for one trip and "
        f"{Guarantee(epsilon=0.3).area:.3f} for three."
    )
    yield ""
    yield (
        f"Repeated here on {_people(plan, 'rhythm')} simulated people whose travel days follow "
        f"their zone's rhythm and {_people(plan, 'random')} who travel at random, in "
        f"{plan.countries} simulated countries ({ZONES} zones, {DAYS} days, one to three trips "
        f"there and as many back on a travel day; noise of ε = {_in_turn(plan.epsilons)}, as P2 "
        "tries). *Target removed*: the same attack on matrices from which the "
        "target's own trips have been taken out, so that there is nothing of him to find. "
        "Mean AUC ± standard error over the countries; private matrices are trained and tested on."
    )
    yield ""
    columns = tuple(f"{WHO[habit]}: {NAMES[name]}" for habit in HABITS for name in CLASSIFIERS)
    yield from figures.header("matrices", columns)
    for matrices in dict.fromkeys(score.matrices for score in results):
        each = [by_key.get((habit, matrices, name)) for habit in HABITS for name in CLASSIFIERS]
        yield figures.row(matrices, (_with_error(score) for score in each))
    yield ""
    yield from _reading(by_key)


def _in_turn(epsilons: tuple[float, ...]) -> str:
    *others, last = (f"{each:g}" for each in epsilons)
    return f"{', '.join(others)} and {last}" if others else last


def _people(plan: Plan, habit: Habit) -> int:
    return plan.countries * plan.targets[habit]


def _with_error(score: Score | None) -> str:
    return "–" if score is None else f"{score.mean:.3f} ± {score.error:.3f}"


def _reading(by_key: dict[tuple[str, str, str], Score]) -> Iterator[str]:
    gaps = [
        by_key["rhythm", RAW, name].mean - by_key["rhythm", REMOVED, name].mean
        for name in CLASSIFIERS
    ]
    yield (
        "With the target removed the classifiers do as well as with him "
        f"(raw less removed: {gaps[0]:+.3f} and {gaps[1]:+.3f}): they recognise the kind of day on "
        "which people like him travel. Of people who travel at random they learn nothing. An AUC "
        "of 0.62 therefore measures how alike people are, and is neither a leak that noise failed "
        "to close nor a sign that an attacker cannot do better: that is what the tables above say."
    )
    yield ""
    two = [Corridor(trips=1, rest=figures.LARGE, cells=2)]
    best = strongest(two, figures.trip_level(0.1))
    yield (
        "For comparison: against one trip there and one back in large flows at ε = 0.1 the "
        f"strongest attacker has an AUC of {best.roc.area:.3f}, and no mechanism with that "
        f"guarantee allows more than {best.limit.area:.3f}."
    )


def main() -> int:
    """Run everything and write the report."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.attack", description=__doc__)
    parser.add_argument("--countries", type=int, default=Plan.countries)
    parser.add_argument("--output", type=Path, default=REPORT)
    given = parser.parse_args()
    start = time.perf_counter()
    lines = list(report(Plan(countries=given.countries)))
    given.output.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{given.output}: {time.perf_counter() - start:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
