"""What the form of the Data page has been told so far."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.ingest import Preview
from engine.ingest.inputs import parents
from engine.ingest.inputs.mapping import PLACES, Mappings
from engine.ingest.reading import Reading
from pages._ui.data.own import own


@dataclass
class Draft:
    """How the form asks, what has been filled in so far, and what is still missing."""

    by_path: bool = False
    busy: bool = False  # a build reads the files right now
    every: bool = False  # whether every option is drawn
    values: dict[str, Any] = field(default_factory=dict[str, Any])
    missing: list[str] = field(default_factory=list[str])
    files: list[Path] = field(default_factory=list[Path])
    kind: str = "trips"
    longitude: float | None = None
    latitude: float | None = None
    seen: Preview | None = None
    chosen: Mapping[str, str] = field(default_factory=dict[str, str])
    reading: Reading = field(default_factory=Reading)
    parent_columns: tuple[str, ...] = ()
    mappings: Mappings | None = None
    rows_at: tuple[float | None, float | None] = (None, None)

    def key(self, name: str) -> str:
        """Return a widget's key; a new round of uploads has new ones."""
        return f"data_{name}_{own().round}"

    def field(
        self,
        widget: Callable[..., Any],
        label: str,
        name: str,
        options: Collection[Any] | None = None,
        **named: Any,
    ) -> Any:
        """Draw a field that outlives other pages; `options` may map what is offered to words."""
        if isinstance(options, Mapping):
            named = {"format_func": options.__getitem__, **named}
        if options is not None:
            named["options"] = list(options)
        return widget(label, key=self.key(name), persist_state="session", **named)

    @property
    def inputs(self) -> tuple[str, ...]:
        """The files of the table, none while its columns are not known."""
        return tuple(self.values.get("inputs", ()))

    @property
    def by_points(self) -> bool:
        """Whether the rows hold coordinates instead of ids of places."""
        ids, points = PLACES[self.kind]
        has = {name for name, column in self.chosen.items() if column}
        return bool(points) and set(points) <= has and not set(ids) <= has

    @property
    def has_people(self) -> bool:
        """Whether the rows tell people apart."""
        return self.kind not in ("flows", "rides")

    @property
    def has_places(self) -> bool:
        """Whether places or zones were given."""
        return "locations" in self.values or "zones" in self.values

    def offer_parents(self, columns: tuple[str, ...], *, any_of_them: bool) -> None:
        """Note columns that may name coarser zones: any of zones, usual names of places."""
        usual = tuple(level.ids for level in parents.guess(columns))
        self.parent_columns = columns if any_of_them else usual


def position(seen: Preview, chosen: Mapping[str, str]) -> tuple[float | None, float | None]:
    """Return about where the first rows lie, longitude first; None where it is not told."""
    return (
        _mean(seen, chosen.get("lng") or chosen.get("origin_lng")),
        _mean(seen, chosen.get("lat") or chosen.get("origin_lat")),
    )


def _mean(seen: Preview, name: str | None) -> float | None:
    if name not in seen.source.columns:
        return None
    column = seen.source.columns.index(name)
    texts = [row[column].replace(",", ".") for row in seen.rows if column < len(row)]
    try:
        numbers = [float(text) for text in texts if text]
    except ValueError:
        return None
    return sum(numbers) / len(numbers) if numbers else None
