"""A frontier as a file: numbers as numbers, one row a candidate."""

import csv
import json
from pathlib import Path
from typing import Any

from ..parameters import ODParameters
from ..privacy import STRONG_GUESS
from .candidate import Candidate
from .search import Frontier

SUFFIXES = (".json", ".csv")
_OWNER_ONLY = 0o600
LEAK = (
    "made of the confidential data: choosing by it leaks a little about them, so a release must "
    "name its settings as tuned on these data"
)
_SPANS = {"day": "every day", "week": "every week", "whole": "the whole period"}
_UNITS = {"person-day": "a person's day", "person": "a person"}
VERDICTS = {"good": "usable", "partly": "usable in part", "noisy": "too noisy"}


def row(one: Candidate) -> dict[str, Any]:
    """Return a candidate as names and numbers.

    Examples
    --------
    >>> from engine.parameters import ODParameters
    >>> from engine.contract import Seen
    >>> one = Candidate(parameters=ODParameters(epsilon=1.0), seen=Seen(dataset="a"), zones=30,
    ...                 matrices=7, days=7, risk=0.9, use=0.75, error=0.1)
    >>> row(one)["epsilon"], row(one)["span"]
    (1.0, 'day')
    """
    names = {"T": "max_trips_per_user", "τ": "suppression_threshold", "ε": "epsilon"}
    names["ℓ"] = "max_visits_per_user"
    return {
        "level": one.seen.zones,
        "zones": one.zones,
        "span": one.seen.when.step,
        "matrices": one.matrices,
        "days": one.days,
        "unit": one.unit,
        **{names.get(name, name): value for name, value in one.levers.items()},
        "method": one.parameters.method,
        "risk": one.risk,
        "use": one.use,
        "use_error": one.use_error,
        "error": one.error,
    }


def write(result: Frontier, path: Path, risk: float = STRONG_GUESS) -> None:
    """Write all candidates and which are on the frontier and recommended.

    A file made of confidential data can be read by its owner only.
    """
    line, chosen = set(map(id, result.frontier)), result.recommended(risk)
    rows = [
        {**row(one), "on_frontier": id(one) in line, "recommended": one is chosen}
        for one in result.candidates
    ]
    if result.confidential:
        path.touch(mode=_OWNER_ONLY)
        path.chmod(_OWNER_ONLY)
    with path.open("w", encoding="utf-8", newline="") as file:
        if path.suffix == ".csv":
            table = csv.DictWriter(file, fieldnames=list(rows[0]))
            table.writeheader()
            table.writerows(rows)
        else:
            document = {
                "need": vars(result.need),
                "risk_limit": risk,
                "confidential": result.confidential,
                "recommended": next((i for i, one in enumerate(rows) if one["recommended"]), None),
                "way_out": [
                    {"gives_way_in": way.lever, "gain": way.gain, **row(way.candidate)}
                    for way in result.way_out(risk)
                ],
                "candidates": rows,
            }
            json.dump(document, file, indent=1)
            file.write("\n")


def moves(result: Frontier, one: Candidate) -> list[tuple[str, str, str]]:
    """Return what one step of each lever does: its sign and name, the risks, and the uses."""
    return [
        (
            f"{sign} {step.lever}",
            f"{one.risk:.1%} → {other.risk:.1%}",
            f"{one.use:.1%} → {other.use:.1%}",
        )
        for step in result.levers(one)
        for sign, other in (("−", step.less), ("+", step.more))
        if other is not None
    ]


def words(one: Candidate) -> str:
    """Return a setting and its two axes in a line."""
    flows = isinstance(one.parameters, ODParameters)
    days = f", {one.days} days" if flows and one.matrices == one.days else ""
    span = _SPANS[one.seen.when.step] if flows else "every hour"
    levers = ", ".join(
        f"{name} {value:g}" if isinstance(value, int | float) else str(value)
        for name, value in one.levers.items()
        if name != "unit"
    )
    use = f"{one.use:.1%} of {'trips in usable flows' if flows else 'zones usable'}"
    if one.use_error:
        use += f" (± {one.use_error:.1%}, by draws)"
    return (
        f"{one.zones} zones ({one.seen.zones}), {span}{days}, {_UNITS[one.unit]}, {levers}: "
        f"best guess {one.risk:.1%}, {use} ({VERDICTS[one.level]}), errors add up to "
        f"{one.error:.0%} of all {'trips' if flows else 'visits'}"
    )
