"""Sentences and formats used on more than one page."""
