"""Large numbers: each with its uncertainty and one line of plain meaning."""

import html
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from engine.verdict import Verdict
from pages._ui.components.colours import SIGNS

_VERDICT_LABELS = {"good": "Usable", "partly": "Usable in part", "noisy": "Not usable"}


@dataclass(frozen=True)
class Card:
    """One large number."""

    label: str
    value: str
    interval: str
    meaning: str


def draw(cards: Sequence[Card]) -> None:
    """Draw the cards side by side; all text is escaped."""
    st.html('<div class="cards">' + "".join(_card_html(card) for card in cards) + "</div>")


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
    head = f"<strong>{sign} {html.escape(title) or _VERDICT_LABELS[level]}</strong>"
    hint = f' title="{html.escape(rule)}"' if rule else ""
    return (
        f'<div class="{css_class} {level}" role="status"{hint}>{head}{html.escape(sentence)}{small}'
        "</div>"
    )


def _card_html(card: Card) -> str:
    label, value, interval, meaning = (
        html.escape(text) for text in (card.label, card.value, card.interval, card.meaning)
    )
    figure = f'<span class="value">{value}</span> <span class="range">{interval}</span>'
    return (
        f'<div class="card"><div class="label">{label}</div><div class="figure">{figure}</div>'
        f'<div class="meaning">{meaning}</div></div>'
    )
