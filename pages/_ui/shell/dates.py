"""A range of a dataset's days as a setting."""

from datetime import date, timedelta
from functools import partial
from typing import Any

from pages._ui.shell import setting
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.setting import Setting

Span = tuple[date, date]


def day_setting(key: str, entry: Entry, usual: tuple[int, int]) -> Setting[Span]:
    """Return the setting that is a range of a dataset's days, at first the positions `usual`."""
    every = entry.metadata.days

    def read(text: str) -> Span:
        first, last = (date.fromisoformat(part) for part in text.split("_"))
        if not every[0] <= first <= last <= every[-1]:
            raise ValueError(text)
        return first, last

    return Setting(
        key=key,
        default=(every[usual[0]], every[usual[1]]),
        read=read,
        write=lambda ends: "_".join(end.isoformat() for end in ends),
        shared=lambda _: entry.shipped,
    )


def day_range(
    place: Any, label: str, key: str, entry: Entry, usual: tuple[int, int], **named: Any
) -> tuple[int, int]:
    """Draw a range of days and return the positions of its ends, at first `usual`."""
    every = entry.metadata.days
    if len(every) < 2:
        return 0, 0
    about = day_setting(key, entry, usual)
    first, last = setting.value(about)
    if not every[0] <= first <= last <= every[-1]:  # set for another dataset
        setting.put(about, about.default)
    slider = partial(
        place.slider,
        min_value=every[0],
        max_value=every[-1],
        step=timedelta(days=1),
        format="D MMM YYYY" if len(every) > 31 else "D MMM",
    )
    first, last = setting.draw(slider, label, about, **named)
    return every.index(first), every.index(last)
