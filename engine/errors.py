"""The errors this package raises on purpose: rule, value, remedy.

All of them derive from :class:`ExplorerError`, so that a page or the command line can show
``str(error)`` to a person. No message ever contains a row of the data.
"""


class ExplorerError(Exception):
    """Base class of every error that is meant to be read by a person."""


class ParameterError(ExplorerError, ValueError):
    """A setting is outside its domain; the message says rule, value and remedy."""


class InputError(ExplorerError, ValueError):
    """Raw data cannot be used; the message names file, column, row count and remedy."""


class DatasetError(ExplorerError):
    """A dataset folder is unknown, incomplete, corrupted or lacks the part asked for."""
