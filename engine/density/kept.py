"""How many visits of a person to keep (ℓ) in the published schemes, from public facts alone."""

import math

from engine.parameters import MAX_VISITS_LIMIT
from engine.validation import finite_above

DEFAULT_KEPT = 30
LEAST_KEPT, MOST_KEPT = 10, 60
_DIVISOR = 7.0


def suggested_max_visits(people_public: int | None, epsilon: float) -> int:
    """Return ℓ = √(N·ε)/7, between 10 and 60; 30 where the number of people is not public.

    Keeping fewer visits loses more of what people do, keeping more costs √ℓ of noise. What the
    noise does to the result falls with N·ε, so that many people or a large ε can afford a larger
    ℓ; beyond 60 hardly anything is won. ``docs/mechanisms.md`` holds the rule against the best ℓ
    in hindsight. It reads public numbers only: the best ℓ itself would be read off the data.

    Examples
    --------
    >>> suggested_max_visits(50_000, 0.1), suggested_max_visits(2_000_000, 1.0)
    (10, 60)
    """
    finite_above("epsilon", epsilon, 0, "it is the total of the release")
    if people_public is None:
        return DEFAULT_KEPT
    kept = round(math.sqrt(max(people_public, 0) * epsilon) / _DIVISOR)
    return min(max(kept, LEAST_KEPT), MOST_KEPT, MAX_VISITS_LIMIT)
