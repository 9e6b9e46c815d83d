"""From exploring to a release: one draw, a ledger that survives, a bundle a reader can trust.

This is the one package whose numbers leave the building, and `release` is its whole story: `plan`
states what will be drawn, of settings and public facts; `check` finds the budget that pays, and
what it costs; the counts are read; the name is claimed; the cost is committed to the ledger; only
then OpenDP draws; the statement is written, the bundle sealed and revealed whole. The cost is never
given back.
"""

import os
import secrets
from dataclasses import asdict, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from ..contract import Setting
from ..datasets import Dataset, storage
from ..density.accounting import delta_is_large
from ..errors import ExplorerError, ParameterError
from . import density, flows, fourier, report, zoom
from .bundle import claimed, reveal, seal, uninterrupted
from .cost import Cost, Loss, cost, largest_epsilon
from .ledger import Budget, BudgetLedger, Entry, ReleaseError, named
from .plan import Plan, Progress, Stage
from .statement import TUNING, described, plain, warnings, words

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

CONSENT = "I understand that this protects trips, not people"
"""What the custodian must type before anything is released at trip level."""

NOISE_CONSENT = "I understand that most of it is noise"
"""What the custodian must type where empty flows alone would show more trips than were made."""

WAYS: dict[str, ModuleType] = {
    "published": flows,
    "estimate": flows,
    "towers_laplace": density,
    "efpag_joint": fourier,
    "zoom": zoom,
    "derived": report,
}
"""By method what plans, reads and writes it. The other methods of the density, and draws of the
report's exponential mechanism, stay in exploration: their noise is no whole number."""

_LONGEST_NOTE = 2000
_LARGEST_EPSILON = 100.0
_OF_PEOPLE = ("truth", "presampled", "trips", "report", "zoom_towers")


class Stopped(KeyboardInterrupt):
    """A release was interrupted; the message says what was spent and what is there."""


def release(
    setting: Setting,
    dataset: Dataset,
    out: Path,
    *,
    ledger: BudgetLedger,
    tuning: str,
    tuning_note: str = "",
    trips: int | None = None,
    consent: str = "",
    noise_consent: str = "",
    progress: Progress = lambda _share: None,
) -> Path:
    """Release a setting of `dataset` once, into the folder `out` and ``out.zip``.

    Parameters
    ----------
    setting : Setting
        What is released: as it is judged elsewhere.
    dataset : Dataset
        As it was ingested.
    out : Path
        A folder that does not exist yet, in one that can be written.
    ledger : BudgetLedger
    tuning, tuning_note : str
        One of `TUNING`: how ε and the other settings were chosen; and the custodian's words on it.
    trips : int or None
        How many trips were made in the days released, as far as is publicly known.
    consent, noise_consent : str
        `CONSENT` for a release at trip level, `NOISE_CONSENT` for one that is mostly noise.
    progress : callable
        Called with the share that is done, 0 to 1.

    Raises
    ------
    ReleaseError
        If it is refused (nothing is spent) or fails after the draw (the message says so).
    Stopped
        If it is interrupted; the message says what is spent.
    """
    spent: Entry | None = None
    try:
        chosen = _tuned(tuning, tuning_note)
        planned = plan(setting, dataset, trips=trips)
        check(planned, dataset, ledger, consent=consent, noise_consent=noise_consent)
        with claimed(out, planned.cells) as folder:
            what = _prepared(planned, dataset, ledger, chosen)
            with uninterrupted():
                spent = _charge(planned, dataset, ledger, what)
            try:
                WAYS[setting.parameters.method].write(
                    planned, dataset, folder, lambda share: progress(0.9 * share)
                )
                entries = ledger.entries()[: spent.id]
                digest = seal(folder, described(planned, dataset.id, entries))
                with uninterrupted():
                    reveal(folder, out)
                    ledger.finish(spent, digest)
            except Exception as error:
                raise _failed(error, spent, folder, out) from error
        progress(1.0)
    except KeyboardInterrupt as stop:
        raise Stopped(_stopped(spent, out)) from stop
    return out


def plan(setting: Setting, dataset: Dataset, *, trips: int | None = None) -> Plan:
    """Return what a release will hold and cost; reads geometry and metadata alone.

    Examples
    --------
    >>> from engine import datasets
    >>> from engine.contract import Seen, When
    >>> from engine.parameters import ODParameters
    >>> seen = Seen(dataset="demo-city", zones="clusters-20", when=When(step="whole"))
    >>> setting = Setting(seen=seen, parameters=ODParameters(epsilon=0.5, unit="person"))
    >>> plan(setting, datasets.load("demo-city")).cells == 20 * 19
    True
    """
    method = setting.parameters.method
    if method not in WAYS:
        raise ParameterError(
            f"method must be one of {', '.join(WAYS)} for a release",
            value=repr(method),
            remedy="the others add noise that is no whole number and are for exploring",
        )
    if trips is not None and trips < 1:
        raise ParameterError("trips must be at least 1", value=f"{trips}", remedy="or leave it out")
    return replace(WAYS[method].plan(setting, dataset), trips=trips)


def check(
    plan: Plan,
    dataset: Dataset,
    ledger: BudgetLedger,
    *,
    consent: str = "",
    noise_consent: str = "",
) -> tuple[Budget, Cost]:
    """Return the budget that pays and what the release costs it; refuse what may not be released.

    Nothing is charged and no count is read: the page shows this before anyone confirms.

    Raises
    ------
    ReleaseError
        Without a budget, beyond it, without the consent that it takes (`CONSENT`,
        `NOISE_CONSENT`), or with a δ above one over the public number of people.
    """
    if plan.delta and delta_is_large(plan.delta, dataset.metadata.people_public):
        raise ReleaseError(
            "delta must be at most one over the public number of people",
            value=f"{plan.delta:g} for {dataset.metadata.people_public or 0:,} people",
            remedy="choose it smaller",
            code="delta",
        )
    budget = ledger.covering(dataset.id)
    due = cost(plan.loss, budget.unit)
    budget.require(due.epsilon, due.delta)
    if plan.unit == "trip" and consent != CONSENT:
        raise ReleaseError(
            "a release at trip level needs the custodian's consent in words",
            value="none" if not consent else "other words",
            remedy=f"it protects no person; write: {CONSENT}",
            code="consent",
        )
    if plan.mostly_noise and noise_consent != NOISE_CONSENT:
        known = f"{plan.trips:,} trips" if plan.trips else "an unknown number of trips"
        raise ReleaseError(
            f"empty flows alone would show {plan.phantoms:,.0f} trips, more than were made: that "
            "needs the custodian's consent in words",
            value=f"{known}, and {'no' if not noise_consent else 'other'} words",
            remedy="say how many trips were made, choose coarser zones, a longer time, a larger "
            f"threshold or our method; or write: {NOISE_CONSENT}",
            code="noise",
        )
    return budget, due


def fitting_epsilon(setting: Setting, dataset: Dataset, budget: Budget) -> float | None:
    """Return the largest ε of two digits with which a release fits a budget; None where none."""

    def fits(epsilon: float) -> bool:
        try:
            due = cost(plan(setting.at(epsilon), dataset).loss, budget.unit)
        except (ExplorerError, ArithmeticError, ValueError):
            return False
        return budget.holds(due.epsilon, due.delta)

    return largest_epsilon(fits, _LARGEST_EPSILON)


def _tuned(tuning: str, note: str) -> dict[str, str]:
    if tuning not in TUNING:
        raise ParameterError(
            f"tuning must be one of {', '.join(TUNING)}",
            value=repr(tuning),
            remedy="say how ε was chosen",
        )
    note = named("tuning_note", note, _LONGEST_NOTE) if note.strip() else ""
    return {"tuning": tuning, "tuning_note": note}


def _prepared(
    plan: Plan, dataset: Dataset, ledger: BudgetLedger, chosen: dict[str, str]
) -> dict[str, Any]:
    """Do all that may fail without noise; return what the ledger will hold of the release.

    The entry's hash stands in every bundle. A secret number goes into it with the checksums of the
    tables: whoever knew all but one person could otherwise try what gives this hash.
    """
    try:
        WAYS[plan.parameters.method].prepare(plan, dataset)
        sums: Any = storage.read_metadata(dataset.folder).get("checksums") or {}
        what = {
            "product": plan.product,
            "unit": plan.unit,
            "loss": asdict(plan.loss),
            "setting": plain(plan.setting, dataset.id),
            "trips": plan.trips,
            "tables": sorted(str(sums[name]) for name in sums if name.startswith(_OF_PEOPLE)),
            "secret": secrets.token_hex(16),
            **chosen,
        }
        rehearsed = _charge(plan, dataset, ledger, what, rehearsal=True)
        described(plan, dataset.id, [*ledger.entries(), rehearsed])
    except ExplorerError:
        raise
    except Exception as error:
        raise ReleaseError(
            f"the release of '{dataset.id}' cannot be made ({type(error).__name__})",
            remedy="its tables are not as this software writes them, or this software is not "
            "installed whole; nothing was spent",
            code="damaged",
        ) from error
    return what


def _charge(
    plan: Plan,
    dataset: Dataset,
    ledger: BudgetLedger,
    what: dict[str, Any],
    *,
    rehearsal: bool = False,
) -> Entry:
    budget = ledger.covering(dataset.id)
    due = asdict(cost(plan.loss, budget.unit))
    return ledger.intend(dataset.id, unit=budget.unit, what=what, rehearsal=rehearsal, **due)


def _stopped(spent: Entry | None, out: Path) -> str:
    if spent is None:
        return "stopped: nothing was spent, and nothing was written"
    due = f"ε = {spent.body['epsilon']:g}, entry {spent.id} of the ledger,"
    if (out / "SHA256SUMS").is_file():
        return f"stopped, but the bundle '{out.name}' is there, whole: use it; {due} is spent"
    return f"stopped: {due} is spent, since noise may have been drawn; no bundle was written"


def _failed(error: Exception, intent: Entry, folder: Path, out: Path) -> ReleaseError:
    """Say what a failure after the charge leaves behind: the cost is spent whatever failed."""
    why = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else None
    spent = f"its cost, entry {intent.id} of the ledger, stays spent, since its noise was drawn"
    if (out / "SHA256SUMS").is_file() and not folder.exists():  # moved there, so it is this one
        return ReleaseError(
            f"the bundle '{out.name}' is there, whole, but what follows it failed "
            f"({why or type(error).__name__})",
            remedy=f"{spent}; use the bundle, and do not release again for it",
            code="unfinished",
        )
    return ReleaseError(
        f"the bundle could not be written ({why or type(error).__name__})",
        remedy=f"{spent}; make space and release again at a new cost",
        code="unwritten",
    )
