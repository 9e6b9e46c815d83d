"""Turns to draw a page: few at once, given back whatever happens, and never waited for long."""

import threading

import pytest

from pages._ui.app import session_limit


def test_few_pages_are_drawn_at_once():
    drawn, most = 0, 0
    lock = threading.Lock()
    done = threading.Event()

    def page():
        nonlocal drawn, most
        with session_limit.take_turn():
            with lock:
                drawn += 1
                most = max(most, drawn)
            done.wait(0.02)
            with lock:
                drawn -= 1

    pages = [threading.Thread(target=page) for _ in range(10)]
    for one in pages:
        one.start()
    for one in pages:
        one.join()
    assert most == session_limit.MAX_DRAWN_PAGES


def failing():
    with session_limit.take_turn() as busy:
        assert not busy
        raise RuntimeError


def test_a_turn_is_given_back_where_a_page_fails():
    for _ in range(3 * session_limit.MAX_DRAWN_PAGES):
        with pytest.raises(RuntimeError):
            failing()


def test_nobody_waits_for_ever(monkeypatch):
    monkeypatch.setattr(session_limit, "MAX_WAIT_S", 0.05)
    with session_limit.take_turn(), session_limit.take_turn(), session_limit.take_turn() as busy:
        assert busy  # drawn all the same, and said
    with session_limit.take_turn() as busy:
        assert not busy
