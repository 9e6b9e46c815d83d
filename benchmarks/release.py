"""A release against its sampler alone: how much of the time is not OpenDP's."""

import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.measure import Row, against, timed
from engine import datasets, origin_destination as od
from engine.contract import Seen, Setting, When
from engine.origin_destination.matrices import trimmed_counts
from engine.release import BudgetLedger, noise, release
from engine.release.bars import safe_scale

DATASET = "afghanistan-districts"


def rows() -> list[Row]:
    """Release 421² × 7 days and draw the same noise with OpenDP alone, in one run.

    Processor time of this process, since other work would count twice in a clock's; after a release
    of one day, so that libraries are loaded.
    """
    dataset = datasets.load(DATASET)
    zones = len(dataset.zones)
    parameters = od.ODParameters(epsilon=0.5, max_trips_per_user=4)
    pairs = ~np.eye(zones, dtype=bool)
    days = [trimmed_counts(dataset, "person-day", 4, (day,))[0][pairs] for day in range(7)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ledger = BudgetLedger(folder / "ledger.sqlite")
        ledger.declare("people", datasets=[DATASET], unit="person", epsilon=1e6, by="benchmark")

        def one_release(out: str, when: When) -> None:
            setting = Setting(seen=Seen(dataset=DATASET, when=when), parameters=parameters)
            made = {"ledger": ledger, "tuning": "simulated", "trips": 10**9}
            release(setting, datasets.load(DATASET), folder / out, **made)

        one_release("one", When(last=0))
        ours, _ = timed(lambda: one_release("all", When()), time.process_time)
    scale = safe_scale(parameters.max_trips_per_user, parameters.epsilon)
    alone, _ = timed(
        lambda: [noise.discrete_laplace(counts, scale) for counts in days], time.process_time
    )
    work = "release of 7 × 421² flows, bundle and ledger, against OpenDP's draws alone"
    return [against(work, ours, alone, 1.2, note="processor time")]
