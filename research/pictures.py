"""Draw the pictures of README and docs anew, of what opens at first: ``make pictures``."""

import shutil
from typing import Any

from playwright.sync_api import sync_playwright

from tests.support.browser import FLAGS, settled
from tests.support.server import ROOT, served

PICTURES = {"home-1280-light.jpg": "", "release.png": "Release", "data.png": "Data"}
"""Files in ``docs/images``, and the page that each shows."""
REST_MS = 5_000
"""Then ranges stand there, too."""


def main() -> None:
    """Draw every picture in 1280 × 720, light."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    size: Any = {"width": 1280, "height": 720}
    with served() as address, sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=list(FLAGS))
        for name, path in PICTURES.items():
            page = browser.new_page(viewport=size, color_scheme="light")
            page.goto(f"{address}/{path}")
            settled(page)
            if not path:
                page.locator(".advice").wait_for(timeout=120_000)
            page.wait_for_timeout(REST_MS)
            settled(page)
            print(page.screenshot(path=ROOT / "docs" / "images" / name) and name)
            page.close()


if __name__ == "__main__":
    main()
