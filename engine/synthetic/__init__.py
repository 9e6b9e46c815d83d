"""Simulated people in real or invented outlines: everything that is shipped in ``data/``.

One seeded generator family: people with a home, a work place and other places, activity by hour
and weekday, heavy users, land use that is smooth in space, flows that fall with distance. The
same command makes the same table contents under the pinned versions of ``constraints.txt``.
"""

from collections.abc import Callable
from pathlib import Path

from engine.datasets import Dataset, data_root
from engine.errors import DatasetError
from engine.synthetic.catalogue import CITIES
from engine.synthetic.city import make_city

Progress = Callable[[float], None]


def names() -> tuple[str, ...]:
    """Return the names of all datasets that `make` can make."""
    return tuple(CITIES)


def make(name: str, root: Path | None = None, progress: Progress = lambda _: None) -> Dataset:
    """Make the simulated dataset `name` in a folder of that name under `root`.

    Parameters
    ----------
    name : str
        One of `names`.
    root : Path, optional
        Folder of all datasets; the installed one if None.
    progress : callable, optional
        Called with the share done, 0 to 1.

    Raises
    ------
    DatasetError
        If the name is unknown; the message lists the known ones.

    Examples
    --------
    >>> make("demo-city", root=Path("scratch"))  # doctest: +SKIP
    Dataset('demo-city', version='…')
    """
    folder = (root or data_root()) / name
    if name in CITIES:
        return make_city(CITIES[name], folder, progress)
    raise DatasetError(f"there is no simulated dataset '{name}'; known are {', '.join(names())}")
