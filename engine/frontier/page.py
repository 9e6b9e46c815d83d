"""A frontier as one HTML page: what to choose, how much use each risk brings, and what each costs.

It holds shares of use, which are made of the counts: confidential where the people are real.
"""

import html
from collections.abc import Iterable

from .. import document
from ..pictures import WIDTH, svg
from .candidate import Candidate
from .search import Frontier
from .tables import LEAK, VERDICTS, moves, words

_HEIGHT, _LEFT, _RIGHT, _TOP, _FOOT = 300, 46, 96, 14, 262
_COLOURS = ("#09263a", "#2a6f97", "#d1711f", "#5b8c3a", "#8a5a9e", "#7a7a7a")
_DASHES = ("", "7 3", "2 3", "9 3 2 3", "1 2", "12 4")
_MOST_LINES = len(_COLOURS)
_MOST_ROWS = 60
_TIMES = {"day": "days are needed", "week": "weeks are enough", "period": "one period is enough"}
_READ = {"flows": "flows between zones", "zones": "how busy zones are", "density": "every hour"}


def page(result: Frontier, name: str, limit: float) -> str:
    """Return a frontier as one HTML page that loads nothing.

    Parameters
    ----------
    name : str
        Of the dataset.
    limit : float
        The largest best guess that is allowed, 0.5 to 1.
    """
    one = result.recommended(limit)
    need, by_draws = result.need, any(each.use_error for each in result.candidates)
    protected = "a person" if need.unit == "person" else "a person's day"
    asked = (
        f"Read: {_READ[need.read]}. {_TIMES[need.time].capitalize()}; at least "
        f"{result.least_zones:,} zones; {protected} is protected; best guess at most {limit:.0%}."
    )
    head = (
        f'<p class="kind">Which settings to choose</p><h1>{html.escape(name)}</h1>'
        f"<p>{html.escape(asked)}</p>"
    )
    body = [f'<p class="warn">{html.escape(f"Confidential: {LEAK}.")}</p>'] * result.confidential
    if one is None:
        body.append(f"<p>No setting has a best guess of at most {limit:.1%}.</p>")
    else:
        body += _recommended(result, one)
    caption = (
        "Across: an attacker's best guess. Up: the largest share that can be used. The ring is the "
        f"setting above.{' Use is judged by draws.' if by_draws else ''}"
    )
    body += ["<h2>Use at each risk</h2>", _steps(result, one, limit)]
    body.append(f'<p class="note">{caption}</p>')
    ways = [[way.lever, words(way.candidate)] for way in result.way_out(limit)]
    if ways:
        body += [
            "<h2>By giving way in one thing</h2>",
            document.table(["in", "would bring"], ways, numbers=2),
        ]
    line = result.frontier[:_MOST_ROWS]
    body.append(f"<h2>The frontier: {len(result.frontier)} settings</h2>")
    if len(line) < len(result.frontier):
        body.append(f'<p class="note">The first {len(line)}, by risk.</p>')
    body.append(
        document.table(
            ["zones", "time", "protected", "settings", "best guess", "use"],
            (_row(one) for one in line),
            numbers=4,
        )
    )
    counted = f"{len(result.candidates):,} settings meet the need; on the frontier are those that "
    body.append(f'<p class="note">{counted}no other one beats in risk, use and detail.</p>')
    return document.page(f"Frontier: {name}", head, body)


def _recommended(result: Frontier, one: Candidate) -> Iterable[str]:
    yield f"<h2>{'Recommended' if one.usable else 'Best, and not usable'}</h2>"
    yield document.lead(
        [
            (f"{one.risk:.1%}", "an attacker's best guess; half is guessed by a coin"),
            (f"{one.use:.1%}", f"can be used: {VERDICTS[one.level]}"),
            (f"ε = {one.parameters.epsilon:g}", f"{one.zones:,} zones; matrices: {one.matrices}"),
        ]
    )
    yield f"<p>{html.escape(words(one))}</p>"
    rows = moves(result, one)
    if rows:
        yield "<h3>By one step of one lever</h3>"
        yield document.table(["lever", "best guess", "use"], rows)


def _row(one: Candidate) -> list[str]:
    levers = ", ".join(f"{name} {value}" for name, value in one.levers.items() if name != "unit")
    span = f"{one.resolution.time}, {one.matrices}"
    return [f"{one.zones:,}", span, one.unit, levers, f"{one.risk:.1%}", f"{one.use:.1%}"]


def steps(candidates: Iterable[Candidate]) -> dict[int, list[tuple[float, float]]]:
    """Return, by number of zones, the risks at which more use can be had, and that use.

    Only what exceeds all use at less risk: a line of steps that never falls.
    """
    lines: dict[int, list[tuple[float, float]]] = {}
    for one in sorted(candidates, key=lambda one: (one.risk, -one.use)):
        line = lines.setdefault(one.zones, [])
        if not line or one.use > line[-1][1]:
            line.append((one.risk, one.use))
    return dict(sorted(lines.items(), reverse=True))


def _x(risk: float) -> float:
    return _LEFT + (WIDTH - _LEFT - _RIGHT) * (risk - 0.5) / 0.5


def _y(use: float) -> float:
    return _FOOT - (_FOOT - _TOP) * use


def _steps(result: Frontier, chosen: Candidate | None, limit: float) -> str:
    parts = [
        f'<line x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{_y(use):.0f}" y2="{_y(use):.0f}" '
        f'class="grid"/><text x="{_LEFT - 6}" y="{_y(use) + 4:.0f}" text-anchor="end">'
        f"{use:.0%}</text>"
        for use in (0, 0.25, 0.5, 0.75, 1)
    ]
    parts += [
        f'<text x="{_x(risk):.0f}" y="{_FOOT + 17}" text-anchor="middle">{risk:.0%}</text>'
        for risk in (0.5, 0.6, 0.7, 0.8, 0.9, 1)
    ]
    taken: list[float] = []
    lines = list(steps(result.candidates).items())[:_MOST_LINES]
    for (zones, line), colour, dash in zip(lines, _COLOURS, _DASHES, strict=False):
        path = f"M{_x(line[0][0]):.1f} {_y(line[0][1]):.1f}" + "".join(
            f"H{_x(risk):.1f}V{_y(use):.1f}" for risk, use in line[1:]
        )
        end = _y(line[-1][1])
        parts.append(
            f'<path d="{path}H{_x(1):.1f}" fill="none" stroke="{colour}" stroke-width="2" '
            f'stroke-dasharray="{dash}"/>'
        )
        while any(abs(end - other) < 13 for other in taken):
            end += 2
        taken.append(end)
        parts.append(
            f'<text x="{_x(1) + 6:.0f}" y="{end + 4:.1f}" style="fill:{colour};font-weight:600">'
            f"{zones:,} zones</text>"
        )
    parts.append(
        f'<line x1="{_x(limit):.1f}" x2="{_x(limit):.1f}" y1="{_TOP}" y2="{_FOOT}" '
        'stroke="#b3261e" stroke-dasharray="5 4"/>'
        f'<text x="{_x(limit) - 5:.1f}" y="{_TOP + 10}" text-anchor="end">limit</text>'
    )
    if chosen is not None:
        parts.append(
            f'<circle cx="{_x(chosen.risk):.1f}" cy="{_y(chosen.use):.1f}" r="7" fill="#fff" '
            'stroke="#1c2733" stroke-width="3"/>'
        )
    return svg(parts, _HEIGHT, "Largest use at each best guess, by number of zones")
