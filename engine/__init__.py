"""Mechanisms, exact distributions and metrics behind the Mobility Privacy Explorer."""
