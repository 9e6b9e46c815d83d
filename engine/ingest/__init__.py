"""Raw tables → cached aggregates.

One call does it: ``ingest(IngestOptions(…), progress, cancel)``. Everything about people stays
inside the engine that runs it; what comes out are counts by place, time and random rank, which
remain confidential, and a report of what became of every row.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .build import ingest
    from .inputs.mapping import Preview, preview
    from .options import IngestOptions
    from .progress import Cancelled, Progress
    from .report import IngestReport

__all__ = ["Cancelled", "IngestOptions", "IngestReport", "Preview", "Progress", "ingest", "preview"]

_WHERE = {
    "ingest": "build",
    "Preview": "inputs.mapping",
    "preview": "inputs.mapping",
    "IngestOptions": "options",
    "Cancelled": "progress",
    "Progress": "progress",
    "IngestReport": "report",
}


def __getattr__(name: str) -> Any:
    """Import a name when it is first asked for.

    ``python -m engine.ingest`` imports this package before its own first line: what takes a second
    must not come before it can say that it was stopped.
    """
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
