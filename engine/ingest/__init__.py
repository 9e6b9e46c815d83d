"""Raw tables → cached aggregates.

One call does it: ``ingest(IngestOptions(…), progress, cancel)``. Everything about people stays
inside the engine that runs it; what comes out are counts by place, time and random rank, which
remain confidential, and a report of what became of every row.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .build import ingest, people_counted
    from .inputs.mapping import Preview, preview
    from .options import IngestOptions
    from .progress import Cancelled, Progress
    from .report import IngestReport

__all__ = [
    "Cancelled",
    "IngestOptions",
    "IngestReport",
    "Preview",
    "Progress",
    "ingest",
    "people_counted",
    "preview",
]

_WHERE = {
    "ingest": "build",
    "people_counted": "build",
    "Preview": "inputs.mapping",
    "preview": "inputs.mapping",
    "IngestOptions": "options",
    "Cancelled": "progress",
    "Progress": "progress",
    "IngestReport": "report",
}


def __getattr__(name: str) -> Any:
    """Import a name when it is first asked for: a command must be able to say it was stopped."""
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
