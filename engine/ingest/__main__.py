"""``python -m engine.ingest``: raw tables → a dataset."""

import sys

try:
    from engine.ingest.command import main

    sys.exit(main(sys.argv[1:]))
except KeyboardInterrupt:  # while modules are still being imported
    print("stopped; nothing was written", file=sys.stderr)
    sys.exit(130)
