"""What to choose from public facts alone: data or ε that a release needs, visits that it keeps."""

import math
from dataclasses import dataclass

from ..datasets import Dataset
from ..datasets.zoomtables import visit_caps
from ..parameters import MAX_VISITS_LIMIT, DensityParameters
from ..validation import finite_above
from .gaussian import gaussian_strength, strength_to_epsilon
from .scaling import histogram_scale, visits_scale
from .zoom import DEFAULTS, noise_scale

VISITS_PER_PERSON = 10
"""Assumed visits of a person in a week where a number of people must be named."""

_CLEAR_PROBABILITY = 0.95
_NORMAL_QUANTILE = 1.6449


@dataclass(frozen=True)
class Needs:
    """What would let the noisy totals be above 0 in 95 of 100 releases; from public facts only.

    Attributes
    ----------
    people : int
        People needed at this ε, at 10 visits each in the week.
    more_people : int or None
        How many that is beyond the public estimate of the number of people; None without one.
    epsilon : float or None
        The ε that the public number of people would need; None without one.
    """

    people: int
    more_people: int | None
    epsilon: float | None


def needs(dataset: Dataset, parameters: DensityParameters) -> Needs:
    """Estimate what the totals need, without reading a single count.

    With the improved scaling K̂ = K + Laplace(b) is above 0 with probability 95% if K ≥ b·ln 10,
    and the noisy sum of H̃ if N is at least the 95% quantile of the sum of its noise, close to
    normal. Both scales go with 1/ε, so the same bounds give the ε that a known number of people
    needs. `zoom` reads the number of visits from the sum with the smallest cap and the sizes from
    the sum over the towers; their noise goes with 1/μ.

    Examples
    --------
    >>> from engine import datasets
    >>> demo = datasets.load("demo-city")
    >>> needs(demo, DensityParameters(epsilon=0.3)).more_people
    0
    """
    known = dataset.metadata.people_public
    people = (_zoom_people if parameters.method == "zoom" else _people)(dataset, parameters)
    epsilon = None
    if known and parameters.method == "zoom":
        strength = gaussian_strength(parameters.epsilon, parameters.delta) * people / known
        epsilon = strength_to_epsilon(strength, parameters.delta)
    elif known:
        epsilon = parameters.epsilon * people / known
    return Needs(
        people=math.ceil(people),
        more_people=None if known is None else max(0, math.ceil(people) - known),
        epsilon=epsilon,
    )


def _people(dataset: Dataset, parameters: DensityParameters) -> float:
    visits = visits_scale(parameters, dataset.metadata.max_visits_cap) * -math.log(
        2 * (1 - _CLEAR_PROBABILITY)
    )
    spread = histogram_scale(parameters) * math.sqrt(2 * len(dataset.towers))
    return max(visits / VISITS_PER_PERSON, _NORMAL_QUANTILE * spread)


def _zoom_people(dataset: Dataset, parameters: DensityParameters) -> float:
    """Return how many people make the visits and the towers' sum clear of their noise."""
    strength = gaussian_strength(parameters.epsilon, parameters.delta)
    smallest = int(visit_caps(dataset.metadata.max_visits_cap)[0])
    visits = noise_scale("visits", smallest, strength, DEFAULTS)
    # a person whose visits are scaled down to c adds at least c to the sum over the towers
    spread = noise_scale("weeks", 1.0, strength, DEFAULTS) * math.sqrt(len(dataset.towers))
    return _NORMAL_QUANTILE * max(visits / VISITS_PER_PERSON, spread)


DEFAULT_KEPT = 30
LEAST_KEPT, MOST_KEPT = 10, 60
_DIVISOR = 7.0


def suggested_max_visits(people_public: int | None, epsilon: float) -> int:
    """Return ℓ = √(N·ε)/7, between 10 and 60; 30 where the number of people is not public.

    Keeping fewer visits loses more of what people do, keeping more costs √ℓ of noise. What the
    noise does to the result falls with N·ε, so that many people or a large ε can afford a larger
    ℓ; beyond 60 hardly anything is won. ``docs/mechanisms.md`` holds the rule against the best ℓ
    in hindsight. It reads public numbers only: the best ℓ itself would be read off the data.

    Examples
    --------
    >>> suggested_max_visits(50_000, 0.1), suggested_max_visits(2_000_000, 1.0)
    (10, 60)
    """
    finite_above("epsilon", epsilon, 0, "it is the total of the release")
    if people_public is None:
        return DEFAULT_KEPT
    kept = round(math.sqrt(max(people_public, 0) * epsilon) / _DIVISOR)
    return min(max(kept, LEAST_KEPT), MOST_KEPT, MAX_VISITS_LIMIT)
