"""One contract: what every product (`density`, `origin_destination`, `report`) answers.

A product is a package, a method a value of ``parameters.method`` and a row of the product's
``METHODS``. The verbs:

| verb | answers |
| --- | --- |
| ``plan(dataset, parameters)`` | the `Ledger` of a release, from public facts: no count is read |
| ``truth(dataset, *, when)`` | the confidential counts that a release stands for |
| ``release(dataset, parameters, *, rng or noise, when)`` | a draw; nothing confidential inside |
| ``draw_noise(dataset, parameters, *, rng, when)`` | what ``release`` takes as its ``noise`` |
| ``expected(dataset, parameters, *, when)`` | the exact law's answer, None for a method without |
| ``scores(truth, release)`` | errors by the field's measures, one type a product |
| ``ledger(parameters, *, public facts)`` | stages and totals, before any draw |

Parameters are frozen and checked when made; they have ``epsilon``, ``method``, ``used`` (what the
method does not use at its default) and ``at(epsilon)``. A release has ``counts`` in the shape of
the truth, what to add up, its ``ledger`` and ``parameters``; where a method has them ``low`` and
``high``, its bands, and ``shown``, which numbers it shows by themselves. What a method does not
have is no attribute of its release, and never None.

*When* is ``days=`` and ``sum_days=`` for flows; a dataset has one week and one period of a report.
One sweep (`engine.sweeping`) serves every product that has ``truth`` and ``scores``. Judges, pages
and tests take these and never ask which method it is. `tests/contract` holds every product and
method to this page, and names what is still missing. What leaves the building stands on the same
plans, with noise of its own (`engine.release`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, TypeVar, get_args

from . import validation
from .parameters import ODParameters
from .privacy_ledger import Ledger

ReleaseT = TypeVar("ReleaseT")

Aggregation = Literal["day", "week", "whole"]
"""How long the trips of one matrix are collected: a day, seven of them, or all that are seen."""


@dataclass(frozen=True, kw_only=True)
class TimeSelection:
    """Consecutive declared days, and how long one matrix of flows collects.

    Weeks count from the first day that is seen. `first` and `last` are positions from 0, None is
    the last declared day; `span`, with step ``whole``, asks for two matrices, of the first and of
    the last so many days: the days between them are not seen.
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
        """Return the positions of the days that are seen, of so many declared ones."""
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
        """Return the positions of the days that each matrix adds up; a last week may be shorter."""
        positions = self.day_positions(days)
        step = {"day": 1, "week": 7, "whole": self.compared_days or max(len(positions), 1)}[
            self.aggregation
        ]
        return [positions[start : start + step] for start in range(0, len(positions), step)]

    def days_per_matrix(self, days: int) -> tuple[int, ...]:
        """Return how many days each matrix adds up, of so many declared ones.

        >>> TimeSelection(aggregation="week").days_per_matrix(10)
        (7, 3)
        """
        return tuple(map(len, self.days_by_matrix(days)))


@dataclass(frozen=True, kw_only=True)
class Selection:
    """A dataset as it is looked at: hashable, and the same in every process.

    `dataset` is its id: the folder of a version, which never changes, or the name of a shipped one;
    `zones` are ``"zones"`` for its own, a level of parents such as ``"province"``, or
    ``"clusters-30"``. A density has its week and a report its one period, whatever `when` says.
    """

    dataset_id: str
    zone_level: str = "zones"
    time: TimeSelection = TimeSelection()


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What is judged and what is released: one mechanism on a dataset seen in one way.

    Equal settings are equal keys: what the method does not use is at its default. The seed, the
    repeat, the day drawn and the view stay outside. `parameters` are those of one product.

    >>> from engine.parameters import ODParameters
    >>> seen = Selection(dataset_id="demo-city")
    >>> one, other = (ODParameters(epsilon=1, method="empirical_bayes", suppression_threshold=n)
    ...               for n in (0, 15))
    >>> Setting(selection=seen, parameters=one) == Setting(selection=seen, parameters=other)
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
        """The dataset's id."""
        return self.selection.dataset_id

    @property
    def zone_level(self) -> str:
        """The level of zones that is seen."""
        return self.selection.zone_level

    @property
    def time(self) -> TimeSelection:
        """The days that are seen, and how long one matrix collects."""
        return self.selection.time

    def with_epsilon(self, epsilon: float) -> "Setting":
        """Return the same at another ε."""
        return replace(self, parameters=self.parameters.with_epsilon(epsilon))


@dataclass(frozen=True, kw_only=True)
class Method(Generic[ReleaseT]):
    """One row of a product's ``METHODS``: all that a page or a judge asks about a method.

    `uses` are the fields of the parameters, beside ε, that change what is released or what it
    costs; `public` gives from the dataset (and the settings) what `ledger` takes beside them;
    `expected` is the exact law's answer, None where draws are judged; `ours` says whose it is;
    `number_kind` is how a single number is to be read.
    """

    name: str
    short_name: str
    used_fields: frozenset[str]
    release: Callable[..., ReleaseT]
    ledger: Callable[..., Ledger]
    expected: Callable[..., Any] | None = None
    description: str = ""
    limitations: tuple[str, ...] = ()
    public_arguments: Callable[..., dict[str, Any]] = lambda *_: {}
    is_own: bool = False
    number_kind: Literal["shown", "estimated"] = "shown"
