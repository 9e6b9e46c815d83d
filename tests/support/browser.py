"""Waiting for a page in a real browser: nothing is read before it stands still."""

import itertools
import re
from typing import Any

import pytest

playwright = pytest.importorskip("playwright.sync_api")
expect, TimeoutError = playwright.expect, playwright.TimeoutError

FLAGS = (
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
)
_PRESSED_MS, _STILL_MS = 300, 150
"""A slider waits for 200 ms before it tells the server where it was moved to."""
_CALLS = itertools.count()
_STANDS_STILL = """([call, pressedFor, stillFor]) => {
    const now = performance.now();
    if (!window.stillness) {
        const unanswered = new Set();
        const seen = window.stillness = {unanswered, pressed: now, changed: now};
        const press = () => { seen.pressed = performance.now(); };
        const change = () => { seen.changed = performance.now(); };
        for (const kind of ['keydown', 'pointerdown', 'click', 'input', 'change', 'popstate'])
            addEventListener(kind, press, true);
        addEventListener('resize', change);
        const all = {attributes: true, characterData: true, childList: true, subtree: true};
        new MutationObserver(change).observe(document, all);
        const send = WebSocket.prototype.send;
        WebSocket.prototype.send = function (...sent) {
            if (performance.now() - seen.pressed > 2000) return send.apply(this, sent); // a timer's
            if (!this.listenedTo) {
                for (const end of ['message', 'close'])
                    this.addEventListener(end, () => unanswered.delete(this));
                this.listenedTo = true;
            }
            unanswered.add(this);
            return send.apply(this, sent);
        };
    }
    const seen = window.stillness;
    const app = document.querySelector('[data-testid="stApp"]');
    const moves = one => one.playState === 'running'
        && Number.isFinite(one.effect.getComputedTiming().endTime);
    if (seen.call !== call || !app || app.dataset.testScriptState !== 'notRunning'
        || app.dataset.testConnectionState !== 'CONNECTED' || seen.unanswered.size
        || document.getAnimations().some(moves)) seen.changed = now;
    seen.call = call;
    return now - seen.pressed >= pressedFor && now - seen.changed >= stillFor;
}"""


def settled(page: Any) -> None:
    """Wait until the script has ended, the server has answered all presses and nothing moves.

    One look is not enough: the state reads "not running" between a press and the run that it
    starts, and before the first run of all. A busy server starts that run late: from the first call
    on a page, what is sent after a press and not answered yet counts as running. What a timer sends
    does not: a page that asks for a job's progress twice a second would never stand still.
    """
    page.wait_for_function(_STANDS_STILL, arg=[next(_CALLS), _PRESSED_MS, _STILL_MS])


def opened(page: Any, label: str) -> Any:
    """Open a picker's list, beside the sidebar where both have it, and return its options."""
    picker = page.get_by_role("combobox", name=label, exact=True).last
    options = page.get_by_role("option")
    for _ in range(5):
        if picker.get_attribute("aria-expanded") != "true":
            picker.click()
        try:
            options.first.wait_for(timeout=5_000)
        except TimeoutError:
            continue
        return options
    raise AssertionError(f"{label} does not open")


def choose(page: Any, label: str, option: str) -> None:
    """Choose in a picker, again if a rerun takes the list away, until the page shows the choice."""
    picker = page.get_by_role("combobox", name=label, exact=True).last
    for _ in range(5):
        try:
            opened(page, label).filter(has_text=option).first.click(timeout=5_000)
            expect(picker).to_have_value(re.compile(re.escape(option)), timeout=5_000)
        except (TimeoutError, AssertionError):
            continue
        settled(page)
        return
    raise AssertionError(f"{label} does not take {option}")
