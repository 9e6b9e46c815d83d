"""The command line: ``mobility-privacy-explorer release od|density|report|budget|verify``."""

import argparse
import signal
import sys
import threading
from collections.abc import Sequence
from dataclasses import fields
from datetime import date
from pathlib import Path
from typing import Any, TextIO, get_args

from .. import datasets
from ..contract import Seen, Setting, When
from ..datasets import Dataset
from ..errors import ExplorerError, ParameterError
from ..parameters import DensityParameters, ODParameters
from ..report import ReportParameters, fitting, truth
from ..synthetic.twininputs import in_words
from . import CONSENT, NOISE_CONSENT, TUNING, BudgetLedger, check, plan, release, warnings, words
from .bundle import zip_of
from .ledger import BudgetUnit, ReleaseError, printable
from .plan import Plan

_PRODUCTS = {
    "od": "origin–destination matrices",
    "density": "density of one week",
    "report": "mobility report",
}
_PARAMETERS: dict[str, Any] = {
    "od": ODParameters,
    "density": DensityParameters,
    "report": ReportParameters,
}
_METHODS: dict[str, tuple[str, ...]] = {
    "od": ("published", "estimate"),
    "density": ("efpag_joint", "zoom", "towers_laplace"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0, or with one line on standard error 2 (refused), 130 (stopped)."""
    streams: list[Any] = [sys.stdout, sys.stderr]
    for stream in streams:
        if hasattr(stream, "reconfigure"):  # an ASCII terminal shows ? for ε, and no traceback
            stream.reconfigure(errors="replace")
    options = _parser().parse_args(arguments)
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, signal.default_int_handler)
    try:
        options.run(options, BudgetLedger(options.ledger))
    except ExplorerError as error:
        _say(f"refused: {error}", sys.stderr)
        return 2
    except KeyboardInterrupt as stop:
        _say(str(stop) or "stopped; 'budget show' says what is spent", sys.stderr)
        return 130
    return 0


def _say(line: str, to: TextIO | None = None) -> None:
    print(printable(line), file=to or sys.stdout)


def _release(options: argparse.Namespace, ledger: BudgetLedger) -> None:
    dataset = datasets.load(options.dataset)
    setting, note = _setting(options, dataset), _note(options)
    planned = plan(setting, dataset, trips=_trips(options))
    for text in warnings(planned):
        _say(f"warning: {text}")
    consents = options.consent, _noise_consent(options, planned)
    budget, cost = check(planned, dataset, ledger, consent=consents[0], noise_consent=consents[1])
    title, seen = words(planned, "title", "seen")
    delta = f", δ = {cost.delta:g}" if cost.delta else ""
    _say(
        f"{title} of {dataset.id}, {seen}: ε = {planned.epsilon:g} per {planned.unit} costs "
        f"'{budget.people}' ε = {cost.epsilon:g}{delta} per {budget.unit}; "
        f"{budget.left_epsilon:g} is left before"
    )
    out = release(
        setting,
        dataset,
        options.out,
        ledger=ledger,
        tuning=options.tuned_on,
        tuning_note=note,
        trips=planned.trips,
        consent=consents[0],
        noise_consent=consents[1],
        progress=_progress if sys.stderr.isatty() else lambda _share: None,
    )
    _say(f"written to {out} and {zip_of(out)}; read {out / 'statement.html'} first")


def _setting(options: argparse.Namespace, dataset: Dataset) -> Setting:
    when, kind = When(), _PARAMETERS[options.product]
    names = [one.name for one in fields(kind) if hasattr(options, one.name)]
    given = {name: getattr(options, name) for name in names}
    if given.get("unit") == "trip":
        given["max_trips_per_user"] = 1
    parameters = kind(**given)
    if options.product == "od":
        first, last = (_position(day, dataset) for day in (options.first_day, options.last_day))
        when = When(step=options.time, first=first or 0, last=last)
    elif options.product == "report":
        parameters = fitting(parameters, truth(dataset))
    seen = Seen(dataset=dataset.id, zones=getattr(options, "zones", "zones"), when=when)
    return Setting(seen=seen, parameters=parameters)


def _position(day: date | None, dataset: Dataset) -> int | None:
    days = dataset.metadata.days
    if day is not None and day not in days:
        rule, remedy = "a released day must be one that was declared", f"{days[0]} to {days[-1]}"
        raise ParameterError(rule, value=f"{day}", remedy=f"choose days from {remedy}")
    return None if day is None else days.index(day)


def _trips(options: argparse.Namespace) -> int | None:
    """Return how many trips were made as the custodian says; ask where somebody sits there."""
    if options.product != "od" or options.trips is not None or not sys.stdin.isatty():
        return getattr(options, "trips", None)
    typed = input("How many trips were made in these days, as far as is public? ").replace(",", "")
    return int(typed) if typed.isdigit() else None


def _noise_consent(options: argparse.Namespace, planned: Plan) -> str:
    if options.noise_consent or not planned.mostly_noise or not sys.stdin.isatty():
        return options.noise_consent
    said = f"Empty flows alone would show {planned.phantoms:,.0f} trips. To release it all the same"
    return input(f"{said}, type: {NOISE_CONSENT}\n")


def _note(options: argparse.Namespace) -> str:
    """Return the custodian's words; of a twin also all that it was made of."""
    if (options.tuned_on == "twin") != (options.twin is not None):
        raise ParameterError(
            "a twin must be named, and only for settings that were chosen on it",
            value=f"tuned on {options.tuned_on}, twin {options.twin}",
            remedy="give --tuned-on twin --twin DATASET",
        )
    if options.twin is None:
        return options.tuning_note
    inputs = datasets.load(options.twin).metadata.scenario.get("twin")
    if inputs is None:
        rule = "the twin must be made by the part 'twin'"
        raise ParameterError(rule, value=options.twin, remedy="name its folder")
    return "; ".join(filter(None, (options.tuning_note, in_words(inputs))))


def _set(options: argparse.Namespace, ledger: BudgetLedger) -> None:
    names = ("datasets", "unit", "epsilon", "delta", "by", "raised_by")
    ledger.declare(options.people, **{name: getattr(options, name) for name in names})
    _show(options, ledger)


def _raise(options: argparse.Namespace, ledger: BudgetLedger) -> None:
    now = ledger.budget(options.people)
    delta = now.delta if options.delta is None else options.delta
    how = {"by": options.by, "reason": options.reason}
    ledger.raise_to(options.people, epsilon=options.epsilon, delta=delta, **how)
    _show(options, ledger)


def _join(options: argparse.Namespace, ledger: BudgetLedger) -> None:
    ledger.join(options.people, dataset=options.dataset, by=options.by)
    _show(options, ledger)


def _show(_options: argparse.Namespace, ledger: BudgetLedger) -> None:
    entries, budgets = ledger.entries(), ledger.budgets()
    if not budgets:
        _say("no budget has been declared")
    for one in budgets.values():
        _say(
            f"{one.people} ({', '.join(one.datasets)}): ε = {one.spent_epsilon:g} of "
            f"{one.epsilon:g} and δ = {one.spent_delta:g} of {one.delta:g} spent per {one.unit} in "
            f"{one.releases} release{'' if one.releases == 1 else 's'}; "
            f"may be raised by {', '.join(one.raised_by)}"
        )
    if entries:
        _say(f"head of the ledger, entry {len(entries)}: {entries[-1].hash}")


def _verify(options: argparse.Namespace, ledger: BudgetLedger) -> None:
    if options.ledger is not None and not options.ledger.exists():
        rule = "there must be a ledger to verify"
        raise ReleaseError(rule, value=options.ledger.name, remedy="name its file")
    entries = ledger.verify(options.head)
    _say(f"{entries} {'entry' if entries == 1 else 'entries'}, unbroken")


def _progress(share: float) -> None:
    print(f"\r{share:4.0%}", end="\n" if share >= 1 else "", file=sys.stderr)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"'{text}' is no day such as 2024-01-31") from error


def _step(text: str) -> str:
    return "whole" if text == "period" else text


def _parser() -> argparse.ArgumentParser:
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
    verify.set_defaults(run=_verify)
    verify.add_argument("--head", metavar="HASH", help="must be in the chain: of a statement, say")
    return parser


def _add_budgets(actions: Any, common: argparse.ArgumentParser) -> None:
    made: list[argparse.ArgumentParser] = []
    for name, run, about in (
        ("set", _set, "declare a budget once"),
        ("raise", _raise, "raise a budget"),
        ("join", _join, "add a dataset of the same people"),
        ("show", _show, "show what is spent"),
    ):
        made.append(actions.add_parser(name, parents=[common], help=about))
        made[-1].set_defaults(run=run)
    declare, more, join, _ = made
    for one in (declare, more, join):
        one.add_argument("people", help="a name of the people and the period")
        one.add_argument("--by", required=True, help="who says so, and may raise it")
    declare.add_argument("--datasets", nargs="+", required=True)
    declare.add_argument("--unit", choices=get_args(BudgetUnit), default="person")
    declare.add_argument("--epsilon", type=float, required=True)
    declare.add_argument("--delta", type=float, default=0.0)
    declare.add_argument("--raised-by", nargs="*", default=[], help="who else may raise it")
    more.add_argument("--epsilon", type=float, required=True, help="the new total")
    more.add_argument("--delta", type=float)
    more.add_argument("--reason", required=True)
    join.add_argument("dataset")


def _add_product(one: argparse.ArgumentParser, name: str) -> None:
    one.set_defaults(run=_release, product=name)
    one.add_argument("dataset")
    one.add_argument("--out", type=Path, required=True, help="new folder of the bundle")
    one.add_argument("--epsilon", type=float, required=True, help="per unit of protection")
    one.add_argument("--tuned-on", choices=TUNING, required=True, help="how ε was chosen")
    one.add_argument("--tuning-note", default="", help="such as the days looked at")
    one.add_argument("--twin", help="the dataset of the twin, for --tuned-on twin")
    one.add_argument("--consent", default="", help=f"for trip level: '{CONSENT}'")
    one.add_argument("--noise-consent", default="", help=f"'{NOISE_CONSENT}'")
    if name != "report":
        methods = _METHODS[name]
        one.add_argument("--method", choices=methods, default=methods[0])
        one.add_argument("--zones", default="zones", help="a level, or clusters-30")
    if name == "density":
        one.add_argument("--max-visits-per-user", type=int, default=30)
        one.add_argument("--delta", type=float, default=1e-7)
        one.add_argument("--gaussian", choices=("classical", "analytic"), default="classical")
        return
    units = ("person-day", "person", "trip") if name == "od" else ("user", "item")
    one.add_argument("--unit", choices=units, default=units[0])
    one.add_argument("--max-trips-per-user", type=int, default=4 if name == "od" else 20)
    if name == "od":
        one.add_argument("--suppression-threshold", type=int, default=15)
        one.add_argument("--time", type=_step, choices=("day", "week", "whole"), default="day")
        one.add_argument("--from", dest="first_day", type=_day, help="first day (the first)")
        one.add_argument("--to", dest="last_day", type=_day, help="last day (the last)")
        one.add_argument("--trips", type=int, help="made in these days, a public number")
