"""The Density page."""
