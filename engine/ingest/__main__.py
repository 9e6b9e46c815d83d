"""``python -m engine.ingest``: raw tables → a dataset."""

import sys

from engine.ingest.command import main

sys.exit(main(sys.argv[1:]))
