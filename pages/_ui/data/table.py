"""What datasets are, as one table: people, days, zones, contents, size, source and licence."""

import html
from collections.abc import Iterable, Sequence
from datetime import date

from pages._ui.cache import facts as cached_facts
from pages._ui.shell.catalogue import Entry
from pages._ui.wording.numbers import file_size

_HEAD = ("Dataset", "People", "Days", "Zones", "Holds", "Size")


def table_html(rows: Iterable[Sequence[str]]) -> str:
    """Return rows of `cells` as one table."""
    head = "".join(f"<th>{title}</th>" for title in _HEAD)
    body = "".join(f"<tr>{''.join(cells)}</tr>" for cells in rows)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="datasets">{table}</div>'


def cells(entry: Entry) -> list[str]:
    """Return what is publicly known of a dataset, escaped."""
    facts = cached_facts.facts(entry.key)
    about = entry.metadata
    week = f"; density week of {day(about.week)}" if about.week else ""
    parts = [
        words
        for there, words in ((entry.has_density, "visits"), (entry.has_trips, "trips"))
        if there
    ]
    kind = "simulated" if about.simulated else "confidential, public estimate"
    return [
        named(entry.name, about.description, about.source, about.licence),
        cell(
            f"{about.people_public:,}" if about.people_public else "unknown",
            kind if about.people_public else "confidential",
        ),
        cell(
            f"{len(about.days):,}",
            f"{day(about.first_day)} to {day(about.last_day)}, {about.time_zone}{week}",
        ),
        cell(f"{facts.zones:,}", f"{facts.locations:,} places" if facts.locations else ""),
        cell(", ".join(parts), "" if about.trips_have_people else "flows without people"),
        cell(file_size(facts.size_bytes), ""),
    ]


def day(when: date) -> str:
    """Return a day that is never broken at the end of a line."""
    return when.isoformat().replace("-", "\N{NON-BREAKING HYPHEN}")


def named(name: str, description: str, source: str, licence: str) -> str:
    """Return the first cell: name, what it is, where it comes from and under which licence."""
    facts = (description, f"Source: {source or 'not given'}", f"Licence: {licence or 'not given'}")
    lines = "".join(f"<small>{html.escape(line)}</small>" for line in facts if line)
    return f"<td><b>{html.escape(name)}</b>{lines}</td>"


def cell(first: str, second: str) -> str:
    """Return one cell of two lines, escaped."""
    return f"<td>{html.escape(first)}<small>{html.escape(second)}</small></td>"
