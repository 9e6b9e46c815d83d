"""What P2's classifiers reached."""

PUBLISHED_AREAS = (0.614, 0.643)
"""Least and largest mean AUC of P2's Table S1, over noise, classifiers and features."""
