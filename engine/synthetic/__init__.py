"""Simulated people in real or invented outlines: everything that is shipped in ``data/``.

One seeded generator family: people with a home, a work place and other places, activity by hour
and weekday, heavy users, land use that is smooth in space, flows that fall with distance. The
same command makes the same table contents under the pinned versions of ``constraints.txt``.
"""

from pathlib import Path

from .. import datasets
from ..datasets import Dataset
from ..errors import DatasetError
from .catalogue import CITIES, COUNTRIES, ON_FIRST_USE
from .city import make_city
from .country import make_country
from .triptables import Progress


def shipped() -> tuple[str, ...]:
    """Return the names of the datasets that come with the product."""
    return (*CITIES, *COUNTRIES)


def names() -> tuple[str, ...]:
    """Return the names of all datasets that `make` can make."""
    return (*shipped(), *ON_FIRST_USE)


def make(name: str, root: Path | None = None, progress: Progress = lambda _: None) -> Dataset:
    """Make the simulated dataset `name` in a folder of that name.

    Parameters
    ----------
    name : str
        One of `names`.
    root : Path, optional
        Folder of all datasets. If None it is the installed one, or its folder ``local`` for a
        dataset that is not shipped.
    progress : callable, optional
        Called with the share done, 0 to 1.

    Raises
    ------
    DatasetError
        If the name is unknown (the message lists the known ones) or the disk is full.

    Examples
    --------
    >>> make("demo-city", root=Path("scratch"))  # doctest: +SKIP
    Dataset('demo-city', version='…')
    """
    if name not in names():
        raise DatasetError(
            f"there is no simulated dataset '{name}'; known are {', '.join(names())}"
        )
    installed = datasets.data_root() / ("local" if name in ON_FIRST_USE else "")
    folder = (root or installed) / name
    if name in CITIES:
        return make_city(CITIES[name], folder, progress)
    spec, level = (COUNTRIES | ON_FIRST_USE)[name]
    return make_country(spec, level, folder, progress)


def ensure(name: str, progress: Progress = lambda _: None) -> Dataset:
    """Load a dataset; make it first if it is a simulated one that is not there yet.

    An interrupted run goes on where it stopped.

    Raises
    ------
    DatasetError
        As `engine.datasets.load` and `make` do.

    Examples
    --------
    >>> ensure("demo-city").id
    'demo-city'
    """
    if name in datasets.available() or name not in names():
        return datasets.load(name)
    return make(name, progress=progress)
