"""A verdict in words, as one coloured block."""

import html

from engine.verdict import Verdict
from pages._ui.components.colours import SIGNS

LEVEL_WORDS: dict[Verdict, str] = {
    "good": "Usable",
    "partly": "Usable in part",
    "noisy": "Not usable",
}


def verdict_html(
    level: Verdict,
    sentence: str,
    note: str = "",
    *,
    title: str = "",
    rule: str = "",
    css_class: str = "verdict",
) -> str:
    """Return a verdict as one coloured block; its level is said in words.

    What is recommended looks like ``advice``.
    """
    small = f"<small>{html.escape(note)}</small>" if note else ""
    sign = f'<span aria-hidden="true">{SIGNS[level]}</span>'
    head = f"<strong>{sign} {html.escape(title) or LEVEL_WORDS[level]}</strong>"
    hint = f' title="{html.escape(rule)}"' if rule else ""
    return (
        f'<div class="{css_class} {level}" role="status"{hint}>{head}{html.escape(sentence)}{small}'
        "</div>"
    )
