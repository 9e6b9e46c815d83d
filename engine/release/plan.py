"""What a release will hold and cost, known before any count is read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from ..datasets import Dataset, Metadata
from ..parameters import EPSILON_RANGE
from .bars import LEVEL, Outlook, safe_scale
from .cost import Loss
from .ledger import BudgetUnit

PRODUCTS = ("od", "density", "report", "od-estimate", "density-zoom")
"""What can be released, as files name it."""

Progress = Callable[[float], None]
Days = tuple[int, ...] | None

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
    sensitivity, norm : float, str
        Largest change of all its counts together when one unit comes or goes.
    scale : float
        Of the noise, in the counts' unit. Where it is chosen from other noisy numbers this is the
        largest, with its sensitivity; their ratio, and so the cost, is the same for all.
    epsilon, rho : float or None
        What the stage costs: ε of pure differential privacy or ρ of zCDP, one of the two.
    step : int
        Whole numbers that stand for one count: noise is drawn for them, at `step` times the scale.
    """

    name: str
    noise: Noise
    sensitivity: float
    norm: Norm
    scale: float
    epsilon: float | None = None
    rho: float | None = None
    step: int = 1

    @classmethod
    def laplace(cls, name: str, sensitivity: int, epsilon: float, room: float = 1.0) -> "Stage":
        """Return counts whose noise is by `room` larger than the least that proves their ε."""
        return cls(
            name=name,
            noise="discrete Laplace",
            sensitivity=sensitivity,
            norm="L₁",
            scale=safe_scale(sensitivity, epsilon) * room,
            epsilon=epsilon,
        )


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
    product, title : str
        One of `PRODUCTS`, and its title in words.
    unit : str
        What ε protects.
    epsilon, delta : float
        Privacy loss per unit.
    epsilons : (float, float)
        The least and the largest ε that it can be released with.
    days : int
        Declared days that are released; a person pays for each at unit ``person-day``.
    contribution : str
        How much of one unit is counted.
    sensitivity, norm : float, str
        Largest change of all counts together when one unit comes or goes.
    mechanism, scale : str, float
        Law of the noise, and its scale (standard deviation of the Gaussian) in the counts' unit.
    trimmed_to, rho : int or None, float or None
        What a tighter cost in finer units rests on, see `Loss`.
    proof : str
        Why this is ε, in a sentence.
    cells, cells_words : int, str
        Noisy numbers, fixed by public geometry and the declared period.
    settings : mapping
        As asked.
    stages, composition : tuple of Stage, str
        All that gets noise, each with its cost, and how the costs add up.
    frame : Frame
        How period and places were fixed.
    bars, kept, beyond : str
        The columns with error bars that hold whatever the data; what they are around; a sentence
        on what lies between that and the true number.
    accuracy : tuple of Accuracy
        Exact, from the law of the noise.
    bias : tuple of str
        What rounding, bounding, clamping and suppression do to the numbers.
    warnings : tuple of str
        Where a reader would be misled, by the law of the noise alone.
    reads_noise : bool
        Whether a model reads the whole numbers afterwards: our own methods.
    """

    product: str
    title: str
    unit: BudgetUnit
    epsilon: float
    delta: float = 0.0
    epsilons: tuple[float, float] = EPSILON_RANGE
    days: int
    contribution: str
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
    reads_noise: bool = False

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


class Way(Protocol):
    """How one product is released by one method: a module with these four functions."""

    def plan(self, dataset: Dataset, parameters: Any, days: Days, /) -> Plan:
        """Return what a release will hold and cost; reads geometry and metadata alone."""
        ...

    def outlook(self, dataset: Dataset, parameters: Any, days: Days, /) -> tuple[Outlook, ...]:
        """Return what its numbers can be used for by the law of the noise alone."""
        ...

    def prepare(self, dataset: Dataset, parameters: Any, days: Days, /) -> None:
        """Raise where the dataset lacks what will be counted, before anything is charged."""
        ...

    def write(
        self, dataset: Dataset, parameters: Any, days: Days, folder: Path, progress: Progress, /
    ) -> None:
        """Draw the noise and write the product's tables and map into an empty folder."""
        ...


def laplace_proof(sensitivity: float, scale: float, epsilon: float) -> str:
    """Say why discrete Laplace noise costs what it costs."""
    return (
        f"discrete Laplace of scale {scale:.6g} on counts of sensitivity {sensitivity:g} (L₁) is "
        f"exactly ε = {epsilon:g}."
    )
