"""Which settings to choose: ``mobility-privacy-explorer frontier demo-city --time whole``."""

import argparse
import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

from .. import datasets
from ..contract import Seen, Step, When
from ..errors import exit_code
from ..origin_destination import suppresses
from ..parameters import ODParameters
from ..privacy import STRONG_GUESS
from ..resolution import FINEST
from .candidate import Candidate
from .judge import Frontier, frontier, risk_limit
from .need import Need, Protected, Read

SPANS: dict[Step, str] = {"day": "every day", "week": "every week", "whole": "the whole period"}
LEAK = (
    "made of the confidential data: choosing by it leaks a little about them, so a release must "
    "name its settings as tuned on these data"
)
_UNITS = {"person-day": "a person's day", "person": "a person"}
_VERDICTS = {"good": "good", "partly": "usable in part", "noisy": "too noisy"}
_OWNER_ONLY = 0o600


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    parser = argparse.ArgumentParser(prog="mobility-privacy-explorer frontier", description=__doc__)
    parser.add_argument("dataset", help="name or folder")
    parser.add_argument("--zones", default=FINEST, help="a level's name, or clusters-30")
    parser.add_argument("--time", choices=get_args(Step), default="day", help="one matrix of flows")
    parser.add_argument(
        "--unit", choices=get_args(Protected), default="person-day", help="least that is protected"
    )
    parser.add_argument("--read", choices=get_args(Read), default="flows", help="what is read")
    parser.add_argument("--threshold", type=int, default=15, help="flows below it are hidden")
    parser.add_argument(
        "--risk", type=float, default=100 * STRONG_GUESS, help="most risk, in percent"
    )
    parser.add_argument("--out", type=Path, help="all settings, FILE.csv")
    options = parser.parse_args(arguments)
    return exit_code(lambda: _run(options))


def _run(options: argparse.Namespace) -> None:
    dataset = datasets.load(options.dataset)
    need = Need(
        seen=Seen(dataset=options.dataset, zones=options.zones, when=When(step=options.time)),
        unit=options.unit,
        read=options.read,
        threshold=options.threshold,
    )
    limit = risk_limit(options.risk / 100)
    known = frontier(dataset, need)
    for line in _lines(known, limit):
        print(line)
    if options.out is not None:
        write(known, options.out, limit)


def _lines(known: Frontier, limit: float) -> Iterator[str]:
    one = known.recommended(limit)
    yield f"{len(known.candidates):,} settings are as asked, of {len(known.judged):,} judged"
    if known.alike:
        yield "No setting as asked holds anything: they cannot be told apart."
    if one is None:
        yield f"None keeps an attacker's guesses within {limit:.0%}."
    else:
        yield f"{'Recommended' if one.usable else 'Best, and not usable'}: {words(one)}"
    for way in known.way_out(limit):
        yield f"  Other {way.lever}: {words(way.candidate)}"
    if known.confidential:
        yield f"Note: {LEAK}."


def words(one: Candidate) -> str:
    """Return a setting and its two axes in a line."""
    setting, use = one.setting, one.use
    flows = isinstance(setting.parameters, ODParameters)
    hidden = {"zones", "time", "unit"}
    if flows and not suppresses(setting.parameters):
        hidden.add("τ")
    levers = ", ".join(f"{name} {v}" for name, v in one.levers.items() if name not in hidden)
    when = SPANS[setting.when.step] if flows else "every hour of the week"
    about = f" ± {use.error:.1%} by draws" if use.error else ""
    return (
        f"{one.zones} zones ({setting.zones}), {when}, {_UNITS[one.unit]}, {levers}: an attacker "
        f"guesses right at most {one.risk:.1%}, common part {use.share:.1%}{about} of the "
        f"{use.crossing:.0%} that cross zones ({_VERDICTS[use.level]})"
    )


def write(known: Frontier, path: Path, limit: float = STRONG_GUESS) -> None:
    """Write all settings as a table; of confidential data, for its owner only."""
    chosen = known.recommended(limit)
    if known.confidential:
        path.touch(mode=_OWNER_ONLY)
        path.chmod(_OWNER_ONLY)
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, fieldnames=[*row(known.judged[0]), "recommended"])
        table.writeheader()
        table.writerows({**row(one), "recommended": one is chosen} for one in known.judged)


def row(one: Candidate) -> dict[str, Any]:
    """Return a candidate as names and numbers."""
    place = {"level": one.setting.zones, "span": one.setting.when.step, "protects": one.unit}
    use = {"use": one.use.share, "use_error": one.use.error, "crossing": one.use.crossing}
    levers = {name: value for name, value in one.levers.items() if name not in ("unit", "time")}
    return {**place, "matrices": one.matrices, **levers, "risk": one.risk, **use}
