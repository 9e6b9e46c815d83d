"""The Data page in a real browser: files are given, a dataset is built."""

import re
from typing import Any

from tests.support.browser import settled


def open_data(page: Any, address: str) -> None:
    page.goto(f"{address}/Data")
    page.get_by_role("button", name="Build the dataset").wait_for()
    settled(page)


def drop(page: Any, place: int, name: str, contents: bytes) -> None:
    """Give a file to the first, second or third place that takes one."""
    file = {"name": name, "mimeType": "text/csv", "buffer": contents}
    page.locator('input[type="file"]').nth(place).set_input_files(file)
    page.get_by_title(name, exact=True).wait_for()  # long names are shortened, not the title
    settled(page)


def build(page: Any, within_ms: int | None = None) -> str:
    """Press the button and return what is said at the end."""
    page.get_by_role("button", name="Build the dataset").click()
    ends = re.compile("was built in|cannot be built", re.IGNORECASE)
    verdict = page.locator(".verdict").filter(has_text=ends)
    verdict.wait_for(timeout=within_ms)
    settled(page)
    text: str = verdict.inner_text()
    return text
