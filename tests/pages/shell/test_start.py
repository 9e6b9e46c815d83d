"""What home imports before its first number: every slow library is half a second of waiting."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
LATER = ["altair", "duckdb", "h3", "ibis", "opendp", "pyspark", "scipy.signal", "scipy.stats"]
"""Each is loaded by the page or the method that needs it, then."""

SCRIPT = "import json, sys, pages._ui.home.page; print(json.dumps(sorted(sys.modules)))"


def test_home_starts_without_libraries_that_others_need():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = json.loads(done.stdout.strip().splitlines()[-1])
    assert "pages._ui.home.stage" in loaded
    assert not set(LATER) & set(loaded)
