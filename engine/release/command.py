"""The command line: ``mobility-privacy-explorer release od|density|report|budget|verify``."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import fields
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from .. import datasets, density, origin_destination as od
from ..contract import Selection, Setting, TimeSelection
from ..datasets import Dataset
from ..errors import ExplorerError, ParameterError, add_json_option, parse_number
from ..parameters import RENAMED_METHODS, DensityParameters, ODParameters
from ..report import ReportParameters, fit_to_table, truth
from ..synthetic.twin_inputs import format_inputs
from . import (
    TUNING_SOURCES,
    WRITERS,
    BudgetLedger,
    check_release,
    list_warnings,
    plan,
    release,
    render_words,
)
from .budget_ledger import ReleaseError, to_printable
from .bundle import archive_path

_PRODUCTS = {
    "od": "origin–destination matrices",
    "density": "density of one week",
    "report": "mobility report",
}
_METHOD_HELP = {
    "od": "laplace_suppression adds noise and hides what is below τ; empirical_bayes estimates all "
    "flows from noisy counts and does not use τ",
    "density": "efpag_joint is Fourier perturbation; multiscale adds noise to five tables of "
    "visits, from towers to the city; towers_laplace adds noise to each tower and hour",
}
_DEFAULT = "; default: %(default)s"


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit code of a command: 0, or after a message 2 (refused) or 130 (stopped)."""
    options = build_parser().parse_args(arguments)
    try:
        _COMMANDS[options.run](options, BudgetLedger(options.ledger))
    except ExplorerError as error:
        _print_line(f"refused: {error}", sys.stderr)
        return 2
    except KeyboardInterrupt as stop:
        _print_line(str(stop) or "stopped. 'budget show' lists what is spent.", sys.stderr)
        return 130
    return 0


def _print_line(line: str, stream: TextIO | None = None) -> None:
    print(to_printable(line), file=stream or sys.stdout)


def _release(options: argparse.Namespace, ledger: BudgetLedger) -> None:
    dataset = datasets.load(options.dataset)
    setting, note = _parse_setting(options, dataset), _tuning_note(options)
    names = [name for name in ("trips", "sums_before_suppression") if hasattr(options, name)]
    plan_options = {name: getattr(options, name) for name in names}
    release_plan = plan(setting, dataset, **plan_options)
    for text in list_warnings(release_plan):
        _print_line(f"warning: {text}")
    budget, cost = check_release(release_plan, dataset, ledger, options.consent)
    title, selection = render_words(release_plan, "title", "seen")
    delta = f", δ = {cost.delta:g}" if cost.delta else ""
    _print_line(
        f"{title}. Data: {dataset.id}, {selection}. ε = {release_plan.epsilon:g} per "
        f"{release_plan.unit} costs '{budget.people}' ε = {cost.epsilon:g}{delta} per "
        f"{budget.unit}. Before this release, ε = {budget.remaining_epsilon:g} remains."
    )
    out = release(
        setting,
        dataset,
        options.out,
        ledger=ledger,
        tuning=options.tuned_on,
        tuning_note=note,
        **plan_options,
        consents=options.consent,
        progress=_draw_progress if sys.stderr.isatty() else lambda _share: None,
    )
    _print_line(f"Written to {out} and {archive_path(out)}. Read {out / 'statement.html'} first.")


def _parse_setting(options: argparse.Namespace, dataset: Dataset) -> Setting:
    """Return the setting that the options of a product choose."""
    types = {"od": ODParameters, "density": DensityParameters, "report": ReportParameters}
    parameter_type: Any = types[options.product]
    time = TimeSelection()
    names = [field.name for field in fields(parameter_type) if hasattr(options, field.name)]
    values = {name: getattr(options, name) for name in names}
    if values.get("unit") == "trip":
        values["max_trips_per_user"] = 1
    parameters = parameter_type(**values)
    if options.product == "od":
        first, last = (_day_position(day, dataset) for day in (options.first_day, options.last_day))
        aggregation, compared_days = options.time, options.span
        if compared_days is not None:
            aggregation = "whole"
            last = len(dataset.metadata.days) - 1 if last is None else last
        days = {"last_position": last, "compared_days": compared_days}
        time = TimeSelection(aggregation=aggregation, first_position=first or 0, **days)
    elif options.product == "report":  # reads one unpaid fact: if the source has trips' ends
        parameters = fit_to_table(parameters, truth(dataset))
    zone_level = getattr(options, "zones", "zones")
    once = dataset.metadata.people_once
    selection = Selection(dataset_id=dataset.id, zone_level=zone_level, time=time, people_once=once)
    return Setting(selection=selection, parameters=parameters)


def _day_position(day: date | None, dataset: Dataset) -> int | None:
    """Return the position of a day among the dataset's; None for None."""
    days = dataset.metadata.days
    if day is not None and day not in days:
        rule, remedy = "a released day must be in the dataset", f"choose {days[0]} to {days[-1]}"
        raise ParameterError(rule, value=f"{day}", remedy=remedy)
    return None if day is None else days.index(day)


def _tuning_note(options: argparse.Namespace) -> str:
    """Return the custodian's note; if settings were chosen on a twin, with the facts it is of."""
    if (options.tuned_on == "twin") != (options.twin is not None):
        raise ParameterError(
            "a twin must be named if settings were chosen on one, and only then",
            value=f"tuned on {options.tuned_on}, twin {options.twin}",
            remedy="give --tuned-on twin --twin DATASET",
        )
    if options.twin is None:
        return options.tuning_note
    inputs = datasets.load(options.twin).metadata.scenario.get("twin")
    if inputs is None:
        rule = "the twin must be a dataset that the command 'twin' made"
        raise ParameterError(rule, value=options.twin, remedy="name the folder of one")
    return "; ".join(filter(None, (options.tuning_note, format_inputs(inputs))))


def _change_budget(options: argparse.Namespace, ledger: BudgetLedger) -> None:
    people, manager = options.people, options.by
    if options.run == "set":
        totals = {name: getattr(options, name) for name in ("datasets", "unit", "epsilon", "delta")}
        ledger.declare(people, **totals, manager=manager, other_managers=options.raised_by)
    elif options.run == "raise":
        delta = ledger.budget(people).delta if options.delta is None else options.delta
        totals = {"epsilon": options.epsilon, "delta": delta}
        ledger.raise_to(people, **totals, manager=manager, reason=options.reason)
    elif options.run == "join":
        ledger.join(people, dataset=options.dataset, manager=manager)
    else:
        ledger.withdraw(people, manager=manager)
    _show_ledger(options, ledger)


def _show_ledger(options: argparse.Namespace, ledger: BudgetLedger) -> None:
    entries, budgets = ledger.entries(), ledger.budgets()
    head = entries[-1].chain_hash if entries else None
    if getattr(options, "json", False):
        names = ["people", "unit", "datasets", "managers", "epsilon", "delta", "spent_epsilon"]
        names += ["spent_delta", "remaining_epsilon"]
        rows = [
            {**{name: getattr(budget, name) for name in names}, "releases": budget.release_count}
            for budget in budgets.values()
        ]
        print(json.dumps({"budgets": rows, "entries": len(entries), "head": head}, indent=1))
        return
    if not budgets:
        _print_line("no budget has been declared")
    for budget in budgets.values():
        _print_line(
            f"{budget.people} ({', '.join(budget.datasets)}): ε = {budget.spent_epsilon:g} of "
            f"{budget.epsilon:g} and δ = {budget.spent_delta:g} of {budget.delta:g} spent per "
            f"{budget.unit} in {budget.release_count} "
            f"release{'' if budget.release_count == 1 else 's'}; may be raised by "
            f"{', '.join(budget.managers)}"
        )
    if entries:
        _print_line(f"head of the ledger, entry {len(entries)}: {head}")


def _verify_ledger(options: argparse.Namespace, ledger: BudgetLedger) -> None:
    entries = ledger.verify(options.head)
    if not entries and options.ledger is not None:
        rule = "there must be a ledger to verify"
        raise ReleaseError(rule, value=options.ledger.name, remedy="name its file")
    if options.json:
        print(json.dumps({"entries": entries, "unbroken": True}))
    else:
        _print_line(f"{entries} {'entry' if entries == 1 else 'entries'}, unbroken")


def _draw_progress(share: float) -> None:
    print(f"\r{share:4.0%}", end="\n" if share >= 1 else "", file=sys.stderr)


_COMMANDS = {
    "release": _release,
    **dict.fromkeys(("set", "raise", "join", "withdraw"), _change_budget),
    "show": _show_ledger,
    "verify": _verify_ledger,
}


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
    add("--tuned-on", choices=TUNING_SOURCES, required=True, help="how ε was chosen")
    add("--tuning-note", default="", help="such as the days looked at")
    add("--twin", help="the dataset of the twin, for --tuned-on twin")
    words = "where it is asked for, in the words that are asked for; more than once for more"
    add("--consent", action="append", default=[], metavar="WORDS", help=words)
    if name != "report":
        rows = od.METHODS if name == "od" else density.METHODS
        methods = tuple(method for method in rows if method in WRITERS)
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
