"""The table of settings and numbers, with the settings that differ marked."""

import html
from collections.abc import Mapping, Sequence

from pages._ui.compare.column import Column

STYLE = """<style>
.compare { overflow-x: auto; }
.compare table { border-collapse: collapse; width: 100%; font-size: 0.92rem; }
.compare th, .compare td {
  padding: 0.28rem 0.7rem; text-align: left; border-bottom: 1px solid #8884; white-space: nowrap;
}
.compare tbody th { font-weight: 400; opacity: 0.85; }
.compare thead th { font-size: 1.05rem; }
.compare thead i { display: inline-block; width: 0.75rem; height: 0.75rem; border-radius: 50%;
  margin-right: 0.4rem; }
.compare .differs td { font-weight: 650; background: #e0a10026; }
.compare .differs th { font-weight: 650; opacity: 1; background: #e0a10026; }
.compare .differs th::after { content: " ≠"; }
.compare .head td { font-weight: 600; padding-top: 0.9rem; border-bottom: none; }
@media (max-width: 1000px) {
  .compare tbody th, .compare tbody td { white-space: normal; }
  .compare tbody th { min-width: 6rem; }
}
@media (max-width: 640px) {
  .compare table { font-size: 0.82rem; }
  .compare th, .compare td { padding: 0.25rem 0.35rem; }
}
</style>"""


def table_html(
    columns: Sequence[Column],
    described: Sequence[Mapping[str, str]],
    numbers: Sequence[Mapping[str, str]],
    decided: Sequence[Mapping[str, str]] = (),
) -> str:
    """Return the table, everything escaped.

    Parameters
    ----------
    described, numbers, decided : sequences of mapping
        Settings, numbers and decisions' figures of each column by name; one that cannot be shown
        has no numbers.
    """
    heads = "".join(
        f'<th scope="col"><i style="background:{column.colour}"></i>{html.escape(column.name)}</th>'
        for column in columns
    )
    blocks = [_block("Settings", described, len(columns), mark=True)]
    blocks.append(_block("Numbers", numbers, len(columns), mark=False))
    if decided:
        blocks.append(_block("Decisions", decided, len(columns), mark=False))
    return (
        f'{STYLE}<div class="compare"><table><thead><tr><th></th>{heads}</tr></thead>'
        f"<tbody>{''.join(blocks)}</tbody></table></div>"
    )


def differing(described: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the settings that are not the same in every column.

    Examples
    --------
    >>> differing([{"ε": "1", "T": "4"}, {"ε": "2", "T": "4"}])
    ['ε']
    """
    names = dict.fromkeys(name for one in described for name in one)
    return [name for name in names if len({one.get(name) for one in described}) > 1]


def _block(title: str, rows: Sequence[Mapping[str, str]], columns: int, *, mark: bool) -> str:
    names = dict.fromkeys(name for one in rows for name in one)
    marked = set(differing(rows)) if mark else set()
    lines = [f'<tr class="head"><td colspan="{columns + 1}">{title}</td></tr>']
    for name in names:
        cells = "".join(f"<td>{html.escape(one.get(name, '–'))}</td>" for one in rows)
        kind = ' class="differs"' if name in marked else ""
        lines.append(f'<tr{kind}><th scope="row">{html.escape(name)}</th>{cells}</tr>')
    return "".join(lines)
