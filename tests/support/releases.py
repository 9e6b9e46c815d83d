"""What tests of releases have in common."""

from dataclasses import replace
from pathlib import Path

from engine import origin_destination as od, release as package
from engine.contract import Selection, Setting, TimeSelection
from engine.parameters import DensityParameters
from engine.release import Budget
from engine.release.budget_ledger import Entry, to_decimal_fraction
from engine.release.statement import build_statement
from engine.report import ReportParameters
from engine.resolution import make_view

ROOT = Path(__file__).parents[2]
TRIPS = 10**9
"""Said to have been made, so that noise is no more than what is real."""


def seen(parameters, *, dataset="any", zones="zones", step="day", first=0, last=None, span=None):
    when = TimeSelection(
        aggregation=step, first_position=first, last_position=last, compared_days=span
    )
    selection = Selection(dataset_id=str(dataset), zone_level=zones, time=when)
    return Setting(selection=selection, parameters=parameters)


def flows(epsilon=0.5, unit="person-day", **rest):
    limit = 1 if unit == "trip" else 2
    parameters = od.ODParameters(epsilon=epsilon, max_trips_per_user=limit, unit=unit)
    return seen(parameters, **rest)


def ours(setting):
    """Return the release of flows by our own method at the same setting."""
    return replace(setting, parameters=replace(setting.parameters, method="empirical_bayes"))


def visits(epsilon=1.0, max_visits_per_user=30, **rest):
    method = {"method": "towers_laplace", "max_visits_per_user": max_visits_per_user}
    return seen(DensityParameters(epsilon=epsilon, **method), **rest)


def zoom(epsilon=1.0, delta=1e-7, **rest):
    return seen(DensityParameters(epsilon=epsilon, delta=delta, method="multiscale"), **rest)


def fourier(epsilon=1.0, delta=1e-7, zones="zones", **rest):
    parameters = DensityParameters(epsilon=epsilon, delta=delta, method="efpag_joint", **rest)
    return seen(parameters, zones=zones)


def report(**settings):
    return seen(ReportParameters(**{"epsilon": 1.0, **settings}))


ONE_DAY = {"first": 0, "last": 0}


def products():
    """Return one release of each product, by the name that files give it."""
    return {
        "od": flows(last=1),
        "od-estimate": ours(flows(last=1)),
        "density": visits(),
        "density-fourier": fourier(),
        "density-zoom": zoom(),
        "report": report(),
    }


def written(setting, dataset, folder, **rest):
    """Write a product's files without a ledger; return the plan as it was drawn."""
    shares, planned = [], package.plan(setting, dataset, **rest)
    way, view = package.WRITERS[setting.parameters.method], view_of(setting, dataset)
    way.load_counts(planned, view)
    folder.mkdir(exist_ok=True)
    planned = way.write(planned, view, folder, shares.append) or planned
    assert shares == sorted(shares)
    assert 0 < shares[-1] <= 1
    return planned


def view_of(setting, dataset):
    return make_view(dataset, setting.zone_level, setting.time)


def release(setting, dataset, out, **rest):
    return package.release(setting, dataset, out, **{"tuning": "public", "trips": TRIPS, **rest})


def budget(left=8.0, unit="person", delta=0.0, spent=0.0, datasets=("demo-city",)):
    """Return a budget of which so much is left."""
    return Budget(
        people="people",
        unit=unit,
        datasets=list(datasets),
        epsilon=round(left + spent, 12),
        delta=delta,
        spent_costs=(to_decimal_fraction(spent), to_decimal_fraction(0.0)),
        release_count=1,
        managers=["me"],
    )


def statement_of(dataset, plan, tuning="public", note="", earlier=0):
    """Return what a statement says after so many earlier releases like it."""
    body = {"epsilon": 1.0, "delta": plan.delta, "dataset": dataset.id, "product": plan.product}
    body |= {"tuning": tuning, "tuning_note": note}
    declared = {"unit": plan.unit, "datasets": [dataset.id], "epsilon": 99.0, "delta": 1e-3}
    kinds = [("budget", declared | {"raised_by": ["me"]}), *[("release", body)] * (earlier + 1)]
    entries = [
        Entry(id=i, time="2026-01-01", kind=kind, people="people", body=own, chain_hash="0")
        for i, (kind, own) in enumerate(kinds, start=1)
    ]
    return build_statement(plan, dataset.id, entries)


def items(dataset, setting, **given):
    return statement_of(dataset, package.plan(setting, dataset, trips=TRIPS), **given)["items"]
