"""Long work in pieces: same numbers, partial results, turns, lost workers, own uploads."""

import os
import shutil
import time

import pytest
from streamlit.testing.v1 import AppTest

from engine.contract import Selection
from engine.datasets import load
from engine.parameters import DensityParameters
from pages._ui.answers import cached
from pages._ui.app import parallel
from pages._ui.app.parallel import Job
from tests.support import pieces as work
from tests.support.releases import seen

GUARD_S = 300
"""Only against waiting for ever: what is waited for is progress, however busy the machine."""


@pytest.fixture
def processes(monkeypatch):
    """Let work be done in processes, as on a server with several cores."""
    monkeypatch.setenv(parallel.WORKERS_VARIABLE, "1")


def asked(function, *each) -> Job:
    return Job(function, tuple(each), 0.0)


def finished(job) -> list:
    work.finish(job, GUARD_S)
    assert not job.error, job.error
    assert not job.is_running
    return job.ordered_results


def test_answers_of_a_worker_are_those_computed_here(processes):
    setting = seen(DensityParameters(epsilon=0.7), dataset=load("demo-city").folder)
    there = finished(asked(cached.scores, *((setting, (5, 0), repeat) for repeat in range(3))))
    here = [cached.scores(setting, (5, 0), repeat) for repeat in range(3)]
    assert [one.mean_error for one in there] == [one.mean_error for one in here]
    assert len({one.mean_error for one in there}) == 3


def test_work_is_done_elsewhere_and_few_pieces_wait_at_a_time(processes):
    job = asked(work.place_of_work, *(("x", number) for number in range(9)))
    job.advance()
    assert len(job.futures) == parallel._MAX_PENDING
    assert os.getpid() not in finished(job)


def test_partial_answers_stay_where_it_is_stopped():
    job = asked(work.doubled, *((number, 0.05) for number in range(8)))
    until = time.monotonic() + GUARD_S
    while not job.ordered_results and time.monotonic() < until:
        job.advance()
    job.stop()
    known = len(job.ordered_results)
    assert 0 < known < 8
    assert not job.is_running
    job.advance()
    assert len(job.ordered_results) == known


def test_two_sessions_take_turns():
    long, short = (asked(work.doubled, *((n, 0.03) for n in range(size))) for size in (40, 41))
    long.advance()
    short.advance()
    until = time.monotonic() + GUARD_S
    while len(short.ordered_results) < 5 and time.monotonic() < until:
        long.advance()
        short.advance()
    assert len(long.ordered_results) < 15
    long.stop()
    short.stop()


def test_a_lost_worker_is_replaced_and_said(processes, tmp_path):
    job = asked(work.killed, *((str(tmp_path), number) for number in range(4)))
    assert finished(job) == [0, 1, 2, 3]
    assert job.crash_counts


def test_what_ends_every_worker_is_given_up_in_words(processes):
    job = asked(work.always_killed, (1,))
    work.finish(job, GUARD_S)
    assert job.error == parallel._LOST


def test_a_rule_that_is_broken_is_said():
    job = asked(work.refused, (1,))
    work.finish(job, GUARD_S)
    assert "epsilon" in job.error


def test_a_worker_lets_go_of_an_upload_with_the_next_piece(processes, data_root, tmp_path):
    upload = Selection(dataset_id=str(tmp_path / "upload" / "v"))
    shared = Selection(dataset_id=str(load("demo-city").folder))
    shutil.copytree(load("demo-city").folder, tmp_path / "upload" / "v")
    (held,) = finished(asked(work.uploads_held, (upload,)))
    assert upload.dataset_id in held
    (held,) = finished(asked(work.uploads_held, (shared,)))
    assert shared.dataset_id in held
    assert upload.dataset_id not in held


def page() -> None:
    """Draw a job, and what is known of it."""
    import streamlit as st

    from pages._ui.app import parallel
    from tests.support import pieces as work

    slow = st.slider("slow", 0, 10, 0)
    asked = tuple((number, slow / 100) for number in range(6))
    job = parallel.submit("doubles", work.doubled, asked)
    parallel.draw_live(
        "doubles", job, lambda known, running: st.text(f"{known} {running}"), noun="Doubling"
    )


def test_a_page_shows_what_is_known_and_another_question_begins_anew():
    app = AppTest.from_function(page, default_timeout=60).run()
    for _ in range(200):
        if app.text[0].value.endswith("False"):
            break
        time.sleep(0.05)
        app.run()
    assert app.text[0].value == "[0, 2, 4, 6, 8, 10] False"
    job = app.session_state["session"].jobs["doubles"]
    app.slider[0].set_value(10).run()
    assert job.is_stopped
    assert app.text[0].value.endswith("True")
    assert "of 6" in app.get("progress")[0].proto.text


def test_what_was_asked_before_is_whole_before_any_work_starts():
    pieces_of = tuple((number, 0.01) for number in range(6))
    assert finished(asked(work.doubled, *pieces_of)) == [0, 2, 4, 6, 8, 10]
    again = parallel.submit("asked before", work.doubled, pieces_of, delay_s=GUARD_S)
    assert not again.is_running


def test_what_is_left_is_timed_by_what_has_been_computed_and_not_by_what_was_there():
    job = asked(work.doubled, *((number, 0.0) for number in range(10)))
    job.start_time = time.monotonic() - 6
    job.results.update({0: 0, 1: 2})
    job.found_count = 2
    assert not job.describe_wait()
    job.results.update({2: 4, 3: 6, 4: 8, 5: 10})  # four in 6 s; four are left
    assert job.describe_wait() == " about 7 s left."
