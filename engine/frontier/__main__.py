"""Run ``python -m engine.frontier``."""

import sys

from engine.frontier.command import main

if __name__ == "__main__":
    sys.exit(main())
