"""The command line: ``mobility-privacy-explorer release od|density|report|budget|verify``."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import fields
from datetime import date
from typing import Any, TextIO

from .. import datasets
from ..contract import Selection, Setting, TimeSelection
from ..datasets import Dataset
from ..errors import DatasetError, ExplorerError, ParameterError
from ..parameters import DensityParameters, ODParameters
from ..progress_line import make_progress_line
from ..release_arguments import build_parser
from ..report import ReportParameters, fit_to_table, truth
from ..synthetic.twin_inputs import format_inputs
from . import Budget, BudgetLedger, check_release, list_warnings, plan, release, render_words
from .budget_ledger import ReleaseError, to_printable
from .bundle import archive_path, check_files


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
        progress=make_progress_line("drawing noise"),
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
        _warn_of_unknown(options.datasets)
        totals = {name: getattr(options, name) for name in ("datasets", "unit", "epsilon", "delta")}
        ledger.declare(people, manager=manager, other_managers=options.raised_by, **totals)
    elif options.run == "raise":
        delta = ledger.budget(people).delta if options.delta is None else options.delta
        change = {"manager": manager, "reason": options.reason}
        ledger.raise_to(people, epsilon=options.epsilon, delta=delta, **change)
    elif options.run == "join":
        _warn_of_unknown([options.dataset])
        ledger.join(people, dataset=options.dataset, manager=manager)
    else:
        ledger.withdraw(people, manager=manager)
    _show_ledger(options, ledger)


def _warn_of_unknown(names: Sequence[str]) -> None:
    """Warn of names without a dataset here: its people cannot be checked, or it is a slip."""
    for name in names:
        try:
            datasets.find_folder(name)
        except DatasetError as error:
            _print_line(f"warning: {error} The budget is for that name as it is.", sys.stderr)


def _show_ledger(options: argparse.Namespace, ledger: BudgetLedger) -> None:
    entries, budgets = ledger.entries(), ledger.budgets()
    head = entries[-1].chain_hash if entries else None
    if getattr(options, "json", False):
        rows = [_to_row(budget) for budget in budgets.values()]
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


def _to_row(budget: Budget) -> dict[str, Any]:
    names = "people", "unit", "datasets", "managers", "epsilon", "delta", "spent_epsilon"
    names += "spent_delta", "remaining_epsilon"
    row = {name: getattr(budget, name) for name in names}
    return {**row, "releases": budget.release_count}


def _verify(options: argparse.Namespace, ledger: BudgetLedger) -> None:
    """Check the ledger, and a bundle against it; print what was checked and what that proves."""
    files, digest, head = 0, None, options.head
    if options.bundle is not None:
        files, digest, stated_hash = check_files(options.bundle)
        head = head or stated_hash
    count = ledger.verify(head, digest)
    if not count and options.ledger is not None:
        rule = "there must be a ledger to verify"
        raise ReleaseError(rule, value=options.ledger.name, remedy="name its file")
    if options.json:
        print(json.dumps({"entries": count, "unbroken": True}))
        return
    checked = f"{count} {'entry' if count == 1 else 'entries'}, unbroken"
    proved, open_point = (
        "no entry was changed by accident",
        "nobody rewrote the ledger (give --head or a bundle)",
    )
    if head:
        checked += f", each with the hash of the one before, one with the hash {head.strip()[:8]}…"
        proved = "no entry up to that one was changed since its hash was written down"
        open_point = "no later entry is missing, or that the released numbers are right"
    if files:
        checked = f"{files} files match SHA256SUMS, whose hash the ledger holds; {checked}"
        proved = f"the files are those of the release, and {proved}"
    _print_line(f"Checked: {checked}.")
    _print_line(f"Proved: {proved}.")
    _print_line(f"Not proved: that {open_point}.")


_COMMANDS = {
    "release": _release,
    **dict.fromkeys(("set", "raise", "join", "withdraw"), _change_budget),
    "show": _show_ledger,
    "verify": _verify,
}
