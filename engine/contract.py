"""One contract: what every product (`density`, `origin_destination`, `report`) answers.

A product is a package, a method a value of ``parameters.method`` and a row of the product's
``METHODS``. The verbs:

| verb | answers |
| --- | --- |
| ``plan(dataset, parameters, *, when)`` | a `Plan`: what gets noise and what it costs |
| ``truth(dataset, *, when)`` | the confidential counts that a release stands for |
| ``release(dataset, parameters, *, rng or noise, when)`` | a `Release` |
| ``draw_noise(dataset, parameters, *, rng, when)`` | what ``release`` takes as its ``noise`` |
| ``expected(dataset, parameters, *, when)`` | the exact law's answer, None for a method without |
| ``scores(truth, release)`` | errors by the field's measures, one type a product |
| ``by_zone(counts)`` | what decisions on zones read of the truth or of a release's counts |
| ``ledger(parameters, *, public facts)`` | stages and totals, before any draw |

*When* is ``days=`` and ``sum_days=`` for flows; a dataset has one week and one period of a report.
One sweep (`engine.sweeping`) serves every product that has ``truth`` and ``scores``. Judges, pages
and tests take these and never ask which method it is. `tests/contract` holds every product and
method to this page, and names what is still missing. What leaves the building stands on the same
plans, with noise of its own (`engine.release`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, Self, TypeVar

from .ledger import Ledger

Drawn = TypeVar("Drawn")


class Parameters(Protocol):
    """Settings of one release: frozen, checked when made; the method is one of them."""

    @property
    def epsilon(self) -> float:
        """Privacy loss per unit of protection."""
        ...

    @property
    def method(self) -> str:
        """How the noise is added and what is made of it."""
        ...

    def at(self, epsilon: float, /) -> Self:
        """Return the settings at another ε."""
        ...


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a release will hold and cost: of settings and public facts alone, no count is read.

    Attributes
    ----------
    cells : int
        Numbers that get noise of their own; where the method chooses how many, at most so many.
    ledger : Ledger
        Each stage with its sensitivity, noise and share; the totals that one unit pays.
    """

    cells: int
    ledger: Ledger


class Release(Protocol):
    """What a draw returns; nothing confidential inside.

    A method may have more: ``low`` and ``high``, its bands, and ``shown``, which numbers it shows
    by themselves. What a method does not have is no attribute of its release, and never None.
    """

    @property
    def counts(self) -> Any:
        """Private numbers, in the shape of the truth: what to add up."""
        ...

    @property
    def ledger(self) -> Ledger:
        """What one unit of protection pays."""
        ...

    @property
    def parameters(self) -> Parameters:
        """The settings it was drawn with."""
        ...


class Product(Protocol):
    """A package that answers the verbs a sweep needs; arguments as in the table above."""

    @property
    def truth(self) -> Callable[..., Any]:
        """Return the confidential counts."""
        ...

    @property
    def release(self) -> Callable[..., Any]:
        """Draw one release."""
        ...

    @property
    def draw_noise(self) -> Callable[..., Any]:
        """Draw the noise of one release, to be carried over to other settings of its method."""
        ...

    @property
    def scores(self) -> Callable[..., Any]:
        """Return the errors of a release."""
        ...


@dataclass(frozen=True, kw_only=True)
class Method(Generic[Drawn]):
    """One row of a product's ``METHODS``: all that a page or a judge asks about a method.

    Whether a number can be had is a fact of the row, and no question of the method's key.

    Attributes
    ----------
    name, short : str
        In a list of methods, and in a legend or beside another method.
    about : str
        What it does with the data, in one plain sentence.
    loses : tuple of str
        What it loses, each in a sentence or two, to be said beside other methods.
    source : str
        Where it is published, or where it is proved here.
    uses : frozenset of str
        Fields of the parameters, beside ε, that change what is released or what it costs.
    release, ledger : callable
        As the product's; they run for this method alone.
    expected : callable or None
        The exact law's answer; None where no law is known, so that draws are judged.
    public : callable
        Given the dataset (and the settings), what its ledger takes beyond the settings: public
        facts, by keyword.
    ours : bool
        Whether it is one of this project's own methods.
    needs : str
        The property of a dataset, such as ``has_zoom``, without which it is not offered.
    """

    name: str
    short: str
    source: str
    uses: frozenset[str]
    release: Callable[..., Drawn]
    ledger: Callable[..., Ledger]
    expected: Callable[..., Any] | None = None
    about: str = ""
    loses: tuple[str, ...] = ()
    public: Callable[..., dict[str, Any]] = lambda *_: {}
    ours: bool = False
    needs: str = ""

    def offered(self, dataset: Any) -> bool:
        """Return whether a dataset (or its entry in a catalogue) has the tables that it needs."""
        return not self.needs or bool(getattr(dataset, self.needs))
