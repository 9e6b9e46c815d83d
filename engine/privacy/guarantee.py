"""What ε and δ mean for one person: the best guess of membership, and what others have used.

An attacker who knows all other records asks whether one more is in the data. Differential privacy
bounds every such test: with P and Q the laws of what is published with and without the record,
P(S) ≤ e^ε·Q(S) + δ for every set S of results, and the same with P and Q exchanged.

For δ > 0 that is all that is proved of released counts. It bounds how often a guess can be right;
it does not bound the odds after each single result, and it does not say that "ε fails with
probability δ", which is the stronger probabilistic DP.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .. import validation
from ..errors import ParameterError
from ..parameters import ODParameters
from ..privacy_ledger import Ledger, is_above
from ..verdict import Verdict, rate_value
from .privacy_loss import compose, randomised_response

Strength = Literal["strong", "moderate", "weak"]

STRONG_GUESS = 0.75
"""Best guess up to which privacy is called strong: halfway from a coin toss to certainty. A single
pure release reaches it at ε = ln 3, about 1.1."""
WEAK_GUESS = 0.95
"""Best guess above which privacy is called weak: the attacker errs less than once in 20 times. A
single pure release reaches it at ε = ln 19, about 2.9. Both limits are conventions."""

_ROUNDING = 1e-9
"""Percent of which floating-point arithmetic may be off."""

GROUP_SIZE = 4
"""A household: so many who travel together are spoken of beside every promise to one."""


@dataclass(frozen=True, kw_only=True)
class Guarantee:
    """(ε, δ)-differential privacy as a limit on every attack; pure ε-DP where δ is 0.

    Parameters
    ----------
    epsilon : float
        Privacy loss of the unit of protection that the attack is about, finite and at least 0.
    delta : float
        At least 0 and below 1.

    Examples
    --------
    >>> guarantee = Guarantee(epsilon=0.5)
    >>> round(guarantee.max_guess_rate, 4)
    0.6225
    """

    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        remedy = "smaller means more private, 0.1 to 2 is usual"
        validation.check_at_least("epsilon", self.epsilon, 0, remedy)
        delta = validation.to_real(self.delta)
        if delta is None or not 0 <= delta < 1:
            raise ParameterError(
                f"delta must be a number of at least 0 and below 1, got {self.delta!r}; "
                "choose it below one over the number of people, such as 1e-7"
            )

    @property
    def advantage(self) -> float:
        """The largest true-positive rate minus false-positive rate, (e^ε − 1 + 2δ)/(e^ε + 1)."""
        stay = math.exp(-self.epsilon)
        return (-math.expm1(-self.epsilon) + 2 * self.delta * stay) / (1 + stay)

    @property
    def max_guess_rate(self) -> float:
        """The largest share of right guesses where a coin gets half, (e^ε + δ)/(e^ε + 1)."""
        return (1 + self.advantage) / 2

    def for_group(self, people: int) -> "Guarantee":
        """Return what is promised to so many who travel together: a household, a bus.

        One observation of all of them moves with every single one, so that a group of k is
        protected only by k·ε, and by δ·(e^(kε) − 1)/(e^ε − 1) (Dwork and Roth 2014, theorem 2.2,
        and its sum over the k steps). It is also all that holds for one person against whoever
        believes that these k come or stay together.

        Examples
        --------
        >>> four = Guarantee(epsilon=0.5).for_group(4)
        >>> four.epsilon, round(four.max_posterior_belief(0.1), 3)  # for one alone: 0.155
        (2.0, 0.451)
        """
        remedy = "it is how many travel together, such as 4 for a household"
        count = validation.check_whole_number("people", people, 1, remedy=remedy)
        steps = (min(i * self.epsilon, 700.0) for i in range(count))
        slack = self.delta * sum(math.exp(loss) for loss in steps)
        return Guarantee(epsilon=count * self.epsilon, delta=min(slack, math.nextafter(1.0, 0.0)))

    def max_posterior_belief(self, prior: float) -> float:
        """Return the most that a suspicion can grow to, whatever is published.

        It holds for an attacker who knows the other records or believes them independent of this
        one. Whoever believes that several come together learns of all at once: see `together`.

        `prior` is the probability, above 0 and below 1, that the attacker gives the record
        beforehand. Where δ is above 0 there is no limit: single rare results may reveal more.

        Examples
        --------
        >>> round(Guarantee(epsilon=1.0).max_posterior_belief(0.1), 3)
        0.232
        """
        if self.delta:
            raise ParameterError(
                f"delta must be 0 for a limit on every suspicion, got {self.delta!r}; "
                "use best_guess, which holds on average over what is published"
            )
        remedy = "it is what the attacker believes beforehand, such as 0.1"
        belief = validation.check_inside("prior", prior, 0, 1, remedy)
        return belief / (belief + (1 - belief) * math.exp(-self.epsilon))


@dataclass(frozen=True, kw_only=True)
class Risk:
    """What an attacker can learn of one protected record once all that was declared is released.

    Parameters
    ----------
    best_guess, group_guess : float
        The most that any attacker gets right, from all releases together, of guesses whether the
        record is in the data, or `GROUP` that are in or out together; a coin gets half.
    epsilon, delta : float
        Privacy loss of all releases together, simply added up.
    releases : int
        How many read the record.
    covers_person : bool
        Whether that is all a person has in what is released, rather than single trips.
    """

    max_guess_rate: float
    max_group_guess_rate: float
    epsilon: float
    delta: float = 0.0
    releases: int = 1
    covers_person: bool = True

    @property
    def verdict(self) -> Verdict:
        """``good`` up to `STRONG_GUESS`, ``noisy`` above `WEAK_GUESS`.

        It judges the number that `guesses` writes. Where single trips are protected it is never
        good: a person who makes many is not.
        """
        written = round_up_percent(self.max_guess_rate) / 100
        level = rate_value(written, good=STRONG_GUESS, fair=WEAK_GUESS)
        return "partly" if level == "good" and not self.covers_person else level

    @property
    def strength(self) -> Strength:
        """The level in the words for privacy.

        Examples
        --------
        >>> Risk(max_guess_rate=0.73, max_group_guess_rate=0.98, epsilon=1.0).strength
        'strong'
        """
        words: dict[Verdict, Strength] = {"good": "strong", "partly": "moderate", "noisy": "weak"}
        return words[self.verdict]


def flow_release_risk(parameters: ODParameters, days: Sequence[int]) -> Risk:
    """Return what is left of privacy once all matrices of flows are released.

    At ``person-day`` a matrix that adds up d days has one noise and costs a person who travels on
    all of them d·ε; the noises of several matrices are independent, so that these losses compose.
    A trip lies in one matrix only, and at ``person`` all matrices together cost ε.

    Parameters
    ----------
    parameters : ODParameters
        ε of one unit and the unit of protection.
    days : sequence of int
        How many days each matrix adds up: seven ones for a week of daily matrices.

    Examples
    --------
    >>> daily = flow_release_risk(ODParameters(epsilon=0.5, unit="person-day"), [1] * 7)
    >>> daily.epsilon, round(daily.max_guess_rate, 3), daily.strength
    (3.5, 0.752, 'moderate')
    >>> summed = flow_release_risk(ODParameters(epsilon=0.5, unit="person-day"), [7])
    >>> round(summed.max_guess_rate, 3)  # as if ε were 3.5
    0.971
    """
    if not days:
        raise ParameterError("days must name at least one matrix, got none; choose a day")
    for length in set(days):
        validation.check_whole_number("days", length, 1, remedy="a matrix holds at least one day")
    times = Counter(days) if parameters.unit == "person-day" else Counter([1])

    def best_guess(people: int) -> float:
        matrix_epsilon = Guarantee(epsilon=parameters.epsilon).for_group(people).epsilon
        parts = [
            (*randomised_response(many * matrix_epsilon), often) for many, often in times.items()
        ]
        return compose(parts).optimal_guess_rate

    total = sum(many * often for many, often in times.items())
    return Risk(
        max_guess_rate=best_guess(1),
        max_group_guess_rate=best_guess(GROUP_SIZE),
        epsilon=total * parameters.epsilon,
        releases=total,
        covers_person=parameters.unit != "trip",
    )


def ledger_risk(ledger: Ledger, epsilon: float) -> Risk:
    """Return what is left of a person's privacy once the one release of a ledger is out.

    `epsilon` is as stated; what is proved counts instead where that is more.
    """
    loss = ledger.proved_epsilon if is_above(ledger.proved_epsilon, epsilon) else epsilon
    guarantee = Guarantee(epsilon=loss, delta=ledger.delta)
    return Risk(
        max_guess_rate=guarantee.max_guess_rate,
        max_group_guess_rate=guarantee.for_group(GROUP_SIZE).max_guess_rate,
        epsilon=loss,
        delta=ledger.delta,
    )


def round_up_percent(bound: float, decimals: int = 0) -> float:
    """Return an upper bound in percent, rounded up: what is written still bounds.

    Examples
    --------
    >>> round_up_percent(0.7311), round_up_percent(0.7311, 1), round_up_percent(0.75)
    (74.0, 73.2, 75.0)
    """
    scale = 10**decimals
    return math.ceil(100 * scale * bound - _ROUNDING) / scale


def format_guess_rate(best_guess: float, *, coin: bool = False) -> str:
    """Write how often an attacker is right at most: the words of every page and bundle.

    Examples
    --------
    >>> format_guess_rate(0.7311, coin=True), format_guess_rate(0.9901)
    ('at most 74 of 100 guesses (a coin: 50)', 'up to 100 of 100 guesses')
    """
    count = round_up_percent(best_guess)
    words = f"{'up to' if count > 99 else 'at most'} {count:.0f} of 100 guesses"
    return f"{words} (a coin: 50)" if coin else words
