"""Make a release: charge the ledger, draw once, write a bundle whole or not at all."""

import hashlib
import json
import os
import platform
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import jsonschema

from engine.datasets import Dataset, storage
from engine.density.accounting import delta_is_large
from engine.errors import ParameterError
from engine.release.cost import Cost
from engine.release.cost import cost as cost_of
from engine.release.entries import (
    Budget,
    Entry,
    ReleaseError,
    covering,
    exact,
    exceeded,
    known,
    replay,
)
from engine.release.ledger import Ledger
from engine.release.notebook import notebook
from engine.release.page import statement_html
from engine.release.plan import Plan, Product, Progress
from engine.release.recost import RULE, corrected
from engine.release.registry import registry_entry
from engine.release.statement import SCHEMA, TUNING, statement

CONSENT = "I understand that this protects trips, not people"
"""What the custodian must type before anything is released at trip level."""

_PARTIAL = ".partial-release-"


def check(
    dataset: Dataset, plan: Plan, ledger: Ledger, *, consent: str = ""
) -> tuple[Budget, Cost]:
    """Return the budget that pays and what the release costs it; refuse what may not be released.

    What earlier releases were charged too little counts as spent.

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
        raise ReleaseError(
            "delta must be at most one over the public number of people",
            value=f"{plan.delta:g} for {dataset.metadata.people_public:,} people",
            remedy="choose it smaller",
            code="delta",
        )
    budget = covering(replay(corrected(ledger.entries())), dataset.id)
    cost = cost_of(plan.loss, budget.unit)
    if exact(budget.spent_epsilon) + exact(cost.epsilon) > exact(budget.epsilon) or exact(
        budget.spent_delta
    ) + exact(cost.delta) > exact(budget.delta):
        raise exceeded(budget, cost.epsilon, cost.delta)
    return budget, cost


def release(
    dataset: Dataset,
    product: Product,
    out: Path,
    *,
    ledger: Ledger,
    tuning: str,
    tuning_note: str = "",
    consent: str = "",
    progress: Progress = lambda _share: None,
) -> Path:
    """Release `product` of `dataset` once, into the folder `out` and ``out.zip``.

    The cost is committed to the ledger before any noise is drawn and is never given back. The
    bundle appears at `out` whole, by one rename; a crash leaves the cost spent and no bundle.

    Parameters
    ----------
    dataset : Dataset
    product : Product
        An `ODProduct`, a `DensityProduct` or a `ReportProduct`.
    out : Path
        A folder that does not exist yet, in one that can be written.
    ledger : Ledger
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
    """
    if tuning not in TUNING:
        raise ParameterError(
            f"tuning must be one of {', '.join(TUNING)}",
            value=repr(tuning),
            remedy="say how ε was chosen",
        )
    plan = product.plan(dataset)
    check(dataset, plan, ledger, consent=consent)
    ledger.verify()
    product.prepare(dataset)
    sweep(out.parent)
    work = _working_folder(out)
    try:
        intent = _charge(dataset, plan, ledger, tuning, tuning_note)
        try:
            return _make(dataset, product, plan, work, out, ledger, intent, progress)
        except Exception as error:
            raise _failed(error, intent, work, out) from error
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _failed(error: Exception, intent: Entry, work: Path, out: Path) -> ReleaseError:
    """Say what a failure after the charge leaves behind: the cost is spent whatever failed."""
    why = error.strerror if isinstance(error, OSError) else None
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


def zip_of(out: Path) -> Path:
    """Return where the archive of a bundle stands: beside its folder."""
    return out.parent / f"{out.name}.zip"


def sweep(parent: Path) -> None:
    """Remove working folders that a killed release of this machine left behind.

    They hold noise that was paid for and never shown.
    """
    for left in parent.glob(f"{_PARTIAL}{_machine()}-*"):
        try:
            owner = int(left.name.split("-")[-2])
            os.kill(owner, 0)
        except ProcessLookupError:
            shutil.rmtree(left, ignore_errors=True)
        except (ValueError, PermissionError):
            continue


def _machine() -> str:
    """Return a short name of this machine: on a shared disk its processes are not another's."""
    return hashlib.sha256(platform.node().encode()).hexdigest()[:8]


def _working_folder(out: Path) -> Path:
    if not out.name or out.exists() or zip_of(out).exists():
        raise ReleaseError(
            "the folder of a release must not exist yet",
            value=f"'{out.name}', which does" if out.name else "no name",
            remedy="name a new one; nothing was spent",
            code="exists",
        )
    try:
        out.parent.mkdir(mode=0o700, exist_ok=True)  # one level, such as data/local
        prefix = f"{_PARTIAL}{_machine()}-{os.getpid()}-"
        return Path(tempfile.mkdtemp(prefix=prefix, dir=out.parent))
    except OSError as error:
        raise ReleaseError(
            f"the folder above '{out.name}' cannot be written ({error.strerror})",
            remedy="name another one; nothing was spent",
            code="unwritable",
        ) from error


def _charge(dataset: Dataset, plan: Plan, ledger: Ledger, tuning: str, tuning_note: str) -> Entry:
    budget = ledger.covering(dataset.id)
    cost = cost_of(plan.loss, budget.unit)
    return ledger.intend(
        dataset.id,
        unit=budget.unit,
        epsilon=cost.epsilon,
        delta=cost.delta,
        what={
            "product": plan.product,
            "unit": plan.unit,
            "epsilon_per_unit": plan.epsilon,
            "loss": asdict(plan.loss),
            "rule": RULE,
            "settings": json.loads(json.dumps(dict(plan.settings), default=str)),
            "tuning": tuning,
            "tuning_note": tuning_note,
        },
    )


def _make(
    dataset: Dataset,
    product: Product,
    plan: Plan,
    work: Path,
    out: Path,
    ledger: Ledger,
    intent: Entry,
    progress: Callable[[float], None],
) -> Path:
    folder = work / out.name
    folder.mkdir()
    product.write(dataset, folder, lambda share: progress(0.9 * share))
    _describe(dataset, plan, folder, ledger, intent)
    listed = _seal(folder)
    archive = work / f"{out.name}.zip"
    _zip(folder, archive)
    os.replace(folder, out)  # the bundle is there, whole; the archive is the same once more
    os.replace(archive, zip_of(out))
    ledger.finish(intent, hashlib.sha256(listed.encode()).hexdigest())
    progress(1.0)
    return out


def _describe(dataset: Dataset, plan: Plan, folder: Path, ledger: Ledger, intent: Entry) -> None:
    """Write statement, registry entry and notebook."""
    entries = corrected(ledger.entries())
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
        budget=known(replay(entries), intent.people),
        cost=Cost(epsilon=intent.body["epsilon"], delta=intent.body["delta"]),
        others=others,
        tuning=intent.body["tuning"],
        tuning_note=intent.body["tuning_note"],
        made_on=datetime.now(UTC).date().isoformat(),
        version=version("mobility-privacy-explorer"),
    )
    jsonschema.validate(content, SCHEMA)
    _write(folder / "statement.json", json.dumps(content, indent=2, ensure_ascii=False))
    _write(folder / "statement.html", statement_html(content))
    _write(folder / "registry.yaml", registry_entry(content))
    _write(folder / "use_it.ipynb", notebook(content))


def _write(path: Path, text: str) -> None:
    path.write_text(text + "\n", encoding="utf-8")


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
