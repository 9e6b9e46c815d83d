"""A mobility report as one HTML page with pictures, or two of them side by side."""

import html
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from .. import document, metrics
from ..arrays import Integers
from ..datasets import Dataset
from ..pictures import Map, Series, bars, number, scale_of
from .analyses import Analysis
from .bins import measure_of
from .labels import labels, windows_in_words
from .loss import distances
from .measures import UNITS
from .side import Side
from .vectors import known_windows

TOP_FLOWS = 100
_LISTED = 10
_MOST_SHAPES = 20_000
_PLACES = frozenset({Analysis.ZONES, Analysis.ZONE_WINDOWS, Analysis.FLOWS})
SECTIONS: dict[str, tuple[Analysis, ...]] = {
    "Overview": (
        Analysis.STATISTICS,
        Analysis.MISSING,
        Analysis.DAYS,
        Analysis.WEEKDAYS,
        Analysis.HOURS,
    ),
    "Places": (Analysis.ZONES, Analysis.ZONE_WINDOWS),
    "Origins and destinations": (Analysis.FLOWS, Analysis.TRAVEL_TIME, Analysis.JUMP_LENGTH),
    "People": (
        Analysis.TRIPS_PER_USER,
        Analysis.TIME_BETWEEN,
        Analysis.GYRATION,
        Analysis.ZONES_PER_USER,
        Analysis.ENTROPY,
    ),
}
"""Analyses in the order of the page."""
MEASURES = {
    "relative_error": "relative error",
    "smape": "SMAPE",
    "js_divergence": "Jensen–Shannon divergence",
    "kl_divergence": "Kullback–Leibler divergence",
    "earth_movers_distance": "earth mover's distance",
    "mean_relative_error": "mean relative error",
    "pearson": "Pearson",
    "kendall_tau": "Kendall's τ",
    **{f"top_{n}_coverage": f"top {n} found" for n in (10, 50, 100)},
}


def page(
    dataset: Dataset,
    side: Side,
    other: Side | None = None,
    *,
    note: str,
    subtitle: str = "",
    top_flows: int = TOP_FLOWS,
) -> str:
    """Return a report as one HTML page that loads nothing, or two of them side by side.

    Parameters
    ----------
    dataset : Dataset
        Of `side`: its zones are public, no count of it is read.
    side, other : Side
        `other` is compared with `side`, by the measures of `losses`; what they do not have in
        common (zones of other names, periods of other lengths) is left out and said.
    note : str
        What the numbers are, for whom.
    top_flows : int
        Flows on the map.
    """
    drawing, sides = _Drawing(dataset, side, other, top_flows), [side, *([other] if other else [])]
    body = [f'<p class="warn">{html.escape(note)}</p>', document.lead(_cards(sides))]
    if other is not None:
        body.append(_note(f"Blue: {side.name}. Orange, outlined: {other.name}."))
    body.append(drawing.outlines)
    for title, analyses in SECTIONS.items():
        shown = [drawing.block(a) for a in analyses if a in side.values]
        if shown:
            body += [f"<h2>{title}</h2>", *shown]
    body += [
        "<h2>Settings</h2>",
        document.table(["setting", *(one.name for one in sides)], _settings(sides), numbers=9),
    ]
    days = side.extent.days
    head = (
        f'<p class="kind">{"Benchmark of two mobility reports" if other else "Mobility report"}</p>'
        f"<h1>{html.escape(dataset.id)}</h1>"
        + (f"<p>{html.escape(subtitle)}</p>" if subtitle else "")
        + f'<p class="kind">{days} days from {side.extent.first_day.isoformat()} · '
        f"{side.extent.zones:,} zones</p>"
    )
    return document.page(f"Mobility report: {dataset.id}", head, body)


def _cards(sides: Sequence[Side]) -> list[tuple[str, str]]:
    parameters = sides[0].parameters
    users = parameters.unit == "user"
    cards = [
        (
            f"ε = {one.parameters.epsilon:g}" if one.reach else "no noise",
            f"per {'person' if one.parameters.unit == 'user' else 'trip'}"
            + (f", {one.name}" if len(sides) > 1 else ""),
        )
        for one in sides
    ]
    kept = f"{parameters.max_trips_per_user}" if users else "all"
    return [
        *cards,
        (kept, "trips kept of each person" if users else "trips are kept"),
        (str(len(sides[0].values)), "analyses"),
    ]


def _settings(sides: Sequence[Side]) -> list[list[str]]:
    rows = {
        "privacy loss (ε) of the whole report": lambda s: (
            f"{s.parameters.epsilon:g}" if s.reach else "no noise"
        ),
        "protected": lambda s: "a person" if s.parameters.unit == "user" else "a trip",
        "trips kept of a person": lambda s: (
            str(s.parameters.max_trips_per_user) if s.parameters.unit == "user" else "all"
        ),
        "method": lambda s: s.parameters.method,
        "time windows": lambda s: ", ".join(map(str, s.parameters.windows)),
        "outer numbers": lambda s: s.parameters.ends,
    }
    lines = [[name, *map(write, sides)] for name, write in rows.items()]
    for analysis in sides[0].values:
        cells = [s.cost(analysis) if analysis in s.values else "left out" for s in sides]
        if analysis.is_histogram:
            bins = sides[0].parameters.bins_of(analysis)
            unit = UNITS[measure_of(analysis)]
            cells[0] += f"; {bins.minimum:g} to {bins.maximum:g} by {bins.width:g} {unit}"
        lines.append([analysis.label.lower(), *cells])
    return lines


def _note(text: str) -> str:
    return f'<p class="note">{html.escape(text)}</p>'


class _Drawing:
    """Draws the blocks of a page."""

    def __init__(self, dataset: Dataset, side: Side, other: Side | None, top_flows: int) -> None:
        self._side, self._other = side, other
        self._top_flows = top_flows
        self._map = Map(dataset.zones)
        self._zones = dataset.zones["name"].astype(str).tolist()
        self.outlines = self._map.outlines if _PLACES & side.values.keys() else ""

    def block(self, analysis: Analysis) -> str:
        """Return the heading of an analysis, its picture and what it says in numbers."""
        side = self._side
        parts = [f"<h3>{html.escape(analysis.label)}</h3>"]
        reach = side.reach.get(analysis)
        words = [side.cost(analysis)]
        if reach is not None and len(np.unique(reach)) == 1:
            most = number(float(np.ceil(reach[0])))
            words.append(f"noise moves each number by at most {most}, nine times in ten")
        parts.append(_note("; ".join(words) + "."))
        sides = self._comparable(analysis)
        if self._other is not None and len(sides) == 1:
            parts.append(_note(f"{self._other.name} has no such numbers of the same shape."))
        draw = {
            Analysis.STATISTICS: self._single,
            Analysis.MISSING: self._single,
            Analysis.HOURS: self._hours,
            Analysis.ZONES: self._visits,
            Analysis.ZONE_WINDOWS: self._windows,
            Analysis.FLOWS: self._flows,
        }.get(analysis, self._bars)
        parts += draw(analysis, sides)
        if len(sides) > 1:
            parts.append(_measures(analysis, *sides))
        return "\n".join(parts)

    def _comparable(self, analysis: Analysis) -> list[Side]:
        """Return the side, and the other one where it has numbers of the same shape."""
        side, other = self._side, self._other
        if other is None or analysis not in other.values:
            return [side]
        same = other.values[analysis].shape == side.values[analysis].shape
        if same and analysis.is_histogram:
            same = other.parameters.bins_of(analysis) == side.parameters.bins_of(analysis)
        return [side, other] if same else [side]

    def _labels(self, analysis: Analysis) -> list[str]:
        side = self._side
        return labels(analysis, side.parameters, side.extent, self._zones)

    def _single(self, analysis: Analysis, sides: list[Side]) -> list[str]:
        rows = [
            [name, *(_ranged(one, analysis, i) for one in sides)]
            for i, name in enumerate(self._labels(analysis))
        ]
        return [document.table(["", *(one.name for one in sides)], rows)]

    def _bars(self, analysis: Analysis, sides: list[Side]) -> list[str]:
        names = self._labels(analysis)
        title, unit = analysis.label, ""
        if analysis is Analysis.DAYS:
            names[-1] = "outside"
        if analysis.is_histogram:
            unit = UNITS[measure_of(analysis)]
            edges = self._side.parameters.bins_of(analysis).edges
            short = [f"{edge:g}" for edge in edges]
            names = [f"<{short[0]}", *short[:-1], f"≥{short[-1]}"]
        figure = [_figure(bars(names, _series(analysis, sides), title=title), unit)]
        if not analysis.is_histogram:
            return figure
        ends = ("min", "max") if self._side.parameters.ends == "extremes" else ("1%", "99%")
        rows = [[one.name, *(number(float(v)) for v in one.five[analysis])] for one in sides]
        head = [f"{unit}, of", ends[0], "25%", "median", "75%", ends[1]]
        return [*figure, document.table(head, rows)]

    def _hours(self, analysis: Analysis, sides: list[Side]) -> list[str]:
        figures: list[str] = []
        parts = product(("Starts", "Ends"), ("weekdays", "weekends"))
        for i, (end, day) in enumerate(parts):
            title, rows = f"{end} of trips, {day}, by hour", slice(24 * i, 24 * i + 24)
            series = _series(analysis, sides, rows)
            hours = [str(hour) for hour in range(24)]
            figures.append(_figure(bars(hours, series, title=title, width=360), title))
        return [f'<div class="grid2">{"".join(figures)}</div>']

    def _visits(self, analysis: Analysis, sides: list[Side]) -> list[str]:
        values = [one.values[analysis][:-1] for one in sides]
        most = float(max(one.max(initial=0) for one in values))
        figures = [
            _figure(self._map.shaded(one, title=f"Visits by zone, {name}", most=most), name)
            for one, name in zip(values, [side.name for side in sides], strict=True)
        ]
        outside = "; ".join(f"{s.name}: {_ranged(s, analysis, -1)}" for s in sides)
        return [
            f'<div class="grid2 maps">{"".join(figures)}</div>',
            scale_of(most, "visits"),
            self._largest(analysis, sides, values[0], "zone"),
            _note(f"Outside all zones: {outside}."),
        ]

    def _windows(self, analysis: Analysis, sides: list[Side]) -> list[str]:
        del sides  # maps of one report; the measures compare both
        windows = self._side.parameters.windows
        counts = known_windows(self._side.values[analysis], windows)[:-1]
        if counts.size > _MOST_SHAPES:
            return [_note(f"{counts.size:,} numbers are too many for maps of each window.")]
        most = float(counts.max(initial=0))
        figures = [
            _figure(self._map.shaded(counts[:, i], title=f"Visits, {when}", most=most), when)
            for i, when in enumerate(windows_in_words(windows))
        ]
        return [f'<div class="grid4">{"".join(figures)}</div>', scale_of(most, "visits")]

    def _flows(self, analysis: Analysis, sides: list[Side]) -> list[str]:
        figures: list[str] = []
        size = self._side.extent.zones
        for one in sides:
            values = one.values[analysis]
            first = metrics.largest(values, self._top_flows)
            first = first[values[first] > 0]
            start, end = np.divmod(first, size)
            title = f"Largest {len(first)} flows, {one.name}"
            figures.append(_figure(self._map.flows(start, end, values[first], title=title), title))
        return [
            f'<div class="grid2 maps">{"".join(figures)}</div>',
            _note("A flow starts wide and ends in a point; a dot stays within its zone."),
            self._largest(analysis, sides, self._side.values[analysis], "flow"),
        ]

    def _largest(self, analysis: Analysis, sides: list[Side], values: Integers, what: str) -> str:
        names = self._labels(analysis)
        rows = [
            [names[i].replace(" > ", " → "), *(_ranged(one, analysis, int(i)) for one in sides)]
            for i in metrics.largest(values, _LISTED)
        ]
        return document.table([f"largest, by {what}", *(one.name for one in sides)], rows)


def _measures(analysis: Analysis, side: Side, other: Side) -> str:
    base, measured = (side, other) if other.reach else (other, side)
    between = distances(
        base.values[analysis], measured.values[analysis], analysis, side.parameters, slow=True
    )
    rows = [[words, number(between[name])] for name, words in MEASURES.items() if name in between]
    return document.table([f"{measured.name} measured from {base.name}", ""], rows)


def _series(analysis: Analysis, sides: list[Side], rows: Any = slice(None)) -> list[Series]:
    reaches = [one.reach.get(analysis) for one in sides]
    return [
        Series(one.name, one.values[analysis][rows], None if reach is None else reach[rows])
        for one, reach in zip(sides, reaches, strict=True)
    ]


def _figure(picture: str, caption: str) -> str:
    return f"<figure>{picture}<figcaption>{html.escape(caption)}</figcaption></figure>"


def _ranged(side: Side, analysis: Analysis, place: int) -> str:
    shown = f"{side.values[analysis][place]:,}"
    reach = side.reach.get(analysis)
    return shown if reach is None else f"{shown} ± {np.ceil(reach[place]):,.0f}"
