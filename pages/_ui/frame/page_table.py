"""The pages of the application, one row each."""

from typing import NamedTuple

from pages._ui.app.origin import is_public


class Page(NamedTuple):
    """Title, the part that the page is about (else what home shows), and who may see it."""

    title: str
    part: str = ""
    on_public_servers: bool = True


HOME, REPORT, DATA = "pages/0_Home.py", "pages/5_Report.py", "pages/7_Data.py"
PAGES = {
    HOME: Page("Home"),
    "pages/1_Density.py": Page("Density", "density"),
    "pages/2_Origin_Destination.py": Page("Origin–destination", "trips"),
    "pages/3_Choose.py": Page("Choose"),
    "pages/4_Decisions.py": Page("Decisions", "trips"),
    REPORT: Page("Report", "trips"),
    "pages/6_Release.py": Page("Release", on_public_servers=False),
    DATA: Page("Data", on_public_servers=False),
}
"""By path: to explore, to decide, to publish, and their data."""


def has_page(path: str) -> bool:
    """Whether a page is part of this server."""
    return PAGES[path].on_public_servers or not is_public()
