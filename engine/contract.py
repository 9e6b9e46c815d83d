"""One contract: what every product (`density`, `origin_destination`, `report`) answers.

A product is a package, a method a value of ``parameters.method``. The verbs:

| verb | answers |
| --- | --- |
| ``truth(dataset, *, when)`` | the confidential counts that a release stands for |
| ``release(dataset, parameters, *, rng or noise, when)`` | a `Release` |
| ``expected(dataset, parameters, *, when)`` | the exact law's answer, None for a method without |
| ``scores(truth, release)`` | errors by the field's measures, one type a product |
| ``ledger(parameters, *, public facts)`` | stages and totals, before any draw |

*When* is ``days=`` and ``sum_days=`` for flows; a dataset has one week and one period of a report.
What a release will hold and cost is planned where it leaves the building (`engine.release`), and
one `sweep` serves every product that has ``truth`` and ``scores``. Judges, pages and tests take
these and never ask which method it is. `tests/contract` holds every product and method to this
page, and names what is still missing.
"""

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np

from engine import validation
from engine.datasets import Dataset
from engine.ledger import Ledger

SEED_WORDS = 4


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

    def truth(self, *of: Any, **when: Any) -> Any:
        """Return the confidential counts."""
        ...

    def release(self, *of: Any, **how: Any) -> Any:
        """Draw one release."""
        ...

    def scores(self, *of: Any) -> Any:
        """Return the errors of a release."""
        ...


@dataclass(frozen=True, kw_only=True)
class Point:
    """One release of a sweep: which ε and repeat, each from 0, and its scores."""

    setting: int
    repeat: int
    scores: Any


def sweep(
    product: Product,
    dataset: Dataset,
    parameters: Parameters,
    epsilons: Sequence[float],
    repeats: int,
    *,
    rng: np.random.Generator,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    **when: Any,
) -> Iterator[Point]:
    """Release under every ε, `repeats` times, and yield the scores of each release at once.

    All ε of a repeat share their noise (common random numbers), so that a difference between two
    points is the setting's. The first repeat of all ε comes first.

    Parameters
    ----------
    product : package
        `engine.density` or `engine.origin_destination`.
    dataset, parameters, **when
        As its ``release``; ε of `parameters` is replaced.
    epsilons : sequence of float
    repeats : int
        At least 1; 20 is usual.
    rng : numpy Generator
        Its state fixes all noise. Repeat i of a longer sweep equals repeat i of a shorter one.
    progress : callable, optional
        Called with releases done and releases in all, after each.
    cancelled : callable, optional
        Asked before each release; once it returns True the sweep ends.

    Examples
    --------
    >>> from engine import datasets, origin_destination as od
    >>> points = sweep(od, datasets.load("demo-city"), od.ODParameters(epsilon=1.0), [0.2, 2.0], 1,
    ...                rng=np.random.default_rng(0), days=0)
    >>> low, high = (point.scores.phantom_flows for point in points)
    >>> low > high
    True
    """
    validation.whole_number("repeats", repeats, 1, remedy="20 is usual")
    seed = rng.integers(0, 2**32, size=SEED_WORDS)
    truth = product.truth(dataset, **when)
    done, total = 0, repeats * len(epsilons)
    for repeat in range(repeats):
        generator = np.random.default_rng([*seed, repeat])
        for setting, epsilon in enumerate(epsilons):
            if cancelled is not None and cancelled():
                return
            drawn = product.release(
                dataset, parameters.at(epsilon), rng=deepcopy(generator), **when
            )
            scored = product.scores(truth, drawn)
            yield Point(setting=setting, repeat=repeat, scores=scored)
            done += 1
            if progress is not None:
                progress(done, total)
