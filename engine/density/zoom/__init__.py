"""Density counted at five zoom levels by one Gaussian mechanism, read by statistics.

`measure.measure` is the only step that sees counts; `reading.read` is a pure function of what it
returns and of public geometry. ``docs/density.md`` has the proof and where it loses.
"""
