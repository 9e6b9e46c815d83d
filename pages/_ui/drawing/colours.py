"""Colours with a meaning, the same on every page."""

TRUE, PRIVATE, OTHER, HERE = "#7f7f7f", "#2a8fbd", "#c9782f", "#d1495b"
"""Truth is grey, private blue, a third line orange, "you are here" red: safe for colour-blind
readers and legible on light and dark."""
