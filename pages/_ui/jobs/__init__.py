"""Long work beside the page: progress, partial results, cancel; shared by all pages.

What takes longer than about 0.3 s is a function at the top of a module that yields `Step`, asked
for by `job` with its arguments and drawn by `live`. What must outlive its page is in `jobs.kept`.
"""

from pages._ui.jobs.pool import Job
from pages._ui.jobs.view import RESTED_S, follow, job, live, named, progress
from pages._ui.jobs.work import Step

__all__ = ["RESTED_S", "Job", "Step", "follow", "job", "live", "named", "progress"]
