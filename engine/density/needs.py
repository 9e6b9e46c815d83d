"""What to choose from public facts alone: data or ε that a release needs, visits that it keeps."""

import math
from dataclasses import dataclass

from ..datasets import Dataset
from ..parameters import MAX_VISITS_LIMIT, DensityParameters
from ..validation import finite_above
from .gaussian import gaussian_strength, strength_to_epsilon
from .scaling import histogram_scale, visits_scale
from .zoom.measure import DEFAULTS, noise_scale

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
    needs. The noise of the number of visits and of the sum over the towers of `zoom` goes with 1/μ.

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
    visits = noise_scale("visits", dataset.metadata.max_visits_cap, strength, DEFAULTS)
    # a person whose visits are scaled down to c adds at least c to the sum over the towers
    spread = noise_scale("weeks", 1.0, strength, DEFAULTS) * math.sqrt(len(dataset.towers))
    return _NORMAL_QUANTILE * max(visits / VISITS_PER_PERSON, spread)


USUAL_VISITS = 11.0
"""Visits of a person in a week where no number is public: the median over random worlds."""

_KEPT_A_VISIT = 1.2564
"""The x with e^x = 1 + 2x, where √x/(1 − e^(−x)) is least."""


def suggested_max_visits(mean_visits: float = USUAL_VISITS) -> int:
    """Return ℓ = 1.26 × the public mean number of visits of a person, 1 to 168.

    Noise grows with √ℓ, what is kept with E min(V, ℓ), so it matters least where √ℓ/E min(V, ℓ) is
    least. For exponential V of mean m that is √ℓ/(m·(1 − e^(−ℓ/m))), least at ℓ = 1.2564·m. Neither
    the number of people nor ε moves that place: they scale the noise and leave its least. Over
    random density worlds no rule with people and ε in it did better (``docs/mechanisms.md``).

    Examples
    --------
    >>> suggested_max_visits(), suggested_max_visits(40)
    (14, 50)
    """
    finite_above("mean_visits", mean_visits, 0, "it is a public number, about 11 in a week")
    return min(max(round(_KEPT_A_VISIT * mean_visits), 1), MAX_VISITS_LIMIT)
