"""The statement as one self-contained page that prints on a few sheets."""

import html
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .bars import LEVEL
from .statement import ITEMS

_STYLE = Path(__file__).with_name("statement.css")

_WIDTH = 720


def statement_html(content: Mapping[str, Any]) -> str:
    """Return the statement as one self-contained page that prints on a few sheets."""
    e = html.escape
    warnings = "".join(f'<p class="warn">{e(text)}</p>' for text in content["warnings"])
    items = "".join(
        f"<dt>{number}. {e(title)}</dt><dd>{e(content['items'][name])}</dd>"
        for number, (name, title) in enumerate(ITEMS.items(), start=1)
    )
    rows = "".join(
        f"<tr><td>{e(row['what'])}</td><td>{_size(row['size'])}</td>"
        f"<td>± {bar(row['half_width'])}</td><td>{row['shown']:.1%}</td>"
        f"<td>{_share(row['holds'])}</td></tr>"
        for row in content["accuracy"]
    )
    stages = "".join(
        f"<tr><td>{e(one['name'])}</td><td>{one['noise']}</td>"
        f"<td>{one['sensitivity']:.4g} ({one['norm']})</td><td>{one['scale']:.4g}</td>"
        f"<td>{_cost(one)}</td></tr>"
        for one in content["stages"]
    )
    settings = "".join(
        f"<tr><td>{e(str(key))}</td><td>{e(str(value))}</td></tr>"
        for key, value in content["settings"].items()
        if not isinstance(value, dict | list)
    )
    counted = content["counted"]
    budget, unit = content["budget"], content["cost"]["unit"]
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{e(content["title"])}: {e(content["dataset"])}</title>
<style>{_STYLE.read_text(encoding="utf-8")}</style></head><body>
<header><p class="kind">Statement of a differentially private release</p>
<h1>{e(content["title"])}</h1>
<p>{e(content["dataset"])} · people: {e(content["people"])} · made {e(content["made"])}</p></header>
{warnings}
<section class="lead">
<div><b>ε = {content["epsilon"]:g}</b><span>per {e(content["unit"])}</span></div>
<div><b>δ = {content["delta"]:g}</b><span>{e(content["mechanism"])}</span></div>
<div><b>{content["cells"]:,}</b><span>noisy numbers, fixed in advance</span></div></section>
<h2>Budget</h2>
{budget_chart(budget["epsilon"], budget["spent_epsilon"], content["cost"]["epsilon"], unit)}
<h2>How near the numbers are</h2>
{accuracy_chart(content["accuracy"])}
<table><thead><tr><th>Number</th><th>Kept size</th><th>90% error bar</th><th>Shown</th>
<th>If shown, the bar holds</th></tr></thead>
<tbody>{rows}</tbody></table>
<p>{e(f"Error bars and sizes are of {counted['kept']}. {counted['beyond']}")}</p>
<h2>Noise</h2>
<table><thead><tr><th>Counts</th><th>Noise</th><th>Sensitivity</th><th>Scale</th><th>Cost</th></tr>
</thead><tbody>{stages}</tbody></table>
<p>Composition: {e(content["composition"])}.</p>
<h2>What a reader should know</h2><dl>{items}</dl>
<h2>Settings</h2><table><tbody>{settings}</tbody></table>
{_anchor(content)}</body></html>
"""


def _anchor(content: Mapping[str, Any]) -> str:
    """Name the ledger's entry: whoever keeps its hash sees whether an older copy is shown later."""
    if "ledger" not in content:
        return ""
    entry, digest = content["ledger"]["entry"], html.escape(content["ledger"]["hash"])
    return (
        f'<h2>Ledger</h2><p>Entry {entry}, hash <code style="overflow-wrap:anywhere">{digest}'
        "</code>. A ledger without it is not the one that paid for this release.</p>\n"
    )


def bar(half_width: float) -> str:
    """Write half an error bar.

    Examples
    --------
    >>> bar(53263.5), bar(18), bar(0.4321)
    ('53,264', '18', '0.432')
    """
    return f"{half_width:,.0f}" if half_width >= 100 else f"{half_width:.3g}"


def _cost(stage: Mapping[str, Any]) -> str:
    return f"ε = {stage['epsilon']:.4g}" if "epsilon" in stage else f"ρ = {stage['rho']:.4g}"


def _share(holds: float) -> str:
    return "90%" if holds >= LEVEL else f"{holds:.1%}"


def _size(size: float | None) -> str:
    return "" if size is None else f"{size:,}"


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
