"""Releases that a reader can subtract from one another, by what the ledger knows of them.

Two numbers that are each large enough to be shown may differ by one that is not (FlowKit, issue
5258): suppression does not compose. Noise does: it is subtracted with the numbers and stays.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .cost import Cost, at_least, corrected
from .entries import Budget, Entry, add_up, exact, sum_of

_WORDS = {
    "zones": "hold the same days in different zones: what a large zone has beyond the small ones "
    "within it lies between their borders",
    "product": "count the same people on the same days as different products: what one counts and "
    "the other does not is left",
    "again": "hold the same numbers more than once, or at different settings: what one keeps and "
    "the other does not is left",
    "days": "hold different days of the same people: what changed is left, which may be one "
    "person's move",
}
"""By kind, the telling ones first."""


@dataclass(frozen=True, kw_only=True)
class Difference:
    """Releases of the same people that can be subtracted, and what they reveal together.

    Attributes
    ----------
    kind : str
        ``zones``, ``product``, ``again`` or ``days``.
    one, other : str
        Product and dataset.
    entries : tuple of int
        Of the ledger.
    unit : str
        Of the budget.
    cost : Cost
        Of all of them together per unit: it bounds whatever is computed from them.
    this : bool
        Whether it is said of the last of them.
    """

    kind: str
    one: str
    other: str
    entries: tuple[int, ...]
    unit: str
    cost: Cost
    this: bool = False

    @property
    def words(self) -> str:
        """Say what can be subtracted, and what still holds."""
        others = self.entries[:-1] if self.this else self.entries
        ends = " and " if len(others) == 2 else " to "
        which = ends.join(str(one) for one in (others[0], others[-1])[: len(others)])
        which = f"{'entry' if len(others) == 1 else 'entries'} {which}"
        which = f"This release and {which}" if self.this else which.capitalize()
        what = self.one if self.one == self.other else f"{self.one}, {self.other}"
        delta = f" and δ = {self.cost.delta:.3g}" if self.cost.delta else ""
        return (
            f"{which} ({what}) {_WORDS[self.kind]}. Suppression does not prevent that. The "
            "guarantee still holds, since no noise is subtracted away: all of them together reveal "
            f"at most ε = {self.cost.epsilon:g}{delta} of one {self.unit} (composition)."
        )


def differences(
    entries: Sequence[Entry], budget: Budget, of: int | None = None
) -> tuple[Difference, ...]:
    """Return what can be subtracted among the releases of a budget's people.

    Parameters
    ----------
    entries : sequence of Entry
    budget : Budget
        Of the people, after these entries.
    of : int or None
        The entry of a release: only what can be subtracted from it.
    """
    releases = [
        one for one in corrected(entries) if one.kind == "release" and one.people == budget.people
    ]
    groups: dict[tuple[str, str, str], dict[int, Entry]] = {}
    for place, later in enumerate(releases):
        for earlier in releases[:place]:
            if of not in (None, later.id):
                continue
            kind = _kind(earlier.body, later.body)
            one, other = sorted((_label(earlier.body), _label(later.body)))
            if kind is not None:
                group = groups.setdefault((kind, one, other), {})
                group |= {earlier.id: earlier, later.id: later}
    order = list(_WORDS)
    return tuple(
        Difference(
            kind=kind,
            one=one,
            other=other,
            entries=tuple(sorted(group)),
            unit=budget.unit,
            cost=_together(list(group.values()), budget),
            this=of is not None,
        )
        for (kind, one, other), group in sorted(
            groups.items(), key=lambda item: order.index(item[0][0])
        )
    )


def _label(body: Mapping[str, Any]) -> str:
    return f"{body.get('product', 'release')} of {body['dataset']}"


def _kind(one: Mapping[str, Any], other: Mapping[str, Any]) -> str | None:
    """Say how two releases can be subtracted; older entries, without days, may share all."""
    if "dates" in one and "dates" in other and not set(one["dates"]) & set(other["dates"]):
        return "days" if _counts(one) == _counts(other) else None
    by = "zones" if "zones" in one and "zones" in other else "dataset"
    if one[by] != other[by]:
        return "zones"
    return "again" if _counts(one) == _counts(other) else "product"


def _counts(body: Mapping[str, Any]) -> str:
    """Return what is counted, by whichever method."""
    return str(body.get("product")).split("-")[0]


def _together(releases: Sequence[Entry], budget: Budget) -> Cost:
    """Return what releases cost one unit: a person all, any one day or trip those of that day."""
    days: set[str] = set()
    if budget.unit != "person":
        days.update(*(one.body.get("dates", ()) for one in releases))
    sums = [
        add_up(sum_of(one) for one in releases if not days or day in one.body.get("dates", days))
        for day in days or {""}
    ]
    epsilon, delta = max(one for one, _ in sums), max(one for _, one in sums)
    if epsilon > exact(budget.spent_epsilon):  # runs of a plan that together cost less
        return Cost(epsilon=budget.spent_epsilon, delta=budget.spent_delta)
    return Cost(epsilon=at_least(epsilon), delta=at_least(delta))
