"""Make a release: charge the ledger, draw once, write a bundle whole or not at all."""

import hashlib
import json
import os
import secrets
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jsonschema

from ..datasets import Dataset, storage
from ..density.accounting import delta_is_large
from ..errors import ExplorerError, ParameterError
from . import noise
from .claim import claimed, require_space, uninterrupted, zip_of
from .cost import Cost, cost as cost_of, largest_epsilon
from .ledger import Budget, BudgetLedger, Entry, ReleaseError, budgets_of, named
from .notebook import notebook
from .page import statement_html
from .plan import Plan, Progress
from .products import Product
from .registry import registry_entry
from .statement import SCHEMA, TUNING, statement

CONSENT = "I understand that this protects trips, not people"
"""What the custodian must type before anything is released at trip level."""

_LONGEST_NOTE = 2000
_LARGEST_EPSILON = 100.0
_OF_PEOPLE = ("truth", "presampled", "trips", "report", "zoom_towers")


class Stopped(KeyboardInterrupt):
    """A release was interrupted; the message says what was spent and what is there."""


def check(
    dataset: Dataset, plan: Plan, ledger: BudgetLedger, *, consent: str = ""
) -> tuple[Budget, Cost]:
    """Return the budget that pays and what the release costs it; refuse what may not be released.

    Nothing is charged and no count is read: the page shows this before anyone confirms.

    Raises
    ------
    ReleaseError
        Without a budget, beyond it, at trip level without `CONSENT`, or with a δ above one over
        the public number of people.
    """
    if plan.unit == "trip" and consent != CONSENT:
        raise ReleaseError(
            "a release at trip level needs the custodian's consent in words",
            value="none" if not consent else "other words",
            remedy=f"it protects no person; write: {CONSENT}",
            code="consent",
        )
    if plan.delta and delta_is_large(plan.delta, dataset.metadata.people_public):
        raise large_delta(plan.delta, dataset)
    budget = ledger.covering(dataset.id)
    cost = cost_of(plan.loss, budget.unit)
    budget.require(cost.epsilon, cost.delta)
    return budget, cost


def fitting_epsilon(dataset: Dataset, product: Product, budget: Budget) -> float | None:
    """Return the largest ε of two digits with which a release fits a budget; None where none."""

    def fits(epsilon: float) -> bool:
        try:
            asked = replace(product, parameters=product.parameters.at(epsilon))
            due = cost_of(asked.plan(dataset).loss, budget.unit)
        except ExplorerError:
            return False
        return budget.holds(due.epsilon, due.delta)

    return largest_epsilon(fits, _LARGEST_EPSILON)


def large_delta(delta: float, dataset: Dataset) -> ReleaseError:
    """Return the error of a δ above one over the public number of people."""
    return ReleaseError(
        "delta must be at most one over the public number of people",
        value=f"{delta:g} for {dataset.metadata.people_public or 0:,} people",
        remedy="choose it smaller",
        code="delta",
    )


def release(
    dataset: Dataset,
    product: Product,
    out: Path,
    *,
    ledger: BudgetLedger,
    tuning: str,
    tuning_note: str = "",
    consent: str = "",
    progress: Progress = lambda _share: None,
) -> Path:
    """Release `product` of `dataset` once, into the folder `out` and ``out.zip``.

    What may fail without noise is done before: the counts are read, the name is claimed, and the
    statement is made once with the ledger as it will be. Then the cost is committed to the ledger,
    and only then is noise drawn; the cost is never given back. The bundle appears at `out` whole,
    by one rename; a crash leaves the cost spent and no bundle.

    Parameters
    ----------
    dataset : Dataset
    product : Product
    out : Path
        A folder that does not exist yet, in one that can be written.
    ledger : BudgetLedger
    tuning : str
        One of `TUNING`: how ε and the other settings were chosen.
    tuning_note : str
        The custodian's words on it, such as the days that were looked at.
    consent : str
        `CONSENT` for a release at trip level.
    progress : callable
        Called with the share that is done, 0 to 1.

    Returns
    -------
    Path
        `out`.

    Raises
    ------
    ReleaseError
        If it is refused (nothing is spent) or fails after the draw (the message says so).
    Stopped
        If it is interrupted; the message says what is spent.
    """
    tuning_note = tuned(tuning, tuning_note)
    what = {"tuning": tuning, "tuning_note": tuning_note}
    spent: Entry | None = None
    try:
        plan = product.plan(dataset)
        check(dataset, plan, ledger, consent=consent)
        _prepare(dataset, product)
        with claimed(out) as work:
            require_space(work, plan.cells)
            _rehearse(dataset, plan, ledger, what)
            with uninterrupted():
                spent = _charge(dataset, plan, ledger, what)
            try:
                _make(dataset, product, plan, work, out, ledger, spent, progress)
            except Exception as error:
                raise _failed(error, spent, work, out) from error
    except KeyboardInterrupt as stop:
        raise Stopped(_stopped(spent, out)) from stop
    return out


def tuned(tuning: str, note: str) -> str:
    """Return the custodian's words on how ε was chosen; refuse what is none of `TUNING`."""
    if tuning not in TUNING:
        raise ParameterError(
            f"tuning must be one of {', '.join(TUNING)}",
            value=repr(tuning),
            remedy="say how ε was chosen",
        )
    return named("tuning_note", note, _LONGEST_NOTE) if note.strip() else note


def _prepare(dataset: Dataset, product: Product) -> None:
    """Read what will be counted; what is wrong with the tables is said before anything is spent."""
    try:
        product.prepare(dataset)
    except ExplorerError:
        raise
    except Exception as error:
        raise ReleaseError(
            f"the tables of '{dataset.id}' cannot be counted ({type(error).__name__})",
            remedy="they are not as this software writes them: build the dataset again from its "
            "raw data; nothing was spent",
            code="damaged",
        ) from error


def _rehearse(dataset: Dataset, plan: Plan, ledger: BudgetLedger, what: Mapping[str, Any]) -> None:
    """Make statement, registry entry and notebook with the entry as it will be; keep nothing."""
    try:
        entry = _charge(dataset, plan, ledger, what, rehearsal=True)
        _described(dataset, plan, [*ledger.entries(), entry], entry)
    except ExplorerError:
        raise
    except Exception as error:
        raise ReleaseError(
            f"the statement of the release cannot be made ({type(error).__name__})",
            remedy="this software is not installed whole, or its settings cannot be written; "
            "nothing was spent",
            code="statement",
        ) from error


def _stopped(spent: Entry | None, out: Path) -> str:
    if spent is None:
        return "stopped: nothing was spent, and nothing was written"
    cost = f"ε = {spent.body['epsilon']:g}, entry {spent.id} of the ledger,"
    if (out / "SHA256SUMS").is_file():
        return f"stopped, but the bundle '{out.name}' is there, whole: use it; {cost} is spent"
    return f"stopped: {cost} is spent, since noise may have been drawn; no bundle was written"


def _failed(error: Exception, intent: Entry, work: Path, out: Path) -> ReleaseError:
    """Say what a failure after the charge leaves behind: the cost is spent whatever failed."""
    why = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else None
    spent = f"its cost, entry {intent.id} of the ledger, stays spent, since its noise was drawn"
    if out.exists() and not (work / out.name).exists():  # moved there, so it is this one
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


def _charge(
    dataset: Dataset,
    plan: Plan,
    ledger: BudgetLedger,
    what: Mapping[str, Any],
    *,
    rehearsal: bool = False,
) -> Entry:
    budget = ledger.covering(dataset.id)
    cost = cost_of(plan.loss, budget.unit)
    return ledger.intend(
        dataset.id,
        unit=budget.unit,
        epsilon=cost.epsilon,
        delta=cost.delta,
        what={
            "unit": plan.unit,
            "epsilon_per_unit": plan.epsilon,
            "loss": asdict(plan.loss),
            "settings": json.loads(json.dumps(dict(plan.settings), default=str)),
            "product": plan.product,
            "tables": _tables(dataset),
            "secret": secrets.token_hex(16),
            **what,
        },
        rehearsal=rehearsal,
    )


def _tables(dataset: Dataset) -> list[str]:
    """Return the checksums of the tables of people, which no two groups of people share.

    A secret number goes into the entry with them: its hash stands in every bundle, and whoever
    knew all but one person could otherwise try what gives this hash.
    """
    sums: Any = storage.read_metadata(dataset.folder).get("checksums")
    known = sums if isinstance(sums, dict) else {}
    return sorted(str(known[name]) for name in known if name.startswith(_OF_PEOPLE))


def _make(
    dataset: Dataset,
    product: Product,
    plan: Plan,
    work: Path,
    out: Path,
    ledger: BudgetLedger,
    intent: Entry,
    progress: Progress,
) -> None:
    folder = work / out.name
    product.write(dataset, folder, lambda share: progress(0.9 * share))
    until_now = [entry for entry in ledger.entries() if entry.id <= intent.id]
    for name, text in _described(dataset, plan, until_now, intent).items():
        _write(folder / name, text)
    listed = _seal(folder)
    archive = zip_of(folder)
    _zip(folder, archive)
    with uninterrupted():
        os.replace(folder, out)  # the bundle is there, whole; the archive is the same once more
        os.replace(archive, zip_of(out))
        ledger.finish(intent, hashlib.sha256(listed.encode()).hexdigest())
    progress(1.0)


def _described(
    dataset: Dataset, plan: Plan, entries: Sequence[Entry], intent: Entry
) -> dict[str, str]:
    """Return statement, registry entry, notebook and measurements by file name.

    `intent` is the last entry.
    """
    others = [
        {
            "date": entry.time[:10],
            "product": entry.body["product"],
            "epsilon": entry.body["epsilon"],
            "delta": entry.body["delta"],
        }
        for entry in entries
        if entry.kind == "release" and entry.people == intent.people and entry.id < intent.id
    ]
    content = statement(
        plan,
        name=dataset.id,
        simulated=dataset.metadata.simulated,
        budget=budgets_of(entries)[intent.people],
        cost=Cost(epsilon=intent.body["epsilon"], delta=intent.body["delta"]),
        others=others,
        tuning=intent.body["tuning"],
        tuning_note=intent.body["tuning_note"],
        made_on=datetime.now(UTC).date().isoformat(),
        version=version("mobility-privacy-explorer"),
    )
    content["ledger"] = {"entry": intent.id, "hash": intent.hash}
    jsonschema.validate(content, SCHEMA)
    return {
        "statement.json": json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False),
        "statement.html": statement_html(content),
        "registry.yaml": registry_entry(content),
        "use_it.ipynb": notebook(content),
        "opendp.json": json.dumps(_measurements(plan), indent=2, ensure_ascii=False),
    }


def _measurements(plan: Plan) -> dict[str, Any]:
    """Return the measurements that draw the noise, in OpenDP's own form, to be checked or rerun."""
    return {
        "library": f"{noise.LIBRARY} {noise.VERSION}",
        "read": "opendp.mod.deserialize(json.dumps(measurement)).map(sensitivity)",
        "measurements": [
            {
                "counts": stage.name,
                "sensitivity": stage.sensitivity * stage.step,
                "measurement": noise.measurement(
                    stage.scale * stage.step, gaussian=stage.noise == "discrete Gaussian"
                ),
            }
            for stage in plan.stages
        ],
    }


def _write(path: Path, text: str) -> None:
    path.write_text(text + "\n", encoding="utf-8")
    storage.make_owner_only(path)


def _seal(folder: Path) -> str:
    """Make every file the owner's own and durable; return the list of files and hashes."""
    lines: list[str] = []
    for path in sorted(one for one in folder.rglob("*") if one.is_file()):
        storage.make_owner_only(path)
        with path.open("rb+") as handle:
            os.fsync(handle.fileno())
            digest = hashlib.file_digest(handle, "sha256").hexdigest()
        lines.append(f"{digest}  {path.relative_to(folder).as_posix()}")
    text = "\n".join(lines)
    _write(folder / "SHA256SUMS", text)
    return text


def _zip(folder: Path, archive: Path) -> None:
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
        for path in sorted(one for one in folder.rglob("*") if one.is_file()):
            packed.write(path, f"{folder.name}/{path.relative_to(folder).as_posix()}")
