"""Waiting for a page in a real browser: nothing is read before it stands still."""

import itertools
from typing import Any

_CALLS = itertools.count()
_STANDS_STILL = """([call, still]) => {
    const app = document.querySelector('[data-testid="stApp"]');
    const now = performance.now();
    if (!window.stillness || window.stillness.call !== call) window.stillness = {call};
    if (!app || app.dataset.testScriptState !== 'notRunning'
        || app.dataset.testConnectionState !== 'CONNECTED') window.stillness.since = undefined;
    else window.stillness.since ??= now;
    return now - window.stillness.since >= still;
}"""


def settled(page: Any, *, still_ms: int = 250) -> None:
    """Wait until the page's script has not run for a while.

    One look is not enough: the state reads "not running" between a press and the run that it
    starts, and before the first run of all.
    """
    page.wait_for_function(_STANDS_STILL, arg=[next(_CALLS), still_ms])
