"""Colours with a meaning, the same on every page."""

from engine.verdict import Verdict

TRUE, PRIVATE, OTHER, HERE = "#7f7f7f", "#2a8fbd", "#c9782f", "#d1495b"
"""Truth is grey, private blue, a third line orange, "you are here" red: safe for colour-blind
readers and legible on light and dark."""

SERIES = (PRIVATE, OTHER, TRUE, "#8e6bbd", "#2a9d6f", HERE, "#b5579c")
"""Of curves side by side: told apart by colour-blind readers, on light and dark."""

LOST, PHANTOM, INFLATED = "#aa33ff", "#cc3300", "#ee66dd"
"""A flow that should be shown and reads 0, one that is shown where nobody travelled, and one that
noise makes far larger than it is: no colour of the scale of sizes, for colour-blind readers either.
Maps draw them hollow, too, or with a broken edge."""

MORE, LESS = "#1b8a3a", "#9d5ad8"
"""More than there truly is, drawn solid; less, drawn hollow or striped."""

LEVELS: dict[Verdict, str] = {"good": "#2a7fc0", "partly": "#dd9a1a", "noisy": "#c0243f"}
SIGNS: dict[Verdict, str] = {"good": "✓", "partly": "≈", "noisy": "✕"}
"""The three steps of a verdict (`engine.verdict`): colours that colour-blind readers tell apart,
and the sign that stands with each."""
