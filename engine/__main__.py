"""Run ``python -m engine``: the command of a checkout."""

import sys

from .command import main

if __name__ == "__main__":
    sys.exit(main())
