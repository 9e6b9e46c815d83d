"""Datasets for the page tests: small, of every kind a page must cope with."""

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest, app_test

from engine.datasets import Dataset, storage
from engine.errors import ExplorerError
from pages._ui.app import error_pages, parallel
from pages._ui.data import builds
from pages._ui.data.builds import DataState
from pages._ui.frame.page_table import HOME
from tests.support.page import held
from tests.support.pieces import finish

ROOT = Path(__file__).parents[2]
DENSITY_FILES = ("truth", "presampled", "single_visit", "towers")
TRIP_FILES = ("trips", "trips_person", "report")
TIMEOUT_S = 60


@pytest.fixture(scope="session")
def data_root(tiny_city: Dataset, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a data folder: demo-city (tiny, simulated) and variations of it.

    ``only-visits`` (said to be of two million people) and ``only-trips`` lack the other part;
    ``flows`` holds trips without people; ``local/town`` is not simulated.
    """
    root = tmp_path_factory.mktemp("data")
    _copy(tiny_city, root / "demo-city")
    _copy(tiny_city, root / "only-visits", without=TRIP_FILES, people=1_992_846)
    _copy(tiny_city, root / "only-trips", without=DENSITY_FILES)
    _copy(tiny_city, root / "local" / "town", simulated=False)
    _copy(
        tiny_city,
        root / "flows",
        without=(*DENSITY_FILES, "trips_person", "report"),
        no_people=True,
    )
    return root


@pytest.fixture(autouse=True)
def _use_data_root(data_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOBILITY_DATA", str(data_root))


@pytest.fixture(autouse=True)
def long_work_stays_here(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A worker process would know nothing of what a test has put in place of something else."""
    monkeypatch.setenv("MOBILITY_WORKERS", "0")
    yield
    monkeypatch.undo()
    for one in list(parallel._pending.values()):
        one.cancel()
    parallel._sender.submit(int).result()
    parallel._pending.clear()


def checked(app: AppTest) -> AppTest:
    """Return a page that has run without an error."""
    assert not app.exception, app.exception
    return app


@pytest.fixture
def settled() -> Callable[[AppTest], AppTest]:
    """Return a function that waits for a page's long work and draws it again, as a browser does."""

    def run(app: AppTest, seconds: float = 60.0) -> AppTest:
        for job in app.session_state["session"].jobs.values():
            finish(job, seconds)
            assert not job.is_running, "long work did not end"
        return checked(app.run())

    return run


@pytest.fixture(autouse=True)
def unforeseen_errors_are_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page says in words that it failed; a test must fail with it."""
    said = error_pages.show_error

    def tell(error: Exception, place: DeltaGenerator | None = None) -> None:
        if not isinstance(error, ExplorerError):
            raise error
        said(error, place)

    monkeypatch.setattr(error_pages, "show_error", tell)


@pytest.fixture(autouse=True)
def the_entry_file_runs_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the application is served: `AppTest` takes the folder of pages for one of old."""

    class Pages(PagesManager):
        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **named)
            PagesManager.uses_pages_directory = False

    monkeypatch.setattr(app_test, "PagesManager", Pages)


@pytest.fixture
def open_page() -> Callable[..., AppTest]:
    """Return a function that runs a page such as ``pages/7_Data.py``, with a link if given."""

    def run(path: str, **query: str | list[str]) -> AppTest:
        return checked(_at(path, query).run())

    return run


@pytest.fixture
def open_home(open_page: Callable[..., AppTest]) -> Callable[..., AppTest]:
    """Return a function that runs home, with a link if given."""
    return partial(open_page, HOME)


@pytest.fixture
def open_set() -> Callable[..., AppTest]:
    """Return a function that opens a page with settings, as if they had been set before."""

    def run(path: str, **settings: object) -> AppTest:
        app = _at(path, {})
        for key, value in settings.items():
            app.session_state[key] = value
        return checked(app.run())

    return run


def _at(path: str, query: Mapping[str, str | list[str]]) -> AppTest:
    """A session that is about to open a page."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=TIMEOUT_S).switch_page(path)
    for name, value in query.items():
        app.query_params[name] = value
    return app


def _copy(
    source: Dataset,
    folder: Path,
    *,
    without: tuple[str, ...] = (),
    simulated: bool = True,
    no_people: bool = False,
    people: int = 2_000,
) -> None:
    document = json.loads((source.folder / storage.METADATA_FILE).read_text(encoding="utf-8"))
    document.update(
        name=folder.name, simulated=simulated, trips_have_people=not no_people, people_public=people
    )
    document.pop("checksums")

    def write(version: Path) -> None:
        for path in source.folder.glob("*.parquet"):
            if path.stem not in without:
                shutil.copy(path, version / path.name)

    storage.write_version(folder, document, write)


@pytest.fixture
def temporary(tmp_path, monkeypatch) -> Path:
    """A folder that holds all temporary ones of this test."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


@pytest.fixture
def open_data(open_page, temporary):
    """Open the page; its session's folder goes with the test."""
    opened = []

    def run(**query: str) -> AppTest:
        app = open_page("pages/7_Data.py", **query)
        opened.append(app)
        return app

    yield run
    for app in opened:
        own = held(app, DataState)
        if own.build is not None:
            own.build.cancel()
            own.build.wait(10)
        if own.workspace is not None:
            own.workspace.remove()


@pytest.fixture
def local(monkeypatch) -> None:
    """Be served to this computer's own browser."""
    monkeypatch.setattr(builds, "is_served_locally", lambda: True)


@pytest.fixture
def own_root(data_root, tmp_path, monkeypatch) -> Path:
    """A data folder of this test alone, with demo-city."""
    root = tmp_path / "data"
    root.mkdir()
    (root / "demo-city").symlink_to(data_root / "demo-city")
    monkeypatch.setenv("MOBILITY_DATA", str(root))
    return root
