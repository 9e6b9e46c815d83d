"""Release of a setting: one draw, one charge to the ledger, one sealed bundle.

Only this package's numbers leave the process. `release` in order: `plan` from settings and public
facts; `check` the budget; read the counts; claim the folder; charge the ledger; draw with OpenDP;
write the statement; seal and reveal the bundle. A charge is never given back.
"""

import secrets
from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from ..contract import Setting
from ..datasets import Dataset, storage
from ..density.accounting import MAX_RELEASE_DELTA, is_delta_large
from ..errors import ExplorerError, ParameterError
from ..parameters import USED_FIELDS
from ..resolution import make_view
from . import density_writer, flow_writer, fourier_writer, report_writer
from .budget_ledger import Budget, BudgetLedger, Entry, ReleaseError, check_name, release_error
from .bundle import claim_folder, describe_interrupted, required_bytes, reveal, seal
from .plan import Cost, PrivacyLoss, Progress, ReleasePlan, Stage, budget_cost
from .statement import TUNING, list_warnings, render_texts, render_words, setting_to_json

__all__ = [
    "CONSENT",
    "NOISE_CONSENT",
    "TUNING",
    "WRITERS",
    "Budget",
    "BudgetLedger",
    "Cost",
    "Entry",
    "PrivacyLoss",
    "ReleaseError",
    "ReleasePlan",
    "Stage",
    "budget_cost",
    "check",
    "list_warnings",
    "max_epsilon_within_budget",
    "plan",
    "release",
    "render_words",
]

CONSENT = "I understand that this protects trips, not people"
"""Words that the custodian types before a release at trip level."""

NOISE_CONSENT = "I understand that most of it is noise"
"""Words that the custodian types if empty flows alone would show more trips than were made."""

WRITERS: dict[str, ModuleType] = {
    "laplace_suppression": flow_writer,
    "empirical_bayes": flow_writer,
    "towers_laplace": density_writer,
    "efpag_joint": fourier_writer,
    "multiscale": density_writer,
    "derived": report_writer,
}
"""Module that plans, reads and writes each method. Other methods stay in exploration: their noise
is not whole numbers."""

_MAX_NOTE_LENGTH = 2000
_PEOPLE_TABLES = ("truth", "presampled", "trips", "report", "zoom_towers")


def release(
    setting: Setting,
    dataset: Dataset,
    out: Path,
    *,
    ledger: BudgetLedger,
    tuning: str,
    tuning_note: str = "",
    trips: int | None = None,
    sums_before_suppression: bool = False,
    consents: Collection[str] = (),
    progress: Progress = lambda _share: None,
) -> Path:
    """Release a setting of `dataset`, as it was ingested, into ``out`` and ``out.zip``.

    Parameters
    ----------
    tuning, tuning_note : str
        Key of `TUNING`: how ε and the other settings were chosen; and the custodian's note.
    trips : int or None
        Publicly known number of trips in the released days.
    sums_before_suppression : bool
        Whether to write unbiased sums, which let readers recompute suppressed counts.
    consents : collection of str
        `CONSENT` for a release at trip level, `NOISE_CONSENT` for one that is mostly noise.

    Raises
    ------
    ReleaseError
        If the release is refused (nothing is spent) or fails (the message states the cost).
    KeyboardInterrupt
        If the user stops it; the message states the cost.
    """
    planned = plan(setting, dataset, trips=trips, sums_before_suppression=sums_before_suppression)
    budget, due = check(planned, dataset, ledger, consents)
    entry = _ledger_entry(planned, dataset, tuning, tuning_note)
    writer, view = (
        WRITERS[setting.parameters.method],
        make_view(dataset, setting.zone_level, setting.time),
    )
    charge = partial(ledger.charge, dataset.id, unit=budget.unit, what=entry, **asdict(due))
    spent: Entry | None = None
    try:
        writer.prepare(planned, view)  # reads all counts
        with claim_folder(out, required_bytes(planned.cells, dataset.zones)) as folder:
            render_texts(planned, dataset.id, [*ledger.entries(), charge(rehearsal=True)])
            spent = charge()  # in one transaction, and never given back
            scale_up = writer.write(planned, view, folder, lambda share: progress(0.9 * share))
            entries = ledger.entries()[: spent.id]
            digest = seal(folder, render_texts(planned, dataset.id, entries, scale_up))
            reveal(folder, out)
            ledger.finish(spent, digest)
    except (KeyboardInterrupt, Exception) as error:
        if spent is None and isinstance(error, ExplorerError):
            raise  # its message already explains the refusal
        stopped = isinstance(error, KeyboardInterrupt)
        spent = ledger.find_charge(entry["secret"]) if stopped else spent
        kind = KeyboardInterrupt if stopped else ReleaseError
        raise kind(describe_interrupted(error, spent, out)) from error
    progress(1.0)
    return out


def plan(
    setting: Setting,
    dataset: Dataset,
    *,
    trips: int | None = None,
    sums_before_suppression: bool = False,
) -> ReleasePlan:
    """Return the contents and cost of a release, from geometry and metadata alone.

    Raises `ParameterError` if the method, δ or number of trips does not suit a release.
    """
    method = setting.parameters.method
    if method not in WRITERS:
        raise ParameterError(
            f"method must be one of {', '.join(WRITERS)} for a release",
            value=repr(method),
            remedy="the others add noise that is no whole number and are for exploring",
        )
    if "delta" in USED_FIELDS.get(method, ()) and setting.parameters.delta > MAX_RELEASE_DELTA:
        raise ParameterError(
            f"delta must be at most {MAX_RELEASE_DELTA:g} for a release",
            value=f"{setting.parameters.delta!r}",
            remedy="choose it below one over the number of people, such as 1e-7",
        )
    if trips is not None and trips < 1:
        raise ParameterError("trips must be at least 1", value=f"{trips}", remedy="or leave it out")
    view = make_view(dataset, setting.zone_level, setting.time)
    planned = replace(WRITERS[method].plan(setting, view), trips=trips)
    if planned.suppresses and not sums_before_suppression:
        return planned.without_sums()
    return planned


def check(
    plan: ReleasePlan, dataset: Dataset, ledger: BudgetLedger, consents: Collection[str] = ()
) -> tuple[Budget, Cost]:
    """Return the budget of a release and its cost to that budget; reads no count.

    Raises `ReleaseError` without a sufficient budget or the required consents, or if δ exceeds one
    over the public number of people. Nothing is charged.
    """
    people = dataset.metadata.people_public
    if plan.delta and is_delta_large(plan.delta, people):
        rule = "delta must be at most one over the public number of people"
        raise release_error(rule, f"{plan.delta:g} for {people:,} people", "choose it smaller")
    budget = ledger.find_budget(dataset.id)
    due = budget_cost(plan, budget.unit)
    budget.require_remaining(due.epsilon, due.delta)
    consent_given = "other words" if any(consents) else "no consent"
    if plan.unit == "trip" and CONSENT not in consents:
        rule = "a release at trip level needs the custodian's consent in words"
        raise release_error(
            rule, consent_given, f"it protects no person; write: {CONSENT}", "consent"
        )
    if plan.is_mostly_noise and NOISE_CONSENT not in consents:
        trips_known = f"{plan.trips:,} trips" if plan.trips else "an unknown number of trips"
        comparison = ", more than were made" if plan.trips else ""
        raise release_error(
            f"empty flows alone would show {plan.phantom_trips:,.0f} trips{comparison}: that "
            "needs the custodian's consent in words",
            f"{trips_known}, and {consent_given}",
            "say how many trips were made, choose coarser zones, a longer time, a larger "
            f"threshold or empirical Bayes; or write: {NOISE_CONSENT}",
            "consent",
        )
    return budget, due


def max_epsilon_within_budget(
    setting: Setting, dataset: Dataset, budget: Budget, stops: Sequence[float]
) -> float | None:
    """Return the largest ε of rising `stops` whose release fits a budget; None if none does."""

    def exceeds(epsilon: float) -> bool:
        try:
            due = budget_cost(plan(setting.with_epsilon(epsilon), dataset), budget.unit)
            budget.require_remaining(due.epsilon, due.delta)
        except (ExplorerError, ArithmeticError, ValueError):
            return True
        return False

    number = bisect_left(stops, True, key=exceeds)
    return stops[number - 1] if number else None


def _ledger_entry(plan: ReleasePlan, dataset: Dataset, tuning: str, note: str) -> dict[str, Any]:
    """Return the ledger's record of a release.

    Every bundle shows the hash of its entry. A secret number in it stops an attacker who knows all
    but one person from testing guesses of the tables' checksums.
    """
    if tuning not in TUNING:
        rule = f"tuning must be one of {', '.join(TUNING)}"
        raise ParameterError(rule, value=repr(tuning), remedy="say how ε was chosen")
    sums: Any = storage.read_metadata(dataset.folder).get("checksums") or {}
    return {
        "product": plan.product,
        "setting": setting_to_json(plan.setting, dataset.id),
        "trips": plan.trips,
        "tables": sorted(str(sums[name]) for name in sums if name.startswith(_PEOPLE_TABLES)),
        "secret": secrets.token_hex(16),
        "tuning": tuning,
        "tuning_note": check_name("tuning_note", note, _MAX_NOTE_LENGTH) if note.strip() else "",
    }
