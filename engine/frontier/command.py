"""Which settings to choose: ``python -m engine.frontier demo-city --time period --zones 30``."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

from .. import datasets, privacy
from ..contract import Step
from ..errors import ParameterError, exit_code
from .candidate import Candidate
from .need import Need, Protected, Read
from .search import Frontier, frontier
from .tables import LEAK, SUFFIXES, moves, words, write


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    parser = argparse.ArgumentParser(prog="mobility-privacy-explorer frontier", description=__doc__)
    parser.add_argument("dataset", help="name or folder")
    parser.add_argument("--time", choices=get_args(Step), default="day", help="long enough")
    parser.add_argument("--zones", default="1", help="least number of zones, or a level's name")
    parser.add_argument(
        "--unit", choices=get_args(Protected), default="person-day", help="least that is protected"
    )
    parser.add_argument("--read", choices=get_args(Read), default="flows", help="what is read")
    parser.add_argument(
        "--risk", type=float, default=100 * privacy.STRONG_GUESS, help="most risk, in percent"
    )
    parser.add_argument("--out", type=Path, help="all candidates, FILE.json or FILE.csv")
    options = parser.parse_args(arguments)
    return exit_code(lambda: _run(options))


def _run(options: argparse.Namespace) -> None:
    zones = int(options.zones) if options.zones.isdecimal() else options.zones
    need = Need(time=options.time, zones=zones, unit=options.unit, read=options.read)
    if options.out is not None and options.out.suffix not in SUFFIXES:
        raise ParameterError(f"out must end in {', '.join(SUFFIXES)}, got '{options.out.name}'")
    if not 50 < options.risk <= 100:
        raise ParameterError(
            f"risk must be above 50 and at most 100 percent, got {options.risk:g}; half is "
            "guessed by a coin, 75 is strong"
        )
    dataset = datasets.load(options.dataset)
    result = frontier(dataset, need, progress=_show)
    for line in _lines(result, options.risk / 100):
        print(line)
    if options.out is not None:
        write(result, options.out, options.risk / 100)


def _lines(result: Frontier, limit: float) -> Iterator[str]:
    settings, line = len(result.candidates), len(result.frontier)
    yield f"{settings:,} settings meet the need, {line} of them on the frontier"
    one = result.recommended(limit)
    if one is None:
        yield f"None has a best guess of at most {limit:.1%}."
    else:
        yield f"{'Recommended' if one.usable else 'Best, and not usable'}: {words(one)}"
        yield "By one step of one lever:"
        yield from (f"  {lever}: risk {risk}, use {use}" for lever, risk, use in moves(result, one))
    ways = result.way_out(limit)
    if ways:
        yield "By giving way in one thing:"
    for way in ways:
        yield f"  {way.lever}: {words(way.candidate)}"
    if result.confidential:
        yield f"Note: {LEAK}."


def _show(done: float, _: Sequence[Candidate]) -> None:
    if sys.stderr.isatty():
        print(f"\r{done:4.0%}", end="\n" if done >= 1 else "", file=sys.stderr, flush=True)
