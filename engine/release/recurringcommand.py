"""The command line of recurring releases: ``plan | run | show | end``."""

import argparse
from pathlib import Path
from typing import Any

from .. import datasets
from . import recurring
from .asked import (
    PRODUCTS,
    add_product,
    day,
    note,
    parameters,
    progress,
    say,
    say_written,
    show_budgets,
)
from .cost import balances, whole_words
from .differences import differences
from .ledger import BudgetLedger
from .schedule import Schedule, known_series, series


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """Add what these commands take to the parser of releases."""
    plan = commands.add_parser("plan", help="plan a recurring release and keep what all runs cost")
    products = plan.add_subparsers(required=True, metavar="PRODUCT")
    for name, words in PRODUCTS.items():
        one = products.add_parser(name, parents=[common], help=f"plan {words}")
        one.set_defaults(run=_plan)
        add_product(one, name)
        one.add_argument("--name", required=True, help="of the plan")
        one.add_argument("--first", type=day, required=True, help="first day of the first run")
        one.add_argument("--days", type=int, default=7, help="released by each run (7)")
        one.add_argument("--every", type=int, help="days from run to run (as many as --days)")
        ends = one.add_mutually_exclusive_group(required=True)
        ends.add_argument("--runs", type=int)
        ends.add_argument("--until", type=day, help="no run has a day after this one")
        one.add_argument(
            "--whole-delta",
            type=float,
            default=0.0,
            help="δ of all runs together: compose them exactly in place of adding them up",
        )
    one = commands.add_parser("run", parents=[common], help="make the next run of a plan")
    one.set_defaults(run=_run)
    one.add_argument("name")
    one.add_argument("--out", type=Path, required=True, help="folder of the plan's bundles")
    one.add_argument("--number", type=int, help="a later run: what is skipped stays missed")
    one.add_argument("--dataset", help="another one of the same people and zones")
    one = commands.add_parser("show", parents=[common], help="show plans and what they cost")
    one.set_defaults(run=_show)
    one.add_argument("name", nargs="?")
    one = commands.add_parser("end", parents=[common], help="end a plan before its last run")
    one.set_defaults(run=_end)
    one.add_argument("name")
    one.add_argument("--by", required=True)


def _plan(options: argparse.Namespace, ledger: BudgetLedger) -> None:
    dataset = datasets.load(options.dataset)
    days, every = options.days, options.days if options.every is None else options.every
    if options.until is None:
        schedule = Schedule(first=options.first, runs=options.runs, days=days, every=every)
    else:
        schedule = Schedule.until(options.first, options.until, days=days, every=every)
    recurring.plan(
        dataset,
        parameters(options, dataset),
        schedule,
        name=options.name,
        ledger=ledger,
        tuning=options.tuned_on,
        tuning_note=note(options),
        consent=options.consent,
        delta=options.whole_delta,
    )
    _show(options, ledger)


def _run(options: argparse.Namespace, ledger: BudgetLedger) -> None:
    plan = known_series(ledger.entries(), options.name)
    out = recurring.run(
        datasets.load(options.dataset or plan.entry.body["dataset"]),
        options.name,
        options.out,
        ledger=ledger,
        number=options.number,
        progress=progress(),
    )
    say_written(out)


def _end(options: argparse.Namespace, ledger: BudgetLedger) -> None:
    ledger.end(options.name, by=options.by)
    _show(options, ledger)


def _show(options: argparse.Namespace, ledger: BudgetLedger) -> None:
    """Show plans, one or all, and what can be subtracted; then what is spent and planned."""
    entries = ledger.entries()
    budgets = balances(entries)
    plans = [known_series(entries, options.name)] if options.name else series(entries).values()
    for one in plans:
        body, unit = one.entry.body, budgets[one.entry.people].unit
        say(
            f"{body['name']}: {body['product']} of {body['dataset']}, {one.schedule.words}; "
            f"{whole_words(one, unit)}; {one.state}"
        )
    for budget in budgets.values():
        for difference in differences(entries, budget):
            say(f"can be subtracted: {difference.words}")
    show_budgets(ledger)
