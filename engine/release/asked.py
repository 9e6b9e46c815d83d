"""What the command line is asked: a product, its settings, and how they were chosen."""

import argparse
import sys
from datetime import date
from pathlib import Path
from typing import TextIO

from .. import datasets
from ..datasets import Dataset
from ..errors import ParameterError
from ..parameters import DensityParameters, ODParameters
from ..report import ReportParameters, fitting, truth
from ..synthetic.twininputs import in_words
from .bundle import CONSENT
from .claim import zip_of
from .ledger import BudgetLedger, printable
from .plan import Progress
from .products import Settings
from .statement import TUNING

PRODUCTS = {
    "od": "origin–destination matrices",
    "density": "density of one week",
    "report": "mobility report",
}


def say(line: str, to: TextIO | None = None) -> None:
    """Print one line that moves no cursor."""
    print(printable(line), file=to or sys.stdout)


def say_written(out: Path) -> None:
    """Say where a bundle is."""
    say(f"written to {out} and {zip_of(out)}; read {out / 'statement.html'} first")


def day(text: str) -> date:
    """Return the day that is typed."""
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"'{text}' is no day such as 2024-01-31") from error


def add_product(parser: argparse.ArgumentParser, name: str) -> None:
    """Add what is released, by which settings, and how they were chosen."""
    parser.set_defaults(product=name)
    parser.add_argument("dataset")
    parser.add_argument("--epsilon", type=float, required=True, help="per unit of protection")
    parser.add_argument("--tuned-on", choices=TUNING, required=True, help="how ε was chosen")
    parser.add_argument("--tuning-note", default="", help="such as the days looked at")
    parser.add_argument("--twin", help="the dataset of the twin, for --tuned-on twin")
    parser.add_argument("--consent", default="", help=f"for trip level: '{CONSENT}'")
    if name != "report":
        parser.add_argument("--method", choices=("published", "ours"), default="published")
    if name == "density":
        parser.add_argument("--max-visits-per-user", type=int, default=30)
        parser.add_argument("--delta", type=float, default=1e-7, help="of --method ours")
        return
    units = ("person-day", "person", "trip") if name == "od" else ("user", "item")
    parser.add_argument("--unit", choices=units, default=units[0])
    parser.add_argument("--max-trips-per-user", type=int, default=4 if name == "od" else 20)
    if name == "od":
        parser.add_argument("--suppression-threshold", type=int, default=15)


def parameters(options: argparse.Namespace, dataset: Dataset) -> Settings:
    """Return the settings of a product."""
    ours = options.product != "report" and options.method == "ours"
    if options.product == "density":
        return DensityParameters(
            epsilon=options.epsilon,
            delta=options.delta,
            max_visits_per_user=options.max_visits_per_user,
            method="zoom" if ours else "towers_laplace",
        )
    if options.product == "report":
        usual = ReportParameters(
            epsilon=options.epsilon,
            max_trips_per_user=options.max_trips_per_user,
            unit=options.unit,
        )
        return fitting(usual, truth(dataset))
    return ODParameters(
        epsilon=options.epsilon,
        max_trips_per_user=1 if options.unit == "trip" else options.max_trips_per_user,
        suppression_threshold=options.suppression_threshold,
        unit=options.unit,
        method="estimate" if ours else "published",
    )


def note(options: argparse.Namespace) -> str:
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


def show_budgets(ledger: BudgetLedger) -> None:
    """Show what is spent of every budget, and the head of the ledger."""
    entries, budgets = ledger.entries(), ledger.budgets()
    if not budgets:
        say("no budget has been declared")
    for one in budgets.values():
        say(
            f"{one.people} ({', '.join(one.datasets)}): ε = {one.spent_epsilon:g} of "
            f"{one.epsilon:g} and δ = {one.spent_delta:g} of {one.delta:g} spent per {one.unit} in "
            f"{one.releases} release{'' if one.releases == 1 else 's'}; "
            f"may be raised by {', '.join(one.raised_by)}"
        )
    if entries:
        say(f"head of the ledger, entry {len(entries)}: {entries[-1].hash}")


def progress() -> Progress:
    """Return what shows progress where somebody watches."""
    return _show if sys.stderr.isatty() else lambda _share: None


def _show(share: float) -> None:
    print(f"\r{share:4.0%}", end="\n" if share >= 1 else "", file=sys.stderr)
