"""From exploring to a release: one draw, a ledger that survives, a bundle a reader can trust.

This is the one package whose numbers leave the building, and `release` is its whole story: `plan`
states what will be drawn, of settings and public facts; `check` finds the budget that pays, and
what it costs; the counts are read; the name is claimed; the cost is committed to the ledger; only
then OpenDP draws; the statement is written, the bundle sealed and revealed whole. The cost is never
given back.
"""

import os
import secrets
from collections.abc import Mapping
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
    """Release a setting of `dataset`, as it was ingested, once: into ``out`` and ``out.zip``.

    Parameters
    ----------
    tuning, tuning_note : str
        One of `TUNING`: how ε and the other settings were chosen; and the custodian's words on it.
    trips : int or None
        How many trips were made in the days released, as far as is publicly known.
    consent, noise_consent : str
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
        check(planned, dataset, ledger, consent=consent, noise_consent=noise_consent)
        what = _what(planned, dataset, tuning, tuning_note)
        _prepare(planned, dataset)
        with claimed(out, planned.cells) as folder:
            _rehearse(planned, dataset, ledger, what)
            with uninterrupted():
                spent = _charge(planned, dataset, ledger, what)
            try:
                _way(planned).write(planned, dataset, folder, lambda share: progress(0.9 * share))
                texts = described(planned, dataset.id, ledger.entries()[: spent.id])
                digest = seal(folder, texts)
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

    `ReleaseError` without a budget, beyond it, without the consent that it takes, or with a δ above
    one over the public number of people. Nothing is charged and no count is read.
    """
    people = dataset.metadata.people_public
    if plan.delta and delta_is_large(plan.delta, people):
        raise ReleaseError(
            "delta must be at most one over the public number of people",
            value=f"{plan.delta:g} for {people:,} people",
            remedy="choose it smaller",
            code="delta",
        )
    budget = ledger.covering(dataset.id)
    due = cost(plan.loss, budget.unit)
    budget.require(due.epsilon, due.delta)
    if plan.unit == "trip" and consent != CONSENT:
        raise ReleaseError(
            "a release at trip level needs the custodian's consent in words",
            value="other words" if consent else "none",
            remedy=f"it protects no person; write: {CONSENT}",
            code="consent",
        )
    if plan.mostly_noise and noise_consent != NOISE_CONSENT:
        known = f"{plan.trips:,} trips" if plan.trips else "an unknown number of trips"
        raise ReleaseError(
            f"empty flows alone would show {plan.phantoms:,.0f} trips, more than were made: that "
            "needs the custodian's consent in words",
            value=f"{known}, and {'other' if noise_consent else 'no'} words",
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


def _way(plan: Plan) -> ModuleType:
    return WAYS[plan.parameters.method]


def _what(plan: Plan, dataset: Dataset, tuning: str, note: str) -> dict[str, Any]:
    """Return what the ledger will hold of the release.

    The entry's hash stands in every bundle. A secret number goes into it with the checksums of the
    tables: whoever knew all but one person could otherwise try what gives this hash.
    """
    if tuning not in TUNING:
        rule = f"tuning must be one of {', '.join(TUNING)}"
        raise ParameterError(rule, value=repr(tuning), remedy="say how ε was chosen")
    sums: Any = storage.read_metadata(dataset.folder).get("checksums") or {}
    return {
        "product": plan.product,
        "unit": plan.unit,
        "loss": asdict(plan.loss),
        "setting": plain(plan.setting, dataset.id),
        "trips": plan.trips,
        "tables": sorted(str(sums[name]) for name in sums if name.startswith(_OF_PEOPLE)),
        "secret": secrets.token_hex(16),
        "tuning": tuning,
        "tuning_note": named("tuning_note", note, _LONGEST_NOTE) if note.strip() else "",
    }


def _prepare(plan: Plan, dataset: Dataset) -> None:
    """Read all that will be counted: what may fail without noise fails before the charge."""
    try:
        _way(plan).prepare(plan, dataset)
    except ExplorerError:
        raise
    except Exception as error:
        rule = f"the tables of '{dataset.id}' cannot be counted ({type(error).__name__})"
        remedy = "build the dataset again from its raw data; nothing was spent"
        raise ReleaseError(rule, remedy=remedy, code="damaged") from error


def _rehearse(plan: Plan, dataset: Dataset, ledger: BudgetLedger, what: Mapping[str, Any]) -> None:
    """Make all texts with the entry as it will be, and keep nothing."""
    try:
        entry = _charge(plan, dataset, ledger, what, rehearsal=True)
        described(plan, dataset.id, [*ledger.entries(), entry])
    except ExplorerError:
        raise
    except Exception as error:
        rule = f"the statement of the release cannot be made ({type(error).__name__})"
        remedy = "this software is not installed whole; nothing was spent"
        raise ReleaseError(rule, remedy=remedy, code="statement") from error


def _charge(
    plan: Plan, dataset: Dataset, ledger: BudgetLedger, what: Mapping[str, Any], **how: bool
) -> Entry:
    unit = ledger.covering(dataset.id).unit
    due = cost(plan.loss, unit)
    paid = {"epsilon": due.epsilon, "delta": due.delta}
    return ledger.intend(dataset.id, unit=unit, what=what, **paid, **how)


def _stopped(spent: Entry | None, out: Path) -> str:
    if spent is None:
        return "stopped: nothing was spent, and nothing was written"
    due = f"ε = {spent.body['epsilon']:g}, entry {spent.id} of the ledger,"
    if (out / "SHA256SUMS").is_file():
        return f"stopped, but the bundle '{out.name}' is there, whole: use it; {due} is spent"
    return f"stopped: {due} is spent, since noise may have been drawn; no bundle was written"


def _failed(error: Exception, intent: Entry, folder: Path, out: Path) -> ReleaseError:
    """Say what a failure after the charge leaves behind: the cost is spent whatever failed."""
    why = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else ""
    why = why or type(error).__name__
    spent = f"its cost, entry {intent.id} of the ledger, stays spent, since its noise was drawn"
    if (out / "SHA256SUMS").is_file() and not folder.exists():  # moved there, so it is this one
        rule = f"the bundle '{out.name}' is there, whole, but what follows it failed ({why})"
        remedy = f"{spent}; use the bundle, and do not release again for it"
        return ReleaseError(rule, remedy=remedy, code="unfinished")
    remedy = f"{spent}; make space and release again at a new cost"
    return ReleaseError(f"the bundle could not be written ({why})", remedy=remedy, code="unwritten")
