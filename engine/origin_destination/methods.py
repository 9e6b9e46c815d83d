"""The methods of one release: a new one is one file and one row of `METHODS`."""

import numpy as np

from ..arrays import Counts
from ..contract import Method, Plan
from ..datasets import Dataset
from ..ledger import Kind, Ledger
from ..parameters import USES, ODMethod, ODParameters
from . import estimate, mechanism
from .estimate import EstimateRelease
from .exact import Expectation, expectation
from .laws import LawName
from .matrices import Days, day_indices
from .mechanism import ODNoise, ODRelease
from .scores import TripScores, drawn_scores

Release = ODRelease | EstimateRelease

METHODS: dict[ODMethod, Method[Release]] = {
    "published": Method(
        name="Published: hides below τ",
        short="Published",
        about="Hides every flow below τ.",
        loses=(
            "Every flow below τ, and with it much of the totals of zones; what it shows keeps its "
            "full noise.",
        ),
        source="Kohli, Aiken & Blumenstock, Algorithm 1",
        uses=USES["published"],
        release=mechanism.release,
        ledger=mechanism.ledger,
        expected=expectation,
    ),
    "estimate": Method(
        name="Ours: reads small flows",
        short="Ours",
        about="Hides nothing and reads small flows in the light of their zones, their distance and "
        "the flow back. Where T trims people "
        f"{estimate.BEYOND_SHARE:.0%} of ε goes to the number of trips beyond T, by which all "
        "flows are scaled up.",
        loses=(
            "Sudden, isolated flows that its model does not expect.",
            "A zone that changes at once is pulled towards its usual share.",
            "Trips beyond T are taken to resemble those that are kept.",
            "It is no better on large flows. What its model believes of a flow is not guaranteed; "
            "the ranges beside it are.",
        ),
        source="docs/flows.md",
        uses=USES["estimate"],
        ours=True,
        release=estimate.release,
        ledger=estimate.ledger,
    ),
}


def release(
    dataset: Dataset,
    parameters: ODParameters,
    *,
    rng: np.random.Generator | None = None,
    noise: ODNoise | None = None,
    days: Days = None,
    sum_days: bool = False,
) -> Release:
    """Draw one private release of a dataset's origin–destination matrices.

    Parameters
    ----------
    dataset : Dataset
        With trips.
    parameters : ODParameters
        ε, T, τ, the unit of protection and the method: ``"published"`` is P2's Algorithm 1;
        ``"estimate"`` adds the noise to the same trimmed cells and reads them with statistics, at
        the same proved ε (`estimate.release`).
    rng : numpy.random.Generator
        Source of the noise. Same state, same release. Exactly one of `rng` and `noise`.
    noise : ODNoise
        In place of `rng`: noise that was drawn before, carried over to these settings.
    days : int, slice, sequence of int or None
        Positions in the declared period; None takes all days.
    sum_days : bool
        Release the sum of the days as one matrix.

    Returns
    -------
    ODRelease or EstimateRelease
        Both have ``counts``, shape (days, zones, zones) in trips, ``days``, ``parameters`` and
        ``ledger``.

    Raises
    ------
    ParameterError
        If the stack would not fit, `days` is not in the period or `noise` has another shape.
    DatasetError
        If the dataset has no trips, or none that the unit can be bound with.

    Examples
    --------
    >>> from engine import datasets
    >>> demo, settings = datasets.load("demo-city"), ODParameters(epsilon=0.5)
    >>> private = release(demo, settings, days=0, rng=np.random.default_rng(0))
    >>> private.counts.shape, private.ledger.published_epsilon
    ((1, 150, 150), 0.5)
    """
    draw = METHODS[parameters.method].release
    return draw(dataset, parameters, rng=rng, noise=noise, days=days, sum_days=sum_days)


def draw_noise(
    dataset: Dataset,
    parameters: ODParameters,
    *,
    rng: np.random.Generator,
    days: Days = None,
    sum_days: bool = False,
) -> ODNoise:
    """Draw the noise of one release of these days; every method takes the same."""
    del parameters
    return ODNoise.draw(rng, dataset, days=days, sum_days=sum_days)


def ledger(parameters: ODParameters) -> Ledger:
    """Return what one unit of protection pays, before any release.

    Examples
    --------
    >>> ledger(ODParameters(epsilon=0.5, unit="trip")).proved_epsilon
    0.5
    """
    return METHODS[parameters.method].ledger(parameters)


def plan(
    dataset: Dataset, parameters: ODParameters, *, days: Days = None, sum_days: bool = False
) -> Plan:
    """Return what gets noise and what it costs, from public facts: no count is read.

    Examples
    --------
    >>> from engine import datasets
    >>> planned = plan(datasets.load("demo-city"), ODParameters(epsilon=0.5), days=(0, 3))
    >>> planned.cells == 2 * 150 * 149, planned.ledger.proved_epsilon
    (True, 0.5)
    """
    chosen, zones = day_indices(dataset, days), len(dataset.zones)
    matrices = 1 if sum_days else len(chosen)
    stated = ledger(parameters)
    cells = {Kind.FLOWS: zones * (zones - 1), Kind.TRIPS_BEYOND: 1}
    return Plan(cells=matrices * sum(cells[stage.kind] for stage in stated.stages), ledger=stated)


def expected(
    dataset: Dataset,
    parameters: ODParameters,
    *,
    days: Days = None,
    sum_days: bool = False,
    law: LawName = "rounded_laplace",
) -> Expectation | None:
    """Return what a release is expected to do, exactly; None where the method has no exact law.

    Parameters
    ----------
    dataset, parameters, days, sum_days
        As in `release`.
    law : str
        ``rounded_laplace`` of an exploration, ``discrete_laplace`` of what leaves the building.

    Examples
    --------
    >>> from engine import datasets
    >>> demo = datasets.load("demo-city")
    >>> expected(demo, ODParameters(epsilon=0.5, method="estimate")) is None
    True
    """
    exact = METHODS[parameters.method].expected
    if exact is None:
        return None
    return exact(dataset, parameters, days=days, sum_days=sum_days, law=law)


def suppresses(parameters: ODParameters) -> bool:
    """Return whether small flows are hidden, so that τ counts.

    Examples
    --------
    >>> [suppresses(ODParameters(epsilon=1.0, method=each)) for each in ("published", "estimate")]
    [True, False]
    """
    return "suppression_threshold" in METHODS[parameters.method].uses


def scores(truth: Counts, release: Release) -> TripScores:
    """Return the errors of a release: of the best number of each flow, and of what is shown.

    Parameters
    ----------
    truth : array, shape (days, zones, zones)
        Of the released days, see `engine.origin_destination.truth`.

    Examples
    --------
    >>> from engine import datasets
    >>> from engine.origin_destination import truth
    >>> demo = datasets.load("demo-city")
    >>> private = release(demo, ODParameters(epsilon=1.0), days=0, rng=np.random.default_rng(0))
    >>> 0 < scores(truth(demo, days=0), private).common_part < 1
    True
    """
    return drawn_scores(truth, release.typical, release.parameters.least_shown, release.shown)
