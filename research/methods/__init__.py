"""Our own methods against the published ones: ``python -m research methods``, an hour or more.

MiBici's rows need the real trips beside the project. ``docs/mechanisms.md`` is written around it.
"""

from collections.abc import Iterator

from research.methods import density, origin_destination, rules as limits
from research.rows import Row


def rows() -> Iterator[Row]:
    """Yield every figure."""
    yield from origin_destination.rows()
    yield from density.rows()
    yield from limits.rows()
