"""Run ``python -m engine``: the command of a checkout."""

import sys

from engine.command import main

if __name__ == "__main__":
    sys.exit(main())
