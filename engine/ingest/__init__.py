"""Raw tables → cached aggregates.

``ingest(IngestOptions(…), progress, cancel)`` does all. Personal rows stay inside the engine that
runs it; the results are counts by place, time and random rank, which remain confidential, and a
report on every row.
"""

from .build import ingest
from .inputs.column_mapping import preview_table
from .options import IngestOptions
from .progress import Cancelled, Progress
from .row_report import IngestReport

__all__ = ["Cancelled", "IngestOptions", "IngestReport", "Progress", "ingest", "preview_table"]
