"""One setting with its two axes, and which of two settings is better."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..contract import Setting
from ..parameters import ODParameters
from ..privacy import STRONG_GUESS
from ..steps import step
from ..use import Use

USE_STEP = 0.005
"""Half a point: use is compared in steps of that, within which detail decides."""


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A setting, what it risks and what can be used of it.

    Parameters
    ----------
    setting : Setting
    zones, matrices : int
        Detail: how many zones, and into how many matrices the days are cut.
    risk : float
        How often an attacker guesses right at most, over all that is released; of public facts.
    use : Use
        Confidential, unless the people are simulated.
    """

    setting: Setting
    zones: int
    matrices: int
    risk: float
    use: Use

    @property
    def usable(self) -> bool:
        """Whether the release is of use, at least in part."""
        return self.use.level != "noisy"

    @property
    def unit(self) -> str:
        """What is protected: a density protects a person in its one week."""
        parameters = self.setting.parameters
        return parameters.unit if isinstance(parameters, ODParameters) else "person"

    @property
    def rank(self) -> tuple[bool, int]:
        """Usable first, then what is held of all trips in steps of half a point: smaller wins."""
        held = self.use.of_all
        return not self.usable, -int(held / USE_STEP + 1e-9) if held == held else 0

    @property
    def levers(self) -> dict[str, Any]:
        """What can be moved by itself; larger are more zones, matrices, protection and ε."""
        parameters = self.setting.parameters
        levers: dict[str, Any] = {"zones": self.zones, "time": self.matrices}
        if isinstance(parameters, ODParameters):
            levers["unit"] = parameters.unit == "person"
            levers["T"] = parameters.max_trips_per_user
            levers["τ"] = parameters.suppression_threshold
        else:
            levers["ℓ"] = parameters.max_visits_per_user
        return {"method": parameters.method, **levers, "ε": parameters.epsilon}

    def within(self, risk: float) -> bool:
        """Return whether the risk is at most a limit, as both are written."""
        return step(self.risk, good=risk, partly=1.0) == "good"

    @property
    def preference(self) -> tuple[Any, ...]:
        """Sorts by rank, then finer zones, shorter time, less risk, smaller ε and T, larger τ."""
        levers = self.levers
        kept = levers.get("T", levers.get("ℓ"))
        least = (self.risk, levers["ε"], kept, -levers.get("τ", 0))
        names = (levers["method"], self.unit, self.setting.zones)
        return *self.rank, -self.zones, -self.matrices, *least, *names


def best(candidates: Iterable[Candidate], risk: float = STRONG_GUESS) -> Candidate | None:
    """Return the candidate that holds most of all trips within a limit of risk, None without one.

    Settings of different zones compare by common part × share of the trips that cross them; a
    usable one always comes before one that is not.
    """
    return min(
        (one for one in candidates if one.within(risk)),
        key=lambda one: one.preference,
        default=None,
    )


def undominated(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Return the candidates that no other one dominates, by ascending risk.

    Another one dominates if it has no more risk, no worse rank and at least the same detail. In
    this order only one that comes before can.
    """
    leading: dict[tuple[int, int], tuple[bool, int]] = {}
    kept: list[Candidate] = []
    for one in sorted(candidates, key=lambda one: (one.risk, one.preference)):
        beaten = any(
            zones >= one.zones and matrices >= one.matrices and rank <= one.rank
            for (zones, matrices), rank in leading.items()
        )
        if not beaten:
            leading[one.zones, one.matrices] = one.rank
            kept.append(one)
    return tuple(kept)
