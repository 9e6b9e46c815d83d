"""Origin–destination page: the verdict and the large numbers, expected beside drawn."""

from engine.parameters import ODParameters
from pages._ui.cache import trips as cached_trips
from pages._ui.cache.draws import REPEATS
from pages._ui.cache.trips import Drawn
from pages._ui.cache.window import Window
from pages._ui.drawing import cards
from pages._ui.drawing.cards import Card
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.settings import Seed
from pages._ui.wording import verdict
from pages._ui.wording.numbers import expected_number, percent, trip_count
from pages._ui.wording.trip_cards import trip_cards


def judged(entry: Entry, parameters: ODParameters, window: Window, note: str) -> str:
    """Return the verdict in words as a coloured block, with a note of who is protected."""
    finding = verdict.trips(cached_trips.numbers(entry.key, parameters, window).judged, parameters)
    level, sentence = verdict.headline([finding])
    parts = (note, verdict.remedies([finding]))
    return cards.verdict_html(
        level, sentence, " ".join(part for part in parts if part), of=entry.name
    )


def headline(
    key: str, parameters: ODParameters, seed: Seed, window: Window, drawn: Drawn
) -> list[Card]:
    """Return home's numbers for these matrices, then the lost and the phantom flows.

    Ranges are of repeated draws of one matrix; where each day is a release of its own there are
    none.
    """
    exact = cached_trips.numbers(key, parameters, window)
    draws = (
        None
        if window.several
        else [
            cached_trips.drawn_scores(key, parameters, seed, window, repeat)
            for repeat in range(REPEATS)
        ]
    )
    scores, limit = exact.scores, parameters.least_shown
    each = " a day" if window.several else ""
    return [
        *trip_cards(scores, exact.account, exact.zeros, parameters, draws, several=window.several),
        Card(
            "Lost flows",
            f"{float(drawn.outcomes.lost.cells):,.0f}",
            f"drawn; {expected_number(scores.lost_flows)} expected",
            f"Flows of {trip_count(limit)} or more{each} that read 0: "
            f"{percent(scores.lost_flows / scores.flows)} of them."
            if scores.flows
            else f"No flow has {trip_count(limit)} or more{each}: what is shown is noise alone.",
        ),
        Card(
            "Phantom flows",
            f"{float(drawn.outcomes.phantom.cells):,.0f}",
            f"drawn; {expected_number(scores.phantom_flows)} expected",
            "Flows shown although nobody travelled. A higher τ removes them.",
        ),
    ]
