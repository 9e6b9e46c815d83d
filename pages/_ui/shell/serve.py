"""Serve the dashboard: ``python -m pages._ui.shell.serve [options of streamlit run]``.

Like ``streamlit run app.py``, but large libraries and the first page's data are loaded while the
server starts and the browser connects, not when the first page is asked for.
"""

import importlib
import sys
import threading
import time
from pathlib import Path

from streamlit import runtime
from streamlit.web import cli

APP = Path(__file__).parents[3] / "app.py"
FIRST = ("pandas", "engine.density", "engine.origin_destination")
LATER = ("pages._ui.drawing.charts", "pydeck")


def prepare() -> None:
    """Import what numbers need, compute home's first ones, then import what draws charts."""
    for name in FIRST:
        importlib.import_module(name)
    while not runtime.exists():  # Streamlit's caches ask for it
        time.sleep(0.01)
    importlib.import_module("pages._ui.shell.warm").home()
    for name in LATER:
        importlib.import_module(name)


def main() -> None:
    """Serve until interrupted."""
    threading.Thread(target=prepare, daemon=True, name="prepare").start()
    sys.argv = ["streamlit", "run", str(APP), *sys.argv[1:]]
    cli.main()


if __name__ == "__main__":
    main()
