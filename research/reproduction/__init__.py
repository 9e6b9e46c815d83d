"""Hold the papers' figures against ours: ``python -m research reproduction``, about 5 minutes.

P1's figures 6 to 11 and the numbers of its §5 and §6; P2's figures 2 and S1 to S3 and Tables 2, 3,
S2 and S3, on the shipped simulated datasets. Only the published figures are constants.
``docs/reproduction.md`` is written by hand around the outcome.
"""

from collections.abc import Callable, Iterator

from engine import datasets
from engine.datasets import Dataset
from research.reproduction import decisions_rows, density_rows, trips_rows
from research.reproduction.decisions import DecisionsPlan
from research.reproduction.density import DensityPlan
from research.reproduction.published import TABLE_S2
from research.reproduction.trips import TripsPlan
from research.rows import Row

DENSITY, FIGURE_2 = "paris", "afghanistan-2020"
ON_FIRST_USE = "afghanistan-2020-districts"

Load = Callable[[str], Dataset | None]


def installed(name: str) -> Dataset | None:
    """Load a dataset; return None for the one that is not shipped where it was not made."""
    if name == ON_FIRST_USE and name not in datasets.available():
        return None
    return datasets.load(name)


def rows(
    load: Load = installed,
    density: DensityPlan | None = None,
    trips: TripsPlan | None = None,
    decisions: DecisionsPlan | None = None,
) -> Iterator[Row]:
    """Yield every figure; one dataset that is not shipped may be missing."""
    loaded = {name: one for name in (DENSITY, *TABLE_S2) if (one := load(name)) is not None}
    yield from density_rows.rows(loaded[DENSITY], density or DensityPlan())
    yield from trips_rows.figure_2(loaded[FIGURE_2], trips or TripsPlan())
    without = {name: one for name, one in loaded.items() if name != DENSITY}
    yield from trips_rows.table_s2(without, trips or TripsPlan())
    yield from decisions_rows.rows(loaded, decisions or DecisionsPlan())
