"""Texts of a bundle: statement, registry draft, notebook.

The *statement* tells readers what was released, how exact it is and what it cost. Its eighteen
items follow NIST SP 800-226 (Guidelines for evaluating differential privacy guarantees). All words
stand in ``templates``; nothing here depends on a count without noise.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from .. import density, origin_destination
from ..contract import Setting, say_people
from ..origin_destination.noise_bounds import noise_variance
from ..parameters import USED_FIELDS, ODParameters
from ..privacy import (
    GROUP_SIZE,
    Guarantee,
    Risk,
    compose_epsilon,
    flow_release_risk,
    format_guess_rate,
)
from .budget_ledger import Budget, Entry, compute_budgets, to_decimal_fraction
from .flowmap import simultaneous_bar
from .plan import CONFIDENCE, ReleasePlan

_TEMPLATES = Path(__file__).parent / "templates"
_TITLES: dict[str, dict[str, str]] = json.loads((_TEMPLATES / "titles.json").read_text("utf-8"))
TUNING_SOURCES, STATEMENT_ITEMS = _TITLES["tuning"], _TITLES["items"]
"""What ε and the other settings were chosen on, in words by key; titles of the eighteen items."""

_WARNING_NAMES = ("simulated", "trip", "signal", "secrecy", "noise", "bars", "totals", "raised")


def format_error_bar(half_width: float) -> str:
    """Return a half-width in three digits, or whole from 100 on."""
    return f"{half_width:,.0f}" if half_width >= 100 else f"{half_width:.3g}"


_JINJA: Any = Environment(
    loader=FileSystemLoader(_TEMPLATES),
    autoescape=select_autoescape(["html.j2"]),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_JINJA.filters |= {
    "g": lambda number, digits=6: f"{number:.{digits}g}",
    "big": lambda number: f"{number:,.0f}",
    "pct": lambda share: f"{share:.1%}",
    "bar": format_error_bar,
    "trips": lambda number: f"{number:,} trip{'s' * (number != 1)}",
    "decimal": lambda number: f"{number!r}" if "." in f"{number!r}" else f"{number:.17f}",
}


def render_words(plan: ReleasePlan, *names: str, **variables: Any) -> list[str]:
    """Return the named blocks of ``words.j2`` for a plan and variables, each on one line."""
    template = _JINJA.get_template("words.j2")
    methods: Mapping[str, Any] = {**origin_destination.METHODS, **density.METHODS, "": None}
    row = methods.get(getattr(plan.parameters, "method", ""))
    method = row.name.replace("this project", "Mobility Privacy Explorer") if row else ""
    values = {"plan": plan, "method": method, "confidence": CONFIDENCE}
    values |= variables
    context: Any = template.new_context(values)
    blocks = ("".join(template.blocks[name](context)) for name in names)
    texts = [re.sub(r"\s+([).,;:])", r"\1", " ".join(block.split())) for block in blocks]
    return list(map(say_people, texts)) if plan.metadata.people_once else texts


def list_warnings(plan: ReleasePlan) -> list[str]:
    """Return the warnings of a plan, which follow from it before any count is read."""
    blocks = (f"warning_{name}" for name in _WARNING_NAMES)
    return [text for text in render_words(plan, *blocks) if text]


def render_texts(plan: ReleasePlan, dataset: str, entries: Sequence[Entry]) -> dict[str, str]:
    """Return the texts of a bundle by file name.

    `entries` are the ledger's up to the one that charged this release.
    """
    content = build_statement(plan, dataset, entries)
    slug = re.sub(r"[^a-z0-9]+", "-", f"{dataset} {plan.product} {content['made']}".lower())
    setting = content["setting"]
    settings = {**setting["parameters"], **_select_values(setting, "dataset", "zones", "time")}
    settings["trips made: a public estimate by the custodian, for warnings only"] = plan.trips
    say = say_people if plan.metadata.people_once else str
    context = {
        "titles": STATEMENT_ITEMS,
        "confidence": CONFIDENCE,
        "settings": settings,
        "say": say,
    }

    def render(name: str) -> str:
        return _JINJA.get_template(name).render(content, plan=plan, slug=slug.strip("-"), **context)

    return {
        "statement.json": json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False),
        "statement.html": render("statement.html.j2"),
        "registry.yaml": render("registry.yaml.j2"),
        "use_it.ipynb": _render_notebook(plan),
    }


def _render_notebook(plan: ReleasePlan) -> str:
    """Return the notebook's cells for the product of a plan."""
    notebook = json.loads((_TEMPLATES / "use_it.ipynb").read_text(encoding="utf-8"))
    cells = notebook["cells"]
    notebook["cells"] = [
        cell for cell in cells if plan.product in cell["metadata"].pop("products", [plan.product])
    ]
    return json.dumps(notebook, indent=1, ensure_ascii=False)


def build_statement(plan: ReleasePlan, dataset: str, entries: Sequence[Entry]) -> dict[str, Any]:
    """Return the statement as a JSON object; arguments as `render_texts`."""
    *earlier_entries, charged_entry = entries
    people = charged_entry.people
    budget = compute_budgets(entries)[people]
    earlier = [e for e in earlier_entries if (e.kind, e.people) == ("release", people)]
    cost = _select_values(charged_entry.body, "epsilon", "delta")
    deviation = math.sqrt(noise_variance(1 / plan.stages[0].scale)) if plan.is_flows else 0.0
    context = {
        "budget": budget,
        "cost": cost,
        "composed": _compose_releases([*earlier, charged_entry], plan, budget) if earlier else None,
        "other_releases": _summarize_releases(earlier),
        "chosen": TUNING_SOURCES[charged_entry.body["tuning"]],
        "tuning_note": charged_entry.body["tuning_note"],
        "all_days_epsilon": float(to_decimal_fraction(plan.epsilon) * plan.days),
        "max_guess_rate": format_guess_rate(_max_guess_rate(plan), coin=True),
        "day_guess_rate": _format_day_guess_rate(plan),
        "flow_sum_bar": _compute_flow_sum_bar(plan),
        "group": Guarantee(epsilon=plan.epsilon, delta=plan.delta).for_group(GROUP_SIZE),
        "group_size": GROUP_SIZE,
        "group_guess_rate": _format_group_guess_rate(plan, GROUP_SIZE),
        "version_guess_rate": _format_group_guess_rate(plan, 2),  # one unit taken out, one put in
        **_format_all_days_rates(plan),
        "noise_deviation": deviation,
        "library": f"OpenDP {version('opendp')}",
        "version": version("mobility-privacy-explorer"),
        "dataset": dataset,
        "made": datetime.now(UTC).date().isoformat(),
        "ledger_hash": charged_entry.chain_hash,
    }
    names = ("title", "recommended", "may_conclude", "may_not_conclude", "seen", "kept", "beyond")
    difference_bar = simultaneous_bar(plan.stages[0].scale, 2, 1) if plan.is_flows else 0
    *lead, selection, kept, beyond = render_words(plan, *names, difference_bar=difference_bar)
    blocks = ("protected", "source", *STATEMENT_ITEMS)
    protected, source, *item_texts = render_words(plan, *blocks, **context)
    return {
        **dict(zip(names, lead, strict=False)),
        "protected": protected,
        "source_note": source,
        "seen": selection,
        "dataset": dataset,
        "people": people,
        "simulated": plan.metadata.simulated,
        "made": context["made"],
        **_select_values(vars(plan), "product", "unit", "epsilon", "delta", "composition"),
        "cells": plan.cell_count,
        "trips": plan.trips,
        "warnings": list_warnings(plan),
        "cost": {"unit": budget.unit, **cost},
        "budget": {
            **_select_values(vars(budget), "unit", "epsilon", "delta"),
            "spent_epsilon": budget.spent_epsilon,
            "spent_delta": budget.spent_delta,
        },
        "stages": [stage.to_json() for stage in plan.stages],
        "counted": {"kept": kept, "beyond": beyond},
        "sums_before_suppression": plan.has_sums if plan.suppresses else None,
        "setting": _used_setting(plan, dataset),
        "accuracy": [error_bar.to_json() for error_bar in plan.error_bars],
        "scale_up": plan.scale_up and plan.scale_up._asdict(),
        "items": dict(zip(STATEMENT_ITEMS, item_texts, strict=True)),
        "ledger": {"entry": charged_entry.id, "hash": charged_entry.chain_hash},
    }


def _used_setting(plan: ReleasePlan, dataset: str) -> dict[str, Any]:
    """Return the setting of a plan as JSON, without parameters that its method does not use."""
    setting = setting_to_json(plan.setting, dataset)
    parameters = setting["parameters"]
    used_fields = {"method", "epsilon", *USED_FIELDS.get(parameters["method"], parameters)}
    used = {name: value for name, value in parameters.items() if name in used_fields}
    return {**setting, "parameters": used}


def setting_to_json(setting: Setting, dataset: str) -> dict[str, Any]:
    """Return a setting as JSON, with its dataset by name instead of folder."""
    time, parameters = setting.time, json.dumps(asdict(setting.parameters), default=str)
    return {
        "dataset": dataset,
        "zones": setting.zone_level,
        "time": time.aggregation,
        "first": time.first_position,
        "last": time.last_position,
        "span": time.compared_days,
        "parameters": json.loads(parameters),
    }


def _select_values(values: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: values[name] for name in names}


def _max_guess_rate(plan: ReleasePlan) -> float:
    """Return the largest share of right guesses, all else known, whether a unit is in the data."""
    if isinstance(plan.parameters, ODParameters):
        return _flow_risk(plan).max_guess_rate
    return Guarantee(epsilon=plan.epsilon, delta=plan.delta).max_guess_rate


def _flow_risk(plan: ReleasePlan) -> Risk:
    """Return the risk over all days of a release of flows."""
    days = plan.metadata.days
    starts = [days.index(start) for start in plan.metadata.periods]
    lengths = [end - start for start, end in pairwise([*starts, len(days)])]
    return flow_release_risk(plan.parameters, lengths)


def _format_all_days_rates(plan: ReleasePlan) -> dict[str, str]:
    """Return guesses about two versions and a group over all days; empty where one day is all."""
    if plan.unit != "person-day" or plan.days == 1:
        return {"all_days_version_rate": "", "all_days_group_rate": ""}
    risk = _flow_risk(plan)
    return {
        "all_days_version_rate": format_guess_rate(risk.max_version_guess_rate),
        "all_days_group_rate": format_guess_rate(risk.max_group_guess_rate),
    }


def _format_group_guess_rate(plan: ReleasePlan, units: int) -> str:
    """Return the right guesses of an attacker about units that are in the data or not together."""
    group = Guarantee(epsilon=plan.epsilon, delta=plan.delta).for_group(units)
    return format_guess_rate(group.max_guess_rate)


def _compute_flow_sum_bar(plan: ReleasePlan) -> int:
    """Return the bar that a flow's measured sum exceeds in ``flowmap/flows.csv``; 0 without flows.

    A dataset of one zone has no flow, and so none in that file.
    """
    pairs = plan.flow_count // plan.matrix_count
    if not plan.is_flows or not pairs:
        return 0
    return simultaneous_bar(plan.stages[0].scale, plan.matrix_count, pairs)


def _format_day_guess_rate(plan: ReleasePlan) -> str:
    """Return the guesses of one day where each of several has its own noise; empty elsewhere."""
    if plan.unit != "person-day" or plan.days == 1 or plan.setting.time.aggregation != "day":
        return ""
    return format_guess_rate(Guarantee(epsilon=plan.epsilon).max_guess_rate, coin=True)


def _summarize_releases(earlier: Sequence[Entry]) -> list[dict[str, Any]]:
    """Return dates, product and cost of earlier releases; equal consecutive ones become one."""
    names, summaries = ("product", "epsilon", "delta"), list[dict[str, Any]]()
    for fields, entries in groupby(earlier, lambda entry: _select_values(entry.body, *names)):
        first, *later = (entry.time[:10] for entry in entries)
        dates = f"{first} to {later[-1]}, {len(later) + 1} times" if later else first
        summaries.append({"dates": dates, **fields})
    return summaries


def _compose_releases(
    releases: Sequence[Entry], plan: ReleasePlan, budget: Budget
) -> tuple[float, float] | None:
    """Return ε and δ of releases by exact composition, or None if that ε is not below their sum.

    Exact composition (Kairouz, Oh and Viswanath 2015; Murtagh and Vadhan 2016) holds if the number
    of releases, their ε and δ were fixed in advance; otherwise only the sums hold. Its δ exceeds
    their sum by at most a tenth of one over the public number of people.
    """
    added_delta = min(1e-6, 0.1 / max(plan.metadata.people_public or 1, 1))
    costs = [(float(release.body["epsilon"]), float(release.body["delta"])) for release in releases]
    delta = math.fsum(delta for _, delta in costs) + added_delta
    epsilon = compose_epsilon(costs, delta)
    return (epsilon, delta) if epsilon < 0.999 * budget.spent_epsilon else None
