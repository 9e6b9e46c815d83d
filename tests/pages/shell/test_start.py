"""What must not be imported before it is needed: every slow library is half a second of waiting."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
NEVER_FIRST = ["duckdb", "h3", "pyspark", "scipy.signal", "scipy.stats", "sklearn"]
"""Each is loaded by the page or the method that needs it, then."""


@pytest.mark.parametrize(
    ("module", "reached", "later"),
    [
        ("pages._ui.home.home_page", "pages._ui.home.home_picture", ["altair", "opendp"]),
        ("engine", "engine", ["numpy", "pandas"]),
        ("engine.release_arguments", "argparse", ["numpy", "pandas"]),
        ("engine.release.command", "opendp", ["opendp.extras", "nbformat"]),
        ("engine.decisions", "engine.decisions", ["opendp"]),
        ("engine.frontier", "engine.frontier", ["opendp"]),
    ],
)
def test_a_module_starts_without_libraries_that_others_need(module, reached, later):
    script = f"import json, sys, {module}; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = json.loads(done.stdout.strip().splitlines()[-1])
    assert reached in loaded
    assert not {*NEVER_FIRST, *later} & set(loaded)
