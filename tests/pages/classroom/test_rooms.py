"""Rooms: their bounds, who may do what, and that they forget."""

import statistics
import threading

import pytest
from hypothesis import given, strategies as st

from pages._ui.classroom import rooms as classroom_rooms
from pages._ui.classroom.question import Choice, Vote, middle
from pages._ui.classroom.rooms import IDLE_S, LASTS_S, ROOMS, ROUNDS, SEATS, RoomError, Rooms


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def rooms(clock):
    return Rooms[str, int](clock)


def test_a_room_holds_sixty_and_says_so_to_the_next(rooms):
    code, _ = rooms.open("demo-city")
    seats = [rooms.join(code) for _ in range(SEATS)]
    assert [number for _, number in seats] == list(range(SEATS))
    with pytest.raises(RoomError, match=f"{code} is full: it holds {SEATS} participants"):
        rooms.join(code)
    assert rooms.join(code, seats[3][0]) == seats[3], "a page loaded anew sits where it sat"


def test_sixty_that_come_at_once_all_sit_alone(rooms):
    code, _ = rooms.open("demo-city")
    taken, start = [], threading.Barrier(SEATS + 5)

    def come():
        start.wait()
        try:
            seat, _ = rooms.join(code)
        except RoomError:
            return
        rooms.vote(code, seat, 1)
        taken.append(seat)

    people = [threading.Thread(target=come) for _ in range(SEATS + 5)]
    for one in people:
        one.start()
    for one in people:
        one.join()
    assert len(set(taken)) == SEATS == len(rooms.round(code).votes)


def test_a_code_that_does_not_exist_is_said_in_words(rooms):
    with pytest.raises(RoomError, match="no room of that code, got NOSUCH; ask the presenter"):
        rooms.join("NOSUCH")


@pytest.mark.parametrize("act", ["reveal", "again", "close"])
@pytest.mark.parametrize("key", ["", "WRONGKEY"])
def test_only_the_presenter_may_end_or_begin(rooms, act, key):
    code, right = rooms.open("demo-city")
    with pytest.raises(RoomError, match="led from another page"):
        getattr(rooms, act)(code, key)
    getattr(rooms, act)(code, right)


def test_two_presenters_have_a_room_each(rooms):
    (first, one), (second, other) = rooms.open("a"), rooms.open("b")
    assert first != second
    assert rooms.leads(first, one)
    assert not rooms.leads(first, other)
    assert not rooms.leads(second, one)


def test_a_vote_may_be_changed_until_it_is_counted_and_rounds_follow(rooms):
    code, key = rooms.open("demo-city")
    seat, _ = rooms.join(code)
    rooms.vote(code, seat, 1)
    rooms.vote(code, seat, 2)
    assert rooms.round(code).votes == (2,)
    rooms.reveal(code, key)
    with pytest.raises(RoomError, match="counted"):
        rooms.vote(code, seat, 3)
    for number in range(ROUNDS + 2):
        rooms.again(code, key)
        assert rooms.voted(code, seat) is None
        rooms.vote(code, seat, 10 + number)
    now = rooms.round(code)
    assert (now.number, now.revealed, now.seats) == (ROUNDS + 3, False, 1)
    assert now.before == tuple((10 + one,) for one in range(1, ROUNDS + 1))


def test_who_has_no_seat_has_no_vote(rooms):
    code, _ = rooms.open("demo-city")
    with pytest.raises(RoomError, match="nobody sits there"):
        rooms.vote(code, "guessed", 1)


def test_rooms_end_with_the_day_and_are_bounded(rooms, clock):
    first, _ = rooms.open("demo-city")
    clock.now = LASTS_S + 1
    with pytest.raises(RoomError, match="no room"):
        rooms.round(first)
    codes = [rooms.open("demo-city")[0] for _ in range(ROOMS)]
    with pytest.raises(RoomError, match=f"{ROOMS} rooms at most"):
        rooms.open("demo-city")
    clock.now += IDLE_S + 1
    for code in codes[1:]:
        rooms.round(code)
    rooms.open("demo-city")
    with pytest.raises(RoomError, match="no room"):
        rooms.round(codes[0])


def test_a_closed_room_is_forgotten(rooms):
    code, key = rooms.open("demo-city")
    rooms.close(code, key)
    assert not rooms.leads(code, key)
    assert vars(rooms)["_rooms"] == {}


def test_codes_are_read_aloud_and_keys_are_not_codes(rooms, monkeypatch):
    code, key = rooms.open("demo-city")
    assert set(code + key) <= set(classroom_rooms.LETTERS)
    assert not set(classroom_rooms.LETTERS) & set("01IOL")


LEVELS = ("zones", "district", "province")


@given(
    st.lists(
        st.tuples(st.sampled_from((0.1, 1.0, 10.0)), st.integers(1, 9), st.sampled_from(LEVELS)),
        min_size=1,
        max_size=9,
    )
)
def test_no_other_value_wins_a_majority_against_the_middle(drawn):
    """Where everybody prefers what is nearer to her own, lever by lever; and the lower of two."""
    votes = [
        Vote(role="", reason="", choice=Choice(epsilon=e, max_trips=t, zones=z))
        for e, t, z in drawn
    ]
    chosen = middle(votes, LEVELS)
    assert chosen.epsilon == statistics.median_low(e for e, _, _ in drawn)
    assert chosen.max_trips == statistics.median_low(t for _, t, _ in drawn)
    coarseness = [LEVELS.index(z) for _, _, z in drawn]
    assert LEVELS.index(chosen.zones) == statistics.median_high(coarseness)
    for other in range(1, 10):
        nearer = sum(abs(other - t) < abs(chosen.max_trips - t) for _, t, _ in drawn)
        assert nearer <= len(drawn) / 2
