"""Texts of a bundle: statement, registry draft, notebook.

All words stand in ``templates``. The eighteen items follow NIST SP 800-226 (Guidelines for
evaluating differential privacy guarantees). Nothing here depends on a count.
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

from ..contract import Setting
from ..origin_destination.empirical_bayes import ScaleUp
from ..parameters import USED_FIELDS, ODParameters
from ..privacy import GROUP_SIZE, Guarantee, compose_epsilon, flow_release_risk, format_guess_rate
from .budget_ledger import Budget, Entry, compute_budgets, to_decimal_fraction
from .plan import CONFIDENCE, ReleasePlan

_TEMPLATES = Path(__file__).parent / "templates"
_TITLES: dict[str, dict[str, str]] = json.loads((_TEMPLATES / "titles.json").read_text("utf-8"))
TUNING, ITEMS = _TITLES["tuning"], _TITLES["items"]
"""How ε and the other settings were chosen; the eighteen items in their order."""

_WARNINGS = ("simulated", "trip", "secrecy", "noise", "bars", "totals", "raised")
_MAX_SLACK = 1e-6


def format_error_bar(half_width: float) -> str:
    """Return a half-width in three digits, or whole from 100 on."""
    return f"{half_width:,.0f}" if half_width >= 100 else f"{half_width:.3g}"


_FORMATTERS: Any = Environment(
    loader=FileSystemLoader(_TEMPLATES),
    autoescape=select_autoescape(["html.j2"]),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_FORMATTERS.filters |= {
    "g": lambda number, digits=6: f"{number:.{digits}g}",
    "big": lambda number: f"{number:,.0f}",
    "pct": lambda share: f"{share:.1%}",
    "bar": format_error_bar,
    "decimal": lambda number: f"{number!r}" if "." in f"{number!r}" else f"{number:.17f}",
}


def render_words(plan: ReleasePlan, *names: str, **more: Any) -> list[str]:
    """Return the named blocks of ``words.j2`` for a plan, each on one line."""
    template = _FORMATTERS.get_template("words.j2")
    context: Any = template.new_context(
        {"plan": plan, "level": CONFIDENCE, "scale_up": None, **more}
    )
    blocks = ("".join(template.blocks[name](context)) for name in names)
    return [re.sub(r"\s+([).,;:])", r"\1", " ".join(block.split())) for block in blocks]


def list_warnings(plan: ReleasePlan) -> list[str]:
    """Return the warnings of a plan, by the noise distribution alone: before any draw."""
    return [text for text in render_words(plan, *(f"warning_{name}" for name in _WARNINGS)) if text]


def render_texts(
    plan: ReleasePlan, dataset: str, entries: Sequence[Entry], scale_up: ScaleUp | None = None
) -> dict[str, str]:
    """Return the texts of a bundle by file name; the last entry is that of this release.

    `scale_up` is the factor on the drawn noisy sums.
    """
    content = build_statement(plan, dataset, entries, scale_up)
    slug = re.sub(r"[^a-z0-9]+", "-", f"{dataset} {plan.product} {content['made']}".lower())
    setting, parameters = content["setting"], content["setting"]["parameters"]
    used = {
        "method",
        "epsilon",
        *USED_FIELDS.get(parameters["method"], parameters),
    }  # without unused fields
    settings = {name: value for name, value in parameters.items() if name in used}
    settings |= {**_select_values(setting, "dataset", "zones", "time"), "trips": plan.trips}
    context = {"titles": ITEMS, "level": CONFIDENCE, "settings": settings}

    def render(name: str) -> str:
        return _FORMATTERS.get_template(name).render(content, slug=slug.strip("-"), **context)

    return {
        "statement.json": json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False),
        "statement.html": render("statement.html.j2"),
        "registry.yaml": render("registry.yaml.j2"),
        "use_it.ipynb": (_TEMPLATES / "use_it.ipynb").read_text(encoding="utf-8").rstrip("\n"),
    }


def build_statement(
    plan: ReleasePlan, dataset: str, entries: Sequence[Entry], scale_up: ScaleUp | None = None
) -> dict[str, Any]:
    """Return the statement as a JSON object."""
    this = entries[-1]
    budget = compute_budgets(entries)[this.people]
    earlier = [
        item for item in entries[:-1] if item.kind == "release" and item.people == this.people
    ]
    cost = _select_values(this.body, "epsilon", "delta")
    context = {
        "budget": budget,
        "cost": cost,
        "composed": _compose_releases([*earlier, this], plan, budget) if earlier else None,
        "others": _earlier_releases(earlier),
        "chosen": TUNING[this.body["tuning"]],
        "tuning_note": this.body["tuning_note"],
        "of_all_days": float(to_decimal_fraction(plan.epsilon) * plan.days),
        "guesses": format_guess_rate(_max_guess_rate(plan), coin=True),
        "group": Guarantee(epsilon=plan.epsilon, delta=plan.delta).for_group(GROUP_SIZE),
        "size": GROUP_SIZE,
        "library": f"OpenDP {version('opendp')}",
        "version": version("mobility-privacy-explorer"),
        "scale_up": scale_up,
    }
    names = ("title", "recommended", "seen", "kept", "beyond")
    title, recommended, selection, kept, beyond = render_words(plan, *names)
    return {
        "title": title,
        "recommended": recommended,
        "seen": selection,
        "dataset": dataset,
        "people": this.people,
        "simulated": plan.metadata.simulated,
        "made": datetime.now(UTC).date().isoformat(),
        **_select_values(
            vars(plan), "product", "unit", "epsilon", "delta", "composition", "cells", "trips"
        ),
        "warnings": list_warnings(plan),
        "cost": {"unit": budget.unit, **cost},
        "budget": {
            **_select_values(vars(budget), "unit", "epsilon", "delta"),
            "spent_epsilon": budget.spent_epsilon,
            "spent_delta": budget.spent_delta,
        },
        "stages": [asdict(item) for item in plan.stages],
        "counted": {"kept": kept, "beyond": beyond},
        "sums_before_suppression": plan.has_sums if plan.suppresses else None,
        "setting": setting_to_json(plan.setting, dataset),
        "accuracy": [asdict(row) for row in plan.error_bars],
        "scale_up": scale_up and scale_up._asdict(),
        "items": dict(zip(ITEMS, render_words(plan, *ITEMS, **context), strict=True)),
        "ledger": {"entry": this.id, "hash": this.chain_hash},
    }


def setting_to_json(setting: Setting, dataset: str) -> dict[str, Any]:
    """Return a setting as JSON, with its dataset by name instead of folder."""
    when, parameters = setting.time, json.dumps(asdict(setting.parameters), default=str)
    return {
        "dataset": dataset,
        "zones": setting.zone_level,
        "time": when.aggregation,
        "first": when.first_position,
        "last": when.last_position,
        "span": when.compared_days,
        "parameters": json.loads(parameters),
    }


def _select_values(values: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: values[name] for name in names}


def _max_guess_rate(plan: ReleasePlan) -> float:
    """Return an attacker's largest share of right guesses, the same as on the pages."""
    parameters, days = plan.setting.parameters, plan.metadata.days
    if isinstance(parameters, ODParameters):
        starts = [days.index(start) for start in plan.metadata.periods]
        lengths = [end - start for start, end in pairwise([*starts, len(days)])]
        return flow_release_risk(parameters, lengths).max_guess_rate
    return Guarantee(epsilon=plan.epsilon, delta=plan.delta).max_guess_rate


def _earlier_releases(earlier: Sequence[Entry]) -> list[dict[str, Any]]:
    """Return the earlier releases; equal consecutive ones become one row."""
    names, summaries = ("product", "epsilon", "delta"), list[dict[str, Any]]()
    for fields, entries in groupby(earlier, lambda entry: _select_values(entry.body, *names)):
        first, *later_days = (entry.time[:10] for entry in entries)
        when = f"{first} to {later_days[-1]}, {len(later_days) + 1} times" if later_days else first
        summaries.append({"when": when, **fields})
    return summaries


def _compose_releases(
    releases: Sequence[Entry], plan: ReleasePlan, budget: Budget
) -> tuple[float, float] | None:
    """Return the composed ε and δ of releases, or None if that saves nothing over their sum.

    Holds for settings fixed in advance. Where later ones depend on earlier results only the charged
    sums hold. The slack is at most a tenth of one over the people.
    """
    slack = min(_MAX_SLACK, 0.1 / max(plan.metadata.people_public or 1, 1))
    costs = [(float(release.body["epsilon"]), float(release.body["delta"])) for release in releases]
    delta = math.fsum(delta for _, delta in costs) + slack
    epsilon = compose_epsilon(costs, delta)
    return (epsilon, delta) if epsilon < 0.999 * budget.spent_epsilon else None
