"""Accessibility of a page in the browser, by axe-core, which comes with the test's package."""

from typing import Any

GRAVE = ("serious", "critical")
RULES = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}}


def serious(page: Any) -> list[str]:
    """Return one line for each serious violation: rule, element and what is wrong."""
    from axe_playwright_python.sync_playwright import Axe

    answer = Axe().run(page, options=RULES).response
    return [
        f"{one['id']} ({one['impact']}): {node['target']} {node['html'][:160]} – "
        f"{node.get('failureSummary', '').splitlines()[-1].strip()}"
        for one in answer["violations"]
        if one["impact"] in GRAVE
        for node in one["nodes"]
    ]
