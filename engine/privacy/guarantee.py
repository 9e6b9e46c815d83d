"""Guarantees of (ε, δ)-DP for one record: bounds on membership guesses, and their verdict.

An attacker who knows all other records asks whether one more is in the data. With P and Q the
distributions of the release with and without it, P(S) ≤ e^ε·Q(S) + δ for every set S, and with P
and Q exchanged.

For δ > 0 this bounds how often guesses are right. It does not bound the odds after each single
result, as the stronger probabilistic DP does ("ε fails with probability δ").
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .. import validation
from ..errors import ParameterError
from ..parameters import ODParameters
from ..privacy_cost import PrivacyCost, is_above
from ..verdict import Verdict, rate_value
from .privacy_loss import compose

Strength = Literal["strong", "moderate", "weak"]

STRONG_GUESS = 0.75
"""Largest guess rate of strong privacy, halfway from a coin to certainty: one pure release at ε =
ln 3, about 1.1. A convention."""
WEAK_GUESS = 0.95
"""Guess rate above which privacy is weak, under one error in 20: one pure release at ε = ln 19,
about 2.9. A convention."""

GROUP_SIZE = 4
"""People in a household, whose common risk is stated beside each person's."""


@dataclass(frozen=True, kw_only=True)
class Guarantee:
    """(ε, δ)-differential privacy of one unit as a bound on every attack; pure ε-DP if δ is 0.

    Raises `ParameterError` unless ε is finite and at least 0, and δ at least 0 and below 1.
    """

    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        remedy = "smaller means more private, 0.1 to 2 is usual"
        validation.check_at_least("epsilon", self.epsilon, 0, remedy)
        delta = validation.to_real(self.delta)
        if delta is None or not 0 <= delta < 1:
            rule = "delta must be a number of at least 0 and below 1"
            remedy = "choose δ below 1 / number of people, such as 1e-7"
            raise ParameterError(rule, value=repr(self.delta), remedy=remedy)

    @property
    def advantage(self) -> float:
        """Largest true-positive rate minus false-positive rate, (e^ε − 1 + 2δ)/(e^ε + 1)."""
        stay = math.exp(-self.epsilon)
        return (-math.expm1(-self.epsilon) + 2 * self.delta * stay) / (1 + stay)

    @property
    def max_guess_rate(self) -> float:
        """Largest share of right guesses where a coin gets half, (e^ε + δ)/(e^ε + 1)."""
        return (1 + self.advantage) / 2

    def for_group(self, people: int) -> "Guarantee":
        """Return the guarantee for a group of `people` who travel together.

        A group of k is protected by k·ε and δ·(e^(kε) − 1)/(e^ε − 1) (Dwork and Roth 2014, theorem
        2.2, summed over k steps). Nothing more holds for one person against an attacker who
        believes that these k come or stay together.
        """
        remedy = "the number of people who travel together, such as 4 for a household"
        count = validation.check_whole_number("people", people, 1, remedy=remedy)
        steps = (min(i * self.epsilon, 700.0) for i in range(count))
        slack = self.delta * sum(math.exp(loss) for loss in steps)
        return Guarantee(epsilon=count * self.epsilon, delta=min(slack, math.nextafter(1.0, 0.0)))

    def max_posterior_belief(self, prior: float) -> float:
        """Return the largest belief that the record is in the data, after any release.

        `prior`, above 0 and below 1, is the attacker's belief beforehand. The attacker knows the
        other records or believes them independent of this one; for several who come together see
        `for_group`. Raises `ParameterError` if δ is above 0: then rare results may reveal more.
        """
        if self.delta:
            rule = "delta must be 0 for a limit on every suspicion"
            remedy = "use max_guess_rate, which holds on average over what is published"
            raise ParameterError(rule, value=f"{self.delta!r}", remedy=remedy)
        remedy = "the attacker's belief beforehand, such as 0.1"
        belief = validation.check_inside("prior", prior, 0, 1, remedy)
        return belief / (belief + (1 - belief) * math.exp(-self.epsilon))


@dataclass(frozen=True, kw_only=True)
class Risk:
    """Bounds on the guesses of an attacker about one record, over all declared releases.

    `max_guess_rate` and `max_group_guess_rate` are the largest shares of right guesses about one
    record, and about `GROUP_SIZE` records that are in or out together; a coin gets half.
    `max_version_guess_rate` is of guesses which of two versions of a record is in, such as two
    homes of a person: one record is taken out and one put in. `epsilon` and `delta` are sums over
    all `releases` that use the record. `covers_person` is whether the record is all that a person
    has in them, not a single trip.
    """

    max_guess_rate: float
    max_version_guess_rate: float
    max_group_guess_rate: float
    epsilon: float
    delta: float = 0.0
    releases: int = 1
    covers_person: bool = True

    @property
    def verdict(self) -> Verdict:
        """``good`` up to `STRONG_GUESS`, ``noisy`` above `WEAK_GUESS`, by the whole percentage.

        Never ``good`` if single trips are protected: a person who makes many is not.
        """
        written = round_up_percent(self.max_guess_rate) / 100
        level = rate_value(written, good=STRONG_GUESS, fair=WEAK_GUESS)
        return "partly" if level == "good" and not self.covers_person else level

    @property
    def strength(self) -> Strength:
        """The verdict in the words for privacy."""
        words: dict[Verdict, Strength] = {"good": "strong", "partly": "moderate", "noisy": "weak"}
        return words[self.verdict]


def flow_release_risk(parameters: ODParameters, days: Sequence[int]) -> Risk:
    """Return the risk over all matrices of flows in a release.

    At ``person-day`` a matrix of d days has one noise and costs a person who travels on all of them
    d·ε; independent matrices compose. A trip lies in one matrix only, and at ``person`` all
    matrices together cost ε. `days` are the days of each matrix: seven ones for a week of daily
    matrices. Raises `ParameterError` without a matrix.
    """
    if not days:
        rule = "days must name at least one matrix"
        raise ParameterError(rule, value="none", remedy="choose a day")
    for length in set(days):
        validation.check_whole_number("days", length, 1, remedy="a matrix holds at least one day")
    times = Counter(days) if parameters.unit == "person-day" else Counter([1])

    def best_guess(people: int) -> float:
        epsilon = people * parameters.epsilon
        return compose({many * epsilon: often for many, often in times.items()}).optimal_guess_rate

    total = sum(many * often for many, often in times.items())
    return Risk(
        max_guess_rate=best_guess(1),
        max_version_guess_rate=best_guess(2),
        max_group_guess_rate=best_guess(GROUP_SIZE),
        epsilon=total * parameters.epsilon,
        releases=total,
        covers_person=parameters.unit != "trip",
    )


def cost_risk(cost: PrivacyCost, epsilon: float) -> Risk:
    """Return a person's risk from one release, by the larger of stated and proved ε."""
    loss = cost.proved_epsilon if is_above(cost.proved_epsilon, epsilon) else epsilon
    guarantee = Guarantee(epsilon=loss, delta=cost.delta)
    return Risk(
        max_guess_rate=guarantee.max_guess_rate,
        max_version_guess_rate=guarantee.for_group(2).max_guess_rate,
        max_group_guess_rate=guarantee.for_group(GROUP_SIZE).max_guess_rate,
        epsilon=loss,
        delta=cost.delta,
    )


def round_up_percent(bound: float, decimals: int = 0) -> float:
    """Return an upper bound in percent, rounded up so that it remains a bound.

    >>> round_up_percent(0.7311), round_up_percent(0.7311, 1), round_up_percent(0.75)
    (74.0, 73.2, 75.0)
    """
    scale = 10**decimals
    return math.ceil(100 * scale * bound - 1e-9) / scale  # less what floating point rounds


def format_guess_limit(best_guess: float) -> str:
    """Return the largest number of right guesses of 100 in words, such as ``at most 74``."""
    count = round_up_percent(best_guess)
    return f"{'up to' if count > 99 else 'at most'} {count:.0f}"


def format_guess_rate(best_guess: float, *, coin: bool = False) -> str:
    """Return the sentence on how often an attacker is right at most."""
    words = f"{format_guess_limit(best_guess)} of 100 guesses"
    return f"{words} (a coin: 50)" if coin else words
