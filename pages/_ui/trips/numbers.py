"""Origin–destination page: the four large numbers, expected beside drawn."""

from engine import origin_destination as od
from engine.parameters import ODParameters
from pages._ui.cache import trips as cached_trips
from pages._ui.cache.trips import Drawn
from pages._ui.cache.window import Window
from pages._ui.drawing import cards
from pages._ui.drawing.cards import Card
from pages._ui.wording import verdict
from pages._ui.wording.numbers import number, percent, trip_count

_EXAMPLE = 40


def judged(key: str, parameters: ODParameters, window: Window, note: str) -> str:
    """Return the verdict in words as a coloured block, with a note of who is protected."""
    counted = cached_trips.expectation(key, parameters, window).histogram
    some = counted.true > 0
    finding = verdict.trips(counted.kept[some], counted.true[some], counted.cells[some], parameters)
    level, sentence = verdict.headline([finding])
    parts = (note, verdict.remedies([finding]))
    return cards.verdict_html(level, sentence, " ".join(part for part in parts if part))


def headline(key: str, parameters: ODParameters, window: Window, made: Drawn) -> list[Card]:
    """Return median error, relative error, lost and phantom flows with their plain meaning."""
    exact = cached_trips.expectation(key, parameters, window)
    errors, outcomes = exact.errors["travelled"], exact.outcomes
    flow = max(_EXAMPLE, 2 * parameters.suppression_threshold)
    usual = od.reading(flow, parameters)
    reads = (
        f"suppressed or up to {usual.high:,}" if usual.low == 0 else f"{usual.low:,}–{usual.high:,}"
    )
    large = float(outcomes.kept.cells + outcomes.lost.cells)
    limit = max(parameters.suppression_threshold, 1)
    each = " a day" if window.several else ""
    trimmed = "" if parameters.unit == "trip" else " after trimming"
    return [
        Card(
            "Median error of a flow",
            trip_count(errors.median_absolute),
            f"mean {number(errors.mean_absolute, 3)}",
            "Exact, over pairs with a trip. "
            f"A flow of {flow:,}{each}{trimmed} usually reads {reads}.",
        ),
        Card(
            "Relative error of a flow",
            percent(errors.mean_relative),
            f"median {percent(errors.median_relative)}",
            "Symmetric, over pairs with a trip: 0% is right, 200% suppressed or invented.",
        ),
        Card(
            "Lost flows",
            f"{float(made.outcomes.lost.cells):,.0f}",
            f"drawn; {number(float(outcomes.lost.cells))} expected",
            f"Flows of {limit:,} trips or more{each} that read 0: "
            f"{percent(float(outcomes.lost.cells) / large)} of them."
            if large
            else f"No flow has {limit:,} trips or more{each}: what is shown is noise alone.",
        ),
        Card(
            "Phantom flows",
            f"{float(made.outcomes.phantom.cells):,.0f}",
            f"drawn; {number(float(outcomes.phantom.cells))} expected",
            "Flows shown although nobody travelled. A higher τ removes them.",
        ),
    ]
