"""The Choose ε page."""
