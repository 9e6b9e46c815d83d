"""The contract of the three products `density`, `origin_destination` and `report`.

A product is a package; a method is a value of ``parameters.method`` and a row of ``METHODS``.

| function | result |
| --- | --- |
| ``truth(dataset, *, when)`` | the confidential counts that a release estimates |
| ``release(dataset, parameters, *, rng or noise, when)`` | one draw; holds no confidential data |
| ``draw_noise(dataset, parameters, *, rng, when)`` | the ``noise`` that ``release`` takes |
| ``expected(dataset, parameters, *, when)`` | exact expectation, None without one |
| ``scores(truth, release)`` | errors by the field's measures, one type a product |
| ``compute_cost(dataset, parameters)`` | the `PrivacyCost` of a release, from public facts alone |

Parameters are frozen and validated; they have ``epsilon``, ``method``, ``canonical_form`` (unused
fields at their defaults) and ``with_epsilon``. A release has ``counts`` in the truth's shape,
``cost`` and ``parameters``; where a method has them ``low``, ``high`` and ``is_shown``, never
None.

*When* is ``days=`` and ``sum_days=`` for flows; a dataset has one week and one period of a report.
Pages and evaluation use these alone and never ask for the method. `tests/contract` checks every
product and method. `engine.release` shares the plans and draws its own noise.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, TypeVar, get_args

from . import validation
from .parameters import ODParameters
from .privacy_cost import PrivacyCost

ReleaseT = TypeVar("ReleaseT")

Aggregation = Literal["day", "week", "whole"]
"""Days that one matrix adds up: one, seven, or all selected days."""


@dataclass(frozen=True, kw_only=True)
class TimeSelection:
    """Consecutive declared days, and the days that one matrix of flows adds up.

    Weeks count from the first selected day. Positions count from 0; `last_position` None is the
    last declared day. `compared_days` selects that many first and last days for two matrices, with
    aggregation ``whole``.
    """

    aggregation: Aggregation = "day"
    first_position: int = 0
    last_position: int | None = None
    compared_days: int | None = None

    def __post_init__(self) -> None:
        remedy = "'day' takes the days as they are declared"
        validation.check_one_of("step", self.aggregation, get_args(Aggregation), remedy)
        validation.check_whole_number(
            "first", self.first_position, 0, remedy="0 is the first declared day"
        )
        if self.last_position is not None:
            remedy = "the last day is not before the first"
            validation.check_whole_number(
                "last", self.last_position, self.first_position, remedy=remedy
            )
        if self.compared_days is not None:
            max_days = (
                0
                if self.last_position is None
                else (self.last_position + 1 - self.first_position) // 2
            )
            remedy = "two spans have no day in common; name the last day, and step 'whole'"
            validation.check_whole_number("span", self.compared_days, 1, max_days, remedy=remedy)
            validation.check_one_of("step", self.aggregation, ("whole",), remedy)

    def day_positions(self, days: int) -> Sequence[int]:
        """Return the positions of the selected days among `days` declared ones."""
        positions = range(
            self.first_position,
            days if self.last_position is None else min(self.last_position + 1, days),
        )
        return (
            positions
            if self.compared_days is None
            else (*positions[: self.compared_days], *positions[-self.compared_days :])
        )

    def days_by_matrix(self, days: int) -> list[Sequence[int]]:
        """Return the positions of the days of each matrix; a last week may be shorter."""
        positions = self.day_positions(days)
        step = {"day": 1, "week": 7, "whole": self.compared_days or max(len(positions), 1)}[
            self.aggregation
        ]
        return [positions[start : start + step] for start in range(0, len(positions), step)]

    def days_per_matrix(self, days: int) -> tuple[int, ...]:
        """Return the number of days of each matrix.

        >>> TimeSelection(aggregation="week").days_per_matrix(10)
        (7, 3)
        """
        return tuple(map(len, self.days_by_matrix(days)))


@dataclass(frozen=True, kw_only=True)
class Selection:
    """A dataset with its zone level and time: a hashable key, equal in every process.

    `dataset_id` is the folder of a version, which never changes, or the name of a shipped dataset.
    `zone_level` is ``"zones"``, a parent level such as ``"province"``, or ``"clusters-30"``. A
    density or report ignores `time`.
    """

    dataset_id: str
    zone_level: str = "zones"
    time: TimeSelection = TimeSelection()


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One mechanism on one selection of a dataset; unused parameters are at their defaults.

    Settings with equal effect are therefore equal keys. Seed, draw and displayed day are not part.

    >>> from engine.parameters import ODParameters
    >>> selection = Selection(dataset_id="demo-city")
    >>> first, second = (ODParameters(epsilon=1, method="empirical_bayes", suppression_threshold=n)
    ...                  for n in (0, 15))
    >>> Setting(selection=selection, parameters=first) == Setting(
    ...     selection=selection, parameters=second)
    True
    """

    selection: Selection
    parameters: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", self.parameters.canonical_form)
        if not isinstance(self.parameters, ODParameters):
            object.__setattr__(self, "selection", replace(self.selection, time=TimeSelection()))

    @property
    def dataset_id(self) -> str:
        """Id of the dataset."""
        return self.selection.dataset_id

    @property
    def zone_level(self) -> str:
        """Selected level of zones."""
        return self.selection.zone_level

    @property
    def time(self) -> TimeSelection:
        """Selected days and aggregation."""
        return self.selection.time

    def with_epsilon(self, epsilon: float) -> "Setting":
        """Return the setting at another ε."""
        return replace(self, parameters=self.parameters.with_epsilon(epsilon))


@dataclass(frozen=True, kw_only=True)
class Method(Generic[ReleaseT]):
    """One row of a product's ``METHODS``: everything that pages and evaluation need of a method.

    `used_fields` are the parameters beside ε that affect the release or its cost.
    `public_arguments` computes the keyword arguments of `cost` from the dataset. `expected` is
    the exact expectation, None where draws estimate it. `number_kind` says how to interpret a
    single number.
    """

    name: str
    short_name: str
    used_fields: frozenset[str]
    release: Callable[..., ReleaseT]
    cost: Callable[..., PrivacyCost]
    expected: Callable[..., Any] | None = None
    description: str = ""
    limitations: tuple[str, ...] = ()
    public_arguments: Callable[..., dict[str, Any]] = lambda *_: {}
    is_own: bool = False
    number_kind: Literal["shown", "estimated"] = "shown"
