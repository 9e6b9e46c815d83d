"""The command line of the attack on one's own data."""

import csv
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from .. import validation
from ..datasets import storage
from ..errors import InputError
from ..ingest import command
from ..ingest.progress import Monitor, ProgressCallback, Stage
from .comparison import Row, control
from .people import LEAST_PEOPLE, travel

_ABOUT = """Run P2's attack (Table S1) on raw trips or visits, with the control that P2 lacks: the
same attack on matrices from which each target's own trips have been taken out. What it reaches
then is no membership; only the difference is. It takes half an hour and more."""
_EXAMPLE = """example:
  mobility-privacy-explorer attack trips trips_*.csv --zones provinces.geojson
      --map uid=User datetime=Start origin=From destination=To --timezone Asia/Kabul
      --from 2020-01-01 --to 2020-10-31 --out attack.csv"""
_WITHOUT = {
    *("week", "max_visits_cap", "people_public", "parts", "parents", "places_public", "by_person"),
    *("period_from_data", "description", "source", "licence", "by_month"),
}
_ATTACK = Stage("training classifiers", 1_000)


def main(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code: 0, 2 for bad input, 130 if interrupted."""
    reader = command.parser(_WITHOUT, name="attack", about=_ABOUT, example=_EXAMPLE)
    reader.add_argument("--targets", type=int, default=100, help="people drawn at random: 100")
    reader.add_argument(
        "--epsilon", type=float, nargs="+", default=[0.1, 0.5, 1.0], help="as P2: 0.1 0.5 1"
    )
    values = vars(reader.parse_args(arguments))

    def work(show: ProgressCallback) -> list[str]:
        people, epsilons = values.pop("targets"), values.pop("epsilon")
        validation.whole_number("targets", people, LEAST_PEOPLE, 10_000, remedy="P2 took 100")
        out: Path = values["out"]
        if out.suffix != ".csv" or not out.parent.is_dir():
            raise InputError(
                "--out must be a CSV file in a folder that is there", remedy="such as attack.csv"
            )
        options = command.options_of({**values, "parts": ["trips"], "by_person": False})
        counts, targets = travel(options, people, Monitor(show))
        training = Monitor(show)
        training.plan([_ATTACK])
        training.start(_ATTACK)
        rng = np.random.default_rng()  # of the operating system's entropy: the people are real
        rows = control(counts, targets, epsilons=epsilons, rng=rng, progress=training.update)
        _write(out, rows)
        return _told(rows, len(targets), out)

    return command.run(work, reader)


def _write(path: Path, rows: Sequence[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(asdict(rows[0])))
        table.writeheader()
        table.writerows(asdict(row) for row in rows)
    storage.make_owner_only(path)


def _told(rows: Sequence[Row], people: int, path: Path) -> list[str]:
    """Return the table in words: mean AUC ± standard error over the people."""
    lines = [f"mean AUC ± standard error over {people:,} people, 0.5 for a coin", ""]
    titles = ("matrices", "classifier", "as they are", "own trips removed", "difference")
    lines.append("{:<10}{:<12}{:>16}{:>20}{:>18}".format(*titles))
    lines += [
        f"{row.matrices:<10}{row.classifier:<12}{row.present:>8.3f} ± {row.error:.3f}"
        f"{row.removed:>20.3f}{row.difference:>+10.3f} ± {row.difference_error:.3f}"
        for row in rows
    ]
    return [
        *lines,
        "",
        "The difference is what the matrices tell of the people themselves; the rest is the kind",
        "of day on which people like them travel. No classifier is the best attack: the page",
        "Attack, and engine.attack, have the bound on every attack.",
        f"Written to {path}. It is read from the data: for the data's custodians.",
    ]
