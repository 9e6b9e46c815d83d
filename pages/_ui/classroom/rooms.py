"""Rooms of the server: who leads one, who sits in it, what they chose; nothing else, nowhere else.

A room is a few words and numbers in the server's memory. It knows no name, no address and no
device, and ends with the server, with its presenter's word, or after a day.
"""

import secrets
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from engine.errors import ExplorerError

ROOMS, SEATS = 20, 60
"""Rooms on a server and participants in a room, at most."""

ROUNDS = 3
"""Rounds before the one at hand that a room remembers."""

LASTS_S = 24 * 3600.0
IDLE_S = 1800.0
"""Where the server is full, a room that nobody has looked at for so long gives way to a new one."""

LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Of codes: none that is mistaken for another when it is read aloud or from afar."""

_CODE, _KEY = 6, 8
_REOPEN = "ask the presenter for the code on the screen"
V = TypeVar("V")
A = TypeVar("A")


class RoomError(ExplorerError):
    """A room that is not there, is full, or belongs to somebody else."""


@dataclass(frozen=True)
class Round(Generic[V]):
    """A round of votes as it stands; a copy, so that a page draws one state.

    Attributes
    ----------
    number : int
        From 1.
    seats : int
        Participants.
    votes : tuple
        In no order that tells who voted.
    revealed : bool
        Whether all see what the choice of the middle would mean.
    before : tuple of tuple
        Votes of the latest rounds before it.
    """

    number: int
    seats: int
    votes: tuple[V, ...]
    revealed: bool
    before: tuple[tuple[V, ...], ...]


@dataclass
class _Room(Generic[A, V]):
    about: A
    key: str
    opened: float
    seen: float
    seats: dict[str, V | None] = field(default_factory=dict)
    number: int = 1
    revealed: bool = False
    before: tuple[tuple[V, ...], ...] = ()

    @property
    def votes(self) -> tuple[V, ...]:
        return tuple(sorted((one for one in self.seats.values() if one is not None), key=repr))


class Rooms(Generic[A, V]):
    """All rooms of one server; every method may be called from any thread.

    Parameters
    ----------
    clock : callable
        Seconds that never go back.

    Examples
    --------
    >>> rooms = Rooms[str, int]()
    >>> code, key = rooms.open("rwanda-districts")
    >>> seat, number = rooms.join(code)
    >>> rooms.vote(code, seat, 3)
    >>> rooms.round(code).votes, rooms.about(code)
    ((3,), 'rwanda-districts')
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.RLock()
        self._rooms: dict[str, _Room[A, V]] = {}

    def open(self, about: A) -> tuple[str, str]:
        """Open a room and return its code, which all may know, and its presenter's key."""
        with self._lock:
            now = self._clock()
            self._sweep(now)
            if len(self._rooms) >= ROOMS:
                code = min(self._rooms, key=lambda one: self._rooms[one].seen)
                if now - self._rooms[code].seen < IDLE_S:
                    raise RoomError(
                        f"this server holds {ROOMS} rooms at most, and all are in use",
                        remedy="close one, or start a server of your own",
                    )
                del self._rooms[code]
            code = next(one for one in iter(lambda: _letters(_CODE), "") if one not in self._rooms)
            key = _letters(_KEY)
            self._rooms[code] = _Room(about, key, opened=now, seen=now)
            return code, key

    def about(self, code: str) -> A:
        """Return what a room is about."""
        return self._room(code).about

    def round(self, code: str) -> Round[V]:
        """Return the round at hand."""
        with self._lock:
            room = self._room(code)
            return Round(
                number=room.number,
                seats=len(room.seats),
                votes=room.votes,
                revealed=room.revealed,
                before=room.before,
            )

    def join(self, code: str, seat: str = "") -> tuple[str, int]:
        """Return a participant's seat and its number from 0: the one that is held, else a new one.

        A seat is a random text that only its participant knows.
        """
        with self._lock:
            room = self._room(code)
            if seat not in room.seats:
                if len(room.seats) >= SEATS:
                    raise RoomError(
                        f"room {code} is full: it holds {SEATS} participants",
                        remedy="share a phone with a neighbour, or look at the presenter's screen",
                    )
                seat = secrets.token_hex(8)
                room.seats[seat] = None
            return seat, list(room.seats).index(seat)

    def vote(self, code: str, seat: str, choice: V) -> None:
        """Keep what the holder of a seat chose, in place of what was chosen from there before."""
        with self._lock:
            room = self._room(code)
            if seat not in room.seats:
                raise RoomError(f"nobody sits there in room {code}", remedy="join again")
            if room.revealed:
                raise RoomError("the votes of this round are counted", remedy="wait for the next")
            room.seats[seat] = choice

    def voted(self, code: str, seat: str) -> V | None:
        """Return what the holder of a seat chose in this round."""
        return self._room(code).seats.get(seat)

    def leads(self, code: str, key: str) -> bool:
        """Whether a key is that of a room's presenter."""
        with self._lock:
            room = self._rooms.get(code)
            return room is not None and secrets.compare_digest(room.key.encode(), key.encode())

    def reveal(self, code: str, key: str) -> None:
        """End the voting of this round and let everybody see what came out."""
        with self._led(code, key) as room:
            room.revealed = True

    def again(self, code: str, key: str) -> None:
        """Begin another round with the same participants."""
        with self._led(code, key) as room:
            if room.votes:
                room.before = (*room.before, room.votes)[-ROUNDS:]
            room.number += 1
            room.seats = dict.fromkeys(room.seats)
            room.revealed = False

    def close(self, code: str, key: str) -> None:
        """End a room and forget all of it."""
        with self._led(code, key):
            del self._rooms[code]

    @contextmanager
    def _led(self, code: str, key: str) -> Generator[_Room[A, V]]:
        with self._lock:
            room = self._room(code)
            if not self.leads(code, key):
                raise RoomError(
                    f"room {code} is led from another page", remedy="only its presenter may do this"
                )
            yield room

    def _room(self, code: str) -> _Room[A, V]:
        with self._lock:
            now = self._clock()
            self._sweep(now)
            room = self._rooms.get(code)
            if room is None:
                remedy = f"{_REOPEN}; rooms end after a day, and when the server stops"
                raise RoomError("there is no room of that code", value=code[:12], remedy=remedy)
            room.seen = now
            return room

    def _sweep(self, now: float) -> None:
        for code, room in list(self._rooms.items()):
            if now - room.opened > LASTS_S:
                del self._rooms[code]


def _letters(count: int) -> str:
    return "".join(secrets.choice(LETTERS) for _ in range(count))
