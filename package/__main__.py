"""Run ``python -m mobility_privacy_explorer``: the installed command."""

import sys

from .engine.command import main

if __name__ == "__main__":
    sys.exit(main())
