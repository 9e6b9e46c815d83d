"""The Release page."""
