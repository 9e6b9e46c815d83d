"""What must not be imported before it is needed: every slow library is half a second of waiting."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
NEVER_FIRST = ["duckdb", "h3", "pyspark", "scipy.signal", "scipy.stats", "sklearn"]
"""Each is loaded by the page or the method that needs it, then."""


HOME = """from streamlit.testing.v1 import AppTest
app = AppTest.from_file("app.py", default_timeout=120).run()
assert not app.exception and app.select_slider(key="epsilon")"""


@pytest.mark.parametrize(
    ("script", "reached", "later"),
    [
        (HOME, "pages._ui.home.home_picture", ["altair", "opendp"]),
        ("import engine", "engine", ["numpy", "pandas"]),
        ("import engine.release.command", "opendp", ["opendp.extras", "nbformat"]),
        ("import engine.decisions", "engine.decisions", ["opendp"]),
        ("import engine.frontier", "engine.frontier", ["opendp"]),
    ],
)
def test_what_starts_loads_no_library_that_others_need(script, reached, later):
    script += "\nimport json, sys; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = json.loads(done.stdout.strip().splitlines()[-1])
    assert reached in loaded
    assert not {*NEVER_FIRST, *later} & set(loaded)
