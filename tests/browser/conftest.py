"""Starts the dashboard on a free port and drives it with Chromium; nothing may leave 127.0.0.1."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import pytest

from tests.pages.conftest import data_root as data_root
from tests.support.browser import FLAGS
from tests.support.server import ROOT, served

playwright = pytest.importorskip("playwright.sync_api")

CHROMIUM_FLAGS = (*FLAGS, "--disable-gpu-rasterization", "--disable-gpu-compositing")
"""Without a graphics card only maps (WebGL) are worth its imitation; all else is drawn directly."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark browser tests, and run one that fails once more; the summary names it."""
    folder = Path(__file__).parent
    for item in items:
        if folder in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a dashboard with what home opens on, shared by stories that release nothing."""
    folder = tmp_path_factory.mktemp("data")
    for name in ("demo-city", "rwanda-districts"):
        shutil.copytree(ROOT / "data" / name, folder / name)
    with served({"MOBILITY_DATA": str(folder)}) as url:
        yield url


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator["playwright.BrowserContext"]:
    """A headless Chromium; its absence skips, or fails where REQUIRE_BROWSER=1.

    It has a folder, so that it compiles the front end's scripts once and not for each page.
    """
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    if path is None:
        message = "Chromium is not installed (Debian: apt-get install chromium)"
        if os.environ.get("REQUIRE_BROWSER") == "1":
            pytest.fail(message)
        pytest.skip(message)
    playwright.expect.set_options(timeout=30_000)
    with playwright.sync_playwright() as started:
        folder = tmp_path_factory.mktemp("chromium")
        running = started.chromium.launch_persistent_context(
            folder, executable_path=path, args=list(CHROMIUM_FLAGS)
        )
        yield running
        running.close()


@contextmanager
def visit(browser: "playwright.BrowserContext") -> Iterator["playwright.Page"]:
    """Open a page in a session of its own; no request to another host, no error on the console."""
    wrong: list[str] = []

    def watch(url: str) -> None:
        parts = urlparse(url)
        if parts.scheme not in ("data", "blob") and parts.hostname != "127.0.0.1":
            wrong.append(f"request to {url}")

    def complain(said: Any) -> None:
        asked = "/_stcore/" in said.location["url"]  # Streamlit tries where its server lies
        if said.type == "error" and not asked:
            wrong.append(f"{said.text} {said.location}")

    def requested(request: Any) -> None:
        watch(request.url)

    browser.on("request", requested)
    page = browser.new_page()
    page.set_viewport_size({"width": 1280, "height": 720})
    page.on("websocket", lambda socket: watch(socket.url))
    page.on("console", complain)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.set_default_timeout(60_000)
    yield page
    page.close()
    browser.remove_listener("request", requested)
    assert not wrong


@pytest.fixture
def session(browser: "playwright.BrowserContext") -> Iterator[Callable[[], "playwright.Page"]]:
    """Return what opens a page in a session of its own."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(visit(browser))


@pytest.fixture
def page(session: Callable[[], "playwright.Page"]) -> "playwright.Page":
    """A page of 1280 × 720 in a session of its own."""
    return session()
