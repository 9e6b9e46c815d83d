"""Names for Ibis expressions.

Ibis types the columns of a table as a union too loose for a strict check, so that expressions
are checked by running them (on two engines) and not by their types.
"""

from typing import Any, TypeAlias

Table: TypeAlias = Any
Column: TypeAlias = Any
