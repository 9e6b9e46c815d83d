"""Raw tables → cached aggregates.

One call does it: ``ingest(IngestOptions(…), progress, cancel)``. Everything about people stays
inside the engine that runs it; what comes out are counts by place, time and random rank, which
remain confidential, and a report of what became of every row.
"""

from engine.ingest.build import ingest
from engine.ingest.inputs.preview import Preview, preview
from engine.ingest.options import IngestOptions
from engine.ingest.progress import Cancelled, Progress
from engine.ingest.report import IngestReport

__all__ = ["Cancelled", "IngestOptions", "IngestReport", "Preview", "Progress", "ingest", "preview"]
