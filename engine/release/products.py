"""What can be released, and the one table of how each method's numbers are planned and written."""

from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from ..datasets import Dataset
from ..errors import ParameterError
from ..origin_destination.matrices import day_indices
from ..parameters import DensityParameters, ODParameters
from ..report import ReportParameters
from . import density, estimate, od, report, zoom
from .bars import Outlook
from .plan import Days, Plan, Progress, Way

Settings = ODParameters | DensityParameters | ReportParameters

WAYS: dict[type[Settings], dict[str, Way]] = {
    ODParameters: {"published": od, "estimate": estimate},
    DensityParameters: {"towers_laplace": density, "zoom": zoom},
    ReportParameters: {"derived": report},
}
"""By the settings' type and method. The Fourier methods of the density, and draws of the report's
exponential mechanism, stay in exploration: their noise is no whole number."""


@dataclass(frozen=True)
class Product:
    """One thing that can be released: it plans without counts, and draws once.

    Parameters
    ----------
    parameters : ODParameters, DensityParameters or ReportParameters
        Of a method in `WAYS`.
    days : tuple of int or None
        Of flows: positions of the released days in the declared period, in order. None takes all,
        as unit ``person`` always does.

    Raises
    ------
    ParameterError
        For a method that is for exploring alone.

    Examples
    --------
    >>> from engine import datasets
    >>> flows = Product(ODParameters(epsilon=0.5), days=(0, 3))
    >>> flows.plan(datasets.load("demo-city")).cells == 2 * 150 * 149
    True
    """

    parameters: Settings
    days: Days = None

    def __post_init__(self) -> None:
        _ = self._way

    @property
    def _way(self) -> Way:
        ways = WAYS[type(self.parameters)]
        if self.parameters.method not in ways:
            raise ParameterError(
                f"method must be {' or '.join(map(repr, ways))} for a release",
                value=repr(self.parameters.method),
                remedy="the others add noise that is no whole number and are for exploring",
            )
        return ways[self.parameters.method]

    def dates(self, dataset: Dataset, /) -> tuple[date, ...]:
        """Return the days that are counted."""
        about = dataset.metadata
        if isinstance(self.parameters, DensityParameters):
            week = about.week
            return () if week is None else tuple(week + timedelta(days=day) for day in range(7))
        return tuple(about.days[day] for day in day_indices(dataset, self.days))

    def plan(self, dataset: Dataset, /) -> Plan:
        """Return what a release will hold and cost; reads geometry and metadata alone."""
        return self._way.plan(dataset, self.parameters, self.days)

    def outlook(self, dataset: Dataset, /) -> tuple[Outlook, ...]:
        """Return what its numbers can be used for by the law of the noise alone."""
        return self._way.outlook(dataset, self.parameters, self.days)

    def prepare(self, dataset: Dataset, /) -> None:
        """Raise where the dataset lacks what will be counted, before anything is charged."""
        self._way.prepare(dataset, self.parameters, self.days)

    def write(self, dataset: Dataset, folder: Path, progress: Progress, /) -> None:
        """Draw the noise and write the product's tables and map into an empty folder."""
        self._way.write(dataset, self.parameters, self.days, folder, progress)
