"""``python -m engine.datasets upgrade FOLDER …``: rewrite datasets in the present format."""

import argparse
import sys
from pathlib import Path

from ..errors import ExplorerError
from .growth import upgrade


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m engine.datasets", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("upgrade", help="trips by day, as a new version of each dataset")
    command.add_argument("folders", nargs="+", type=Path, help="folders of datasets")
    for folder in parser.parse_args(arguments).folders:
        try:
            dataset = upgrade(folder.resolve())
        except (ExplorerError, OSError) as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
        print(f"{dataset.id}: format {dataset.metadata.format_version}, {dataset.folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
