"""The views of the origin–destination page: which there are, what each needs, and their switch."""

from collections.abc import Callable
from functools import partial

from pages._ui.shell import setting
from pages._ui.trips import (
    errors as trips_errors,
    flows as trips_flows,
    grid as trips_grid,
    matrix as trips_matrix,
    methods as trips_methods,
    origin as trips_origin,
    outcomes as trips_outcomes,
    totals as trips_totals,
    trimming as trips_trimming,
    unexpected as trips_unexpected,
)
from pages._ui.views import detail
from pages._ui.views.context import Flows

Draw = Callable[[Flows], None]

FLOWS, METHODS, TOTALS, UNEXPECTED = (
    "Flows",
    "Published | ours",
    "Days and totals",
    "Unexpected – check",
)
SEVERAL_DAYS = (
    "Choose one day: this view reads one matrix. A release of several days reads each with the "
    "help of all others: for a week at ε = 0.1 the mean error of a flow falls by about a sixth (by "
    "14 to 25% on the shipped data; docs/mechanisms.md). A trip is of one day, so at trip level "
    "that costs no more."
)
_LOOK = (
    "of the trips between zones lie in usable flows of the first matrix, exactly; no noise is "
    "drawn. Red frame: you are here. Click a cell to set zones, time and ε. Coarser is not always "
    "better: trips inside a zone are dropped, and with a limit T their places among a person's "
    "trips are lost, too. Days that are added up cost a person every one of them."
)


def views(context: Flows, delta: float) -> dict[str, Draw]:
    """Return the views that make sense for a method, by name: by what it uses and has.

    Parameters
    ----------
    delta : float
        Of the tighter total over days.
    """
    law = context.method.expected is not None
    tau = law and "suppression_threshold" in context.method.uses
    some: dict[str, tuple[bool, Draw]] = {
        FLOWS: (True, trips_flows.draw),
        METHODS: (not context.several, trips_methods.draw),
        "From one zone": (True, trips_origin.draw),
        "Matrix": (True, trips_matrix.draw),
        "Outcomes": (True, trips_outcomes.draw),
        "Errors": (law, trips_errors.draw),
        "ε × τ": (tau, trips_grid.draw),
        "Usable detail": (law, partial(detail.draw, look=_LOOK)),
        "Trimming (T)": (tau, trips_trimming.draw),
        TOTALS: (True, partial(trips_totals.draw, delta=delta)),
        UNEXPECTED: (
            not context.several and hasattr(context.release, "unexpected"),
            trips_unexpected.draw,
        ),
    }
    return {name: draw for name, (there, draw) in some.items() if there}


def draw(context: Flows, delta: float) -> None:
    """Draw the switch and the view that is picked."""
    known = views(context, delta)
    known[setting.views("od_view", list(known), FLOWS)](context)
