"""The errors of this package: rule, value and remedy apart, and a code.

All of them derive from :class:`ExplorerError`. ``str(error)`` is the whole message, fit to be shown
to a person; a command line or a page may word the remedy in its own terms by `settings`, the names
of the settings that correct it. No message ever contains a row of the data, and no name in it can
steer a terminal.
"""

import argparse
import sys
import unicodedata
from collections.abc import Callable
from datetime import date


class ExplorerError(Exception):
    """Base class of every error that is meant to be read by a person.

    `rule` is the requirement, `value` the value given instead (a setting, never a value of the
    data), `remedy` the correction, `code` a short stable name such as ``unparsable``.

    >>> str(ExplorerError("delta must be below 1", value="2", remedy="choose it smaller"))
    'delta must be below 1 (given: 2). Choose it smaller.'
    """

    def __init__(
        self,
        rule: str = "",
        *,
        value: str = "",
        remedy: str = "",
        code: str = "",
        settings: tuple[str, ...] = (),
    ) -> None:
        super().__init__(rule)
        self.rule = rule
        self.value = value
        self.remedy = remedy
        self.code = code
        self.settings = settings

    def __str__(self) -> str:
        """Return rule with value, and remedy, as sentences; unprintable characters as a ``?``."""
        given = f" (given: {self.value})" if self.value else ""
        sentences = (self.rule + given, self.remedy[:1].upper() + self.remedy[1:])
        message = " ".join(text + "." * (text[-1] not in ".?!") for text in sentences if text)
        # control characters, such as ESC of a terminal, and halves of characters
        return "".join("?" if unicodedata.category(c)[0] == "C" else c for c in message)

    def __repr__(self) -> str:
        """Return class and whole message."""
        return f"{type(self).__name__}({str(self)!r})"


class ParameterError(ExplorerError, ValueError):
    """A setting is outside its domain; the message has rule, value and remedy."""


class InputError(ExplorerError, ValueError):
    """Raw data cannot be used; the message names file, column, row count and remedy."""


class DatasetError(ExplorerError):
    """A dataset folder is unknown, incomplete, corrupted or lacks the requested part."""


def parse_number(text: str) -> float:
    """Return a number that was typed on a command line."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"write a number such as 0.5 (given: {text!r})") from None


def parse_day(text: str) -> date:
    """Return a day that was typed on a command line."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        rule = f"write a day such as 2024-01-31 (given: {text!r})"
        raise argparse.ArgumentTypeError(rule) from None


def add_json_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--json``, which a part prints in place of its sentences."""
    parser.add_argument("--json", action="store_true", help="print JSON in place of sentences")


def run_command(run: Callable[[], object], interrupted: str = "interrupted") -> int:
    """Run a command; return 0, 2 with one line on standard error, or 130 if it is interrupted."""
    try:
        run()
    except (ExplorerError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"\n{interrupted}", file=sys.stderr)
        return 130
    return 0
