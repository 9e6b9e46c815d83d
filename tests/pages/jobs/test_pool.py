"""The pool of long work: same numbers, turns, cancelling, sharing, and a session's own data."""

import os
import subprocess
import sys
import threading
import time
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from engine.parameters import DensityParameters
from pages._ui.jobs import pool as pool_module
from pages._ui.jobs.pool import Pool, workers
from pages._ui.jobs.work import Ask
from pages._ui.jobs.worker import ProcessWorker
from tests.support import work

SEED = (4, 0)
GUARD_S = 900
"""Only against waiting for ever: what is waited for is progress, however busy the machine."""


@pytest.fixture(scope="module")
def processes():
    return Pool(1)


@pytest.fixture(scope="module")
def thread():
    return Pool(0)


def asked(pool, function, *arguments, session="one", shared=True):
    return pool.join(Ask(function, arguments), session, None, shared=shared)


def last(steps):
    *_, step = steps
    return step.result


def finished(job):
    job.wait(GUARD_S)
    assert job.state == "finished", job.error
    return job.result


def test_work_is_done_elsewhere(processes, thread):
    assert finished(asked(processes, work.place_of_work, "a")) != os.getpid()
    assert finished(asked(thread, work.place_of_work, "a")) == os.getpid()


@pytest.mark.parametrize("pool", ["processes", "thread"])
def test_a_long_work_of_one_session_does_not_hold_up_anothers(pool, request):
    pool = request.getfixturevalue(pool)
    long = asked(pool, work.counted, "long", 200, 0.05)
    short = asked(pool, work.counted, "short", 3, session="two")
    finished(short)
    assert long.running
    long.cancel()
    long.wait(GUARD_S)
    assert long.state == "cancelled"
    done = long.step.done
    assert 0 < done < 200
    long.resume()
    until = time.monotonic() + GUARD_S
    while long.step.done <= done:
        assert long.running
        assert time.monotonic() < until
        time.sleep(0.02)
    long.leave()


def test_turns_go_round_by_session_not_by_job(thread):
    many = [asked(thread, work.counted, f"many {i}", 6, 0.3) for i in range(6)]
    one = asked(thread, work.counted, "one", 3, session="two")
    finished(one)
    assert sum(job.state == "finished" for job in many) <= 1
    for job in many:
        job.leave()


def test_what_a_page_waits_for_goes_before_the_sessions_other_work(thread):
    many = [asked(thread, work.counted, f"other {i}", 6, 0.3) for i in range(3)]
    one = thread.join(
        Ask(work.counted, ("awaited", 6, 0.3)), "one", None, shared=True, delay_s=GUARD_S
    )
    one.hurry()
    finished(one)
    assert sum(job.step is not None for job in many) <= 1, "one may have had its turn before"
    for job in many:
        job.leave()


def test_who_asks_the_same_shares_one_work(processes, tmp_path):
    first = asked(processes, work.noted, "same", str(tmp_path))
    second = asked(processes, work.noted, "same", str(tmp_path), session="two")
    first.cancel()  # the other one still waits for it
    assert finished(second) == 0
    first.leave()
    second.leave()
    third = asked(processes, work.noted, "same", str(tmp_path), session="three")
    assert third.state == "finished"  # kept for whoever asks later
    assert len(list(tmp_path.iterdir())) == 1


def test_what_nobody_waits_for_is_dropped(thread, tmp_path):
    only = asked(thread, work.noted, "only", str(tmp_path))
    until = time.monotonic() + GUARD_S
    while not list(tmp_path.iterdir()) and time.monotonic() < until:  # what never began is no test
        time.sleep(0.02)
    only.leave()
    time.sleep(0.3)
    again = asked(thread, work.noted, "only", str(tmp_path))
    assert finished(again) == 1  # begun anew


def test_an_answer_of_a_sessions_own_data_goes_with_the_session(tmp_path, monkeypatch):
    pool = Pool(1)
    before = finished(asked(pool, work.place_of_work, "shared"))
    own = asked(pool, work.place_of_work, "own", shared=False)
    finished(own)
    alive = {"one"}

    class Runtime:
        def is_active_session(self, session):
            return session in alive

    monkeypatch.setattr("streamlit.runtime.exists", lambda: True)
    monkeypatch.setattr("streamlit.runtime.get_instance", Runtime)
    alive.clear()
    until = time.monotonic() + GUARD_S
    while not own.left and time.monotonic() < until:  # the pool looks every second
        time.sleep(0.1)
    assert own.left
    alive.add("two")
    after = finished(asked(pool, work.place_of_work, "shared again", session="two"))
    assert after != before  # the process that had read it has ended
    anew = asked(pool, work.place_of_work, "own", session="two", shared=False)
    assert anew.step is None or anew.result == after


@pytest.mark.parametrize("pool", ["processes", "thread"])
def test_failures_are_told_without_data(pool, request):
    pool = request.getfixturevalue(pool)
    rule = asked(pool, work.refused, "a")
    rule.wait(GUARD_S)
    assert (rule.state, rule.result) == ("failed", "partial")
    assert "epsilon must be" in rule.error
    unforeseen = asked(pool, work.broken, "a")
    unforeseen.wait(GUARD_S)
    assert (unforeseen.state, unforeseen.result) == ("failed", "partial")
    assert "Alice" not in unforeseen.error
    assert "RuntimeError, work.py" in unforeseen.error


def test_a_thread_works_where_no_process_can_start(monkeypatch):
    monkeypatch.setattr("sys.executable", "/no/such/python")
    pool = Pool(1)
    assert finished(asked(pool, work.place_of_work, "a")) == os.getpid()


def test_a_process_that_is_lost_is_replaced_once(processes):
    before = finished(asked(processes, work.place_of_work, "lost"))
    long = asked(processes, work.counted, "lost", 40, 0.05)
    long.wait(0.5)
    os.kill(before, 9)
    assert finished(long)[1] == 40


def test_who_waits_asks(monkeypatch):
    monkeypatch.setattr(pool_module, "_UNASKED_S", 0.2)  # a slow work, or a busy machine
    pool = Pool(0)
    job = asked(pool, work.counted, "slow", 30, 0.1)
    assert finished(job)[1] == 30


BURN = "while True: pass"


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="processors are pinned on Linux")
def test_a_worker_goes_on_beside_processes_that_take_all_the_time():
    """On one processor with three that never rest, it gets a fifth of the time of each or more."""
    pool = Pool(1)
    worker = finished(asked(pool, work.place_of_work, "where"))
    cpu = {min(os.sched_getaffinity(0))}
    busy = [subprocess.Popen([sys.executable, "-c", BURN]) for _ in range(3)]
    try:
        for pid in (worker, *(one.pid for one in busy)):
            os.sched_setaffinity(pid, cpu)
        before, rival = work.spent_s(worker), busy[0].pid
        until = work.spent_s(rival) + 2.0
        job = asked(pool, work.burned, "beside", rival, until)
        pid, spent = finished(job)
        assert pid == worker
        assert spent - before > 0.2 * 2.0
    finally:
        for one in busy:
            one.kill()
            one.wait()


def test_the_number_of_workers_is_set_in_one_place(monkeypatch):
    monkeypatch.setenv("MOBILITY_WORKERS", "3")
    assert workers() == 3
    monkeypatch.delenv("MOBILITY_WORKERS")
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    assert workers() == 2
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    assert workers() == 0


def test_a_job_reads_what_is_cached_for_its_session():
    def page():
        import streamlit as st

        from pages._ui import jobs
        from tests.support import work

        job = jobs.job("test", work.doubled, "demo-city", 21)
        job.wait(10)
        st.text(f"{job.state} {job.result}")

    app = AppTest.from_function(page).run()
    assert not app.exception
    assert app.text[0].value == "finished 42"


def test_other_settings_leave_the_job_of_the_old_ones(thread):
    settings = DensityParameters(epsilon=1.0)
    assert Ask(work.counted, ("a", settings)) == Ask(work.counted, ("a", replace(settings)))
    assert Ask(work.counted, ("a", settings)) != Ask(
        work.counted, ("a", replace(settings, epsilon=2.0))
    )


def test_idle_workers_are_started_before_there_is_work(monkeypatch):
    started = [threading.Event(), threading.Event()]
    places = iter(started)

    class Worker(ProcessWorker):
        def __init__(self):
            super().__init__()
            self.ready = next(places).set

    monkeypatch.setattr(pool_module, "ProcessWorker", Worker)
    pool = Pool(2)
    assert not any(one.is_set() for one in started)  # not before it is asked for
    pool.warm()
    assert all(one.wait(GUARD_S) for one in started)
