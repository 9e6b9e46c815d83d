"""Run ``python -m engine.release``."""

import sys

from engine.release.command import main

if __name__ == "__main__":
    sys.exit(main())
