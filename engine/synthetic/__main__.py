"""Make simulated datasets: ``python -m engine.synthetic demo-city``, ``all``, or ``twin …``."""

import argparse
import sys
import time
from pathlib import Path

from .. import synthetic
from ..errors import exit_code
from . import twincommand


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m engine.synthetic", description=__doc__)
    parser.add_argument(
        "names",
        nargs="+",
        metavar="name",
        help=f"{', '.join(synthetic.names())}; 'all' makes the shipped ones; "
        "'twin --help': your own zones",
    )
    parser.add_argument("--root", type=Path, help="folder of all datasets; data/ by default")
    given = sys.argv[1:] if arguments is None else arguments
    if given[:1] == ["twin"]:
        return twincommand.main(given[1:])
    options = parser.parse_args(given)
    names = synthetic.shipped() if options.names == ["all"] else options.names
    return exit_code(
        lambda: [_make(name, options.root) for name in names],
        "interrupted; finished days are kept for the next start",
    )


def _make(name: str, root: Path | None) -> None:
    start = time.perf_counter()

    def show(done: float) -> None:
        print(f"\r{name}: {done:4.0%}", end="", file=sys.stderr, flush=True)

    dataset = synthetic.make(name, root, show)
    print(file=sys.stderr)
    seconds = time.perf_counter() - start
    print(f"{name}: {dataset.size_bytes / 1e6:.1f} MB, {seconds:.0f} s, {dataset.folder.name}")


if __name__ == "__main__":
    sys.exit(main())
