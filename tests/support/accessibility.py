"""Accessibility of a page in the browser, by axe-core, which comes with the test's package."""

from typing import Any

GRAVE = ("serious", "critical")
RULES = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}
COLOUR_RULES = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
"""The rules that a theme can break."""


def serious(page: Any, part: str | None = None, rules: dict[str, Any] = RULES) -> list[str]:
    """Return one line for each serious violation: rule, element and what is wrong.

    Parameters
    ----------
    part : str, optional
        Style selector of the part that is looked at; else the whole page.
    """
    from axe_playwright_python.sync_playwright import Axe

    options = {"runOnly": rules, "resultTypes": ["violations"]}
    answer = Axe().run(page, context=part, options=options).response
    return [
        f"{one['id']} ({one['impact']}): {node['target']} {node['html'][:160]} – "
        f"{node.get('failureSummary', '').splitlines()[-1].strip()}"
        for one in answer["violations"]
        if one["impact"] in GRAVE
        for node in one["nodes"]
    ]
