"""Arguments of ``mobility-privacy-explorer release``, parsed before slow parts load."""

import argparse
import json
from datetime import date
from pathlib import Path
from typing import Any

from .errors import parse_number
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


def _parse_day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"'{text}' is no day such as 2024-01-31") from error


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
    declare, raise_parser, join, *_ = parsers
    for parser in parsers[:-1]:
        parser.add_argument("people", help="a name of the people and the period")
        parser.add_argument("--by", required=True, help="who says so, and may raise it")
    declare.add_argument("--datasets", nargs="+", required=True)
    declare.add_argument("--unit", choices=("person", "person-day", "trip"), default="person")
    declare.add_argument("--epsilon", type=parse_number, required=True)
    declare.add_argument("--delta", type=parse_number, default=0.0)
    declare.add_argument("--raised-by", nargs="*", default=[], help="who else may raise it")
    raise_parser.add_argument("--epsilon", type=parse_number, required=True, help="the new total")
    raise_parser.add_argument("--delta", type=parse_number)
    raise_parser.add_argument("--reason", required=True)
    join.add_argument("dataset")


def _add_product(parser: argparse.ArgumentParser, name: str) -> None:
    parser.set_defaults(run="release", product=name)
    parser.add_argument("dataset")
    parser.add_argument("--out", type=Path, required=True, help="new folder of the bundle")
    words = "per unit of protection"
    parser.add_argument("--epsilon", type=parse_number, required=True, help=words)
    parser.add_argument(
        "--tuned-on",
        choices=json.loads(_TITLES.read_text("utf-8"))["tuning"],
        required=True,
        help="how ε was chosen",
    )
    parser.add_argument("--tuning-note", default="", help="such as the days looked at")
    parser.add_argument("--twin", help="the dataset of the twin, for --tuned-on twin")
    words = "where it is asked for, in the words that are asked for; more than once for more"
    parser.add_argument("--consent", action="append", default=[], metavar="WORDS", help=words)
    if name != "report":
        methods = _METHODS[name]
        parser.add_argument(
            "--method",
            type=lambda text: RENAMED_METHODS.get(text, text),
            choices=methods,
            default=methods[0],
        )
        parser.add_argument("--zones", default="zones", help="a level, or clusters-30")
    if name == "density":
        parser.add_argument("--max-visits-per-user", type=int, default=30)
        parser.add_argument("--delta", type=parse_number, default=1e-7)
        parser.add_argument("--gaussian", choices=("classical", "analytic"), default="classical")
        return
    units = ("person-day", "person", "trip") if name == "od" else ("user", "item")
    parser.add_argument("--unit", choices=units, default=units[0])
    parser.add_argument("--max-trips-per-user", type=int, default=4 if name == "od" else 20)
    if name == "od":
        parser.add_argument("--suppression-threshold", type=int, default=15)
        parser.add_argument("--time", choices=("day", "week", "whole"), default="day")
        parser.add_argument(
            "--from", dest="first_day", type=_parse_day, help="first day (the first)"
        )
        parser.add_argument("--to", dest="last_day", type=_parse_day, help="last day (the last)")
        parser.add_argument("--span", type=int, help="compare the first so many days with the last")
        parser.add_argument("--trips", type=int, help="made in these days, a public number")
        parser.add_argument(
            "--sums-before-suppression",
            action="store_true",
            help="write unbiased totals, of which suppressed counts can be computed back",
        )
