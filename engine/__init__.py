"""Mechanisms, exact laws and metrics behind the Mobility Privacy Explorer."""
