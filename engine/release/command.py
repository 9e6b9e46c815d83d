"""The command line: ``mobility-privacy-explorer release od|density|report|budget|verify``."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import fields
from datetime import date
from typing import Any, TextIO

from .. import datasets
from ..contract import Seen, Setting, When
from ..datasets import Dataset
from ..errors import ExplorerError, ParameterError
from ..parameters import DensityParameters, ODParameters
from ..release_arguments import parser
from ..report import ReportParameters, fitting, truth
from ..synthetic.twininputs import in_words
from . import BudgetLedger, check, plan, release, warnings, words
from .bundle import zip_of
from .ledger import ReleaseError, printable


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0, or with one line on standard error 2 (refused), 130 (stopped)."""
    options = parser().parse_args(arguments)
    try:
        _RUN[options.run](options, BudgetLedger(options.ledger))
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
    names = [name for name in ("trips", "sums_before_suppression") if hasattr(options, name)]
    choices = {name: getattr(options, name) for name in names}
    planned = plan(setting, dataset, **choices)
    for text in warnings(planned):
        _say(f"warning: {text}")
    budget, cost = check(planned, dataset, ledger, options.consent)
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
        **choices,
        consents=options.consent,
        progress=_progress if sys.stderr.isatty() else lambda _share: None,
    )
    _say(f"written to {out} and {zip_of(out)}; read {out / 'statement.html'} first")


def _setting(options: argparse.Namespace, dataset: Dataset) -> Setting:
    products = {"od": ODParameters, "density": DensityParameters, "report": ReportParameters}
    kind: Any = products[options.product]
    when = When()
    names = [one.name for one in fields(kind) if hasattr(options, one.name)]
    given = {name: getattr(options, name) for name in names}
    if given.get("unit") == "trip":
        given["max_trips_per_user"] = 1
    parameters = kind(**given)
    if options.product == "od":
        first, last = (_position(day, dataset) for day in (options.first_day, options.last_day))
        step, span = options.time, options.span
        if span is not None:
            step, last = "whole", len(dataset.metadata.days) - 1 if last is None else last
        when = When(step=step, first=first or 0, last=last, span=span)
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
    entries = ledger.verify(options.head)
    if not entries and options.ledger is not None:
        rule = "there must be a ledger to verify"
        raise ReleaseError(rule, value=options.ledger.name, remedy="name its file")
    _say(f"{entries} {'entry' if entries == 1 else 'entries'}, unbroken")


def _progress(share: float) -> None:
    print(f"\r{share:4.0%}", end="\n" if share >= 1 else "", file=sys.stderr)


_RUN = {
    "release": _release,
    "set": _set,
    "raise": _raise,
    "join": _join,
    "show": _show,
    "verify": _verify,
}
