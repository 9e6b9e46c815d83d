"""The large numbers by which any two methods of releasing trips can be compared."""

from collections.abc import Callable, Sequence

import numpy as np

from engine.origin_destination import Agreement
from pages._ui.drawing.cards import Card
from pages._ui.wording.measures import MEAN_ERROR
from pages._ui.wording.numbers import like, percent, trip_count
from pages._ui.wording.ranges import interval


def agreement_cards(draws: Sequence[Agreement]) -> list[Card]:
    """Return mean error, error of totals, common part and false flows: means of some draws."""

    def card(label: str, name: str, write: Callable[[float], str], meaning: str) -> Card:
        if not draws:
            return Card(label, "…", interval(None, write), meaning)
        values = [getattr(one, name) for one in draws]
        mean = float(np.mean(values))
        # the unit stands once, beside the value
        ends = like(mean) if write is trip_count else write
        return Card(label, write(mean), interval(values, ends), meaning)

    return [
        card(MEAN_ERROR, "mean_error", trip_count, "How far a flow is off; mean of draws."),
        card(
            "Error of totals leaving zones",
            "outgoing_error",
            percent,
            "Trips that totals are off by, as a share of all trips.",
        ),
        card(
            "Common part of commuters",
            "common_part",
            percent,
            "Share of trips that truth and release have in common, flow by flow.",
        ),
        card(
            "Empty among shown flows",
            "false_share",
            percent,
            "Share of the flows shown that are empty in truth: nobody travels there.",
        ),
    ]
