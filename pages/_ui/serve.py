"""Serve the dashboard: ``python -m pages._ui.serve [options of streamlit run]``.

Like ``streamlit run app.py``, but large libraries are loaded while the server starts and the
browser connects, not when the first page is asked for.
"""

import importlib
import sys
import threading
from pathlib import Path

from streamlit.web import cli

APP = Path(__file__).parents[2] / "app.py"
LIBRARIES = ("pandas", "engine.density", "engine.origin_destination", "altair", "pydeck")


def preload() -> None:
    """Import what every page needs."""
    for name in LIBRARIES:
        importlib.import_module(name)


def main() -> None:
    """Serve until interrupted."""
    threading.Thread(target=preload, daemon=True, name="preload").start()
    sys.argv = ["streamlit", "run", str(APP), *sys.argv[1:]]
    cli.main()


if __name__ == "__main__":
    main()
