"""Functions and types that the products `density`, `origin_destination` and `report` share.

A product is a package: visits by zone and hour, flows between zones, or statistics of trips. A
method (mechanism) is a value of ``parameters.method`` and a row of the product's ``METHODS``.

| function | result |
| --- | --- |
| ``truth(dataset, *, when)`` | the confidential counts that a release estimates |
| ``release(dataset, parameters, *, rng or noise, when)`` | one draw; holds no confidential data |
| ``draw_noise(dataset, parameters, *, rng, when)`` | the ``noise`` that ``release`` takes |
| ``expected(dataset, parameters, *, when)`` | exact expected errors, None if only draws give them |
| ``scores(truth, release)`` | errors of one release, a type of each product |
| ``compute_cost(dataset, parameters)`` | the `PrivacyCost` of a release, from public facts alone |

Parameters are frozen and validated; they have ``epsilon``, ``method``, ``canonical_form`` (unused
fields at their defaults) and ``with_epsilon``. A release has ``counts`` in the truth's shape,
``cost`` and ``parameters``; flows have ``is_shown``, False where a flow is not shown alone.

``when`` stands for the keywords ``days`` and ``sum_days`` of flows. A density takes none (it has
one week), nor does a report (one period). Pages and evaluation use these functions alone and never
ask for the method; `tests/contract` checks each. They draw for exploring, by NumPy's generators:
fast and reproducible, not hardened against floating-point attacks (erratum O5). The order of draws
is fixed, so that equal states of a generator give equal noise. What is published is drawn by
`engine.release`.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, TypeVar, get_args

import numpy as np

from . import validation
from .errors import ParameterError
from .parameters import ODParameters
from .privacy_cost import PrivacyCost

ReleaseT = TypeVar("ReleaseT")
NoiseT = TypeVar("NoiseT")

Aggregation = Literal["day", "week", "whole"]
"""Days that one matrix of flows adds up: one, seven, or all selected days."""


def resolve_noise(
    rng: np.random.Generator | None,
    noise: NoiseT | None,
    draw: Callable[[np.random.Generator], NoiseT],
) -> NoiseT:
    """Return `noise`, or `draw(rng)`: exactly one of `rng` and `noise` must be given."""
    if noise is not None and rng is None:
        return noise
    if noise is None and rng is not None:
        return draw(rng)
    rule = "give exactly one of rng and noise"
    remedy = "pass rng=np.random.default_rng(seed), or noise that was drawn before"
    raise ParameterError(rule, value="neither" if rng is None else "both", remedy=remedy)


def draw_generators(rng: np.random.Generator) -> Callable[[int], np.random.Generator]:
    """Return a function from i to the generator of draw i, independent of the number of draws."""
    seed = rng.integers(0, 2**32, size=4)
    return lambda draw: np.random.default_rng([*seed, draw])


def say_people(text: str) -> str:
    """Return a text about trips as one about people, each counted once; names of columns stay.

    >>> say_people("Column 'trips': 1 trip, 89 of 100 kept trips that were made. Trips")
    "Column 'trips': 1 person, 89 of 100 people that are there. People"
    """

    def name(match: re.Match[str]) -> str:
        noun = "people" if match[2] else "person"
        return noun.capitalize() if match[0][0].isupper() else noun

    people = re.sub(r"(?i)(?<!['\w])(kept |counted )?trip(s?)( made)?(?!['\w])", name, text)
    return people.replace("were made", "are there")


@dataclass(frozen=True, kw_only=True)
class TimeSelection:
    """Consecutive days of a dataset's period, and the days that one matrix of flows adds up.

    Positions count from 0, the period's first day; `last_position` None is its last day. Weeks
    count from the first selected day. To compare two parts, `compared_days` selects that many first
    and that many last of these days, one matrix each, with aggregation ``whole``.
    """

    aggregation: Aggregation = "day"
    first_position: int = 0
    last_position: int | None = None
    compared_days: int | None = None

    def __post_init__(self) -> None:
        remedy = "'day' is one matrix a day"
        validation.check_one_of("aggregation", self.aggregation, get_args(Aggregation), remedy)
        first, remedy = self.first_position, "0 is the first day"
        validation.check_whole_number("first_position", first, 0, remedy=remedy)
        if self.last_position is not None:
            remedy = "the last day must not be before the first"
            validation.check_whole_number("last_position", self.last_position, first, remedy=remedy)
        if self.compared_days is not None:
            length = 0 if self.last_position is None else self.last_position + 1 - first
            remedy = (
                "two compared spans share no day: choose fewer days or a later last day, and "
                "'whole'"
            )
            name = "compared_days"
            validation.check_whole_number(name, self.compared_days, 1, length // 2, remedy=remedy)
            validation.check_one_of("aggregation", self.aggregation, ("whole",), remedy)

    def day_positions(self, days: int) -> Sequence[int]:
        """Return the positions of the selected days in a period of `days` days."""
        end = days if self.last_position is None else min(self.last_position + 1, days)
        positions, compared = range(self.first_position, end), self.compared_days
        return positions if compared is None else (*positions[:compared], *positions[-compared:])

    def days_by_matrix(self, days: int) -> list[Sequence[int]]:
        """Return the positions of each matrix's days; a last week may be shorter."""
        positions = self.day_positions(days)
        whole = self.compared_days or max(len(positions), 1)
        length = {"day": 1, "week": 7, "whole": whole}[self.aggregation]
        return [positions[start : start + length] for start in range(0, len(positions), length)]

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
    `zone_level` is ``"zones"`` (the dataset's own), a coarser level such as ``"province"``, or
    ``"clusters-30"`` (30 clusters of zones). A density or report ignores `time`. `people_once` is
    the dataset's, for the words of sentences: what it counts are people, not trips.
    """

    dataset_id: str
    zone_level: str = "zones"
    time: TimeSelection = TimeSelection()
    people_once: bool = False


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One mechanism's parameters and the selection of a dataset that it is applied to.

    Parameters that the method does not use are set to their defaults, so settings with equal effect
    are equal keys.

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

    def say_counts(self, text: str) -> str:
        """Return a text about trips in the words of what is counted: trips, or people once."""
        return say_people(text) if self.selection.people_once else text

    def with_epsilon(self, epsilon: float) -> "Setting":
        """Return the setting at another ε."""
        return replace(self, parameters=self.parameters.with_epsilon(epsilon))


@dataclass(frozen=True, kw_only=True)
class Method(Generic[ReleaseT]):
    """One row of a product's ``METHODS``: all that pages and evaluation need of a method.

    `name` stands in pickers and statements, `short_name` where a line is short, `description` and
    `limitations` on its page. `release` draws from a dataset and parameters. `cost` returns the
    privacy loss of one unit, from the parameters alone. `used_fields` are the parameters beside ε
    that affect the release or its cost.
    `public_arguments` computes keyword arguments of `cost` from public facts of the dataset.
    `expected` computes exact expected errors; without it (None) they are estimated by draws.
    `has_flow_distribution` marks methods that release every flow by itself: its truncated count
    plus Laplace noise, 0 below τ′, so that errors at every ε, τ and T are exact. `number_kind` says
    whether a single released number is a noisy count (``shown``) or an estimate, `scales_up`
    whether it also stands for trips or visits beyond the contribution limit, and
    `describe_numbers` makes of the cost a sentence on how to read it. `slow_reason` says why draws
    at every ε take too long; empty if they do not. `visit_limits` are the ℓ at which
    `engine.frontier` evaluates a density. `iterate_release` yields ``release`` matrix by matrix;
    without it (None) a method releases every matrix by itself.
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
    has_flow_distribution: bool = False
    number_kind: Literal["shown", "estimated"] = "shown"
    scales_up: Callable[[Any], bool] = lambda _: False
    describe_numbers: Callable[[PrivacyCost], str] = lambda _: ""
    slow_reason: str = ""
    visit_limits: tuple[int, ...] = ()
    iterate_release: Callable[..., Iterator[ReleaseT]] | None = None
