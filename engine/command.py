"""The command ``mobility-privacy-explorer`` (in a checkout ``python -m engine``) and its parts."""

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

NAME = "mobility-privacy-explorer"
APP = Path(__file__).parents[1] / "app.py"
SUBCOMMANDS = {
    "ingest": ("ingest.command", "raw tables to a dataset of counts"),
    "twin": ("synthetic.twin_command", "simulated people in your own zones, from public facts"),
    "frontier": ("frontier_command", "which settings to choose"),
    "release": ("release.command", "release tables once: declare a budget, then release"),
}
"""Module with ``main(arguments)`` of each part, and its purpose."""

PACKAGE_EXTRAS = {"opendp": "release", "pyspark": "spark"}
"""Extra that installs a library that a part may miss."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one part with the arguments after its name, and return its exit code.

    >>> main(["fly"])
    2
    """
    streams: list[Any] = [sys.stdout, sys.stderr]
    for stream in streams:
        if hasattr(stream, "reconfigure"):  # an ASCII terminal shows ? for ε, and no traceback
            stream.reconfigure(errors="replace")
    words = list(sys.argv[1:] if arguments is None else arguments)
    part, rest = (words[0], words[1:]) if words else ("--help", [])
    if part == "run":
        return _run(rest)
    if part in ("-h", "--help"):
        print(_format_usage())
        return 0
    if part in ("-V", "--version"):
        print(_read_version())
        return 0
    if part not in SUBCOMMANDS:
        print(f"error: there is no part '{part}'\n\n{_format_usage()}", file=sys.stderr)
        return 2
    previous_handler = signal.getsignal(signal.SIGINT)
    if previous_handler is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _stop_at_once)  # while modules are being imported
    try:
        module = import_module(f"{__package__}.{SUBCOMMANDS[part][0]}")
        signal.signal(signal.SIGINT, previous_handler)
        return module.main(rest)
    except BrokenPipeError:  # the reader has closed the pipe, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except ModuleNotFoundError as error:
        if error.name not in PACKAGE_EXTRAS:
            raise
        hint = _format_install_hint(PACKAGE_EXTRAS[error.name])
        print(f"error: '{part}' needs {error.name}; {hint}", file=sys.stderr)
        return 2


def build_run_parser() -> argparse.ArgumentParser:
    """Return the parser of ``run``; what it does not know is Streamlit's."""
    parser = argparse.ArgumentParser(
        prog=f"{NAME} run",
        usage="%(prog)s [-h] [--port PORT] [--public] [--allow-release] [-- STREAMLIT OPTIONS]",
        description="Serve the dashboard at http://127.0.0.1:8501, to your own account alone.",
        epilog="After -- stand options of Streamlit, such as --server.address 0.0.0.0; "
        "'streamlit run --help' lists them.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--port", type=int, help="port to listen on; default: 8501")
    add("--public", action="store_true", help="show simulated people only, take no file, release "
        "nothing: for a server that everybody can reach")  # fmt: skip
    add("--allow-release", action="store_true", help="let others who reach the server release, too")
    return parser


def _run(arguments: list[str]) -> int:
    options, rest = build_run_parser().parse_known_args([w for w in arguments if w != "--"])
    if find_spec("streamlit") is not None:
        # many sessions share the cores: threads of algebra would wait for each other
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        rest += ["--server.port", str(options.port)] if options.port is not None else []
        flags = {"--public": options.public, "--allow-release": options.allow_release}
        rest += ["--", *(flag for flag, is_set in flags.items() if is_set)]
        # the same process: a signal ends the server, not its starter alone
        os.execv(sys.executable, [sys.executable, "-m", "streamlit", "run", str(APP), *rest])
    print(f"error: the dashboard needs streamlit; {_format_install_hint('app')}", file=sys.stderr)
    return 2


def _format_install_hint(extra: str) -> str:
    return f'pip install "{NAME}[{extra}]"'


def _format_usage() -> str:
    parts = {"run": "serve the dashboard at http://127.0.0.1:8501"}
    parts |= {part: words for part, (_, words) in SUBCOMMANDS.items()}
    lines = [f"  {part:<10}{words}" for part, words in parts.items()]
    head = f"usage: {NAME} [-h] [-V | --version] PART …"
    tail = f"'{NAME} PART --help' lists what it takes; --version prints the version."
    return "\n".join([head, "", *lines, "", tail])


def _read_version() -> str:
    try:
        return version(NAME)
    except PackageNotFoundError:
        return "not installed: a checkout"


def _stop_at_once(*_: Any) -> None:
    """End at once: nothing has been written, and a compiled module may swallow an exception."""
    if sys.stderr is not None:
        print("stopped; nothing was written, nor spent", file=sys.stderr, flush=True)
    os._exit(130)
