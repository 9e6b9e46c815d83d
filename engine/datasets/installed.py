"""Names and folders of installed datasets."""

import argparse
import os
from pathlib import Path

_CHECKOUT_DATA = Path(__file__).parents[2] / "data"  # of a checkout, or of an installed package


def data_root() -> Path:
    """Return the folder of own datasets, releases and the ledger."""
    if variable := os.environ.get("MOBILITY_DATA"):
        return Path(variable)
    if (_CHECKOUT_DATA.parent / "pyproject.toml").is_file():
        return _CHECKOUT_DATA
    user = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(user) / "mobility-privacy-explorer"


def data_roots() -> tuple[Path, ...]:
    """Return the folders of datasets: `data_root`, and the shipped ones."""
    root = data_root()
    is_only_one = os.environ.get("MOBILITY_DATA") or root == _CHECKOUT_DATA
    return (root,) if is_only_one else (_CHECKOUT_DATA, root)


def parse_output_folder(text: str) -> Path:
    """Return the folder of a dataset to build: a path, or by a name alone one of `data_root`."""
    if Path(text).name != text:
        return Path(text)
    folder = data_root() / "local" / text
    if available().get(text, folder) != folder:
        raise argparse.ArgumentTypeError(f"the name {text!r} is taken; choose another name or path")
    return folder


def available() -> dict[str, Path]:
    """Return the folders of all installed datasets by name: shipped ones first, then local."""
    folders = {
        path.parent.name: path.parent
        for root in reversed(data_roots())
        for path in sorted(root.glob("*/current"))
    }
    for pointer in sorted((data_root() / "local").glob("*/current")):
        folders.setdefault(pointer.parent.name, pointer.parent)
    # a hidden folder is being copied or deleted
    return {name: folder for name, folder in folders.items() if not name.startswith(".")}
