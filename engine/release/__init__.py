"""From exploring to a release: one draw, a ledger that survives, a bundle a reader can trust.

This is the one package whose numbers leave the building, and `release` is its whole story: `plan`
states what will be drawn, of settings and public facts; `check` finds the budget that pays, and
what it costs; the counts are read; the name is claimed; the cost is committed to the ledger; only
then OpenDP draws; the statement is written, the bundle sealed and revealed whole. The cost is never
given back.
"""

from collections.abc import Collection
from pathlib import Path

from ..contract import Setting
from ..datasets import Dataset
from ..resolution import look_at
from .bundle import Stopped, claimed, failed, reveal, room, seal, stopped, uninterrupted, unspent
from .ledger import Budget, BudgetLedger, Entry, ReleaseError
from .plan import Cost, Loss, Plan, Progress, Stage, cost
from .planning import CONSENT, NOISE_CONSENT, WAYS, check, fitting_epsilon, plan, recorded
from .statement import TUNING, described, warnings, words

__all__ = [
    "CONSENT",
    "NOISE_CONSENT",
    "TUNING",
    "WAYS",
    "Budget",
    "BudgetLedger",
    "Cost",
    "Entry",
    "Loss",
    "Plan",
    "ReleaseError",
    "Stage",
    "Stopped",
    "check",
    "cost",
    "fitting_epsilon",
    "plan",
    "release",
    "warnings",
    "words",
]


def release(
    setting: Setting,
    dataset: Dataset,
    out: Path,
    *,
    ledger: BudgetLedger,
    tuning: str,
    tuning_note: str = "",
    trips: int | None = None,
    consents: Collection[str] = (),
    progress: Progress = lambda _share: None,
) -> Path:
    """Release a setting of `dataset`, as it was ingested, once: into ``out`` and ``out.zip``.

    Parameters
    ----------
    tuning, tuning_note : str
        One of `TUNING`: how ε and the other settings were chosen; and the custodian's words on it.
    trips : int or None
        How many trips were made in the days released, as far as is publicly known.
    consents : collection of str
        `CONSENT` for a release at trip level, `NOISE_CONSENT` for one that is mostly noise.

    Raises
    ------
    ReleaseError
        If it is refused (nothing is spent) or fails after the draw (the message says so).
    Stopped
        If it is interrupted; the message says what is spent.
    """
    spent: Entry | None = None
    try:
        planned = plan(setting, dataset, trips=trips)
        budget, due = check(planned, dataset, ledger, consents)
        what = recorded(planned, dataset, tuning, tuning_note)
        way, view = WAYS[setting.parameters.method], look_at(dataset, setting.zones, setting.when)

        def charge(*, rehearsal: bool = False) -> Entry:
            return ledger.intend(
                dataset.id,
                unit=budget.unit,
                epsilon=due.epsilon,
                delta=due.delta,
                what=what,
                rehearsal=rehearsal,
            )

        with unspent(f"the tables of '{dataset.id}' cannot be counted", "damaged"):
            way.prepare(planned, view)  # reads all that is counted
        with claimed(out, room(planned.cells, dataset.zones)) as folder:
            with unspent("the statement of the release cannot be made", "statement"):
                described(planned, dataset.id, [*ledger.entries(), charge(rehearsal=True)])
            with uninterrupted():
                spent = charge()  # in one transaction, and never given back
            try:
                way.write(planned, view, folder, lambda share: progress(0.9 * share))
                texts = described(planned, dataset.id, ledger.entries()[: spent.id])
                digest = seal(folder, texts)
                with uninterrupted():
                    reveal(folder, out)
                    ledger.finish(spent, digest)
            except Exception as error:
                raise failed(error, spent, folder, out) from error
        progress(1.0)
    except KeyboardInterrupt as stop:
        raise Stopped(stopped(spent, out)) from stop
    return out
