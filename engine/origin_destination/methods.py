"""The methods of one release: a new one is one file and one row of `METHODS`."""

from collections.abc import Iterator
from typing import Unpack

import numpy as np

from ..arrays import Floats, IntegersOrFloats
from ..contract import Method
from ..datasets import Dataset
from ..parameters import USED_FIELDS, ODMethod, ODParameters
from ..privacy_cost import PrivacyCost
from . import empirical_bayes, mechanism
from .empirical_bayes import EmpiricalBayesRelease
from .empirical_bayes.measurement import MAX_COUNTED_TRIPS
from .exact import ReleaseExpectation, compute_expectation
from .matrices import Days
from .mechanism import ODRelease, ReleaseArguments
from .noise_distribution import NoiseDistribution
from .scores import TripScores, score_draw

FlowRelease = ODRelease | EmpiricalBayesRelease


def _describe_estimates(cost: PrivacyCost) -> str:
    """Say up to which size the estimate of a single flow is more model than measurement."""
    cells, *_ = cost.stages
    law = NoiseDistribution(cells.epsilon / cells.sensitivity, "discrete_laplace")
    bar = int(law.half_width(0.05))
    return f"A flow below {bar:,} counted trips is estimated mostly from other flows."


METHODS: dict[ODMethod, Method[FlowRelease]] = {
    "laplace_suppression": Method(
        name="Laplace with suppression (Kohli et al. 2024)",
        short_name="Laplace with suppression",
        description="Adds Laplace noise to every flow and suppresses flows whose noisy count is "
        "below τ.",
        limitations=(
            "Sums are biased: they miss suppressed flows, and noise lifts small flows over τ.",
            "The flows shown keep their full noise.",
        ),
        used_fields=USED_FIELDS["laplace_suppression"],
        release=mechanism.release,
        cost=mechanism.suppression_cost,
        expected=compute_expectation,
        has_flow_distribution=True,
    ),
    "empirical_bayes": Method(
        name="Empirical Bayes (this project)",
        short_name="Empirical Bayes",
        description="Measures every flow with Laplace noise, then estimates it from that "
        "measurement, the noisy totals of its two zones, their distance and the return flow. "
        f"Suppresses nothing. If T is below {MAX_COUNTED_TRIPS['person-day']} trips a day "
        f"({MAX_COUNTED_TRIPS['person']} if a person is protected over all days), "
        f"{empirical_bayes.EXCESS_SHARE:.0%} of ε counts trips beyond T. All flows are scaled up "
        "by that count.",
        limitations=(
            "Sudden, isolated flows that the model does not expect are underestimated or missed.",
            "A zone whose travel changes suddenly is pulled towards its usual share.",
            "Trips beyond T are assumed to resemble the trips within T.",
            "If single trips are protected, large flows gain nothing over Laplace noise alone.",
            "The estimates carry no guarantee; the intervals beside them do.",
        ),
        used_fields=USED_FIELDS["empirical_bayes"],
        number_kind="estimated",
        scales_up=lambda parameters: empirical_bayes.max_excess_count(parameters) > 0,
        describe_numbers=_describe_estimates,
        slow_reason="Empirical Bayes estimates every flow of every release, which takes too long "
        "for every ε.",
        release=empirical_bayes.release,
        iterate_release=empirical_bayes.iterate_release,
        cost=empirical_bayes.estimation_cost,
        public_arguments=lambda dataset: {"people_once": dataset.metadata.people_once},
    ),
}


def release(
    dataset: Dataset, parameters: ODParameters, **draw: Unpack[ReleaseArguments]
) -> FlowRelease:
    """Return one private release of a dataset's matrices; ``counts`` are (days, zones, zones).

    Exactly one of `rng` and `noise`, shape (days, zones, zones), is the source of the noise. `days`
    and `sum_days` are as for `truth`. Raises `ParameterError` if the stack would not fit, `days` is
    not in the period or `noise` has another shape, and `DatasetError` if the dataset has no trips,
    or none that the unit can be bound with.
    """
    return METHODS[parameters.method].release(dataset, parameters, **draw)


def iterate_release(
    dataset: Dataset, parameters: ODParameters, *, noise: Floats
) -> Iterator[FlowRelease]:
    """Yield the release of the first ``len(noise)`` days matrix by matrix; errors as `release`."""
    iterate, days = METHODS[parameters.method].iterate_release, range(len(noise))
    if iterate is not None:
        return iterate(dataset, parameters, noise=noise, days=days)
    noise_by_day = ((noise[day : day + 1], day) for day in days)
    return (release(dataset, parameters, noise=part, days=day) for part, day in noise_by_day)


def draw_noise(
    dataset: Dataset,
    parameters: ODParameters,
    *,
    rng: np.random.Generator,
    days: Days = None,
    sum_days: bool = False,
) -> Floats:
    """Return the noise of one release of these days, one standard Laplace variate per cell.

    Every method scales the same variates, so that a difference between two settings is theirs
    alone. Anyone who knows the noise can subtract it. Variates on the diagonal are not used.
    """
    del parameters
    return mechanism.draw_variates(dataset, rng=rng, days=days, sum_days=sum_days)[0]


def compute_cost(dataset: Dataset, parameters: ODParameters) -> PrivacyCost:
    """Return the privacy loss of one unit from one matrix, from the settings alone."""
    method = METHODS[parameters.method]
    return method.cost(parameters, **method.public_arguments(dataset))


def expected(
    dataset: Dataset, parameters: ODParameters, *, days: Days = None, sum_days: bool = False
) -> ReleaseExpectation | None:
    """Return the exact expectation of a release; None where the method has no exact distribution.

    Arguments and errors are those of `release`.
    """
    exact = METHODS[parameters.method].expected
    return exact and exact(dataset, parameters, days=days, sum_days=sum_days)


def has_suppression(parameters: ODParameters) -> bool:
    """Return whether the method suppresses small flows, so that τ has an effect."""
    return "suppression_threshold" in METHODS[parameters.method].used_fields


def scores(truth: IntegersOrFloats, release: FlowRelease) -> TripScores:
    """Return the errors of the best estimate of each flow, and of the shown flows."""
    return score_draw(truth, release.point_estimates, release.is_shown, release.counts)
