"""What a release will hold and cost, in numbers that are known before any count is read."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from ..contract import Setting
from ..datasets import Metadata
from .bars import LEVEL, safe_scale
from .cost import Loss

Progress = Callable[[float], None]


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One set of counts that gets noise of one scale, and what it costs: pure ε, or ρ of zCDP.

    Noise is drawn for whole numbers, `step` of them to one count, at `step` times the scale.
    """

    name: str
    noise: Literal["discrete Laplace", "discrete Gaussian", "noisy maximum"] = "discrete Laplace"
    sensitivity: float
    norm: Literal["L₁", "L₂"] = "L₁"
    scale: float
    epsilon: float | None = None
    rho: float | None = None
    step: int = 1

    @classmethod
    def laplace(cls, name: str, sensitivity: int, epsilon: float, room: float = 1.0) -> "Stage":
        """Return counts whose noise is by `room` larger than the least that proves their ε."""
        scale = safe_scale(sensitivity, epsilon) * room
        return cls(name=name, sensitivity=sensitivity, scale=scale, epsilon=epsilon)


@dataclass(frozen=True, kw_only=True)
class Accuracy:
    """Half the bar of a number, how often one of its kept `size` is shown, and the bar holds."""

    what: str
    half_width: float
    size: int | None = None
    shown: float = 1.0
    holds: float = LEVEL


@dataclass(frozen=True, kw_only=True)
class Plan(Loss):
    """What a release states of itself: of settings and public facts alone, no count is read.

    `metadata` are of the days that are released; `limit` bounds what one unit has counted;
    `matrices` are of flows, districts or cells of the cover; `total_bar` is half the bar of a
    zone's total. Of flows, `least` is the least number shown, `phantom` E[X | 0], what an empty one
    shows on average, `named_alone` the least measured count by which a single one of ours is named
    certain, and `trips` what the custodian says were made. `raised` is what a number reads where
    nothing was counted and negative noise is set to 0.
    """

    product: Literal["od", "od-estimate", "density", "density-fourier", "density-zoom", "report"]
    setting: Setting
    metadata: Metadata
    limit: int
    stages: tuple[Stage, ...]
    composition: str
    cells: int
    zones: int
    towers: int = 0
    matrices: int = 1
    accuracy: tuple[Accuracy, ...]
    total_bar: float = 0.0
    least: int = 1
    phantom: float = 0.0
    raised: float = 0.0
    named_alone: int = 0
    trips: int | None = None

    @property
    def parameters(self) -> Any:
        """The settings of the mechanism."""
        return self.setting.parameters

    @property
    def bar(self) -> float:
        """Half the error bar of one number, the first of `accuracy`."""
        return self.accuracy[0].half_width

    @property
    def of_flows(self) -> bool:
        """Whether it is of origins and destinations."""
        return self.product.startswith("od")

    @property
    def ours(self) -> bool:
        """Whether a model of our own reads the noisy numbers."""
        return self.product in ("od-estimate", "density-zoom")

    @property
    def flows(self) -> int:
        """Ordered pairs of different zones, in all matrices."""
        return self.matrices * self.zones * (self.zones - 1)

    @property
    def compares(self) -> bool:
        """Whether flows are of two spans of equally many days, whose changes are told as well."""
        days, starts = self.metadata.days, self.metadata.periods
        return self.of_flows and len(starts) == 2 and 2 * days.index(starts[1]) == len(days)

    @property
    def phantoms(self) -> float:
        """Trips that the release would add up to, were every flow empty."""
        return self.flows * self.phantom

    @property
    def mostly_noise(self) -> bool:
        """Whether that is a trip, and more than were made as far as the custodian said."""
        return self.phantoms >= 1 and self.phantoms > (self.trips or 0)
