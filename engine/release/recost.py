"""Releases that an older rule charged too little: found and named, never rewritten.

Until rule 2 a release was taken to cover every unit finer than its own. The ledger keeps what was
charged; what is missing counts as spent wherever a budget is judged or stated.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.release.cost import Cost, Loss, cost
from engine.release.entries import Budget, BudgetUnit, Entry, ReleaseError, exact, replay

RULE = 2
"""Of `engine.release.cost`, kept in every release entry; entries without one are of rule 1."""


@dataclass(frozen=True, kw_only=True)
class Undercharged:
    """A release whose entry holds less than it cost.

    Attributes
    ----------
    entry : Entry
    unit : str
        What its budget protects.
    due : Cost or None
        What it should have cost; None where the entry does not say enough, or where no cost can
        be stated in that unit at all.
    """

    entry: Entry
    unit: BudgetUnit
    due: Cost | None

    @property
    def words(self) -> str:
        """Say which entry it is, what was charged and what is due."""
        body = self.entry.body
        charged = f"ε = {body['epsilon']:g}, δ = {body['delta']:g}"
        what = f"{body.get('product', 'release')} at unit {body.get('unit', 'unknown')}"
        if self.due is None:
            due = "its cost cannot be told from the entry"
        else:
            due = f"it cost ε = {self.due.epsilon:.6g}, δ = {self.due.delta:.3g}"
        return (
            f"entry {self.entry.id} ({self.entry.time[:10]}, {what}) was charged {charged} per "
            f"{self.unit}; {due}"
        )


def undercharged(entries: Sequence[Entry]) -> tuple[Undercharged, ...]:
    """Return every release that was charged less than `cost` says today, oldest first."""
    units: dict[str, BudgetUnit] = {
        entry.people: entry.body["unit"] for entry in entries if entry.kind == "budget"
    }
    too_cheap: list[Undercharged] = []
    for entry in entries:
        if entry.kind != "release" or entry.people not in units:
            continue
        unit, body = units[entry.people], entry.body
        due = _due(body, unit)
        if due is None or (
            exact(due.epsilon) > exact(body["epsilon"]) or exact(due.delta) > exact(body["delta"])
        ):
            too_cheap.append(Undercharged(entry=entry, unit=unit, due=due))
    return tuple(too_cheap)


def corrected(entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries with what releases cost by today's rule, never less than was charged.

    What is kept in the ledger stays as it was written; `replay` of these says what is truly spent.
    """
    due = {one.entry.id: one.due for one in undercharged(entries) if one.due is not None}
    return [
        entry
        if entry.id not in due
        else replace(
            entry,
            body={
                **entry.body,
                "epsilon": max(due[entry.id].epsilon, entry.body["epsilon"]),
                "delta": max(due[entry.id].delta, entry.body["delta"]),
            },
        )
        for entry in entries
    ]


def balances(entries: Sequence[Entry]) -> dict[str, Budget]:
    """Return the state of every budget by its people, with what was charged too little as spent."""
    charged = replay(entries)
    return {
        people: replace(
            one,
            uncharged_epsilon=float(
                exact(one.spent_epsilon) - exact(charged[people].spent_epsilon)
            ),
            uncharged_delta=float(exact(one.spent_delta) - exact(charged[people].spent_delta)),
        )
        for people, one in replay(corrected(entries)).items()
    }


def _due(body: Mapping[str, Any], unit: BudgetUnit) -> Cost | None:
    try:
        return cost(_loss(body), unit)
    except (KeyError, TypeError, ReleaseError):
        return None


def _loss(body: Mapping[str, Any]) -> Loss:
    """Return what an entry says was promised; before rule 2 its settings said so."""
    if "loss" in body:
        return Loss(**body["loss"])
    settings = body["settings"]
    flows = body["product"] in ("od", "od-estimate") and body["unit"] != "trip"
    return Loss(
        unit=body["unit"],
        epsilon=body["epsilon_per_unit"],
        delta=settings.get("delta", 0.0),
        days=settings.get("matrices", 1),  # one a day at unit person-day, where days count
        trimmed_to=settings["max_trips_per_user"] if flows else None,
        rho=settings.get("rho"),
    )
