"""The command line: ``python -m engine.release od|density|report|budget|verify …``."""

import argparse
import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from .. import datasets
from ..datasets import Dataset
from ..errors import DatasetError, ExplorerError, ParameterError
from ..origin_destination.matrices import require_unit
from ..parameters import DensityParameters, ODParameters
from ..report import Budget, ReportParameters, truth
from ..synthetic.twininputs import in_words
from .bundle import CONSENT, check, release
from .claim import zip_of
from .cost import balances, undercharged
from .entries import Budget as SpentBudget
from .entries import ReleaseError, printable
from .ledger import BudgetLedger
from .plan import Plan
from .products import Product
from .statement import TUNING
from .ways import ways_out


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0, or with one line on standard error 2 (refused), 130 (stopped)."""
    options = _parser().parse_args(arguments)
    if threading.current_thread() is threading.main_thread():
        _stop_on_signals()
    try:
        options.run(options, BudgetLedger(options.ledger))
    except ExplorerError as error:
        _say(" ".join([f"refused: {error}", *getattr(error, "__notes__", ())]), sys.stderr)
        return 2
    except KeyboardInterrupt as stop:
        _say(str(stop) or "stopped; 'budget show' says what is spent", sys.stderr)
        return 130
    return 0


def _stop_on_signals() -> None:
    """End as after Ctrl-C on a termination or a closed terminal, unless that is to be ignored."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)


def _say(line: str, to: TextIO | None = None) -> None:
    print(printable(line), file=to or sys.stdout)


def _release(options: argparse.Namespace, ledger: BudgetLedger) -> None:
    dataset = datasets.load(options.dataset)
    product = _product(options, dataset)
    plan = product.plan(dataset)
    try:
        budget, cost = check(dataset, plan, ledger, consent=options.consent)
    except ReleaseError as error:
        if error.code in ("exceeded", "unit"):
            _say_ways(error, plan, ledger.covering(dataset.id), dataset)
        raise
    delta = f", δ = {cost.delta:g}" if cost.delta else ""
    _say(
        f"{plan.title} of {dataset.id}: ε = {plan.epsilon:g} per {plan.unit} costs "
        f"'{budget.people}' ε = {cost.epsilon:g}{delta} per {budget.unit}; "
        f"{budget.left_epsilon:g} is left before"
    )
    out = release(
        dataset,
        product,
        options.out,
        ledger=ledger,
        tuning=options.tuned_on,
        tuning_note=_note(options),
        consent=options.consent,
        progress=_show if sys.stderr.isatty() else lambda _share: None,
    )
    _say(f"written to {out} and {zip_of(out)}; read {out / 'statement.html'} first")


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
        raise ParameterError(
            "the twin must be made by engine.synthetic twin",
            value=options.twin,
            remedy="name its folder",
        )
    return "; ".join(filter(None, (options.tuning_note, in_words(inputs))))


def _say_ways(error: ReleaseError, plan: Plan, budget: SpentBudget, dataset: Dataset) -> None:
    """Add to a refusal, in one line, which options would fit the budget."""
    said: list[str] = []
    for way in ways_out(plan, budget):
        options = {
            "epsilon": f"--epsilon {way.epsilon:g}",
            "delta": f"--delta {way.delta:g}",
            "days": f"{way.days} {'day' if way.days == 1 else 'days'} (--days)",
            "unit": f"--unit {way.unit} --epsilon {way.epsilon:g}",
        }
        with suppress(DatasetError):
            require_unit(dataset, way.unit)
            said.append(options[way.change])
    if said:
        error.add_note(f"(what would fit: {', or '.join(said)})")


def _product(options: argparse.Namespace, dataset: Dataset) -> Product:
    ours = options.product != "report" and options.method == "ours"
    if options.product == "density":
        return Product(
            DensityParameters(
                epsilon=options.epsilon,
                delta=options.delta,
                max_visits_per_user=options.max_visits_per_user,
                method="zoom" if ours else "towers_laplace",
            )
        )
    if options.product == "report":
        return Product(
            ReportParameters(
                epsilon=options.epsilon,
                max_trips_per_user=options.max_trips_per_user,
                unit=options.unit,
                budget=Budget.fitting(truth(dataset), options.unit),
            )
        )
    return Product(
        ODParameters(
            epsilon=options.epsilon,
            max_trips_per_user=1 if options.unit == "trip" else options.max_trips_per_user,
            suppression_threshold=options.suppression_threshold,
            unit=options.unit,
            method="estimate" if ours else "published",
        ),
        days=None if options.days is None else tuple(options.days),
    )


def _set(options: argparse.Namespace, ledger: BudgetLedger) -> None:
    ledger.declare(
        options.people,
        datasets=options.datasets,
        unit=options.unit,
        epsilon=options.epsilon,
        delta=options.delta,
        by=options.by,
        raised_by=options.raised_by,
    )
    _note_unknown(options.datasets)
    _show_budgets(options, ledger)


def _raise(options: argparse.Namespace, ledger: BudgetLedger) -> None:
    now = ledger.budget(options.people)
    ledger.raise_to(
        options.people,
        epsilon=options.epsilon,
        delta=now.delta if options.delta is None else options.delta,
        by=options.by,
        reason=options.reason,
    )
    _show_budgets(options, ledger)


def _join(options: argparse.Namespace, ledger: BudgetLedger) -> None:
    ledger.join(options.people, dataset=options.dataset, by=options.by)
    _note_unknown([options.dataset])
    _show_budgets(options, ledger)


def _note_unknown(names: Sequence[str]) -> None:
    for name in sorted({name.strip() for name in names} - datasets.available().keys()):
        _say(
            f"note: no dataset '{name}' is installed here: the ledger knows its name alone, and "
            "sees a copy of it only from its first release on"
        )


def _show_budgets(_options: argparse.Namespace, ledger: BudgetLedger) -> None:
    entries = ledger.entries()
    budgets = balances(entries)
    if not budgets:
        _say("no budget has been declared")
    for one in budgets.values():
        uncharged = one.uncharged_words
        uncharged += " ('verify' names them)" if uncharged else ""
        _say(
            f"{one.people} ({', '.join(one.datasets)}): ε = {one.spent_epsilon:g} of "
            f"{one.epsilon:g} and δ = {one.spent_delta:g} of {one.delta:g} spent per {one.unit} in "
            f"{one.releases} release{'' if one.releases == 1 else 's'}{uncharged}; "
            f"may be raised by {', '.join(one.raised_by)}"
        )
    if entries:
        _say(f"head of the ledger, entry {len(entries)}: {entries[-1].hash}")


def _verify(options: argparse.Namespace, ledger: BudgetLedger) -> None:
    entries = ledger.verify(options.head)
    _say(f"{entries} {'entry' if entries == 1 else 'entries'}, unbroken")
    too_cheap = undercharged(ledger.entries())
    for one in too_cheap:
        _say(one.words)
    if too_cheap:
        were = "release was" if len(too_cheap) == 1 else "releases were"
        raise ReleaseError(
            f"{len(too_cheap)} {were} charged less than today's rule says",
            remedy="nothing was rewritten; what is missing counts as spent when the next release "
            "is checked, and whoever relies on the budget should be told",
            code="undercharged",
        )


def _show(share: float) -> None:
    print(f"\r{share:4.0%}", end="\n" if share >= 1 else "", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mobility-privacy-explorer release",
        description="Release private tables once: declare a budget, then release.",
    )
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--ledger", type=Path, help="ledger file (data/ledger.sqlite)")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, words in (
        ("od", "origin–destination matrices"),
        ("density", "density of one week"),
        ("report", "mobility report"),
    ):
        one = commands.add_parser(name, parents=[common], help=f"release {words}")
        one.set_defaults(run=_release, product=name)
        one.add_argument("dataset")
        one.add_argument("--epsilon", type=float, required=True, help="per unit of protection")
        one.add_argument("--out", type=Path, required=True, help="new folder of the bundle")
        one.add_argument("--tuned-on", choices=TUNING, required=True, help="how ε was chosen")
        one.add_argument("--tuning-note", default="", help="such as the days looked at")
        one.add_argument("--twin", help="the dataset of the twin, for --tuned-on twin")
        one.add_argument("--consent", default="", help=f"for trip level: '{CONSENT}'")
        if name != "report":
            one.add_argument("--method", choices=("published", "ours"), default="published")
        if name == "density":
            one.add_argument("--max-visits-per-user", type=int, default=30)
            one.add_argument("--delta", type=float, default=1e-7, help="of --method ours")
        else:
            units = ("person-day", "person", "trip") if name == "od" else ("user", "item")
            one.add_argument("--unit", choices=units, default=units[0])
            one.add_argument("--max-trips-per-user", type=int, default=4 if name == "od" else 20)
        if name == "od":
            one.add_argument("--suppression-threshold", type=int, default=15)
            one.add_argument("--days", type=int, nargs="+", help="positions, 0 is the first day")
    budget = commands.add_parser("budget", help="declare, raise or show budgets")
    actions = budget.add_subparsers(required=True, metavar="ACTION")
    declare = actions.add_parser("set", parents=[common], help="declare a budget once")
    declare.set_defaults(run=_set)
    declare.add_argument("people", help="a name of the people and the period")
    declare.add_argument("--datasets", nargs="+", required=True)
    declare.add_argument("--unit", choices=("person", "person-day", "trip"), default="person")
    declare.add_argument("--epsilon", type=float, required=True)
    declare.add_argument("--delta", type=float, default=0.0)
    declare.add_argument("--by", required=True, help="who declares it, and may raise it")
    declare.add_argument("--raised-by", nargs="*", default=[], help="who else may raise it")
    more = actions.add_parser("raise", parents=[common], help="raise a budget")
    more.set_defaults(run=_raise)
    more.add_argument("people")
    more.add_argument("--epsilon", type=float, required=True, help="the new total")
    more.add_argument("--delta", type=float, default=None)
    more.add_argument("--by", required=True)
    more.add_argument("--reason", required=True)
    join = actions.add_parser("join", parents=[common], help="add a dataset of the same people")
    join.set_defaults(run=_join)
    join.add_argument("people")
    join.add_argument("dataset")
    join.add_argument("--by", required=True)
    show = actions.add_parser("show", parents=[common], help="show what is spent")
    show.set_defaults(run=_show_budgets)
    verify = commands.add_parser("verify", parents=[common], help="check the ledger's hashes")
    verify.set_defaults(run=_verify)
    verify.add_argument("--head", metavar="HASH", help="must be in the chain: of a statement, say")
    return parser
