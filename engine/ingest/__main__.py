"""``python -m engine.ingest``: raw tables → a dataset."""

import sys

from ..command import main

if __name__ == "__main__":
    sys.exit(main(["ingest", *sys.argv[1:]]))
