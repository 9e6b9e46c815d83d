"""Recurring releases: planned and paid for as a whole, then one bundle a run.

A plan fixes product, settings and days before the first number is drawn, and the ledger keeps what
all runs cost together. A run is a release like any other, made by the same steps; it only says
which run of which plan it is.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from datetime import date
from pathlib import Path
from typing import Any

from ..datasets import Dataset
from ..density.accounting import delta_is_large
from ..errors import ParameterError
from ..parameters import DensityParameters, ODParameters
from ..report import Budget as Shares, ReportParameters
from .bundle import check, large_delta, release, tuned
from .copies import fingerprint
from .cost import RULE, Loss, whole_cost
from .digests import day_sums, week_sums, zoning
from .entries import ReleaseError
from .ledger import BudgetLedger, named
from .plan import Plan, Progress
from .products import Product, Settings
from .registry import slug
from .schedule import Schedule, Series, known_series, series

_KINDS = {kind.__name__: kind for kind in (ODParameters, DensityParameters, ReportParameters)}


def plan(
    dataset: Dataset,
    parameters: Settings,
    schedule: Schedule,
    *,
    name: str,
    ledger: BudgetLedger,
    tuning: str,
    tuning_note: str = "",
    consent: str = "",
    delta: float = 0.0,
) -> Series:
    """Plan a recurring release; the budget keeps what all runs cost, and no count is read.

    Parameters
    ----------
    dataset : Dataset
        Of the zones that are released; the days of the runs need not be there yet.
    parameters : ODParameters, DensityParameters or ReportParameters
        Of every run.
    schedule : Schedule
    name : str
        Of the plan.
    ledger : BudgetLedger
    tuning, tuning_note, consent
        As in `engine.release.release`.
    delta : float
        δ of all runs together, see `engine.release.cost.whole_cost`; 0 adds the runs up.

    Raises
    ------
    ReleaseError, ParameterError
        If it is refused; nothing is charged.
    """
    name, tuning_note = named("name", name), tuned(tuning, tuning_note)
    asked = {"kind": type(parameters).__name__, "parameters": _written(parameters)}
    one = _of_one_run(dataset, parameters, schedule)
    budget, _ = check(dataset, one, ledger, consent=consent)
    whole = whole_cost(one.loss, budget.unit, schedule.runs, delta)
    if delta and delta_is_large(delta, dataset.metadata.people_public):
        raise large_delta(delta, dataset)
    ledger.intend(
        dataset.id,
        unit=budget.unit,
        epsilon=whole.epsilon,
        delta=whole.delta,
        what={
            **asked,
            "name": name,
            "schedule": schedule.to_json(),
            "at_delta": delta,
            "product": one.product,
            "unit": one.unit,
            "loss": asdict(one.loss),
            "rule": RULE,
            "zones": zoning(dataset),
            "tuning": tuning,
            "tuning_note": tuning_note,
            "consent": consent,
        },
        made_of=fingerprint(dataset.folder),
        kind="plan",
    )
    return known_series(ledger.entries(), name)


def run(
    dataset: Dataset,
    name: str,
    folder: Path,
    *,
    ledger: BudgetLedger,
    number: int | None = None,
    progress: Progress = lambda _share: None,
) -> Path:
    """Make one run of a plan: a bundle in `folder`, named by plan, number and first day.

    Parameters
    ----------
    dataset : Dataset
        Of the plan's people, that has the days of the run, of the density its week.
    name : str
        Of the plan.
    folder : Path
    ledger : BudgetLedger
    number : int or None
        A later run than the next one, by None; what is skipped stays missed.
    progress : callable
        Called with the share that is done, 0 to 1.

    Raises
    ------
    ReleaseError, Stopped
        As `engine.release.release`; also where days of the run are not there yet or were
        released, where trips of released days have changed, and where the dataset's zones are not
        those of the plan.
    """
    one = known_series(ledger.entries(), name)
    body, schedule = one.entry.body, one.schedule
    number = one.next or max(one.runs, default=0) + 1 if number is None else number
    one.require(number)
    parameters, dates = _read(body), schedule.dates(number)
    counted, product = _counted(dataset, parameters, dates)
    planned = _of_one_run(counted, parameters, schedule)
    zones = zoning(counted), zoning(counted, towers=False)  # towers come with a first density
    if body["zones"] not in zones or planned.loss != Loss(**body["loss"]):
        raise _refused(
            "a run must be of the zones and at the cost that were planned",
            value=f"others, of '{dataset.id}'",
            remedy="restore the dataset's zones, or end the plan and plan again",
            code="changed",
        )
    _require_unchanged(dataset, parameters, one)
    name = f"{slug(name) or 'run'}-{number:03d}-{dates[0]}"
    return release(
        counted,
        product,
        folder / name,
        ledger=ledger,
        tuning=body["tuning"],
        tuning_note=body["tuning_note"],
        consent=body["consent"],
        progress=progress,
        run={"plan": one.entry.id, "run": number, "day_sums": _sums(counted, parameters, dates)},
    )


def _of_one_run(dataset: Dataset, parameters: Settings, schedule: Schedule) -> Plan:
    """Return the plan of a run, by public facts of any day that is there."""
    one = Product(parameters, days=(0,) if _by_day(parameters) else None).plan(dataset)
    weekly = schedule.days == 7 and not schedule.first.weekday() and not schedule.every % 7
    if isinstance(parameters, DensityParameters) and not weekly:
        raise ParameterError(
            "a run of the density must be of 7 days from a Monday",
            value=f"{schedule.words}, from a {schedule.first:%A}",
            remedy="plan 7 days a run, every 7 days or a multiple of it, first a Monday",
        )
    return replace(one, days=schedule.days)


def _by_day(parameters: Settings) -> bool:
    """Whether days are released by themselves, and not a week or a period as a whole."""
    return isinstance(parameters, ODParameters) and parameters.unit != "person"


def _counted(
    dataset: Dataset, parameters: Settings, dates: tuple[date, ...]
) -> tuple[Dataset, Product]:
    """Return what a run releases, the density at its week; refuse days that are not there."""
    there, weeks = dataset.metadata.days, dataset.weeks
    product = Product(parameters)
    if _by_day(parameters):
        if set(dates) <= set(there):
            return dataset, replace(product, days=tuple(there.index(day) for day in dates))
    elif isinstance(parameters, DensityParameters) and dates[0] in weeks:
        return dataset.at_week(dates[0]), product
    elif product.dates(dataset) == dates:
        return dataset, product
    held = f"{there[0]} to {there[-1]}"
    if isinstance(parameters, DensityParameters):
        held = f"the density of weeks from {', '.join(map(str, weeks)) or 'none'}"
    raise _refused(
        f"a run must find its days, {dates[0]} to {dates[-1]}",
        value=f"{held} in '{dataset.id}'",
        remedy="add them to the dataset first, or name one of the same people that holds them",
        code="not_there",
    )


def _sums(dataset: Dataset, parameters: Settings, dates: Iterable[date]) -> dict[str, str]:
    """Return by what days (of the density: weeks) that are released are known again."""
    if isinstance(parameters, DensityParameters):
        return week_sums(dataset, dates)
    return day_sums(dataset, dates) if _by_day(parameters) else {}


def _require_unchanged(dataset: Dataset, parameters: Settings, one: Series) -> None:
    """Raise `ReleaseError` where a day or week that was released holds other counts now."""
    released = {day: one for run in one.runs.values() for day, one in run.body["day_sums"].items()}
    now = _sums(dataset, parameters, map(date.fromisoformat, released))
    if changed := sorted(day for day, digest in now.items() if digest != released[day]):
        raise _refused(
            "days that were released must hold the counts that they held then",
            value=f"others on {', '.join(changed[:7])}",
            remedy="restore the dataset; where the earlier days were wrong, end the plan and plan "
            "the days to come",
            code="changed",
        )


def _written(parameters: Settings) -> dict[str, Any]:
    """Return settings as JSON keeps them; refuse those that do not come back the same."""
    kept = asdict(parameters)
    if isinstance(parameters, ReportParameters):
        shares = parameters.budget or Shares.usual(parameters.unit, parameters.method)
        kept |= {"budget": {k: dict(v) for k, v in vars(shares).items()}}
        del kept["bins"]
        parameters = replace(parameters, budget=shares)
    if _read({"kind": type(parameters).__name__, "parameters": kept}) != parameters:
        raise ParameterError(
            "a plan takes the usual bins",
            value="other bins",
            remedy="leave them out, or release each report by itself",
        )
    return kept


def _read(body: Mapping[str, Any]) -> Settings:
    kept = dict(body["parameters"])
    if body["kind"] == ReportParameters.__name__:
        kept |= {
            "budget": Shares.of(**kept["budget"]),
            "bins": (),
            "windows": tuple(kept["windows"]),
        }
    return _KINDS[body["kind"]](**kept)


def _refused(rule: str, *, value: str, remedy: str, code: str) -> ReleaseError:
    return ReleaseError(rule, value=value, remedy=f"{remedy}; nothing was spent", code=code)


__all__ = ["Schedule", "Series", "plan", "run", "series"]
