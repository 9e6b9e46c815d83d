"""Settings that were pinned for the page Compare: kept by the session, written in the link.

A pin holds what differs from the defaults, one letter and its value each, such as ``e0.5~aparis``.
The name of a dataset of one's own stays in the session; the link says only that there was one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pages._ui.shell import setting
from pages._ui.shell.session import session
from pages._ui.shell.setting import Setting
from pages._ui.shell.settings import Settings, current

PAGE = "pages/9_Compare.py"
LETTERS = "abcd"
"""As many settings as stand side by side."""

KEYS = {
    "density_data": "a",
    "od_data": "b",
    "cluster_minimum": "c",
    "delta": "d",
    "epsilon": "e",
    "density_hours": "h",
    "max_visits": "l",
    "od_method": "m",
    "threshold": "s",
    "max_trips": "t",
    "unit": "u",
    "variant": "v",
    "od_time": "w",
    "density_zones": "y",
    "od_zones": "z",
}
_BY_CODE = {code: key for key, code in KEYS.items()}
_DATASETS = {"density_data": "visits", "od_data": "trips"}
_BETWEEN, _OWN = "~", "-"


@dataclass(frozen=True)
class Pin:
    """One pinned setting.

    Attributes
    ----------
    texts : tuple of (str, str)
        Key and text of what differs from its default, as the link holds it.
    private : tuple of (str, value)
        Key and value of what no link may hold; it lives in the session only.
    """

    texts: tuple[tuple[str, str], ...]
    private: tuple[tuple[str, Any], ...] = ()

    @property
    def text(self) -> str:
        """What the link holds."""
        parts = [f"{KEYS.get(key, key)}{text}" for key, text in self.texts]
        parts += [f"{KEYS[key]}{_OWN}" for key, _ in self.private]
        return _BETWEEN.join(sorted(parts)) or _BETWEEN


def read(text: str) -> Pin:
    """Return the pin that a link holds; what names no setting is kept, and said by `settings`."""
    parts = [part for part in text.split(_BETWEEN) if part]
    return Pin(tuple(sorted((_BY_CODE.get(part[0], part[0]), part[1:]) for part in parts)))


def now() -> Pin:
    """Return what is set now as a pin."""
    kept, texts = session(), setting.link()
    return Pin(
        tuple((key, texts[key]) for key in sorted(KEYS) if key in texts),
        tuple((key, kept.values[key]) for key in sorted(KEYS) if key in kept.private),
    )


def settings(pin: Pin) -> tuple[Settings, list[str]]:
    """Return the settings of a pin, and what of it cannot be taken, in words.

    A dataset that is not there is None; anything else gives way to its default.
    """
    problems = [
        f"It holds “{key}{text}”, which names no setting."
        for key, text in pin.texts
        if key not in KEYS
    ]
    return current(resolution=True, value=_reader(pin, problems)), problems


def pinned() -> dict[str, Pin]:
    """Return the pinned settings by letter, in their order."""
    pins = {letter: setting.value(_slot(letter)) for letter in LETTERS}
    return {letter: pin for letter, pin in pins.items() if pin is not None}


def surplus() -> int:
    """Return how many more settings the link holds than stand side by side."""
    texts = setting.link()
    known = {_slot(letter).key for letter in LETTERS}
    others = [f"pin_{chr(code)}" for code in range(ord("a"), ord("z") + 1)]
    return sum(key in texts for key in others if key not in known)


def add() -> None:
    """Pin what is set now (a callback)."""
    kept, pin = pinned(), now()
    notices = session().notices
    if pin in kept.values():
        letter = next(letter for letter, one in kept.items() if one == pin)
        notices.append(f"This setting is pinned already, as {letter.upper()}.")
        return
    free = next((letter for letter in LETTERS if letter not in kept), None)
    if free is None:
        notices.append(
            f"{len(LETTERS)} settings are pinned, as many as stand side by side: take one off on "
            "the page Compare first."
        )
        return
    setting.put(_slot(free), pin)
    notices.append(f"Pinned as {free.upper()}.")


def put(*chosen: Pin) -> None:
    """Pin these settings and no others (a callback)."""
    for index, letter in enumerate(LETTERS):
        setting.put(_slot(letter), chosen[index] if index < len(chosen) else None)


def remove(letter: str) -> None:
    """Take one off; those after it move up (a callback)."""
    put(*(pin for one, pin in pinned().items() if one != letter))


def apply(letter: str) -> None:
    """Set everything as it was pinned (a callback)."""
    pin = pinned()[letter]
    setting.forget(KEYS)
    session().unread.update(dict(pin.texts))
    for key, value in pin.private:
        session().values[key] = value
        session().private.add(key)


def _slot(letter: str) -> Setting[Pin | None]:
    return Setting(
        key=f"pin_{letter}",
        default=None,
        read=read,
        write=lambda pin: "" if pin is None else pin.text,
    )


def _reader(pin: Pin, problems: list[str]) -> Callable[[Setting[Any]], Any]:
    texts, private = dict(pin.texts), dict(pin.private)

    def value(one: Setting[Any]) -> Any:
        if one.key in private:
            return private[one.key]
        if one.key not in texts:
            return one.default
        text, part = texts[one.key], _DATASETS.get(one.key)
        if text == _OWN:
            problems.append(
                f"It was made with {part or 'settings'} of somebody's own, which no link holds."
            )
            return one.default if part is None else ""
        try:
            return one.read(text)
        except (ValueError, KeyError):
            what = one.label or one.key.replace("_", " ")
            if part is not None:
                problems.append(f"The {part} dataset “{text}” is not on this computer.")
                return ""
            problems.append(f"It asks for {what} = {text}, which cannot be set; the default is.")
            return one.default

    return value
