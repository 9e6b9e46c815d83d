"""Datasets named by a key: the folder of a version and, behind an @, the resolution of a view."""

from collections.abc import Callable
from pathlib import Path

from engine.datasets import Dataset
from engine.resolution.coarse import coarsen
from engine.resolution.inhabited import INHABITED, InhabitedDataset
from engine.resolution.levels import Resolution, parse


def view_key(folder: str, resolution: Resolution) -> str:
    """Return the key of a version's folder at a resolution; the folder itself at the finest.

    Examples
    --------
    >>> view_key("data/paris/0a1b", Resolution(zones="clusters-30"))
    'data/paris/0a1b@clusters-30,day'
    """
    return folder if resolution.finest else f"{folder}@{resolution.text}"


def folder_of(key: str) -> str:
    """Return the folder of a key, without its resolution.

    Examples
    --------
    >>> folder_of("me@home/0a1b@clusters-30,day"), folder_of("me@home/0a1b")
    ('me@home/0a1b', 'me@home/0a1b')
    """
    path = Path(key)
    return str(path.with_name(path.name.partition("@")[0]))


def resolution_of(key: str) -> Resolution:
    """Return the resolution of a key.

    Raises
    ------
    ParameterError
        If what stands behind the @ is none.

    Examples
    --------
    >>> resolution_of("data/paris/0a1b@clusters-30,day").zones
    'clusters-30'
    """
    text = Path(key).name.partition("@")[2]
    return parse(text) if text else Resolution()


def open_view(key: str, opened: Callable[[str], Dataset] | None = None) -> Dataset:
    """Open the dataset of a key.

    Parameters
    ----------
    key : str
        From `view_key`.
    opened : callable, optional
        Opens a folder; give one that keeps what it has opened, so that views share their base.

    Raises
    ------
    DatasetError
        If it is missing or damaged.
    ParameterError
        If it has no such level of zones.

    Examples
    --------
    >>> from engine import datasets
    >>> demo = datasets.load("demo-city")
    >>> len(open_view(view_key(str(demo.folder), Resolution(zones="clusters-20"))).zones)
    20
    """
    folder, resolution = folder_of(key), resolution_of(key)
    base = Dataset(Path(folder)) if opened is None else opened(folder)
    if resolution.zones == INHABITED:
        return InhabitedDataset(base)
    return coarsen(base, resolution)
