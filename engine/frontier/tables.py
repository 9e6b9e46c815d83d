"""A frontier as a file: numbers as numbers, one row a candidate."""

import csv
import json
from pathlib import Path
from typing import Any

from ..risk import STRONG_GUESS
from .candidate import Candidate
from .search import Frontier

SUFFIXES = (".json", ".csv")
_OWNER_ONLY = 0o600


def row(one: Candidate) -> dict[str, Any]:
    """Return a candidate as names and numbers.

    Examples
    --------
    >>> from engine.parameters import ODParameters
    >>> from engine.resolution import Resolution
    >>> one = Candidate(parameters=ODParameters(epsilon=1.0), resolution=Resolution(), zones=30,
    ...                 matrices=7, days=7, risk=0.9, use=0.75, error=0.1)
    >>> row(one)["epsilon"], row(one)["span"]
    (1.0, 'day')
    """
    names = {"T": "max_trips_per_user", "τ": "suppression_threshold", "ε": "epsilon"}
    names["ℓ"] = "max_visits_per_user"
    return {
        "level": one.resolution.zones,
        "zones": one.zones,
        "span": one.resolution.time,
        "hours": one.resolution.hours,
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
    """Write all candidates, and which are on the frontier and recommended, as JSON or CSV.

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
                "candidates": rows,
            }
            json.dump(document, file, indent=1)
            file.write("\n")
