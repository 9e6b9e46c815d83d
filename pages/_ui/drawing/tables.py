"""Home's tables as plain HTML: a browser loads a megabyte for Streamlit's own."""

import html
from collections.abc import Iterable, Mapping, Sequence


def table_html(columns: Mapping[str, Sequence[object]]) -> str:
    """Return columns of equal length as one table; everything is shown as text.

    Examples
    --------
    >>> table_html({"Zone": ["<b>"]})  # doctest: +ELLIPSIS
    '<div class="plain"><table>...<th>Zone</th>...<td>&lt;b&gt;</td>...</table></div>'
    """
    head = _row("th", columns)
    body = "".join(_row("td", row) for row in zip(*columns.values(), strict=True))
    return f'<div class="plain"><table><thead>{head}</thead><tbody>{body}</tbody></table></div>'


def _row(kind: str, values: Iterable[object]) -> str:
    cells = "".join(f"<{kind}>{html.escape(str(value))}</{kind}>" for value in values)
    return f"<tr>{cells}</tr>"
