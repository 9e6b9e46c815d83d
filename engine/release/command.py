"""The command line: ``python -m engine.release od|density|report|budget|…``."""

import argparse
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from .. import datasets
from ..datasets import Dataset
from ..errors import ExplorerError
from .asked import PRODUCTS, add_product, note, parameters, progress, say, say_written, show_budgets
from .bundle import check, release
from .ledger import BudgetLedger
from .products import Product


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0, or with one line on standard error 2 (refused), 130 (stopped)."""
    options = _parser().parse_args(arguments)
    if threading.current_thread() is threading.main_thread():
        _stop_on_signals()
    try:
        options.run(options, BudgetLedger(options.ledger))
    except ExplorerError as error:
        say(" ".join([f"refused: {error}", *getattr(error, "__notes__", ())]), sys.stderr)
        return 2
    except KeyboardInterrupt as stop:
        say(str(stop) or "stopped; 'budget show' says what is spent", sys.stderr)
        return 130
    return 0


def _stop_on_signals() -> None:
    """End as after Ctrl-C on a termination or a closed terminal, unless that is to be ignored."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)


def _release(options: argparse.Namespace, ledger: BudgetLedger) -> None:
    dataset = datasets.load(options.dataset)
    product = _product(options, dataset)
    plan = product.plan(dataset)
    budget, cost = check(dataset, plan, ledger, consent=options.consent)
    delta = f", δ = {cost.delta:g}" if cost.delta else ""
    say(
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
        tuning_note=note(options),
        consent=options.consent,
        progress=progress(),
    )
    say_written(out)


def _product(options: argparse.Namespace, dataset: Dataset) -> Product:
    days = getattr(options, "days", None)
    return Product(parameters(options, dataset), days=None if days is None else tuple(days))


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
    show_budgets(ledger)


def _raise(options: argparse.Namespace, ledger: BudgetLedger) -> None:
    now = ledger.budget(options.people)
    ledger.raise_to(
        options.people,
        epsilon=options.epsilon,
        delta=now.delta if options.delta is None else options.delta,
        by=options.by,
        reason=options.reason,
    )
    show_budgets(ledger)


def _join(options: argparse.Namespace, ledger: BudgetLedger) -> None:
    ledger.join(options.people, dataset=options.dataset, by=options.by)
    _note_unknown([options.dataset])
    show_budgets(ledger)


def _note_unknown(names: Sequence[str]) -> None:
    for name in sorted({name.strip() for name in names} - datasets.available().keys()):
        say(
            f"note: no dataset '{name}' is installed here: the ledger knows its name alone, and "
            "sees a copy of it only from its first release on"
        )


def _verify(options: argparse.Namespace, ledger: BudgetLedger) -> None:
    entries = ledger.verify(options.head)
    say(f"{entries} {'entry' if entries == 1 else 'entries'}, unbroken")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mobility-privacy-explorer release",
        description="Release private tables once: declare a budget, then release.",
    )
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--ledger", type=Path, help="ledger file (data/ledger.sqlite)")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, words in PRODUCTS.items():
        one = commands.add_parser(name, parents=[common], help=f"release {words}")
        one.set_defaults(run=_release)
        one.add_argument("--out", type=Path, required=True, help="new folder of the bundle")
        add_product(one, name)
        if name == "od":
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
    show.set_defaults(run=lambda _, ledger: show_budgets(ledger))
    verify = commands.add_parser("verify", parents=[common], help="check the ledger's hashes")
    verify.set_defaults(run=_verify)
    verify.add_argument("--head", metavar="HASH", help="must be in the chain: of a statement, say")
    return parser
