"""What ε and δ mean for one person: odds, the best guess of membership, what others have used.

An attacker who knows all other records asks whether one more is in the data. Differential privacy
bounds every such test: with P and Q the laws of what is published with and without the record,
P(S) ≤ e^ε·Q(S) + δ for every set S of results, and the same with P and Q exchanged.

For δ > 0 that is all that is proved of released counts. It bounds how often a guess can be right;
it does not bound the odds after each single result, and it does not say that "ε fails with
probability δ", which is the stronger probabilistic DP.
"""

import math
from dataclasses import dataclass
from typing import Literal

from . import validation
from .errors import ParameterError
from .steps import Level, step

Strength = Literal["strong", "moderate", "weak"]

STRONG_GUESS = 0.75
"""Best guess up to which privacy is called strong: halfway from a coin toss to certainty. A single
pure release reaches it at ε = ln 3, about 1.1."""
WEAK_GUESS = 0.95
"""Best guess above which privacy is called weak: the attacker errs less than once in 20 times. A
single pure release reaches it at ε = ln 19, about 2.9. Both limits are conventions; most known
uses (`PRECEDENTS`) lie between them, each counted for its own unit."""

GROUP = 4
"""A household: so many who travel together are spoken of beside every promise to one."""

_GROUP_REMEDY = "it is how many travel together, such as 4 for a household"
_PRIOR_REMEDY = "it is what the attacker believes beforehand, such as 0.1"


@dataclass(frozen=True, kw_only=True)
class Guarantee:
    """(ε, δ)-differential privacy as a limit on every attack; pure ε-DP where δ is 0.

    Parameters
    ----------
    epsilon : float
        Privacy loss of the unit of protection that the attack is about, finite and at least 0.
    delta : float
        At least 0 and below 1.

    Raises
    ------
    ParameterError
        If a number is outside its domain.

    Examples
    --------
    >>> guarantee = Guarantee(epsilon=0.5)
    >>> round(guarantee.odds_factor, 3), round(guarantee.best_guess, 4)
    (1.649, 0.6225)
    """

    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        loss = validation.as_real(self.epsilon)
        if loss is None or not 0 <= loss < math.inf:
            raise ParameterError(
                f"epsilon must be a finite number of at least 0, got {self.epsilon!r}; "
                "smaller means more private, 0.1 to 2 is usual"
            )
        delta = validation.as_real(self.delta)
        if delta is None or not 0 <= delta < 1:
            raise ParameterError(
                f"delta must be a number of at least 0 and below 1, got {self.delta!r}; "
                "choose it below one over the number of people, such as 1e-7"
            )

    @property
    def is_pure(self) -> bool:
        """Whether δ is 0, so that the odds are bounded after every single result."""
        return self.delta == 0

    @property
    def odds_factor(self) -> float:
        """e^ε, infinite where no float holds it.

        Without δ, the most that any published result can multiply the odds that the record is in
        the data. With δ, no set of results is more than e^ε times as likely, plus δ.
        """
        return math.exp(self.epsilon) if self.epsilon < 709 else math.inf

    @property
    def advantage(self) -> float:
        """The largest true-positive rate minus false-positive rate, (e^ε − 1 + 2δ)/(e^ε + 1)."""
        stay = math.exp(-self.epsilon)
        return (-math.expm1(-self.epsilon) + 2 * self.delta * stay) / (1 + stay)

    @property
    def best_guess(self) -> float:
        """The largest share of right guesses where a coin gets half, (e^ε + δ)/(e^ε + 1)."""
        return (1 + self.advantage) / 2

    @property
    def area(self) -> float:
        """The largest area under the ROC curve, the integral of `most_detected`.

        Examples
        --------
        >>> round(Guarantee(epsilon=0.5).area, 4)  # e^ε/(1 + e^ε) where δ is 0
        0.6225
        """
        # The trade-off curve 1 − TPR falls from 1 − δ to its kink at (k, k), and on to 0 at 1 − δ
        kink = self.kink
        return 1 - kink * (1 - self.delta)

    @property
    def kink(self) -> float:
        """The false-positive rate at which the limit's two lines meet, (1 − δ)/(1 + e^ε)."""
        stay = math.exp(-self.epsilon)
        return (1 - self.delta) * stay / (1 + stay)

    def most_detected(self, false_positive_rate: float) -> float:
        """Return the largest true-positive rate of a test with this false-positive rate.

        One minus the trade-off curve of Dong, Roth and Su ("Gaussian differential privacy", 2022,
        equation 5): f(α) = max(0, 1 − δ − e^ε·α, e^(−ε)·(1 − δ − α)).

        Examples
        --------
        >>> round(Guarantee(epsilon=0.5).most_detected(0.1), 4)
        0.1649
        """
        rate = validation.as_real(false_positive_rate)
        if rate is None or not 0 <= rate <= 1:
            raise ParameterError(
                f"false_positive_rate must be from 0 to 1, got {false_positive_rate!r}; "
                "it is the share of absent records that are taken for present"
            )
        low = self.delta + (self.odds_factor * rate if rate else 0.0)
        high = 1 - math.exp(-self.epsilon) * (1 - self.delta - rate)
        return min(1.0, low, high)

    def together(self, people: int) -> "Guarantee":
        """Return what is promised to so many who travel together: a household, a bus.

        One observation of all of them moves with every single one, so that a group of k is
        protected only by k·ε, and by δ·(e^(kε) − 1)/(e^ε − 1) (Dwork and Roth 2014, theorem 2.2,
        and its sum over the k steps). It is also all that holds for one person against whoever
        believes that these k come or stay together: the promise for one is about an attacker who
        knows the others, or believes that the person travels independently of them.

        Parameters
        ----------
        people : int
            How many protected units the group has, at least 1.

        Examples
        --------
        >>> four = Guarantee(epsilon=0.5).together(4)
        >>> four.epsilon, round(four.suspicion(0.1), 3)  # for one alone: 0.155
        (2.0, 0.451)
        """
        count = validation.whole_number("people", people, 1, remedy=_GROUP_REMEDY)
        steps = (min(i * self.epsilon, 700.0) for i in range(count))
        slack = self.delta * sum(math.exp(loss) for loss in steps)
        return Guarantee(epsilon=count * self.epsilon, delta=min(slack, math.nextafter(1.0, 0.0)))

    def suspicion(self, prior: float) -> float:
        """Return the most that a suspicion can grow to, whatever is published.

        It holds for an attacker who knows the other records or believes them independent of this
        one. Whoever believes that several come together learns of all at once: see `together`.

        Parameters
        ----------
        prior : float
            Probability, above 0 and below 1, that the attacker gives the record beforehand.

        Raises
        ------
        ParameterError
            If δ is above 0: then single rare results may reveal more, and there is no such limit.

        Examples
        --------
        >>> round(Guarantee(epsilon=1.0).suspicion(0.1), 3)
        0.232
        """
        if not self.is_pure:
            raise ParameterError(
                f"delta must be 0 for a limit on every suspicion, got {self.delta!r}; "
                "use best_guess, which holds on average over what is published"
            )
        belief = validation.inside_open_interval("prior", prior, 0, 1, _PRIOR_REMEDY)
        return belief / (belief + (1 - belief) * math.exp(-self.epsilon))


def level_of_guess(guess: float) -> Level:
    """Return the step of a best guess: the same rule as of all that is judged.

    Examples
    --------
    >>> level_of_guess(0.75), level_of_guess(0.752), level_of_guess(0.96)
    ('good', 'partly', 'noisy')
    """
    return step(guess, good=STRONG_GUESS, partly=WEAK_GUESS)


@dataclass(frozen=True, kw_only=True)
class Worth:
    """What privacy is left once everything declared is released.

    Attributes
    ----------
    best_guess : float
        The most that any attacker gets right, from all releases together, of guesses whether the
        protected record is in the data, where a coin gets half.
    total_epsilon, delta : float
        Privacy loss of all releases together, simply added up.
    releases : int
        How many read the same record.
    covers_person : bool
        Whether that is all a person has in what is released, rather than single trips.
    group_guess : float
        The same as `best_guess`, of `GROUP` people (or trips) who are in or out together.
    """

    best_guess: float
    total_epsilon: float
    delta: float
    releases: int
    covers_person: bool
    group_guess: float

    @property
    def strength(self) -> Strength:
        """``strong`` up to `STRONG_GUESS`, ``weak`` above `WEAK_GUESS`.

        Where single trips are protected it is never strong: a person who makes many is not.

        Examples
        --------
        >>> Worth(best_guess=0.73, total_epsilon=1.0, delta=0, releases=1,
        ...       covers_person=True, group_guess=0.98).strength
        'strong'
        """
        words: dict[Level, Strength] = {"good": "strong", "partly": "moderate", "noisy": "weak"}
        strength = words[level_of_guess(self.best_guess)]
        return "moderate" if strength == "strong" and not self.covers_person else strength


@dataclass(frozen=True, kw_only=True)
class Precedent:
    """A published use of differential privacy.

    Attributes
    ----------
    name : str
    epsilon : float
        As published for `unit`.
    unit : str
        What one ε protects: compare it before the number.
    note : str
        How it is counted or where the noise is added.
    source : str
        Address of the publication.
    """

    name: str
    epsilon: float
    unit: str
    note: str
    source: str


PRECEDENTS = (
    Precedent(
        name="Google shared mobility research dataset, 2016 trips",
        epsilon=0.66,
        unit="a user's trip",
        note="weekly flows; δ = 2.1e-29; places with few users left out",
        source="https://www.nature.com/articles/s41467-019-12809-y",
    ),
    Precedent(
        name="Google search trends of symptoms, 2020",
        epsilon=1.68,
        unit="a user's day",
        note="δ = 0; noise added centrally",
        source="https://arxiv.org/abs/2009.01265",
    ),
    Precedent(
        name="Google Environmental Insights Explorer",
        epsilon=2.0,
        unit="a user's week",
        note="trips by mode; about 2",
        source="https://arxiv.org/abs/2407.03496",
    ),
    Precedent(
        name="Apple health data types",
        epsilon=2.0,
        unit="a user's day",
        note="noise added on the device (local)",
        source="https://desfontain.es/blog/real-world-differential-privacy.html",
    ),
    Precedent(
        name="Meta Movement Range Maps, 2020",
        epsilon=2.0,
        unit="a user's day",
        note="δ = 0; noise added centrally, a release a day",
        source="https://research.facebook.com/blog/2020/06/"
        "protecting-privacy-in-facebook-mobility-data-during-the-covid-19-response/",
    ),
    Precedent(
        name="Google vaccination search insights, 2021",
        epsilon=2.19,
        unit="a user's day",
        note="δ = 1e-5",
        source="https://arxiv.org/abs/2107.01179",
    ),
    Precedent(
        name="US Census 2020: housing units",
        epsilon=2.47,
        unit="a housing unit's record",
        note="redistricting data, beside 17.14 for persons; zCDP turned into ε at δ = 1e-10",
        source="https://hdsr.mitpress.mit.edu/pub/7evz361i",
    ),
    Precedent(
        name="Google Community Mobility Reports, 2020",
        epsilon=2.64,
        unit="a user's day",
        note="δ = 0; 1.76 + 0.44 + 0.44; visits to places; the closest to this tool",
        source="https://arxiv.org/abs/2004.04145",
    ),
    Precedent(
        name="Apple emoji suggestions",
        epsilon=4.0,
        unit="a user's day",
        note="noise added on the device (local)",
        source="https://desfontain.es/blog/real-world-differential-privacy.html",
    ),
    Precedent(
        name="Spectus hurricane evacuation, Harris County 2017",
        epsilon=10.0,
        unit="a user",
        note="δ = 0; one release: 4 + 2 + 1 + 3",
        source="https://web.archive.org/web/20221209065442/https://spectus.ai/wp-content/uploads/"
        "2022/10/Spectus_DPWhitepaper_v01b.pdf",
    ),
    Precedent(
        name="US Census 2020: persons",
        epsilon=17.14,
        unit="a person's record",
        note="redistricting data; zCDP turned into ε at δ = 1e-10",
        source="https://hdsr.mitpress.mit.edu/pub/7evz361i",
    ),
)
"""Known uses by ascending ε, those of mobility as the OpenDP deployments registry has them. A used
value is no proof that it is a good one."""

SUPPRESSION_STANDARDS = {
    "FlowKit, which hides 15 and fewer": 16,
    "US cancer statistics (CDC)": 15,
    "California's education statistics": 10,
}
"""The least count that others publish, the last two as P2 cites them: usual values of τ.

Alone they protect nobody: whoever knows all others of a flow that is shown learns exactly whether
one more person is in it. Noise is what hides that.
"""
