"""What attackers reach: the exact tests, and P2's classifiers with the control they lack.

``python -m research attack``, half an hour; ``docs/attack.md`` is written around it.
"""

from collections.abc import Iterator

from research.attack import figures
from research.rows import Row


def rows() -> Iterator[Row]:
    """Yield every figure."""
    from research.attack import control  # needs scikit-learn

    yield from figures.rows()
    yield from control.rows()
