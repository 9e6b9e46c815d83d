"""The views of the origin–destination page: which there are, what each needs, and their switch."""

from collections.abc import Callable
from functools import partial

from pages._ui.shell import setting
from pages._ui.trips import (
    errors as trips_errors,
    flows as trips_flows,
    grid as trips_grid,
    outcomes as trips_outcomes,
    totals as trips_totals,
)
from pages._ui.views.context import Flows

Draw = Callable[[Flows], None]

MAP = "Map"
SEVERAL_DAYS = (
    "Choose one day: this view reads one matrix. A release of several days reads each with the "
    "help of all others: for a week at ε = 0.1 the mean error of a flow falls by about a sixth (by "
    "14 to 25% on the shipped data; docs/mechanisms.md). A trip is of one day, so at trip level "
    "that costs no more."
)


def views(context: Flows, delta: float) -> dict[str, Draw]:
    """Return the views that make sense for a method, by name: by what it uses and has."""
    law = context.method.expected is not None
    tau = law and "suppression_threshold" in context.method.uses
    some: dict[str, tuple[bool, Draw]] = {
        MAP: (True, trips_flows.draw),
        "Outcomes": (True, trips_outcomes.draw),
        "Errors": (law, trips_errors.draw),
        "ε × τ with T": (tau, trips_grid.draw),
        "Days and totals": (True, partial(trips_totals.draw, delta=delta)),
    }
    return {name: draw for name, (there, draw) in some.items() if there}


def draw(context: Flows, delta: float) -> None:
    """Draw the switch and the view that is picked."""
    known = views(context, delta)
    known[setting.views("od_view", list(known), MAP)](context)
