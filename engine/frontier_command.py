"""Which settings to choose: ``mobility-privacy-explorer frontier demo-city --time whole``."""

import argparse
import csv
import io
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

from . import datasets
from .contract import Aggregation, Selection, TimeSelection
from .errors import ParameterError, add_json_option, parse_number, run_command
from .frontier.candidate import Candidate
from .frontier.evaluation import EvaluatedSettings, check_max_risk, evaluate_settings
from .frontier.requirements import Product, ProtectedUnit, Requirements
from .privacy import STRONG_GUESS
from .progress_line import make_progress_line
from .readability import describe_weak_signal
from .resolution import FINEST
from .text.setting_text import LEAK_NOTE, describe_candidate
from .text.utility_text import describe_precision, describe_verdict

_OWNER_ONLY = 0o600


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    options = build_parser().parse_args(arguments)
    return run_command(lambda: _run(options))


def build_parser() -> argparse.ArgumentParser:
    """Return the parser."""
    parser = argparse.ArgumentParser(
        prog="mobility-privacy-explorer frontier",
        description="Evaluate all settings and recommend one.",
    )
    add, default = parser.add_argument, "; default: %(default)s"
    add("dataset", help="name or folder of a dataset")
    text = f"zone level: zones, a parent such as province, clusters-N{default}"
    add("--zones", default=FINEST, help=text)
    times, units, products = get_args(Aggregation), get_args(ProtectedUnit), get_args(Product)
    text = f"days that one matrix of flows adds up; whole is all days{default}"
    add("--time", choices=times, default="day", help=text)
    text = f"weakest accepted unit of privacy{default}"
    add("--unit", choices=units, default="person-day", help=text)
    text = f"product that would be released{default}"
    add("--read", choices=products, default="flows", help=text)
    text = f"τ: flows with a noisy count below it are suppressed{default}"
    add("--threshold", type=int, default=15, help=text)
    text = f"limit of an attacker's correct guesses, in percent (a coin: 50){default}"
    add("--risk", type=parse_number, default=100 * STRONG_GUESS, help=text)
    add("--trips", type=int, help="public number of trips made in the whole period")
    add("--out", type=Path, help="file for a table of all tested settings, named .csv or .json")
    add_json_option(parser)
    return parser


def _run(options: argparse.Namespace) -> None:
    if options.out is not None and options.out.suffix.lower() not in _WRITERS:
        endings = " or ".join(_WRITERS)
        rule = f"the table of settings is written as {endings}"
        remedy = f"name a file that ends in {endings}"
        raise ParameterError(rule, value=options.out.name, remedy=remedy)
    dataset = datasets.load(options.dataset)
    requirements = Requirements(
        selection=Selection(
            dataset_id=options.dataset,
            zone_level=options.zones,
            time=TimeSelection(aggregation=options.time),
            people_once=dataset.metadata.people_once,
        ),
        unit=options.unit,
        product=options.read,
        suppression_threshold=options.threshold,
    )
    max_risk = check_max_risk(options.risk / 100)
    progress = make_progress_line("evaluating settings")
    evaluated = evaluate_settings(dataset, requirements, progress)
    signal = ""
    if (best := evaluated.recommend(max_risk)) is not None:
        signal = describe_weak_signal(best.setting, dataset, best.zone_count, options.trips)
    if options.json:
        print(format_json(evaluated, max_risk))
    else:
        print("\n".join([*_describe_result(evaluated, max_risk), signal]))
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
    """Write all settings by the path's ending; only the owner may read them if confidential."""
    text = _WRITERS[path.suffix.lower()](evaluated, max_risk)
    if evaluated.is_confidential:
        path.touch(mode=_OWNER_ONLY)
        path.chmod(_OWNER_ONLY)
    path.write_text(text, encoding="utf-8", newline="")


def format_csv(evaluated: EvaluatedSettings, max_risk: float) -> str:
    """Return all settings as a CSV table."""
    rows, text = _list_rows(evaluated, max_risk), io.StringIO()
    table = csv.DictWriter(text, fieldnames=list(rows[0]))
    table.writeheader()
    table.writerows(rows)
    return text.getvalue()


def format_json(evaluated: EvaluatedSettings, max_risk: float) -> str:
    """Return all settings as JSON, with what no number stands for as null."""
    rows = _list_rows(evaluated, max_risk)
    for row in rows:
        row |= {name: None for name, value in row.items() if value != value}
    document = {
        "confidential": evaluated.is_confidential,
        "meet_requirements": len(evaluated.eligible_candidates),
        "practically_noise": evaluated.are_all_negligible,
        "recommended": next((row for row in rows if row["recommended"]), None),
        "settings": rows,
    }
    return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False)


_WRITERS = {".csv": format_csv, ".json": format_json}


def _list_rows(evaluated: EvaluatedSettings, max_risk: float) -> list[dict[str, Any]]:
    chosen = evaluated.recommend(max_risk)
    rows: list[dict[str, Any]] = []
    for candidate in evaluated.candidates:
        utility = candidate.utility
        row = {
            "level": candidate.setting.zone_level,
            "span": candidate.setting.time.aggregation,
            "protects": candidate.unit,
            "matrices": candidate.matrix_count,
            **candidate.values_by_column,
            "risk": candidate.risk,
            "retained": utility.retained,
            "genuine": utility.genuine,
            "retained_se": utility.standard_errors[0],
            "genuine_se": utility.standard_errors[1],
            "common_part": utility.common_part,
            "crossing": utility.crossing_share,
            "recommended": candidate is chosen,
        }
        rows.append(row)
    return rows
