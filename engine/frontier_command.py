"""Which settings to choose: ``mobility-privacy-explorer frontier demo-city --time whole``."""

import argparse
import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

from . import datasets
from .contract import Aggregation, Selection, TimeSelection
from .errors import parse_number, run_command
from .frontier.candidate import Candidate
from .frontier.evaluation import EvaluatedSettings, check_max_risk, evaluate_settings
from .frontier.requirements import Product, ProtectedUnit, Requirements
from .privacy import STRONG_GUESS
from .readability import describe_weak_signal
from .resolution import FINEST
from .text.setting_text import LEAK_NOTE, describe_candidate
from .text.utility_text import describe_precision, describe_verdict

_OWNER_ONLY = 0o600


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    parser = argparse.ArgumentParser(prog="mobility-privacy-explorer frontier", description=__doc__)
    parser.add_argument("dataset", help="name or folder of a dataset")
    add = parser.add_argument
    add("--zones", default=FINEST, help="zone level: zones, a parent such as province, clusters-N")
    times, units, products = get_args(Aggregation), get_args(ProtectedUnit), get_args(Product)
    add("--time", choices=times, default="day", help="days that one matrix of flows adds up")
    add("--unit", choices=units, default="person-day", help="weakest accepted unit of privacy")
    add("--read", choices=products, default="flows", help="what would be released")
    add("--threshold", type=int, default=15, help="flows below it are suppressed")
    percent = "most right guesses of an attacker, in percent (a coin: 50)"
    add("--risk", type=parse_number, default=100 * STRONG_GUESS, help=percent)
    add("--trips", type=int, help="made in the whole period, a public number")
    add("--out", type=Path, help="write all tested settings to FILE.csv")
    options = parser.parse_args(arguments)
    return run_command(lambda: _run(options))


def _run(options: argparse.Namespace) -> None:
    dataset = datasets.load(options.dataset)
    requirements = Requirements(
        selection=Selection(
            dataset_id=options.dataset,
            zone_level=options.zones,
            time=TimeSelection(aggregation=options.time),
        ),
        unit=options.unit,
        product=options.read,
        suppression_threshold=options.threshold,
    )
    max_risk = check_max_risk(options.risk / 100)
    evaluated = evaluate_settings(dataset, requirements)
    for line in _describe_result(evaluated, max_risk):
        print(line)
    if (best := evaluated.recommend(max_risk)) is not None:
        print(describe_weak_signal(best.setting, dataset, best.zone_count, options.trips))
    if options.out is not None:
        write_table(evaluated, options.out, max_risk)


def _describe_result(evaluated: EvaluatedSettings, max_risk: float) -> Iterator[str]:
    recommended = evaluated.recommend(max_risk)
    eligible, tested = len(evaluated.eligible_candidates), len(evaluated.candidates)
    yield f"{eligible:,} of {tested:,} tested settings meet the requirements."
    if evaluated.are_all_negligible:
        yield "Each of them is practically noise, so none is better than another."
    if recommended is None:
        yield f"None keeps an attacker's right guesses within {100 * max_risk:g}%."
    else:
        title = "Recommended" if recommended.is_usable else "Best as required, and poor"
        yield f"{title}: {_describe(recommended)}"
    for alternative in evaluated.find_alternatives(max_risk):
        yield f"  Other {alternative.control}: {_describe(alternative.candidate)}"
    if evaluated.is_confidential:
        yield f"Note: {LEAK_NOTE}"


def _describe(candidate: Candidate) -> str:
    utility = candidate.utility
    return (
        f"{describe_candidate(candidate)} Utility: {describe_verdict(utility)} "
        f"({describe_precision(utility)})."
    )


def write_table(evaluated: EvaluatedSettings, path: Path, max_risk: float = STRONG_GUESS) -> None:
    """Write all settings as CSV; only the owner may read it if the data are confidential."""
    chosen = evaluated.recommend(max_risk)
    if evaluated.is_confidential:
        path.touch(mode=_OWNER_ONLY)
        path.chmod(_OWNER_ONLY)
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, fieldnames=[*to_row(evaluated.candidates[0]), "recommended"])
        table.writeheader()
        table.writerows(
            {**to_row(candidate), "recommended": candidate is chosen}
            for candidate in evaluated.candidates
        )


def to_row(candidate: Candidate) -> dict[str, Any]:
    """Return a candidate as one row of the CSV table, by column name."""
    detail = {
        "level": candidate.setting.zone_level,
        "span": candidate.setting.time.aggregation,
        "protects": candidate.unit,
    }
    utility = {
        "retained": candidate.utility.retained,
        "genuine": candidate.utility.genuine,
        "retained_se": candidate.utility.standard_errors[0],
        "genuine_se": candidate.utility.standard_errors[1],
        "common_part": candidate.utility.common_part,
        "crossing": candidate.utility.crossing_share,
    }
    return {
        **detail,
        "matrices": candidate.matrix_count,
        **candidate.values_by_column,
        "risk": candidate.risk,
        **utility,
    }
