"""Turns to draw a page: few at once, given back whatever happens, and never waited for long."""

import threading

import pytest

from pages._ui.shell import crowd


def test_few_pages_are_drawn_at_once():
    drawn, most = 0, 0
    lock = threading.Lock()
    done = threading.Event()

    def page():
        nonlocal drawn, most
        with crowd.turn():
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
    assert most == crowd.AT_ONCE


def failing():
    with crowd.turn() as busy:
        assert not busy
        raise RuntimeError


def test_a_turn_is_given_back_where_a_page_fails():
    for _ in range(3 * crowd.AT_ONCE):
        with pytest.raises(RuntimeError):
            failing()


def test_nobody_waits_for_ever(monkeypatch):
    monkeypatch.setattr(crowd, "LONGEST_WAIT_S", 0.05)
    with crowd.turn(), crowd.turn(), crowd.turn() as busy:
        assert busy  # drawn all the same, and said
    with crowd.turn() as busy:
        assert not busy
