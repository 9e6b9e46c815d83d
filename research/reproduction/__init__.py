"""Hold the papers' figures against ours: ``python -m research reproduction``, about 5 minutes.

P1's figures 6 to 11 and the numbers of its §5 and §6; P2's figures 2 and S1 to S3 and Tables 2, 3,
S2 and S3, on the shipped simulated datasets. Only the published figures are constants.
``docs/reproduction.md`` is written by hand around the outcome.
"""

from collections.abc import Callable, Iterator

from engine import datasets
from engine.datasets import Dataset
from research.reproduction import causes, decisions, density, trips
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
    plans: tuple[DensityPlan, TripsPlan, DecisionsPlan] = (
        DensityPlan(),
        TripsPlan(),
        DecisionsPlan(),
    ),
) -> Iterator[Row]:
    """Yield every figure; one dataset that is not shipped may be missing."""
    of_visits, of_trips, of_decisions = plans
    loaded = {name: one for name in (DENSITY, *TABLE_S2) if (one := load(name)) is not None}
    yield from density.rows(loaded[DENSITY], of_visits)
    yield from causes.rows(loaded[DENSITY], of_visits)
    yield from trips.figure_2(loaded[FIGURE_2], of_trips)
    without = {name: one for name, one in loaded.items() if name != DENSITY}
    yield from trips.table_s2(without, of_trips)
    yield from decisions.rows(loaded, of_decisions)
