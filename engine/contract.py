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
from .ledger import Ledger
from .parameters import ODParameters

Drawn = TypeVar("Drawn")

Step = Literal["day", "week", "whole"]
"""How long the trips of one matrix are collected: a day, seven of them, or all that are seen."""


@dataclass(frozen=True, kw_only=True)
class When:
    """Consecutive declared days, and how long one matrix of flows collects.

    Weeks count from the first day that is seen. `first` and `last` are positions from 0, None is
    the last declared day; `span`, with step ``whole``, asks for two matrices, of the first and of
    the last so many days: the days between them are not seen.
    """

    step: Step = "day"
    first: int = 0
    last: int | None = None
    span: int | None = None

    def __post_init__(self) -> None:
        remedy = "'day' takes the days as they are declared"
        validation.one_of("step", self.step, get_args(Step), remedy)
        validation.whole_number("first", self.first, 0, remedy="0 is the first declared day")
        if self.last is not None:
            remedy = "the last day is not before the first"
            validation.whole_number("last", self.last, self.first, remedy=remedy)
        if self.span is not None:
            most = 0 if self.last is None else (self.last + 1 - self.first) // 2
            remedy = "two spans have no day in common; name the last day, and step 'whole'"
            validation.whole_number("span", self.span, 1, most, remedy=remedy)
            validation.one_of("step", self.step, ("whole",), remedy)

    def positions(self, days: int) -> Sequence[int]:
        """Return the positions of the days that are seen, of so many declared ones."""
        seen = range(self.first, days if self.last is None else min(self.last + 1, days))
        return seen if self.span is None else (*seen[: self.span], *seen[-self.span :])

    def groups(self, days: int) -> list[Sequence[int]]:
        """Return the positions of the days that each matrix adds up; a last week may be shorter."""
        seen = self.positions(days)
        step = {"day": 1, "week": 7, "whole": self.span or max(len(seen), 1)}[self.step]
        return [seen[at : at + step] for at in range(0, len(seen), step)]

    def lengths(self, days: int) -> tuple[int, ...]:
        """Return how many days each matrix adds up, of so many declared ones.

        >>> When(step="week").lengths(10), When(step="whole").lengths(10)
        ((7, 3), (10,))
        """
        return tuple(map(len, self.groups(days)))


@dataclass(frozen=True, kw_only=True)
class Seen:
    """A dataset as it is looked at: hashable, and the same in every process.

    `dataset` is its id: the folder of a version, which never changes, or the name of a shipped one;
    `zones` are ``"zones"`` for its own, a level of parents such as ``"province"``, or
    ``"clusters-30"``. A density has its week and a report its one period, whatever `when` says.
    """

    dataset: str
    zones: str = "zones"
    when: When = When()


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What is judged and what is released: one mechanism on a dataset seen in one way.

    Equal settings are equal keys: what the method does not use is at its default. The seed, the
    repeat, the day drawn and the view stay outside. `parameters` are those of one product.

    >>> from engine.parameters import ODParameters
    >>> seen = Seen(dataset="demo-city")
    >>> one, other = (ODParameters(epsilon=1, method="estimate", suppression_threshold=n)
    ...               for n in (0, 15))
    >>> Setting(seen=seen, parameters=one) == Setting(seen=seen, parameters=other)
    True
    """

    seen: Seen
    parameters: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", self.parameters.used)
        if not isinstance(self.parameters, ODParameters):
            object.__setattr__(self, "seen", replace(self.seen, when=When()))

    @property
    def dataset(self) -> str:
        """The dataset's id."""
        return self.seen.dataset

    @property
    def zones(self) -> str:
        """The level of zones that is seen."""
        return self.seen.zones

    @property
    def when(self) -> When:
        """The days that are seen, and how long one matrix collects."""
        return self.seen.when

    def at(self, epsilon: float) -> "Setting":
        """Return the same at another ε."""
        return replace(self, parameters=self.parameters.at(epsilon))


@dataclass(frozen=True, kw_only=True)
class Method(Generic[Drawn]):
    """One row of a product's ``METHODS``: all that a page or a judge asks about a method.

    `uses` are the fields of the parameters, beside ε, that change what is released or what it
    costs; `public` gives from the dataset (and the settings) what `ledger` takes beside them;
    `expected` is the exact law's answer, None where draws are judged; `ours` says whose it is;
    `number_kind` is how a single number is to be read.
    """

    name: str
    short: str
    uses: frozenset[str]
    release: Callable[..., Drawn]
    ledger: Callable[..., Ledger]
    expected: Callable[..., Any] | None = None
    about: str = ""
    loses: tuple[str, ...] = ()
    public: Callable[..., dict[str, Any]] = lambda *_: {}
    ours: bool = False
    number_kind: Literal["shown", "estimated"] = "shown"
