"""One attacker against one target, and how his advantage changes with flow, ε and days."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from .. import validation
from ..arrays import Floats
from ..origin_destination import LawName, suppresses
from ..parameters import ODParameters
from .cells import Corridor
from .habits import UsualFlow, knowing_habits, without_noise
from .strongest import Attack, strongest

Knowledge = Literal["everything", "habits"]
"""``everything``: all trips but the target's; ``habits``: his route and the usual flow on it."""


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """An attacker and a target, described without data.

    Parameters
    ----------
    knows : str
        One of `Knowledge`.
    trips : int
        The target's trips on each route in one matrix.
    cells : int
        Number of such routes.
    flow : int
        All other trips on each route: the count of the day, or its usual value.
    law : str
        As in `strongest`.

    Examples
    --------
    >>> strongest = Scenario(flow=100).attack(ODParameters(epsilon=0.5, unit="trip"))
    >>> round(strongest.roc.best_guess, 2)
    0.61
    """

    knows: Knowledge = "everything"
    trips: int = 1
    cells: int = 1
    flow: int = 100
    law: LawName = "rounded_laplace"

    def __post_init__(self) -> None:
        validation.one_of(
            "knows", self.knows, get_args(Knowledge), "'everything' is the worst case"
        )
        Corridor(trips=self.trips, rest=self.flow, cells=self.cells)

    def attack(self, parameters: ODParameters, *, days: int = 1) -> Attack:
        """Return what the attacker reaches, and what the guarantee allows him."""
        if self.knows == "everything":
            target = [Corridor(trips=self.trips, rest=self.flow, cells=self.cells)]
            return strongest(target, parameters, days=days, law=self.law)
        return knowing_habits([self.usual(self.flow)], parameters, days=days, law=self.law)

    def usual(self, flow: int) -> UsualFlow:
        """Return the target's routes to one who knows that `flow` others, at least 1, use them."""
        return UsualFlow(trips=self.trips, mean=max(flow, 1), cells=self.cells)


@dataclass(frozen=True, eq=False, kw_only=True)
class Reached:
    """Shares of right guesses at several settings, 0.5 for a coin.

    Attributes
    ----------
    best_guess, limit : arrays, shape (settings,)
        Of the attack, and the most that the guarantee allows.
    """

    best_guess: Floats
    limit: Floats


def over_flows(scenario: Scenario, parameters: ODParameters, flows: Sequence[int]) -> Reached:
    """Return what is reached where other numbers of people travel on the routes.

    Flows of at least τ′ = max(τ, 1) are all alike to an attacker who knows everything else, and
    all flows are where nothing is suppressed.

    Examples
    --------
    >>> reached = over_flows(Scenario(), ODParameters(epsilon=0.5, unit="trip"), (0, 100))
    >>> reached.best_guess.round(3).tolist()
    [0.5, 0.611]
    """
    shown = parameters.least_shown if suppresses(parameters) else 0
    alike = [min(flow, shown) if scenario.knows == "everything" else flow for flow in flows]
    by_flow = {flow: replace(scenario, flow=flow).attack(parameters) for flow in set(alike)}
    return _reached([by_flow[flow] for flow in alike])


def suppression_alone(
    scenario: Scenario, suppression_threshold: int, flows: Sequence[int]
) -> Floats:
    """Return the same attacker's share of right guesses if τ were all that hides the target.

    One who knows all other trips is certain where the flow is shown with the target; to one who
    knows the usual flow alone, its ordinary variation still hides him.

    Examples
    --------
    >>> suppression_alone(Scenario(), 15, (0, 50)).tolist()
    [0.5, 1.0]
    >>> suppression_alone(Scenario(knows="habits"), 15, (50,)).round(3).tolist()
    [0.528]
    """
    if scenario.knows == "everything":
        shown = np.array(flows) + scenario.trips >= max(suppression_threshold, 1)
        return np.where(shown, 1.0, 0.5)
    curves = [
        without_noise([scenario.usual(flow)], suppression_threshold=suppression_threshold)
        for flow in flows
    ]
    return np.array([curve.best_guess for curve in curves])


def over_epsilons(
    scenario: Scenario, parameters: ODParameters, epsilons: Sequence[float]
) -> Reached:
    """Return what is reached at other privacy losses."""
    return _reached([scenario.attack(replace(parameters, epsilon=each)) for each in epsilons])


def over_days(scenario: Scenario, parameters: ODParameters, days: Sequence[int]) -> Reached:
    """Return what is reached when so many daily matrices hold the same trips of the target."""
    return _reached([scenario.attack(parameters, days=each) for each in days])


def flows_to_show(
    parameters: ODParameters, trips: int, knows: Knowledge = "everything"
) -> tuple[int, ...]:
    """Return flow sizes at which the advantage is worth computing: closest around τ.

    Examples
    --------
    >>> flows_to_show(ODParameters(epsilon=1.0), 1)[:4]
    (0, 1, 2, 3)
    """
    shown = parameters.least_shown
    largest = max(1000, 10 * shown)
    smooth = knows == "habits"  # in the flow
    coarse = np.geomspace(1, largest, 12 if smooth else 20).round().astype(int).tolist()
    around = range(max(shown - trips - 3, 0), shown + 3)
    return tuple(sorted({0, *coarse, *([] if smooth or len(around) > 40 else around)}))


def _reached(attacks: Sequence[Attack]) -> Reached:
    return Reached(
        best_guess=np.array([each.roc.best_guess for each in attacks]),
        limit=np.array([each.limit.best_guess for each in attacks]),
    )
