"""The report of an ingest: what became of every row. Shown under the confidential banner only."""

import html
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from engine.contract import Seen
from engine.ingest.build import REPORT_FILE
from engine.ingest.report import WORDS, Reason
from pages._ui.data import wording as data_wording
from pages._ui.wording.numbers import file_size

_ACCOUNTS = {
    "rows": ("Rows of the files", "rows"),
    "visits": ("Visits towards the density", "starts and ends of trips"),
    "trips": ("Trips between the visits", "trips"),
}
_BINS = {"visits_per_person": "Visits a person, in the week", "trips_per_person": "Trips a person"}


def read(key: Seen) -> dict[str, Any] | None:
    """Return the report of a dataset's ingest, if it has one. **Confidential**, never cached."""
    try:
        document = json.loads((Path(key.dataset) / REPORT_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def draw(report: Mapping[str, Any]) -> None:
    """Draw the report with its banner."""
    st.warning(data_wording.CONFIDENTIAL_REPORT, icon=":material/lock:")
    accounts = [name for name in _ACCOUNTS if report.get(name)]
    bins = [name for name in _BINS if report.get(name)]
    tables = [account_html(name, report[name]) for name in accounts]
    tables += [bins_html(name, report[name]) for name in bins]
    st.html(f'<div class="accounts">{"".join(tables)}</div>')
    people = [
        f"{int(report.get(key, 0)):,} people with {what}"
        for key, what in (("people_with_visits", "visits"), ("people_with_trips", "trips"))
        if report.get(key)
    ]
    files = sorted(
        f"{file['name']} ({file['format']}, {file_size(file['bytes'])}"
        + (f", {file['encoding']})" if file["format"] == "csv" else ")")
        for file in report.get("files", ())
    )
    notes = [*people, *report.get("notes", ()), *files[:10]]
    if len(files) > 10:
        notes.append(f"and {len(files) - 10} more files")
    items = "".join(f"<li>{html.escape(str(note))}</li>" for note in notes)
    st.html(f'<ul class="notes">{items}</ul>')


def account_html(name: str, account: Mapping[str, Any]) -> str:
    """Return an account that adds up: used and, reason by reason, not used."""
    title, _what = _ACCOUNTS[name]
    lines = [("used", account["used"], "used")]
    for reason in Reason:
        count = account["unused"].get(reason.name.lower(), 0)
        if count:
            lines.append((WORDS[reason], count, "unused"))
    total = account["read"]
    rows = "".join(
        f'<tr class="{kind}"><td>{html.escape(words)}</td><td>{count:,}</td>'
        f"<td>{_bar(count, total)}</td></tr>"
        for words, count, kind in lines
    )
    return (
        f'<table class="account"><caption>{title}</caption><tbody>{rows}'
        f'<tr class="sum"><td>all</td><td>{total:,}</td><td></td></tr></tbody></table>'
    )


def bins_html(name: str, bins: Mapping[str, int]) -> str:
    """Return people by public bin, with bars."""
    most = max(bins.values(), default=0)
    rows = "".join(
        f"<tr><td>{html.escape(label)}</td><td>{people:,}</td><td>{_bar(people, most)}</td></tr>"
        for label, people in bins.items()
    )
    return (
        f'<table class="account"><caption>{_BINS[name]}</caption><thead><tr><th>number</th>'
        f"<th>people</th><th></th></tr></thead><tbody>{rows}</tbody></table>"
    )


def _bar(count: int, whole: int) -> str:
    share = 100 * count / whole if whole else 0
    return f'<div class="share"><div style="width:{share:.1f}%"></div></div>'
