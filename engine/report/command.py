"""A mobility report as a page: ``python -m engine.report demo-city --epsilon 1 --out r.html``."""

import argparse
import json
import secrets
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import numpy as np

from .. import datasets
from ..datasets import Dataset
from ..errors import ParameterError, exit_code
from .aggregates import extent_of, truth
from .analyses import HISTOGRAMS, USER_ANALYSES, Analysis, Unit
from .bins import Bins
from .budget import Budget, ReportMethod
from .labels import labels
from .measures import WINDOWS
from .mechanism import release
from .page import SECTIONS, TOP_FLOWS, page
from .settings import ReportParameters
from .side import Side

SUFFIXES = (".html", ".json")
PRIVATE = (
    "Made for exploring, for the data's custodians: this draw is in no ledger. A release draws its "
    "own numbers and packs the same page with a statement."
)
TRUE = "Holds true counts: confidential, for the data's custodians, not for publication."
SIMULATED = "Simulated people: nobody's data are in it."
_OWNER_ONLY = 0o600
OTHER_NAMES: dict[str, tuple[Analysis, ...]] = {
    "overview": SECTIONS["Overview"],
    "place_analysis": SECTIONS["Places"],
    "od_analysis": SECTIONS["Origins and destinations"],
    "user_analysis": SECTIONS["People"],
    "ds_statistics": (Analysis.STATISTICS,),
    "missing_values": (Analysis.MISSING,),
    "trips_over_time": (Analysis.DAYS,),
    "trips_per_weekday": (Analysis.WEEKDAYS,),
    "trips_per_hour": (Analysis.HOURS,),
    "visits_per_tile": (Analysis.ZONES,),
    "visits_per_time_tile": (Analysis.ZONE_WINDOWS,),
    "od_flows": (Analysis.FLOWS,),
    "user_time_delta": (Analysis.TIME_BETWEEN,),
    "radius_of_gyration": (Analysis.GYRATION,),
    "user_tile_count": (Analysis.ZONES_PER_USER,),
    "mobility_entropy": (Analysis.ENTROPY,),
}
"""Names of dp_mobility_report for parts of a report and for analyses that are named otherwise."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    options = _parser().parse_args(arguments)
    return exit_code(lambda: print(f"written to {_run(options)}"))


def analyses_named(names: Sequence[str]) -> set[Analysis]:
    """Return analyses by our names or those of dp_mobility_report, whole parts included.

    Examples
    --------
    >>> sorted(map(str, analyses_named(["hours", "place_analysis"])))
    ['hours', 'zone_windows', 'zones']
    """
    chosen: set[Analysis] = set()
    for name in names:
        if name not in OTHER_NAMES and name not in {str(a) for a in Analysis}:
            raise ParameterError(
                "an analysis must be one of a report",
                value=repr(name),
                remedy=f"name {', '.join(Analysis)}, or {', '.join(OTHER_NAMES)}",
                settings=("analyses",),
            )
        chosen |= set(OTHER_NAMES.get(name) or (Analysis(name),))
    return chosen


def document(side: Side, dataset: Dataset) -> dict[str, Any]:
    """Return a report as a JSON object: names, counts and ranges of every analysis."""
    zones = dataset.zones["zone_id"].astype(str).tolist()
    parameters = side.parameters
    analyses: dict[str, Any] = {}
    for analysis, values in side.values.items():
        one: dict[str, Any] = {
            "epsilon": parameters.epsilon_of(analysis) if side.reach else None,
            "labels": labels(analysis, parameters, side.extent, zones),
            "counts": values.tolist(),
        }
        if analysis in side.reach:
            one["half_width_90"] = np.ceil(side.reach[analysis]).astype(int).tolist()
        if analysis in side.five:
            five = [None if np.isnan(v) else float(v) for v in side.five[analysis]]
            one["five_numbers"] = dict(zip(map(str, parameters.levels), five, strict=True))
        analyses[str(analysis)] = one
    return {
        "report": side.name,
        "epsilon": parameters.epsilon if side.reach else None,
        "unit": parameters.unit,
        "max_trips_per_user": parameters.kept,
        "windows": list(parameters.windows),
        "analyses": analyses,
    }


def _run(options: argparse.Namespace) -> Path:
    if options.out.suffix not in SUFFIXES:
        raise ParameterError(f"out must end in .html or .json, got '{options.out.name}'")
    dataset = datasets.load(options.dataset)
    parameters = _parameters(options, dataset)
    name = _named(dataset, options.epsilon) if options.against else "private"
    pairs = [(_side(dataset, parameters, name), dataset)]
    if options.against is not None:
        other = datasets.load(options.against)
        pairs.append((_against(options, other, parameters, dataset), other))
    real = any(not of.metadata.simulated for _, of in pairs)
    hidden = any(not side.reach for side, _ in pairs)
    note = SIMULATED if not real else f"{TRUE if hidden else ''} {PRIVATE}".strip()
    if options.out.suffix == ".json":
        shown = {"note": note, "reports": [document(*pair) for pair in pairs]}
        text = json.dumps(shown, indent=1, ensure_ascii=False) + "\n"
    else:
        sides = [side for side, _ in pairs]
        about = {"subtitle": options.subtitle, "top_flows": options.top_flows}
        text = page(dataset, *sides, note=note, **about)
    if real:
        options.out.touch(mode=_OWNER_ONLY)
        options.out.chmod(_OWNER_ONLY)
    options.out.write_text(text, encoding="utf-8")
    return options.out


def _side(dataset: Dataset, parameters: ReportParameters, name: str) -> Side:
    """Draw a report; the seed is known for simulated people alone."""
    seed = 0 if dataset.metadata.simulated else secrets.randbits(128)
    drawn = release(dataset, parameters, rng=np.random.default_rng(seed))
    return Side.of(name, drawn, extent_of(dataset))


def _named(dataset: Dataset, epsilon: float) -> str:
    return f"{dataset.id}, ε = {epsilon:g}"


def _against(
    options: argparse.Namespace, other: Dataset, parameters: ReportParameters, base: Dataset
) -> Side:
    """Return the second report, without what the two datasets do not have in common."""
    if options.against_epsilon == "none":
        side = Side.true(f"{other.id}, true counts", truth(other), parameters)
    else:
        epsilon = float(options.against_epsilon or options.epsilon)
        own = replace(_parameters(options, other), epsilon=epsilon)
        side = _side(other, own, _named(other, epsilon))
    if other.zones["zone_id"].tolist() != base.zones["zone_id"].tolist():
        places = {Analysis.ZONES, Analysis.ZONE_WINDOWS, Analysis.FLOWS}
        side = replace(side, values={a: v for a, v in side.values.items() if a not in places})
    return side


def _parameters(options: argparse.Namespace, dataset: Dataset) -> ReportParameters:
    budget = Budget.fitting(truth(dataset), options.unit, options.method)
    without = analyses_named(options.without)
    if options.analyses:
        without |= set(Analysis) - analyses_named(options.analyses)
    for name, weight in options.weights:
        for analysis in analyses_named([name]):
            budget = budget.with_weight(analysis, weight)
    for analysis in without:
        budget = budget.with_weight(analysis, 0.0)
    if options.unit == "item":  # refused with the reason where they are named
        for analysis in USER_ANALYSES & analyses_named(options.analyses):
            budget = budget.with_weight(analysis, 1.0)
    return ReportParameters(
        epsilon=options.epsilon,
        max_trips_per_user=options.max_trips_per_user,
        unit=options.unit,
        method=options.method,
        budget=budget,
        bins=tuple(options.bins),
        ends="extremes" if options.extremes else "percentiles",
        windows=tuple(options.windows),
    )


def _weight(text: str) -> tuple[str, float]:
    name, _, weight = text.partition("=")
    try:
        return name, float(weight)
    except ValueError:
        raise argparse.ArgumentTypeError(f"write ANALYSIS=WEIGHT, got {text!r}") from None


def _bins(text: str) -> tuple[Analysis, Bins]:
    name, _, numbers = text.partition("=")
    try:
        (analysis,) = analyses_named([name])
        low, high, width = (float(part) for part in numbers.split(":"))
        return analysis, Bins(minimum=low, maximum=high, width=width)
    except ParameterError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    except ValueError:
        words = f"write ANALYSIS=FROM:TO:WIDTH of {', '.join(HISTOGRAMS)}, got {text!r}"
        raise argparse.ArgumentTypeError(words) from None


def _epsilon(text: str) -> str:
    if text != "none":
        float(text)
    return text


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mobility-privacy-explorer report",
        description="A private mobility report as one page with pictures, or as JSON.",
    )
    add = parser.add_argument
    add("dataset", help="name or folder")
    add("--epsilon", type=float, required=True, help="privacy loss of the whole report")
    add("--out", type=Path, default=Path("report.html"), help="FILE.html or FILE.json")
    add("--subtitle", default="", help="a line under the title")
    add("--unit", choices=get_args(Unit), default="user", help="a person, or a single trip")
    add("--max-trips-per-user", type=int, default=20, help="trips kept of a person (M)")
    add("--method", choices=get_args(ReportMethod), default="derived", help="shares of ε")
    names = "names of analyses or of parts, also those of dp_mobility_report"
    add("--analyses", nargs="+", default=[], metavar="NAME", help=f"only these: {names}")
    add("--without", nargs="+", default=[], metavar="NAME", help="all but these")
    add("--weights", nargs="+", type=_weight, default=[], metavar="NAME=WEIGHT")
    add("--bins", nargs="+", type=_bins, default=[], metavar="NAME=FROM:TO:WIDTH")
    hours = "edges of the time windows of a day"
    add("--windows", nargs="+", type=int, default=WINDOWS, metavar="HOUR", help=hours)
    add("--extremes", action="store_true", help="minimum and maximum for the 1%% and 99%% points")
    add("--top-flows", type=int, default=TOP_FLOWS, help="flows on the map")
    add("--against", metavar="DATASET", help="a second report, side by side with measures")
    add("--against-epsilon", type=_epsilon, help="its privacy loss, or 'none' for true counts")
    return parser
