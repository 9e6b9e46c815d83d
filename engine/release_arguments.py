"""Arguments of ``mobility-privacy-explorer release``, parsed before slow parts load."""

import argparse
import json
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from .errors import add_json_option, parse_number
from .parameters import RENAMED_METHODS

_TITLES = Path(__file__).parent / "release" / "templates" / "titles.json"
_PRODUCTS = {
    "od": "origin–destination matrices",
    "density": "density of one week",
    "report": "mobility report",
}
_METHODS: dict[str, tuple[str, ...]] = {
    "od": ("laplace_suppression", "empirical_bayes"),
    "density": ("efpag_joint", "multiscale", "towers_laplace"),
}


_METHOD_HELP = {
    "od": "laplace_suppression adds noise and hides what is below τ; empirical_bayes estimates all "
    "flows from noisy counts and does not use τ",
    "density": "efpag_joint is Fourier perturbation; multiscale adds noise to five tables of "
    "visits, from towers to the city; towers_laplace adds noise to each tower and hour",
}
_DEFAULT = "; default: %(default)s"


def _parse_day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"'{text}' is no day such as 2024-01-31") from error


def _parse_method(text: str, methods: tuple[str, ...]) -> str:
    """Return a method of a release by its key or an earlier one."""
    method = RENAMED_METHODS.get(text, text)
    if method not in methods:
        rule = f"a release must add noise by {' or '.join(methods)} (given: {text})"
        raise argparse.ArgumentTypeError(f"{rule}. Suppression without noise protects nobody.")
    return method


def build_parser() -> argparse.ArgumentParser:
    """Return the parser; ``run`` is the name of the chosen action."""
    parser = argparse.ArgumentParser(
        prog="mobility-privacy-explorer release",
        description="Release private tables once: declare a budget, then release.",
    )
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--ledger", type=Path, help="ledger file (data/ledger.sqlite)")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, about in _PRODUCTS.items():
        _add_product(commands.add_parser(name, parents=[common], help=f"release {about}"), name)
    budget = commands.add_parser("budget", help="declare, raise or show budgets")
    _add_budgets(budget.add_subparsers(required=True, metavar="ACTION"), common)
    verify = commands.add_parser("verify", parents=[common], help="check the ledger's hashes")
    verify.set_defaults(run="verify")
    add_json_option(verify)
    verify.add_argument("--head", metavar="HASH", help="must be in the chain: of a statement, say")
    return parser


def _add_budgets(actions: Any, common: argparse.ArgumentParser) -> None:
    parsers: list[argparse.ArgumentParser] = []
    for name, about in (
        ("set", "declare a budget once"),
        ("raise", "raise a budget"),
        ("join", "add a dataset of the same people"),
        ("withdraw", "take back a budget of which nothing is spent"),
        ("show", "show what is spent"),
    ):
        parsers.append(actions.add_parser(name, parents=[common], help=about))
        parsers[-1].set_defaults(run=name)
    declare, raise_parser, join, _, show = parsers
    add_json_option(show)
    for parser in parsers[:-1]:
        parser.add_argument("people", help="a name of the people and the period")
        parser.add_argument("--by", required=True, help="who says so, and may raise it")
    declare.add_argument(
        "--datasets", nargs="+", required=True, help="all that these people are in"
    )
    units, text = ("person", "person-day", "trip"), f"what the budget protects{_DEFAULT}"
    declare.add_argument("--unit", choices=units, default="person", help=text)
    text = "what all releases together may cost"
    declare.add_argument("--epsilon", type=parse_number, required=True, help=text)
    text = f"the same of δ{_DEFAULT}"
    declare.add_argument("--delta", type=parse_number, default=0.0, help=text)
    declare.add_argument("--raised-by", nargs="*", default=[], help="who else may raise it")
    raise_parser.add_argument("--epsilon", type=parse_number, required=True, help="the new total")
    raise_parser.add_argument("--delta", type=parse_number, help="the new total; default: as it is")
    raise_parser.add_argument("--reason", required=True, help="why, kept in the ledger")
    join.add_argument("dataset", help="a further dataset of these people")


def _add_product(parser: argparse.ArgumentParser, name: str) -> None:
    parser.set_defaults(run="release", product=name)
    add = parser.add_argument
    add("dataset", help="name or folder of a dataset")
    add("--out", type=Path, required=True, help="new folder of the bundle")
    add("--epsilon", type=parse_number, required=True, help="privacy loss per unit of privacy")
    sources = json.loads(_TITLES.read_text("utf-8"))["tuning"]
    add("--tuned-on", choices=sources, required=True, help="how ε was chosen")
    add("--tuning-note", default="", help="such as the days looked at")
    add("--twin", help="the dataset of the twin, for --tuned-on twin")
    words = "where it is asked for, in the words that are asked for; more than once for more"
    add("--consent", action="append", default=[], metavar="WORDS", help=words)
    if name != "report":
        methods = _METHODS[name]
        add(
            "--method",
            type=partial(_parse_method, methods=methods),
            choices=methods,
            default=methods[0],
            help=f"{_METHOD_HELP[name]}{_DEFAULT}",
        )
        text = f"zones, a parent such as province, or clusters-N{_DEFAULT}"
        add("--zones", default="zones", help=text)
    if name == "density":
        text = f"ℓ: visits of a person that are counted at most{_DEFAULT}"
        add("--max-visits-per-user", type=int, default=30, help=text)
        text = f"δ: added success of an attack beyond ε{_DEFAULT}"
        add("--delta", type=parse_number, default=1e-7, help=text)
        calibrations = "classical", "analytic"
        text = f"calibration of Gaussian noise; classical ends at ε 4{_DEFAULT}"
        add("--gaussian", choices=calibrations, default="classical", help=text)
        return
    units = ("person-day", "person", "trip") if name == "od" else ("user", "item")
    add("--unit", choices=units, default=units[0], help=f"unit of privacy{_DEFAULT}")
    limit, default = ("T", 4) if name == "od" else ("M", 20)
    text = f"{limit}: trips of a person or day that are counted at most{_DEFAULT}"
    add("--max-trips-per-user", type=int, default=default, help=text)
    if name == "od":
        text = f"τ: noisy flows below it are released as 0{_DEFAULT}"
        add("--suppression-threshold", type=int, default=15, help=text)
        text = f"days that one matrix adds up{_DEFAULT}"
        add("--time", choices=("day", "week", "whole"), default="day", help=text)
        text = "first released day; default: the dataset's first"
        add("--from", dest="first_day", type=_parse_day, help=text)
        text = "last released day; default: the dataset's last"
        add("--to", dest="last_day", type=_parse_day, help=text)
        add("--span", type=int, help="compare the first so many days with the last")
        add("--trips", type=int, help="made in these days, a public number")
        text = "write unbiased totals, of which suppressed counts can be computed back"
        add("--sums-before-suppression", action="store_true", help=text)
