"""What is computed from an upload is kept for its session alone, and read again by any other."""

import ast
from dataclasses import replace

from engine.contract import Seen
from engine.parameters import ODParameters
from pages._ui.cache import scope
from pages._ui.jobs.pool import pool
from pages._ui.shell import session as shell_session
from pages._ui.shell.catalogue import in_session
from tests.support.server import ROOT


def opened(key) -> None:
    """Ask for what is kept of a dataset, by every verb."""
    import streamlit as st

    from engine import density
    from pages._ui.cache import datasets, verbs

    settings, seed = density.DensityParameters(epsilon=1.0), (1, 0)
    st.session_state["kept"] = (
        datasets.dataset(key),
        datasets.outlines(key),
        verbs.truth(key),
        verbs.release(key, settings, seed),
        verbs.scores(key, settings, seed),
        verbs.of(density.presampled, key, 5),
    )


def counted(key) -> None:
    import streamlit as st

    from tests.privacy import test_caches

    st.text(test_caches.small(key) + test_caches.large(key))


calls: list[Seen] = []


@scope.data(show_spinner=False)
def small(key: Seen) -> int:
    calls.append(key)
    return 1


@scope.resource(show_spinner=False)
def large(key: Seen) -> int:
    calls.append(key)
    return 2


def test_an_upload_is_computed_anew_in_every_session(visit, own):
    calls.clear()
    for times, session in ((2, "one"), (2, "one"), (4, "two"), (4, "one"), (6, "three")):
        assert visit(session, counted, own).text[0].value == "3"
        assert calls == [own] * times


def test_what_all_may_open_is_computed_once(visit, data_root):
    calls.clear()
    key = Seen(dataset=str(data_root / "demo-city" / "v"))
    for session in ("one", "two"):
        visit(session, counted, key)
    assert calls == [key] * 2


def test_no_object_made_of_an_upload_is_in_two_sessions(visit, own):
    first, again, other = (
        visit(session, opened, own).session_state["kept"] for session in ("one", "one", "two")
    )
    assert all(a is b for a, b in zip(first, again, strict=True))
    assert not any(a is b for a, b in zip(first, other, strict=True))


def test_a_worker_has_no_sessions_and_says_so(visit, own, monkeypatch):
    calls.clear()
    monkeypatch.setenv(shell_session.IN_WORKER, "1")
    for session in ("one", "two"):
        visit(session, counted, own)
    assert calls == [own] * 2


def job_of(key, folder) -> None:
    import streamlit as st

    from pages._ui import jobs
    from tests.support import work

    job = jobs.job("noted", work.noted, key, folder)
    job.wait(600)
    st.text(job.result)
    job.leave()


def test_an_answer_of_long_work_on_an_upload_is_kept_for_nobody(visit, own, data_root, tmp_path):
    for key, expected in (
        (own, ["0", "1"]),
        (Seen(dataset=str(data_root / "demo-city" / "v")), ["0", "0"]),
    ):
        folder = tmp_path / f"noted-{expected[1]}"
        folder.mkdir()
        shown = [visit(one, job_of, key, str(folder)).text[0].value for one in ("one", "two")]
        assert shown == expected
    pool().empty()


OF_DATA = {"key", "seed", "entry", "dataset", "release", "counts"}


def test_nothing_of_a_dataset_is_cached_but_by_its_scope():
    """Streamlit's caches and Python's are the process's: they must take public settings only."""
    for path in sorted((ROOT / "pages").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and process_wide(node):
                taken = {argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)}
                assert not taken & OF_DATA, f"{path}:{node.name}"


def process_wide(function: ast.FunctionDef) -> bool:
    texts = [ast.unparse(one) for one in function.decorator_list]
    return any(text.startswith(("st.cache_", "lru_cache", "cache")) for text in texts) and not any(
        text.startswith("cached_scope") for text in texts
    )


def test_work_that_names_an_upload_anywhere_is_work_of_its_session(own, data_root):
    """Compare asks of several datasets at once; who else asks the same must not get the answer."""
    shared = Seen(dataset=str(data_root / "demo-city" / "v"))
    settings = ODParameters(epsilon=1.0)
    for asked in (
        (own,),
        (replace(own, zones="clusters-10"), settings),
        (((shared, settings), (own, settings)),),
    ):
        assert in_session(*asked)
    for asked in (
        (shared,),
        (replace(shared, zones="clusters-10"), (1, 0)),
        (((shared, settings),),),
        ("own", 3),
    ):
        assert not in_session(*asked)
