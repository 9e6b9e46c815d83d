"""The arguments of the calculators, checked: α, β, ε and T, counts and τ."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from .. import validation
from ..arrays import Floats
from ..errors import ParameterError
from . import solving
from .laws import LawName

Method = Literal["exact", "published"]
"""``exact`` is the formula that holds, ``published`` the one that P2 prints."""


def errors(alpha: ArrayLike) -> Floats:
    """Return α, tolerated errors in trips: whole numbers of at least 0."""
    return solving.whole_numbers("alpha", alpha, 0, "released counts are whole; 10 is usual")


def betas(beta: ArrayLike) -> Floats:
    """Return β, one minus the confidence: above 0 and below 1."""
    remedy = "0.05 stands for a confidence of 95%"
    rule = "a number above 0 and below 1"
    return solving.checked("beta", beta, rule, lambda x: (x > 0) & (x < 1), remedy)


def trips_per_user(max_trips_per_user: ArrayLike) -> Floats:
    """Return T: whole numbers of at least 1."""
    return solving.whole_numbers("max_trips_per_user", max_trips_per_user, 1, "1 is usual")


def rates(epsilon: ArrayLike, max_trips_per_user: ArrayLike) -> Floats:
    """Return a = ε/T."""
    loss = solving.positive("epsilon", epsilon, "smaller means more private, 0.1 to 2 is usual")
    loss, trips = solving.common_shape(loss, trips_per_user(max_trips_per_user))
    return loss / trips


def counts_and_threshold(
    count: ArrayLike, suppression_threshold: ArrayLike, *, below: bool | None = None
) -> tuple[Floats, Floats]:
    """Return counts m and thresholds τ; `below` demands m < τ (true) or m ≥ τ (false)."""
    m = solving.whole_numbers("count", count, 0, "it is a number of trips")
    threshold = solving.whole_numbers(
        "suppression_threshold", suppression_threshold, 0, "15 is used by health agencies"
    )
    m, threshold = solving.common_shape(m, threshold)
    bad = (m < threshold) != below
    if below is not None and bool(np.any(bad)):
        rule = "below" if below else "at least"
        other = "released" if below else "suppressed"
        raise ParameterError(
            f"count must be {rule} suppression_threshold {threshold[bad][0]:g}, got "
            f"{m[bad][0]:g}; the other theorem answers for {other} counts"
        )
    return m, threshold


def is_published(method: Method, law: LawName) -> bool:
    """Return whether the published formula is asked for, which knows one noise only."""
    remedy = "use 'exact' unless reproducing the paper"
    validation.one_of("method", method, ("exact", "published"), remedy)
    if method == "published":
        validation.one_of("law", law, ("rounded_laplace",), "P2 has no formula for other noise")
    return method == "published"
