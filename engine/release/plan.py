"""What a release will hold and cost, known before any count is read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from scipy import stats

from engine.datasets import Dataset, Metadata
from engine.origin_destination.estimate import total_reach
from engine.origin_destination.laws import NoiseLaw
from engine.release.cost import Loss
from engine.release.entries import BudgetUnit, exact
from engine.usability import CONFIDENCE

LEVEL = 0.9
"""Share of draws within the error bars of a release."""

READ_AFTERWARDS = ("od-estimate", "density-zoom")
"""The methods of our own: whole numbers are measured and a model reads them afterwards."""

PRODUCTS = ("od", "density", "report", *READ_AFTERWARDS)
"""What can be released."""

Progress = Callable[[float], None]

Norm = Literal["L₁", "L₂"]
Noise = Literal["discrete Laplace", "discrete Gaussian"]
Composition = Literal["one mechanism", "basic composition", "zCDP"]
"""How the stages of one release add up: `one mechanism` has nothing to add, under `basic
composition` the ε of the stages add up, under `zCDP` their ρ, converted to (ε, δ) once."""


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One set of counts that gets noise of one scale.

    Attributes
    ----------
    name : str
        What is counted.
    noise : str
        Law of the noise.
    sensitivity, norm : float, str
        Largest change of all its counts together when one unit comes or goes.
    scale : float
        Of the noise, in the counts' unit. Where it is chosen from other noisy numbers this is the
        largest, with its sensitivity; their ratio, and so the cost, is the same for all.
    epsilon, rho : float or None
        What the stage costs: ε of pure differential privacy or ρ of zCDP, one of the two.
    """

    name: str
    noise: Noise
    sensitivity: float
    norm: Norm
    scale: float
    epsilon: float | None = None
    rho: float | None = None


@dataclass(frozen=True, kw_only=True)
class Frame:
    """How the period and the places were fixed; None where that was not recorded at ingest.

    Attributes
    ----------
    simulated : bool
    period_from_data : bool or None
        Whether the first and the last day were read from the data.
    places_public : bool or None
        Whether the places are public, and not read from the data.
    """

    simulated: bool
    period_from_data: bool | None
    places_public: bool | None

    @classmethod
    def of(cls, metadata: Metadata) -> "Frame":
        """Return what the ingest recorded."""
        return cls(
            simulated=metadata.simulated,
            period_from_data=metadata.period_from_data,
            places_public=metadata.places_public,
        )

    @property
    def words(self) -> str:
        """Say it in two sentences, or one for a simulation.

        Examples
        --------
        >>> Frame(simulated=True, period_from_data=False, places_public=True).words
        'Period and places are settings of the simulation.'
        """
        if self.simulated:
            return "Period and places are settings of the simulation."
        period = {
            None: "Whether the period was read from the data was not recorded.",
            False: "The period was declared by the custodian and not read from the data.",
            True: "The period was read from the data: its first and last day tell something about "
            "them that no ε here covers.",
        }[self.period_from_data]
        places = {
            None: "Whether the places are public was not recorded.",
            False: "The places are not public or were read from the data: they tell something "
            "that no ε here covers.",
            True: "The places are public, as the custodian declared.",
        }[self.places_public]
        return f"{period} {places}"


@dataclass(frozen=True, kw_only=True)
class Accuracy:
    """What the noise alone does to a number of a given size.

    Attributes
    ----------
    what : str
        Which number.
    size : float or None
        Its size as kept, after trimming, where that matters; None where the error does not depend
        on it.
    half_width : float
        Half the width of the 90% error bar, in the number's unit.
    shown : float
        Probability that it is shown and not suppressed.
    holds : float
        Probability that the error bar holds the kept number, given that it is shown. Below 90%
        near a threshold: what is shown there was mostly lifted over it by its noise.
    """

    what: str
    size: float | None
    half_width: float
    shown: float = 1.0
    holds: float = LEVEL


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a release states of itself; nothing here depends on a count.

    Attributes
    ----------
    product : str
        One of `PRODUCTS`.
    title : str
        In words.
    unit : str
        What ε protects.
    epsilon, delta : float
        Privacy loss per unit.
    days : int
        Declared days that are released; a person pays for each at unit ``person-day``.
    contribution : str
        How much of one unit is counted.
    bounded_by : str
        How the bound was chosen.
    sensitivity : float
        Largest change of all counts together when one unit comes or goes, in `norm`.
    norm : str
        ``L₁`` or ``L₂``.
    mechanism : str
        Law of the noise.
    scale : float
        Of the noise, in the counts' unit: scale of the Laplace, standard deviation of the Gaussian.
    trimmed_to, rho : int or None, float or None
        What a tighter cost in finer units rests on, see `Loss`.
    proof : str
        Why this is ε, in a sentence.
    cells : int
        Noisy numbers, fixed by public geometry and the declared period.
    cells_words : str
    settings : mapping
        As asked.
    stages : tuple of Stage
        All that gets noise, each with its cost.
    composition : str
        How their costs add up.
    frame : Frame
        How period and places were fixed.
    bars : str
        The columns with error bars that hold whatever the data.
    kept : str
        What those bars are around.
    beyond : str
        A sentence: what lies between that and the true number.
    accuracy : tuple of Accuracy
        Exact, from the law of the noise.
    bias : tuple of str
        What rounding, bounding, clamping and suppression do to the numbers.
    warnings : tuple of str
        Where a reader would be misled, by the law of the noise alone.
    """

    product: str
    title: str
    unit: BudgetUnit
    epsilon: float
    delta: float = 0.0
    days: int
    contribution: str
    bounded_by: str = "a setting, which this software does not read from the data"
    sensitivity: float
    norm: Norm = "L₁"
    mechanism: str
    scale: float
    trimmed_to: int | None = None
    rho: float | None = None
    proof: str
    cells: int
    cells_words: str
    settings: Mapping[str, Any]
    stages: tuple[Stage, ...]
    composition: Composition
    frame: Frame
    bars: str
    kept: str
    beyond: str
    accuracy: tuple[Accuracy, ...]
    bias: tuple[str, ...]
    warnings: tuple[str, ...] = ()

    @property
    def loss(self) -> Loss:
        """What `engine.release.cost` converts to the unit of a budget."""
        return Loss(
            unit=self.unit,
            epsilon=self.epsilon,
            delta=self.delta,
            days=self.days,
            trimmed_to=self.trimmed_to,
            rho=self.rho,
        )


@dataclass(frozen=True, kw_only=True)
class Outlook:
    """What the noise alone allows of one kind of number.

    Attributes
    ----------
    what : str
        A number of this kind, such as ``a flow``.
    empty : str
        One whose kept count is 0.
    least : int
        The least number that is shown; smaller ones are suppressed or read 0.
    empty_shown : float
        Probability that an empty one reads `least` or more.
    near_from : int
        The least kept count from which on a number is shown and within a quarter of its kept
        count in 95% of releases (`engine.usability`: what a usable flow is, but for trimming).
    """

    what: str
    empty: str
    least: int
    empty_shown: float
    near_from: int

    @property
    def misleads(self) -> bool:
        """Whether empty ones are shown more often than the errors that a usable flow may have."""
        return self.empty_shown > 1 - CONFIDENCE


class Product(Protocol):
    """One thing that can be released: it plans without counts, and draws once."""

    def outlook(self, dataset: Dataset, /) -> tuple[Outlook, ...]:
        """Return what its numbers can be used for by the law of the noise alone."""
        ...

    def prepare(self, dataset: Dataset, /) -> None:
        """Raise where the dataset lacks what will be counted, before anything is charged."""
        ...

    def plan(self, dataset: Dataset, /) -> Plan:
        """Return what a release will hold and cost; reads geometry and metadata alone."""
        ...

    def write(self, dataset: Dataset, folder: Path, progress: Progress, /) -> None:
        """Draw the noise and write the product's tables and map into an empty folder."""
        ...


def safe_scale(sensitivity: float, epsilon: float) -> float:
    """Return the least float scale whose privacy loss sensitivity/scale is at most ε, exactly.

    ε counts as it is written: 0.1 is one tenth, and not the float that is a little more.

    Examples
    --------
    >>> safe_scale(1, 0.1), safe_scale(4, 0.5), safe_scale(1, 10)
    (10.0, 8.0, 0.1)
    """
    allowed = min(exact(epsilon), Fraction(epsilon))
    scale = sensitivity / epsilon
    while Fraction(sensitivity) > allowed * Fraction(scale):
        scale = float(np.nextafter(scale, np.inf))
    return scale


def laplace_proof(sensitivity: float, scale: float, epsilon: float) -> str:
    """Say why discrete Laplace noise costs what it costs."""
    return (
        f"discrete Laplace of scale {scale:.6g} on counts of sensitivity {sensitivity:g} (L₁) is "
        f"exactly ε = {epsilon:g}."
    )


def laplace_bar(scale: float, level: float = LEVEL) -> int:
    """Return the least whole z with P(|Z| > z) ≤ 1 − level for discrete Laplace noise.

    P(|Z| > z) = 2 q^(z+1) / (1 + q) with q = e^(−1/scale) (erratum O5).

    Examples
    --------
    >>> laplace_bar(10.0)
    23
    """
    law = NoiseLaw(1 / scale, "discrete_laplace")
    z = max(int(np.floor(scale * np.log(1 / (1 - level)))) - 2, 0)
    while float(2 * law.tail(z + 1)) > 1 - level:
        z += 1
    return z


def holds_where_shown(scale: float, bar: int, size: int, least: int) -> float:
    """Return P(the bar holds the kept number | it is shown), for discrete Laplace noise.

    A number m is shown where m + Z ≥ `least`, and its bar holds m where |Z| ≤ `bar`: whoever looks
    at shown numbers alone sees those that noise lifted over the threshold.

    Examples
    --------
    >>> round(holds_where_shown(10.0, 23, 1000, 15), 3), holds_where_shown(1.0, 3, 0, 15)
    (0.905, 0.0)
    """
    law = NoiseLaw(1 / scale, "discrete_laplace")
    lowest = max(least - size, -bar)
    within = float(law.tail(lowest) - law.tail(bar + 1)) if lowest <= bar else 0.0
    return within / float(law.tail(least - size)) if within else 0.0


def laplace_sd(scale: float) -> float:
    """Return the standard deviation √(2q)/(1 − q) of discrete Laplace noise."""
    q = float(np.exp(-1 / scale))
    return float(np.sqrt(2 * q) / -np.expm1(-1 / scale))


def sum_bar(scale: float, cells: int, level: float = LEVEL) -> int:
    """Return the error bar of a sum of `cells` numbers with noise of this scale, by its exact law.

    Examples
    --------
    >>> sum_bar(10.0, 1) == laplace_bar(10.0), sum_bar(10.0, 420)
    (True, 476)
    """
    return total_reach(1 / scale, max(cells, 1), confidence=level)


def normal_bar(standard_deviation: float, level: float = LEVEL) -> float:
    """Return the error bar of a sum of many noisy counts, by the normal law."""
    return float(stats.norm.ppf((1 + level) / 2) * standard_deviation)
