"""``python -m engine.release``: declare a budget, then release tables once."""

import sys

from ..command import main

if __name__ == "__main__":
    sys.exit(main(["release", *sys.argv[1:]]))
