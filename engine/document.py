"""Documents that stand alone: one HTML file that loads nothing and prints on a few sheets."""

import html
from collections.abc import Iterable, Sequence

STYLE = """
:root { color-scheme: light }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; padding: 0 1rem;
  color: #1c2733; background: #fff }
h1 { font-size: 1.7rem; line-height: 1.2; margin: .1rem 0 }
h2 { font-size: 1.25rem; margin: 2.4rem 0 .2rem; padding-top: .8rem; border-top: 2px solid #d5dde4;
  break-after: avoid }
h3 { font-size: 1.02rem; margin: 1.5rem 0 .2rem; break-after: avoid }
.kind, .note { color: #526373; margin: .1rem 0 }
.note { font-size: .9rem }
.warn { background: #fdf1e3; border-left: 4px solid #b85c00; padding: .6rem .8rem }
.lead { display: flex; flex-wrap: wrap; gap: .8rem; margin: 1rem 0 }
.lead div { flex: 1 1 9rem; border: 1px solid #d5dde4; border-radius: 6px; padding: .5rem .8rem }
.lead b { display: block; font-size: 1.3rem }
.lead span { color: #526373; font-size: .9rem }
.grid2, .grid4 { display: grid; gap: .3rem 1rem }
.grid2 { grid-template-columns: repeat(auto-fit, minmax(16rem, 1fr)) }
.grid4 { grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)) }
figure { margin: .3rem 0; break-inside: avoid }
.maps figure { max-width: 32rem }
figcaption { font-size: .85rem; color: #526373 }
.table { overflow-x: auto }
table { border-collapse: collapse; margin: .4rem 0; font-variant-numeric: tabular-nums }
th, td { text-align: left; border-bottom: 1px solid #e3e8ec; padding: .2rem .9rem .2rem 0;
  vertical-align: top }
td.n, th.n { text-align: right }
tr { break-inside: avoid }
svg { width: 100%; height: auto; display: block }
svg.defs { position: absolute }
svg text { font: 12px system-ui, sans-serif; fill: #1c2733 }
svg .grid { stroke: #e3e8ec }
svg .reach { stroke: #1c2733; stroke-width: 1.4 }
svg .zones use { stroke: #fff; stroke-width: .6 }
svg .plain use { fill: #eef2f5; stroke: #c3ced7 }
svg .flow { fill: #0f4c75; fill-opacity: .72; stroke: #fff; stroke-width: .4 }
@page { margin: 16mm }
@media print { body { margin: 0; max-width: none; font-size: 10.5pt } }
"""


def page(title: str, head: str, body: Iterable[str]) -> str:
    """Return a whole HTML page: it may style itself, and load or run nothing.

    Parameters
    ----------
    title : str
        Plain text.
    head, body : str, iterable of str
        HTML; what is named in it must be escaped.

    Examples
    --------
    >>> page("a < b", "<h1>x</h1>", []).count("a &lt; b")
    1
    """
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(title)}</title><style>{STYLE}</style></head><body>\n"
        f"<header>{head}</header>\n" + "\n".join(body) + "\n</body></html>\n"
    )


def lead(cards: Sequence[tuple[str, str]]) -> str:
    """Return large values, each with a line of words under it."""
    shown = (
        f"<div><b>{html.escape(value)}</b><span>{html.escape(words)}</span></div>"
        for value, words in cards
    )
    return f'<section class="lead">{"".join(shown)}</section>'


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: int | None = None) -> str:
    """Return a table of plain text; columns from `numbers` on stand right (default: the second).

    Examples
    --------
    >>> table(["zone", "trips"], [["A&B", "3"]]).count("A&amp;B")
    1
    """
    first = 1 if numbers is None else numbers

    def line(cells: Sequence[str], tag: str) -> str:
        classes = (' class="n"' if i >= first else "" for i in range(len(cells)))
        pairs = zip(cells, classes, strict=True)
        return "".join(f"<{tag}{one}>{html.escape(cell)}</{tag}>" for cell, one in pairs)

    lines = "".join(f"<tr>{line(row, 'td')}</tr>" for row in rows)
    return (
        f'<div class="table"><table><thead><tr>{line(head, "th")}</tr></thead>'
        f"<tbody>{lines}</tbody></table></div>"
    )
