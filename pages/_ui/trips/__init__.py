"""The Origin–destination page."""
