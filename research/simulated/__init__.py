"""Simulated people in real or invented outlines: everything that is shipped in ``data/``.

People with a home, a work place and other places, activity by hour and weekday, heavy users, land
use that is smooth in space, flows that fall with distance. The same command makes the same tables
under the pinned versions of ``constraints.txt``: ``python -m research.simulated demo-city``.
"""
