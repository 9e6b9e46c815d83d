"""Colours with a meaning, the same on every page."""

TRUE, PRIVATE, OTHER, HERE = "#7f7f7f", "#2a8fbd", "#c9782f", "#d1495b"
"""Truth is grey, private blue, a third line orange, "you are here" red: safe for colour-blind
readers and legible on light and dark."""

LOST, PHANTOM, INFLATED = "#b5579c", "#d55e00", "#e0a100"
"""A flow that should be shown and reads 0, one that is shown where nobody travelled, and one that
noise makes far larger than it is."""
