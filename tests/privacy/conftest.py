"""Who sees what: the datasets of the page tests, of which ``town`` is of real people."""

import shutil
from collections.abc import Callable, Iterator

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

from engine.contract import Selection
from engine.datasets import storage
from pages._ui.frame.page_table import PAGES
from tests.pages.conftest import (
    _use_data_root as _use_data_root,
    checked,
    data_root as data_root,
    long_work_stays_here as long_work_stays_here,
    open_home as open_home,
    open_page as open_page,
    open_set as open_set,
    settled as settled,
    temporary as temporary,
    the_entry_file_runs_first as the_entry_file_runs_first,
    unforeseen_errors_are_raised as unforeseen_errors_are_raised,
)
from tests.support.server import served

SEEN = [path for path in PAGES if path not in ("pages/6_Release.py", "pages/7_Data.py")]
"""Pages that show what is set."""
ON_TOWN = {"density_data": "town", "od_data": "town"}
"""What is set where both parts are of real people."""


@pytest.fixture(scope="session")
def address(data_root) -> Iterator[str]:
    """A server of one computer."""
    with served({"MOBILITY_DATA": str(data_root)}) as url:
        yield url


@pytest.fixture(scope="session")
def public(data_root) -> Iterator[str]:
    """A server open to everybody."""
    with served({"MOBILITY_DATA": str(data_root), "MOBILITY_PUBLIC": "1"}) as url:
        yield url


def sent(app: AppTest) -> str:
    """Return everything that a page has sent to the browser."""
    return "".join(str(node.proto) for node in app if hasattr(node, "proto"))


@pytest.fixture
def on_town(open_set) -> Callable[..., Iterator[tuple[str, AppTest]]]:
    """Return a function that yields every page as a session sees it that has picked town."""

    def pages() -> Iterator[tuple[str, AppTest]]:
        app = open_set(SEEN[0], **ON_TOWN)
        yield SEEN[0], app
        for path in SEEN[1:]:
            yield path, checked(app.switch_page(path).run())

    return pages


@pytest.fixture
def visit(monkeypatch) -> Callable[..., AppTest]:
    """Return a function that runs a page in a session of a name; AppTest knows one session."""
    begin = LocalScriptRunner.__init__

    def run(session: str, page: Callable[..., None], *arguments: object) -> AppTest:
        def named(runner: LocalScriptRunner, *given: object, **options: object) -> None:
            begin(runner, *given, **options)
            runner._session_id = session

        monkeypatch.setattr(LocalScriptRunner, "__init__", named)
        app = AppTest.from_function(page, args=arguments, default_timeout=60).run()
        assert not app.exception, app.exception
        return app

    return run


@pytest.fixture
def own(data_root, tmp_path) -> Selection:
    """Seen of a dataset that a session has made of its upload."""
    folder = tmp_path / "upload"
    shutil.copytree(data_root / "local" / "town", folder)
    return Selection(dataset_id=str(storage.current_version(folder)))
