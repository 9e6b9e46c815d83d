"""What an engine must do: read named files, keep a table, hand back a small result."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

import pyarrow as pa

from ..expressions import Table
from ..inputs.sources import Source

PARTS = 128
"""Into how many parts people are divided, so that a few can be taken at a time."""

Place: TypeAlias = Callable[[pa.Table], pa.Table]
Check: TypeAlias = Callable[[pa.Table], None]


class Engine(Protocol):
    """Runs Ibis expressions; everything that differs between engines is behind this."""

    def read(self, sources: Sequence[Source], mapping: dict[str, str]) -> Table:
        """Return the columns of `mapping`, canonically named, of files of one signature."""
        ...

    def lookup(self, name: str, table: pa.Table) -> Table:
        """Return a small table of places as a table of the engine."""
        ...

    def view(self, name: str, table: Table) -> Table:
        """Give `table` a name, so that long expressions stand once in a statement."""
        ...

    def keep(self, name: str, table: Table) -> Table:
        """Compute `table` once and keep it until the engine is closed."""
        ...

    def store(self, name: str, table: Table) -> Table:
        """Compute `table` once, as `keep`, in place of what has the name: may outgrow memory."""
        ...

    def drop(self, name: str) -> None:
        """Forget a kept table."""
        ...

    def fetch(self, table: Table) -> pa.Table:
        """Compute `table` and return its rows; for aggregates only."""
        ...

    def placed(self, name: str, points: Table, place: Place, check: Check) -> Table:
        """Return distinct points with what `place` adds to them; `check` may refuse some first."""
        ...

    def shares(self, rows: int, /) -> int:
        """Return into how many shares people are best divided for ranking `rows` of theirs."""
        ...

    def close(self) -> None:
        """Release everything, temporary files included."""
        ...
