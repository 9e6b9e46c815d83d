"""The settings that stand side by side: those pinned, and the one of the sidebar."""

from dataclasses import dataclass

from pages._ui.compare import wording as compare_wording
from pages._ui.shell import pins
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.settings import Seed, Settings, has_part, seed

NOW = "Now"
COLOURS = ("#2a8fbd", "#c9782f", "#8e6bbd", "#2a9d6f")
"""Told apart by colour-blind readers, on light and dark."""


@dataclass(frozen=True)
class Column:
    """One setting on the page.

    Attributes
    ----------
    name : str
        A, B, … for a pinned one, `NOW` for that of the sidebar.
    letter : str
        Of a pinned one; empty for that of the sidebar.
    colour : str
    settings : Settings
    entry : Entry or None
        The dataset at its resolution; None where it cannot be shown, which `problems` says.
    problems : tuple of str
    """

    name: str
    letter: str
    colour: str
    settings: Settings
    entry: Entry | None
    problems: tuple[str, ...]

    @property
    def seed(self) -> Seed:
        """Of its noise: the same for the same dataset, so that what differs is the setting's."""
        assert self.entry is not None
        return seed(self.entry)


def columns(now: Settings, part: str) -> list[Column]:
    """Return what stands side by side for a part, ``density`` or ``trips``."""
    built: list[Column] = []
    for letter, pin in pins.pinned().items():
        settings, problems = pins.settings(pin)
        built.append(_column(letter.upper(), letter, len(built), settings, problems, part))
    if len(built) < len(pins.LETTERS):
        built.append(_column(NOW, "", len(built), now, [], part))
    return built


def _column(
    name: str, letter: str, index: int, settings: Settings, problems: list[str], part: str
) -> Column:
    entry = settings.density_data if part == "density" else settings.od_data
    if entry is None:
        notes = problems or ["Its dataset is not on this computer."]
    elif not has_part(entry, part):
        what = "visits" if part == "density" else "trips"
        notes, entry = [*problems, f"The dataset {entry.name} has no {what}."], None
    else:
        notes = problems
    return Column(name, letter, COLOURS[index], settings, entry, tuple(notes))


def described(column: Column, part: str) -> dict[str, str]:
    """Return the settings of a column by name."""
    if part == "density":
        return compare_wording.density_settings(column.settings)
    return compare_wording.trip_settings(column.settings)
