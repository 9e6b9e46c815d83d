"""Raw tables → cached aggregates.

One call does it: ``ingest(IngestOptions(…), progress, cancel)``. Everything about people stays
inside the engine that runs it; what comes out are counts by place, time and random rank, which
remain confidential, and a report of what became of every row.
"""

from .build import ingest
from .inputs.column_mapping import TablePreview, preview_table
from .options import IngestOptions
from .progress import Cancelled, Progress
from .row_report import IngestReport

__all__ = [
    "Cancelled",
    "IngestOptions",
    "IngestReport",
    "Progress",
    "TablePreview",
    "ingest",
    "preview_table",
]
