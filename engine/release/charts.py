"""Two small drawings of a statement, as inline vector graphics."""

import html
from collections.abc import Mapping, Sequence
from typing import Any

_WIDTH = 720


def budget_chart(total: float, spent: float, cost: float, unit: str) -> str:
    """Return a bar of the budget: spent before, this release, left.

    Examples
    --------
    >>> budget_chart(2.0, 1.0, 0.5, "person").startswith("<svg")
    True
    """
    before = max(spent - cost, 0.0)
    scale = (_WIDTH - 2) / max(total, spent)
    x, parts = 1.0, list[str]()
    left = max(total - spent, 0.0)
    for size, colour in ((before, "#8aa4b8"), (cost, "#2a6f97"), (left, "#e8eef2")):
        width = size * scale
        parts.append(f'<rect x="{x:.1f}" y="24" width="{width:.1f}" height="22" fill="{colour}"/>')
        x += width
    words = f"ε per {unit}: {before:.6g} before, {cost:g} now, {left:.6g} left"
    return (
        f'<svg viewBox="0 0 {_WIDTH} 50" role="img" aria-label="{html.escape(words)}">'
        f'<text x="0" y="14">{html.escape(words)}</text>{"".join(parts)}</svg>'
    )


def accuracy_chart(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return error bars of flows by their kept size; nothing where no size is given."""
    sized = [row for row in rows if row["size"]]
    if not sized:
        return ""
    step = _WIDTH / len(sized)
    parts = ['<text x="0" y="14">90% error bar as a share of the flow, by its kept size</text>']
    for i, row in enumerate(sized):
        share = row["half_width"] / row["size"]
        height = min(share, 1.0) * 90
        x = i * step + step * 0.2
        colour = "#b3261e" if share > 1 else "#2a6f97"
        label = f"± {share:.0%}" if share <= 1 else "over 100%"
        unit = "trip" if row["size"] == 1 else "trips"
        parts.append(
            f'<rect x="{x:.1f}" y="{130 - height:.1f}" width="{step * 0.6:.1f}" '
            f'height="{height:.1f}" fill="{colour}"/>'
            f'<text x="{x:.1f}" y="{124 - height:.1f}">{label}</text>'
            f'<text x="{x:.1f}" y="148">{row["size"]:,} {unit}</text>'
        )
    return (
        f'<svg viewBox="0 0 {_WIDTH} 156" role="img" aria-label="Error bars by flow size">'
        f"{''.join(parts)}</svg>"
    )
