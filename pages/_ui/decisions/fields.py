"""Settings of the page that the shell has no kind for: a range of days, and several zones."""

from collections.abc import Sequence
from datetime import date, timedelta
from functools import partial
from typing import Any

from pages._ui.decisions import places
from pages._ui.shell import setting
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.setting import LONGEST_TEXT, Setting


def day_range(
    place: Any, label: str, key: str, entry: Entry, usual: tuple[int, int], **named: Any
) -> tuple[int, int]:
    """Draw a range of days and return the positions of its ends, at first `usual`."""
    every = entry.metadata.days
    if len(every) < 2:
        return 0, 0
    default = (every[usual[0]], every[usual[1]])

    def read(text: str) -> tuple[date, date]:
        first, last = (date.fromisoformat(part) for part in text.split("_"))
        if not every[0] <= first <= last <= every[-1]:
            raise ValueError(text)
        return first, last

    about = Setting(
        key=key,
        default=default,
        read=read,
        write=lambda ends: "_".join(end.isoformat() for end in ends),
        shared=lambda _: entry.shipped,
    )
    first, last = setting.value(about)
    if not every[0] <= first <= last <= every[-1]:  # set for another dataset
        setting.put(about, default)
    slider = partial(
        place.slider,
        min_value=every[0],
        max_value=every[-1],
        step=timedelta(days=1),
        format="D MMM YYYY" if len(every) > 31 else "D MMM",
    )
    first, last = setting.draw(slider, label, about, **named)
    return every.index(first), every.index(last)


def several_zones(
    place: Any, label: str, key: str, entry: Entry, usual: Sequence[str], **named: Any
) -> list[str]:
    """Draw a picker of several zones by name and return their ids, at first `usual`."""
    names = places.names(entry.key)

    def read(text: str) -> list[str]:
        zones = text.split(",")
        if not set(zones) <= set(names):
            raise ValueError(text)
        return zones

    about = Setting(
        key=key,
        default=list(usual),
        read=read,
        write=",".join,
        shared=lambda zones: entry.shipped and 0 < len(",".join(zones)) <= LONGEST_TEXT,
    )
    if not set(setting.value(about)) <= set(names):  # set for another dataset
        setting.put(about, list(usual))
    picker = partial(place.multiselect, options=list(names), format_func=names.__getitem__)
    return list(setting.draw(picker, label, about, **named))
