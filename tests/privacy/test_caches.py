"""What is computed from an upload is kept for its session alone, and read again by any other."""

import ast
from dataclasses import replace

from engine.contract import Selection, Setting
from engine.parameters import ODParameters
from pages._ui.answers import cached
from pages._ui.app import cache, parallel
from pages._ui.app.catalogue import has_upload
from tests.support import pieces as work
from tests.support.server import ROOT

calls: list[Selection] = []


def opened(seen) -> None:
    """Ask for what is kept of a dataset, by every verb."""
    import streamlit as st

    from engine import density
    from engine.contract import Setting
    from pages._ui.answers import cached

    setting, seed = (
        Setting(selection=seen, parameters=density.DensityParameters(epsilon=1.0)),
        (1, 0),
    )
    st.session_state["kept"] = (
        cached.dataset(seen),
        cached.truth(setting),
        cached.release(setting, seed),
        cached.scores(setting, seed, 1),
        cached.read(density.presampled_counts, seen, 5),
    )


def counted(seen) -> None:
    import streamlit as st

    from tests.privacy import test_caches

    st.text(test_caches.small(seen) * test_caches.small(seen))


@cached.memoize
def small(seen: Selection) -> int:
    calls.append(seen)
    return 1


def test_an_upload_is_computed_anew_in_every_session(visit, own):
    calls.clear()
    for times, session in ((1, "one"), (2, "two"), (3, "three")):
        assert visit(session, counted, own).text[0].value == "1"
        assert calls == [own] * times


def test_what_all_may_open_is_computed_once(visit, data_root):
    calls.clear()
    seen = Selection(dataset_id=str(data_root / "demo-city" / "v"))
    for session in ("one", "two"):
        visit(session, counted, seen)
    assert calls == [seen]


def test_no_object_made_of_an_upload_is_in_two_sessions(visit, own):
    first, other = (visit(session, opened, own).session_state["kept"] for session in ("one", "two"))
    assert not any(a is b for a, b in zip(first, other, strict=True))


def test_an_answer_of_long_work_on_an_upload_is_kept_for_nobody(
    own, data_root, tmp_path, monkeypatch
):
    sessions = iter([cache.Cache() for _ in range(6)])
    shown = {}
    for name, seen in (
        ("own", own),
        ("shared", Selection(dataset_id=str(data_root / "demo-city" / "v"))),
    ):
        folder = tmp_path / name
        folder.mkdir()
        asking = []
        for waits in (False, True, True):  # two ask at once, one when both know
            mine = type("Session", (), {"store": next(sessions), "jobs": {}})()
            monkeypatch.setattr(parallel, "session", lambda mine=mine: mine)
            monkeypatch.setattr(cache, "page_state", lambda _, mine=mine: mine.store)
            job = parallel.Job(work.noted, ((seen, str(folder)),), 0.0)
            job.advance()
            asking.append(job)
            if waits:
                for one in asking:
                    work.finish(one, 60)
        shown[name] = [one.ordered_results[0] for one in asking]
    assert shown == {"own": [0, 1, 2], "shared": [0, 0, 0]}


OF_DATA = {"key", "seen", "setting", "seed", "entry", "dataset", "release", "counts"}


def test_nothing_of_a_dataset_is_cached_but_by_its_scope():
    """Streamlit's caches and Python's are the process's: they must take public settings only."""
    for path in sorted((ROOT / "pages").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and process_wide(node):
                taken = {argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)}
                assert not taken & OF_DATA, f"{path}:{node.name}"


def process_wide(function: ast.FunctionDef) -> bool:
    texts = [ast.unparse(one) for one in function.decorator_list]
    return any(text.startswith(("st.cache_", "lru_cache", "cache(", "functools")) for text in texts)


def test_work_that_names_an_upload_anywhere_is_work_of_its_session(own, data_root):
    """Who else asks the same must not get the answer."""
    shared = Selection(dataset_id=str(data_root / "demo-city" / "v"))
    flows = ODParameters(epsilon=1.0)
    ours, theirs = (Setting(selection=one, parameters=flows) for one in (own, shared))
    coarse = replace(own, zone_level="clusters-10")
    for asked in ((own,), (coarse, flows), (ours,), (((theirs, 1), (ours, flows)),)):
        assert has_upload(*asked)
        assert cache.cache_of((*asked,)) is not cache.shared_cache
    for asked in ((shared,), (theirs, (1, 0)), (((theirs, flows),),), ("own", 3)):
        assert not has_upload(*asked)
