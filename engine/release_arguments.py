"""Arguments of ``mobility-privacy-explorer release``, parsed before slow parts load."""

import argparse
import json
from functools import partial
from pathlib import Path
from typing import Any

from .errors import add_json_option, parse_day, parse_number
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
    "od": "laplace_suppression adds noise and suppresses flows below τ; empirical_bayes estimates "
    "all flows from noisy counts and does not use τ",
    "density": "efpag_joint is Fourier perturbation; multiscale adds noise to five tables of "
    "visits, from towers to the city; towers_laplace adds noise to each tower and hour",
}
_DEFAULT = "; default: %(default)s"


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
    common.add_argument("--ledger", type=Path, help="ledger file; default: data/ledger.sqlite")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, about in _PRODUCTS.items():
        _add_product(commands.add_parser(name, parents=[common], help=f"release {about}"), name)
    budget = commands.add_parser("budget", help="declare, raise or show budgets")
    _add_budgets(budget.add_subparsers(required=True, metavar="ACTION"), common)
    verify = commands.add_parser("verify", parents=[common], help="check ledger and bundle")
    verify.set_defaults(run="verify")
    add_json_option(verify)
    text = "folder of a bundle, to check against the ledger"
    verify.add_argument("bundle", nargs="?", type=Path, help=text)
    text = "hash that the chain must contain, such as a statement's"
    verify.add_argument("--head", metavar="HASH", help=text)
    return parser


def _add_budgets(actions: Any, common: argparse.ArgumentParser) -> None:
    parsers: list[argparse.ArgumentParser] = []
    for name, about in (
        ("set", "declare a budget once"),
        ("raise", "raise a budget"),
        ("join", "add a dataset of the same people"),
        ("withdraw", "take back a budget that nothing is spent of"),
        ("show", "show what is spent"),
    ):
        parsers.append(actions.add_parser(name, parents=[common], help=about))
        parsers[-1].set_defaults(run=name)
    declare, raise_parser, join, _, show = parsers
    add_json_option(show)
    for parser in parsers[:-1]:
        parser.add_argument("people", help="name of the people and the period")
        text = "person who decides this; the one who declares a budget may raise it"
        parser.add_argument("--by", required=True, help=text)
    text = "names or folders of all datasets with these people"
    declare.add_argument("--datasets", nargs="+", required=True, help=text)
    units, text = ("person", "person-day", "trip"), f"unit of privacy of the budget{_DEFAULT}"
    declare.add_argument("--unit", choices=units, default="person", help=text)
    text = "total ε that all releases together may cost"
    declare.add_argument("--epsilon", type=parse_number, required=True, help=text)
    text = f"total δ that all releases together may cost{_DEFAULT}"
    declare.add_argument("--delta", type=parse_number, default=0.0, help=text)
    text = "other persons who may raise the budget"
    declare.add_argument("--raised-by", nargs="*", default=[], help=text)
    raise_parser.add_argument("--epsilon", type=parse_number, required=True, help="new total of ε")
    text = "new total of δ; default: unchanged"
    raise_parser.add_argument("--delta", type=parse_number, help=text)
    raise_parser.add_argument("--reason", required=True, help="reason, recorded in the ledger")
    join.add_argument("dataset", help="name or folder of a further dataset of these people")


def _add_product(parser: argparse.ArgumentParser, name: str) -> None:
    parser.set_defaults(run="release", product=name)
    add = parser.add_argument
    add("dataset", help="name or folder of a dataset")
    add("--out", type=Path, required=True, help="new folder for the bundle")
    add("--epsilon", type=parse_number, required=True, help="ε: privacy loss per unit of privacy")
    sources = json.loads(_TITLES.read_text("utf-8"))["tuning"]
    add("--tuned-on", choices=sources, required=True, help="how the settings were chosen")
    add("--tuning-note", default="", help="note for the statement on how the settings were chosen")
    add("--twin", help="name or folder of the twin, with --tuned-on twin only")
    words = "sentence that an error tells you to give; repeat the option for each sentence"
    add("--consent", action="append", default=[], metavar="WORDS", help=words)
    if name != "report":
        methods = _METHODS[name]
        parse, text = partial(_parse_method, methods=methods), f"{_METHOD_HELP[name]}{_DEFAULT}"
        add("--method", type=parse, choices=methods, default=methods[0], help=text)
        text = f"zone level: zones, a parent such as province, or clusters-N{_DEFAULT}"
        add("--zones", default="zones", help=text)
    if name == "density":
        text = f"ℓ: visits counted per person in the week, at most; unused by multiscale{_DEFAULT}"
        add("--max-visits-per-user", type=int, default=30, help=text)
        text = f"δ: by how much an attack may succeed more often than ε allows{_DEFAULT}"
        add("--delta", type=parse_number, default=1e-7, help=text)
        calibrations = "classical", "analytic"
        text = f"calibration of efpag_joint's noise; classical allows ε up to 4{_DEFAULT}"
        add("--gaussian", choices=calibrations, default="classical", help=text)
        return
    units = ("person-day", "person", "trip") if name == "od" else ("user", "item")
    add("--unit", choices=units, default=units[0], help=f"unit of privacy{_DEFAULT}")
    limit, default, counted = ("M", 20, "user") if name == "report" else ("T", 4, "unit of privacy")
    text = f"{limit}: trips counted per {counted}, at most{_DEFAULT}"
    add("--max-trips-per-user", type=int, default=default, help=text)
    if name == "od":
        text = f"τ: flows with a noisy count below it are suppressed{_DEFAULT}"
        add("--suppression-threshold", type=int, default=15, help=text)
        text = f"days that one matrix adds up; whole is all days{_DEFAULT}"
        add("--time", choices=("day", "week", "whole"), default="day", help=text)
        text = "first released day, as YYYY-MM-DD; default: the dataset's first"
        add("--from", dest="first_day", type=parse_day, help=text)
        text = "last released day, as YYYY-MM-DD; default: the dataset's last"
        add("--to", dest="last_day", type=parse_day, help=text)
        add("--span", type=int, help="number of days: compare the first N days with the last N")
        add("--trips", type=int, help="public number of trips made in the released days")
        text = "also write unbiased totals, from which suppressed counts can be computed"
        add("--sums-before-suppression", action="store_true", help=text)
