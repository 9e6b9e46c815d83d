"""Settings the shell has no kind for: the question of a dataset, and several zones."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from engine import decisions
from pages._ui.decisions import places
from pages._ui.shell import setting
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.session import session
from pages._ui.shell.setting import LONGEST_TEXT, Setting


def question(
    key: str, entry: Entry, options: Sequence[str], *, epidemic: str, aid: str
) -> Setting[str]:
    """Return a setting that follows the dataset until another question is chosen.

    Parameters
    ----------
    key : str
        Of the setting.
    options : sequence of str
        What it offers, `epidemic` and `aid` among them.
    """
    own = aid if decisions.own_question(entry.metadata) == "aid" else epidemic
    about = setting.choice(key, options, own)
    if setting.value(about) != own and key not in session().texts:
        setting.put(about, own)
    return about


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
