"""Release of a setting: one draw of noise, one charge to the ledger, one folder to give away.

Only numbers that this package draws may be given to others than the custodian. `release` plans from
public facts, checks the budget, reads the counts, claims the folder, charges the ledger, draws with
OpenDP, writes and seals the folder, and reveals it.

- *Custodian*: who holds the data, decides on releases and answers for them.
- *Setting*: dataset, zones, days and the parameters of one mechanism (`engine.contract`).
- *Unit of privacy*: what ε and δ protect, a person, a person's day or a trip. Neighbouring datasets
  differ by one unit, added or removed. If it is a person, a day less is two steps (`budget_cost`).
- *Budget*: total ε and δ, per one unit, of all releases about the same people.
- *Ledger*: the file on disk of budgets and charges (`budget_ledger`). The cost of a mechanism in
  itself is `engine.privacy_cost.PrivacyCost`.
- *Plan*: what a release will hold and cost, from public facts alone (`ReleasePlan`).
- *Consent*: a sentence that the custodian types before a release that protects or shows little.
- *Tuning*: how ε and the other settings were chosen, such as on a *twin*, simulated people made of
  public facts.
- *Bundle*: the released folder and its zip: tables, checksums, and the *statement*, which tells
  readers what was released, how exact it is and what it cost.
- *Contribution limit*: T trips or ℓ visits, which of one unit are counted at most; the others are
  *beyond* it. Counts within it are *truncated* (``kept`` in files, ``presampled`` of visits).
- *Cap* K: most visits of a person that ingestion keeps in the number of all visits and the tables
  of multiscale (`engine.ingest.counting`). ℓ is a setting apart, and not bounded by K.
- *Suppressed*: a noisy count below the threshold τ, which files leave empty. The noise protects, τ
  helps readers; a custodian may still want suppressed counts not to be recomputable. Others are
  *shown*; of empirical Bayes, estimates of at least 1 trip.
- *Phantom trips*: trips that noise alone shows in empty flows.
- *View*: a dataset with its zones and days joined as a setting says.
"""

import secrets
from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from .. import density, origin_destination as od, report
from ..contract import Setting
from ..datasets import Dataset, storage
from ..density.accounting import MAX_RELEASE_DELTA, is_delta_large
from ..errors import ExplorerError, ParameterError
from ..parameters import USED_FIELDS
from ..readability import describe_weak_signal
from ..resolution import make_view
from . import density_writer, flow_writer, fourier_writer, report_writer
from .budget_ledger import Budget, BudgetLedger, Entry, ReleaseError, check_one_line, release_error
from .bundle import claim_folder, describe_failure, required_bytes, reveal, seal
from .plan import BudgetCost, PrivacyLoss, Progress, ReleasePlan, budget_cost
from .statement import TUNING_SOURCES, list_warnings, render_texts, render_words, setting_to_json

__all__ = [
    "NOISE_CONSENT",
    "TRIP_CONSENT",
    "WRITERS",
    "Budget",
    "BudgetCost",
    "BudgetLedger",
    "Entry",
    "PrivacyLoss",
    "ReleaseError",
    "ReleasePlan",
    "budget_cost",
    "check_release",
    "list_warnings",
    "max_epsilon_within_budget",
    "plan",
    "release",
    "render_words",
]

TRIP_CONSENT = "I understand that this protects trips, not people"
"""Consent to a release at trip level, which protects no person."""

NOISE_CONSENT = "I understand that most of it is noise"
"""Consent to a release in which empty flows alone would show more trips than were made."""

WRITERS: dict[str, ModuleType] = {
    "laplace_suppression": flow_writer,
    "empirical_bayes": flow_writer,
    "towers_laplace": density_writer,
    "efpag_joint": fourier_writer,
    "multiscale": density_writer,
    "derived": report_writer,
}
"""Module that plans and writes a method's release, by ``plan``, ``load_counts`` and ``write``.

`efpag_joint`: Fourier perturbation with one k for all clusters; `derived`: a report whose quantiles
are those of noisy bins. Other methods are for exploring alone."""

_MAX_NOTE_LENGTH = 2000
_PEOPLE_TABLES = ("truth", "presampled", "trips", "report", "zoom_towers")
"""Starts of names of the tables that identify people: each dataset of people has one of these."""


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
    """Return `out`, the folder of a new bundle; its zip lies beside it.

    `dataset` is as it was ingested, not a view. `tuning` is a key of `TUNING_SOURCES`, on which
    `tuning_note` is the custodian's note. `trips` is the number of trips made in the released days,
    as far as is publicly known. `sums_before_suppression` is whether to write unbiased sums, which
    let readers recompute suppressed counts. `consents` are `TRIP_CONSENT` and `NOISE_CONSENT` where
    a release requires them.

    Raises `ReleaseError` if the release is refused (nothing is spent) or fails, and
    `KeyboardInterrupt` if the user stops it: the message states what was spent.
    """
    sums = sums_before_suppression
    release_plan = plan(setting, dataset, trips=trips, sums_before_suppression=sums)
    budget, cost = check_release(release_plan, dataset, ledger, consents)
    record = _release_record(release_plan, dataset, tuning, tuning_note)
    writer = WRITERS[setting.parameters.method]
    view = make_view(dataset, setting.zone_level, setting.time)
    charged = {**asdict(cost), "same_people_as": dataset.metadata.same_people_as}
    charge = partial(ledger.charge, dataset.id, unit=budget.unit, record=record, **charged)
    charged_entry: Entry | None = None
    try:
        writer.load_counts(release_plan, view)
        with claim_folder(out, required_bytes(release_plan.cell_count, dataset.zones)) as folder:
            # what may fail without noise fails before the charge
            render_texts(release_plan, dataset.id, [*ledger.entries(), charge(dry_run=True)])
            charged_entry = charge()  # in one transaction, and never given back
            drawn_plan = writer.write(release_plan, view, folder, lambda part: progress(0.9 * part))
            entries = ledger.entries()[: charged_entry.id]
            texts = render_texts(drawn_plan or release_plan, dataset.id, entries)
            digest = seal(folder, texts, release_plan.product)
            reveal(folder, out)
            ledger.finish(charged_entry, digest)
    except (KeyboardInterrupt, Exception) as error:
        if charged_entry is None and isinstance(error, ExplorerError):
            raise  # its message already explains the refusal
        error_type = ReleaseError
        if isinstance(error, KeyboardInterrupt):  # perhaps just after the transaction
            charged_entry = charged_entry or ledger.find_charge(record["secret"])
            error_type = KeyboardInterrupt
        raise error_type(describe_failure(error, charged_entry, out)) from error
    progress(1.0)
    return out


def plan(
    setting: Setting,
    dataset: Dataset,
    *,
    trips: int | None = None,
    sums_before_suppression: bool = False,
) -> ReleasePlan:
    """Return the plan of a release, from geometry and metadata alone; arguments as `release`.

    Raises `ParameterError` if the method, δ or number of trips does not suit a release.
    """
    method = setting.parameters.method
    if method not in WRITERS:
        methods = next(p.METHODS for p in (density, od, report) if method in p.METHODS)
        raise ParameterError(
            f"method must be one of {', '.join(m for m in methods if m in WRITERS)} for a release",
            value=repr(method),
            remedy="choose one of these: others are for exploring",
        )
    if "delta" in USED_FIELDS.get(method, ()) and setting.parameters.delta > MAX_RELEASE_DELTA:
        rule = f"delta must be at most {MAX_RELEASE_DELTA:g} for a release"
        remedy = "choose at most one over the number of people, such as 1e-7"
        raise ParameterError(rule, value=f"{setting.parameters.delta!r}", remedy=remedy)
    if trips is not None and trips < 1:
        raise ParameterError("trips must be at least 1", value=f"{trips}", remedy="leave it out")
    view = make_view(dataset, setting.zone_level, setting.time)
    warning = describe_weak_signal(setting, dataset, len(view.zones), trips)
    release_plan = WRITERS[method].plan(setting, view)
    release_plan = replace(release_plan, trips=trips, signal_warning=warning)
    if release_plan.suppresses and not sums_before_suppression:
        # files from which no suppressed count can be recomputed
        bars = {"zone_total_bar": 0.0, "error_bars": release_plan.error_bars[:-2]}
        return replace(release_plan, has_sums=False, **bars)
    return release_plan


def check_release(
    plan: ReleasePlan, dataset: Dataset, ledger: BudgetLedger, consents: Collection[str] = ()
) -> tuple[Budget, BudgetCost]:
    """Return the budget that pays for a release and the cost to it; nothing is charged.

    No count is read. Raises `ReleaseError` without a sufficient budget or the required consents, or
    if δ exceeds one over the public number of people.
    """
    people_count = dataset.metadata.people_public
    if plan.delta and is_delta_large(plan.delta, people_count):
        rule, value = "one over the public number of people", f"{plan.delta:g} for {people_count:,}"
        raise release_error(f"delta must be at most {rule}", value, "choose it smaller")
    budget = ledger.find_budget(dataset.id)
    cost = budget_cost(plan, budget.unit)
    budget.require_remaining(cost.epsilon, cost.delta)
    consents = {words.strip(' ."“”') for words in consents}
    consent_given = "other words" if any(consents) else "no consent"
    if plan.unit == "trip" and TRIP_CONSENT not in consents:
        rule = "a release at trip level needs the custodian's consent in words"
        remedy = f'trip level protects no person; write "{TRIP_CONSENT}" (command: --consent)'
        raise release_error(rule, consent_given, remedy, "consent")
    if plan.needs_noise_consent and NOISE_CONSENT not in consents:
        signals = f"{plan.trips:,} trips made" if plan.trips else "no number of trips made"
        comparison = ", more than were made" if plan.trips else ""
        texts = (
            "a release needs the custodian's consent in words if empty flows alone would show "
            f"{plan.phantom_trips:,.0f} trips{comparison}",
            f"{signals}, and {consent_given}",
            "state how many trips were made, choose coarser zones, a longer time, a larger "
            f'threshold or a method that estimates flows; or write "{NOISE_CONSENT}" (--consent)',
        )
        raise release_error(*map(plan.setting.say_counts, texts), code="consent")
    return budget, cost


def max_epsilon_within_budget(
    setting: Setting, dataset: Dataset, budget: Budget, epsilons: Sequence[float]
) -> float | None:
    """Return the largest of the rising `epsilons` whose release fits a budget, or None."""

    def exceeds(epsilon: float) -> bool:
        try:
            cost = budget_cost(plan(setting.with_epsilon(epsilon), dataset), budget.unit)
            budget.require_remaining(cost.epsilon, cost.delta)
        except (ExplorerError, ArithmeticError, ValueError):
            return True
        return False

    fitting_count = bisect_left(epsilons, True, key=exceeds)
    return epsilons[fitting_count - 1] if fitting_count else None


def _release_record(plan: ReleasePlan, dataset: Dataset, tuning: str, note: str) -> dict[str, Any]:
    """Return what the ledger records of a release, beside its dataset and cost.

    ``tables`` are checksums of the tables of people, so that another budget cannot be charged for
    the same ones. Every bundle shows the hash of its entry; the entry's random ``secret`` stops
    attackers from guessing tables until that hash comes out.
    """
    if tuning not in TUNING_SOURCES:
        rule = f"tuning must be one of {', '.join(TUNING_SOURCES)}"
        raise ParameterError(rule, value=repr(tuning), remedy="name how ε was chosen")
    checksums: Any = storage.read_metadata(dataset.folder).get("checksums") or {}
    tables = [name for name in checksums if name.startswith(_PEOPLE_TABLES)]
    return {
        "product": plan.product,
        "setting": setting_to_json(plan.setting, dataset.id),
        "trips": plan.trips,
        "tables": sorted(str(checksums[name]) for name in tables),
        "secret": secrets.token_hex(16),
        "tuning": tuning,
        "tuning_note": note.strip() and check_one_line("tuning_note", note, _MAX_NOTE_LENGTH),
    }
