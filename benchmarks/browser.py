"""What a person waits for in a browser: from start to numbers and maps, and one slider move."""

import shutil
import statistics
import time
from collections.abc import Iterator
from typing import Any

from benchmarks.measure import Row, quantile
from tests.support.browser import FLAGS
from tests.support.server import served

STARTS, MOVES, REST_MS = 3, 20, 500
AS_SHIPPED = {"MOBILITY_WORKERS": ""}
"""With as many worker processes as there are where nothing is set."""
START_LIMIT_S = 4.0
MEDIAN_LIMIT_S, HIGH_LIMIT_S = 0.2, 0.35
_MAPS = ".sides svg"
_SETTLED = '[data-testid="stApp"][data-test-script-state="notRunning"]'
_AT_REST = """() => {
  // nothing is being computed and nothing changes any more
  const now = document.querySelector('[data-testid="stMain"]').innerText;
  const still = now === window.seen && !/^…$|\\t…|\\d of [\\d,]+ .*…/m.test(now);
  window.seen = now;
  return still;
}"""
_MEASURE = """(selectors) => {
  // from rest, a move changes every block that it touches: at least to "calculating range"
  const read = () => selectors.map(one =>
    [...document.querySelectorAll(one)].map(e => e.innerText).join('|'));
  const before = read();
  window.moved = new Promise((done, fail) => {
    setTimeout(() => fail(new Error('nothing moved: ' + selectors)), 60000);
    const watch = () => read().every((text, i) => text !== before[i])
      ? done((performance.now() - window.pressed) / 1000) : requestAnimationFrame(watch);
    document.addEventListener('keydown', () => { window.pressed = performance.now(); watch(); },
      {once: true, capture: true});
  });
}"""


PAGES = {
    "": (".gauge", ".sides"),
    "Density": (".numbers",),
    "Origin_Destination": (".gauge", ".numbers"),
    "Choose": (".plain",),
    "Decisions": (".verdict",),
    "Report": (".plain",),
}
"""The blocks of each page, as CSS selectors, that must all be new once ε has moved.

Gauges round: a density's can read the same at the next ε.
"""


def rows() -> Iterator[Row]:
    """Measure in headless Chromium; without one there are no rows."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        return
    from playwright.sync_api import sync_playwright  # part of the extra `test`

    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=list(FLAGS))
        browser.new_page().goto("data:text/html,a browser is open already when somebody comes")
        yield from _start_rows(browser)
        yield from _page_rows(browser)
        browser.close()


def _start_rows(browser: Any) -> Iterator[Row]:
    """Time from the command to numbers and maps, process start and imports included."""
    verdicts, maps = zip(*(_start(browser) for _ in range(STARTS)), strict=True)
    yield Row(
        f"home from start to verdict and maps, median of {STARTS}",
        statistics.median(maps),
        START_LIMIT_S,
        f"verdict after {statistics.median(verdicts):.1f} s; maps {maps[0]:.1f} s at first, "
        f"then {min(maps[1:]):.1f} to {max(maps[1:]):.1f} s",
    )


def _start(browser: Any) -> tuple[float, float]:
    context = browser.new_context(viewport={"width": 1440, "height": 900})  # nothing is cached
    page = context.new_page()
    begin = time.perf_counter()
    with served(AS_SHIPPED) as address:
        page.goto(address)
        page.wait_for_selector(".gauge .words", timeout=120_000)
        verdict = time.perf_counter() - begin
        page.wait_for_function(
            f"() => document.querySelectorAll('{_MAPS}').length >= 2", timeout=120_000
        )
        maps = time.perf_counter() - begin
        context.close()
    return verdict, maps


def _page_rows(browser: Any) -> Iterator[Row]:
    """Move ε on every page, with the shipped data; each is opened anew a few times."""
    with served(AS_SHIPPED) as address:
        for path, blocks in PAGES.items():
            times: list[float] = []
            for _ in range(STARTS):
                page = browser.new_page(viewport={"width": 1440, "height": 900})
                page.goto(f"{address}/{path}")
                page.wait_for_selector(blocks[-1], timeout=120_000)
                times += [_moved(page, blocks) for _ in range(MOVES)]
                page.close()
            name = path.replace("_", " ") or "Home"
            yield from _rows_of(f"ε moved on {name} to new numbers", times)


def _moved(page: Any, blocks: tuple[str, ...]) -> float:
    """Move ε once the page is at rest; return the seconds from the key to new numbers."""
    page.wait_for_selector(_SETTLED, timeout=120_000)
    page.wait_for_function(_AT_REST, polling=REST_MS, timeout=120_000)
    page.get_by_role("slider", name="Privacy loss").first.focus()
    page.evaluate(_MEASURE, list(blocks))
    page.keyboard.press("ArrowLeft")
    return float(page.evaluate("window.moved"))


def _rows_of(what: str, times: list[float]) -> list[Row]:
    return [
        Row(f"{what}, {len(times)} moves: {which}", quantile(times, share), limit)
        for which, share, limit in (
            ("median", 0.5, MEDIAN_LIMIT_S),
            ("95th percentile", 0.95, HIGH_LIMIT_S),
        )
    ]
