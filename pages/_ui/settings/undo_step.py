"""Undo: what a button has set at once, with the values of before, until something else is set."""

import re
from typing import Any, NamedTuple

from engine.text.dataset_text import PART_NOUNS
from engine.text.numbers import join_words
from pages._ui.app.session import session
from pages._ui.settings import fields, offers
from pages._ui.settings.fields import DATASET_KEYS, FIELDS_BY_KEY, PARTS_BY_KEY

_VIEW_KEYS = {fields.VIEW.key, fields.HOME_PART.key, fields.HOUR.key}
"""What is looked at: no setting."""


class UndoStep(NamedTuple):
    """What a button has set, by key, and all that was set before."""

    old_values: dict[str, Any]
    new_values: dict[str, Any]
    twin_choice: Any
    redraw_count: int


def remember(old_values: dict[str, Any], keys: set[str]) -> None:
    """Offer to take back what a button has set, if it may set more than one thing."""
    memo, new_values = session(), offers.read_values()
    if not keys & new_values.keys():  # of a page's own: what is looked at
        return
    step = UndoStep(old_values, new_values, memo.twin_choice, memo.redraw_count)
    memo.undo_step = step if len(keys) > 1 and _changed_keys(step) else None


def find_step() -> UndoStep | None:
    """Return what can be taken back; nothing once something else is set."""
    step: UndoStep | None = session().undo_step
    if step is not None:
        values = offers.read_values()
        if any(values[key] != step.new_values[key] for key in values.keys() - _VIEW_KEYS):
            session().undo_step = step = None
    return step


def values_before(step: UndoStep) -> dict[str, Any]:
    """Return by key what is to be set again; a view that the button has left stays as it is."""
    changed = _changed_keys(step)
    return {k: v for k, v in step.old_values.items() if k in changed or k not in _VIEW_KEYS}


def describe_step(step: UndoStep) -> str:
    """Return what a button has set, in words: ``Set: ε 0.3, T 4, 30 clusters of trips``."""
    words = [_describe_value(key, step.new_values[key]) for key in _changed_keys(step)]
    return f"Set: {join_words(words)}."


def _changed_keys(step: UndoStep) -> list[str]:
    return [key for key, value in step.new_values.items() if value != step.old_values[key]]


def _describe_value(key: str, value: Any) -> str:
    if key in PARTS_BY_KEY:
        noun = PART_NOUNS[PARTS_BY_KEY[key]]
        name = offers.choices(key).get(value, value)
        return f"{noun} dataset {name}" if key in DATASET_KEYS.values() else f"{name} of {noun}"
    field = FIELDS_BY_KEY[key]
    sign = re.search(r"\((\w)\)", field.label)
    name = sign[1] if sign else field.label.lower()
    if isinstance(field, fields.MultiField):
        return f"{name} {join_words(field.write(value)) or 'nothing'}"
    return f"{name} {('off', 'on')[value] if isinstance(value, bool) else field.to_text(value)}"
