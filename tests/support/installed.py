"""A new environment with the explorer alone; other libraries are read where they are."""

import subprocess
import sys
import venv
from pathlib import Path

import pytest

PIP = (sys.executable, "-m", "pip")
OFFLINE = ("-q", "--no-deps", "--no-index")


def succeed(*command: object, **options: object) -> str:
    """Run a command that must succeed and return what it printed."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def built(checkout: Path, folder: Path) -> Path:
    """Build the wheel of a checkout into a folder; setuptools writes into the checkout as well."""
    pytest.importorskip("setuptools", minversion="77", reason="`make test` installs a newer one")
    succeed(*PIP, "wheel", *OFFLINE, "--no-build-isolation", "-w", folder, checkout)
    (wheel,) = folder.glob("*.whl")
    return wheel


def environment(folder: Path, wheel: Path) -> Path:
    """Make an environment with the wheel and return the folder of its programs."""
    venv.create(folder, symlinks=True)
    succeed(*PIP, "--python", folder / "bin" / "python", "install", *OFFLINE, wheel)
    (site,) = (folder / "lib").glob("python*/site-packages")
    # a line of a .pth file is a folder to look in; .pth files in there are not read
    others = [path for path in sys.path if Path(path).name == "site-packages"]
    (site / "others.pth").write_text("\n".join(others), encoding="utf-8")
    return folder / "bin"
