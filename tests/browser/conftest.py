"""Starts the dashboard on a free port and drives it with Chromium; nothing may leave 127.0.0.1."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlparse

import pytest

from tests.support.server import ROOT as ROOT, served as served

playwright = pytest.importorskip("playwright.sync_api")

CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
    "--disable-gpu-rasterization",
    "--disable-gpu-compositing",
)
"""Without a graphics card only maps (WebGL) are worth its imitation; all else is drawn directly."""


def chromium() -> str | None:
    """Return the path of an installed Chromium, or None."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run a browser test that fails once more; the summary names it, for it is a defect to find.

    A browser, a server and a machine that others use take part here: a lost press must not hide
    what 3,400 other tests say. A test that fails twice fails.
    """
    folder = Path(__file__).parent
    for item in items:
        if folder in item.path.parents:
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a dashboard that all browser tests of this run share; it has demo-city only."""
    folder = tmp_path_factory.mktemp("data")
    shutil.copytree(ROOT / "data" / "demo-city", folder / "demo-city")
    with served({"MOBILITY_DATA": str(folder)}) as url:
        yield url


@pytest.fixture(scope="session")
def browser() -> Iterator["playwright.Browser"]:
    """A headless Chromium; its absence skips, or fails where REQUIRE_BROWSER=1."""
    path = chromium()
    if path is None:
        message = "Chromium is not installed (Debian: apt-get install chromium)"
        if os.environ.get("REQUIRE_BROWSER") == "1":
            pytest.fail(message)
        pytest.skip(message)
    playwright.expect.set_options(timeout=30_000)
    with playwright.sync_playwright() as started:
        running = started.chromium.launch(executable_path=path, args=list(CHROMIUM_FLAGS))
        yield running
        running.close()


@pytest.fixture
def page(browser: "playwright.Browser") -> Iterator["playwright.Page"]:
    """A page in a fresh session; fails the test if any request was meant for another host."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme="light")
    outside: list[str] = []

    def watch(url: str) -> None:
        parts = urlparse(url)
        if parts.scheme not in ("data", "blob") and parts.hostname != "127.0.0.1":
            outside.append(url)

    context.on("request", lambda request: watch(request.url))
    opened = context.new_page()
    opened.on("websocket", lambda socket: watch(socket.url))
    opened.set_default_timeout(90_000)
    yield opened
    context.close()
    assert not outside, f"requests left the machine: {outside}"
