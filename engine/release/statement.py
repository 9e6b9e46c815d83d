"""What a bundle says of itself: statement, registry draft, notebook, measurements.

All words stand in ``templates``. The eighteen items follow NIST SP 800-226 (Guidelines for
evaluating differential privacy guarantees). Nothing here depends on a count.
"""

import json
import math
import re
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import lru_cache
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from ..contract import Setting
from ..privacy import composed_epsilon
from . import noise
from .bars import LEVEL
from .cost import Cost
from .ledger import Budget, Entry, budgets_of, exact
from .plan import Plan

TUNING = {
    "public": "by a public rule, without looking at any data",
    "simulated": "on simulated data of similar size",
    "twin": "on a twin: simulated people made of public facts alone",
    "other period": "on another period of the same source, with other people in it",
    "same people": "on another period with the same people in it: the choice itself leaks "
    "something about them that their budget does not count",
    "these data": "on these very data: the choice itself leaks something that no theorem here "
    "covers",
}
"""How ε and the other settings were chosen."""

ITEMS = {
    "parameters": "Parameters, as asked and as proved",
    "delta": "Slack δ: no attack succeeds more often than ε allows by more than δ",
    "unit": "What is protected",
    "contribution": "How much of one unit is counted",
    "neighbours": "Which datasets are compared",
    "total": "Total over all releases",
    "other_releases": "Other releases from these people",
    "library": "Library and version",
    "floating_point": "Floating point and timing",
    "cells": "Cells fixed in advance",
    "bounds": "How bounds and settings were chosen",
    "accuracy": "Accuracy",
    "bias": "Bias",
    "small_groups": "Small groups",
    "interactive": "Interactive or not",
    "trust": "Trust model",
    "access": "Access control",
    "collection": "Exposure at collection",
}
"""The eighteen items in their order."""

_WARNINGS = ("simulated", "trip", "noise", "bars", "totals", "raised")
_TEMPLATES = Path(__file__).parent / "templates"
_UNKNOWN = "to be filled in by the custodian"
_MOST_SLACK = 1e-6
_GROUP = 4


@lru_cache(maxsize=1)
def _templates() -> Environment:
    made = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=select_autoescape(["html.j2"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "g": lambda number, digits=6: f"{number:.{digits}g}",
        "big": lambda number: f"{number:,.0f}",
        "pct": lambda share: f"{share:.1%}",
        "bar": bar,
        "decimal": lambda number: repr(float(number)) if "." in repr(number) else f"{number:.17f}",
    }
    return made


def bar(half_width: float) -> str:
    """Write half an error bar.

    Examples
    --------
    >>> bar(53263.5), bar(18), bar(0.4321)
    ('53,264', '18', '0.432')
    """
    return f"{half_width:,.0f}" if half_width >= 100 else f"{half_width:.3g}"


def words(plan: Plan, *names: str, **more: Any) -> list[str]:
    """Return what the statement says under names of ``words.j2``, each on one line."""
    template = _templates().get_template("words.j2")
    context: Any = template.new_context({"plan": plan, "level": LEVEL, **more})
    said = ("".join(template.blocks[name](context)) for name in names)
    return [re.sub(r"\s+([).,;:])", r"\1", " ".join(one.split())) for one in said]


def warnings(plan: Plan) -> list[str]:
    """Return where a reader would be misled, by the law of the noise alone: before any draw."""
    return [text for text in words(plan, *(f"warning_{name}" for name in _WARNINGS)) if text]


def described(plan: Plan, dataset: str, entries: Sequence[Entry]) -> dict[str, str]:
    """Return the texts of a bundle by file name; the last entry is that of this release."""
    content = statement(plan, dataset, entries)
    notebook = (_TEMPLATES / "use_it.ipynb").read_text(encoding="utf-8")
    html = _templates().get_template("statement.html.j2")
    registry = _templates().get_template("registry.yaml.j2")
    slug = re.sub(r"[^a-z0-9]+", "-", f"{dataset} {plan.product} {content['made']}".lower())
    settings = {**content["setting"]["parameters"], **content["setting"], "trips": plan.trips}
    del settings["parameters"]
    return {
        "statement.json": _json(content),
        "statement.html": html.render(content, titles=ITEMS, level=LEVEL, settings=settings),
        "registry.yaml": registry.render(content, unknown=_UNKNOWN, slug=slug.strip("-")),
        "use_it.ipynb": notebook.rstrip("\n"),
        "opendp.json": _json(_measurements(plan)),
    }


def statement(plan: Plan, dataset: str, entries: Sequence[Entry]) -> dict[str, Any]:
    """Return the statement as a JSON object."""
    this, budget = entries[-1], budgets_of(entries)[entries[-1].people]
    earlier = [one for one in entries[:-1] if one.kind == "release" and one.people == this.people]
    cost = Cost(epsilon=this.body["epsilon"], delta=this.body["delta"])
    release = version("mobility-privacy-explorer")
    said = {
        "budget": budget,
        "cost": cost,
        "composed": _composed([*earlier, this], plan, budget) if earlier else None,
        "others": _others(earlier),
        "chosen": TUNING[this.body["tuning"]],
        "tuning_note": this.body["tuning_note"],
        "of_all_days": float(exact(plan.epsilon) * plan.days),
        "group": _group(plan.epsilon, plan.delta),
        "library": noise.LIBRARY,
        "library_version": noise.VERSION,
        "version": release,
    }
    title, seen, bars, kept, beyond = words(plan, "title", "seen", "bars", "kept", "beyond", **said)
    about = plan.metadata
    return {
        "format": 1,
        "title": title,
        "seen": seen,
        "dataset": dataset,
        "people": this.people,
        "simulated": about.simulated,
        "made": datetime.now(UTC).date().isoformat(),
        "product": plan.product,
        "warnings": warnings(plan),
        "unit": plan.unit,
        "epsilon": plan.epsilon,
        "delta": plan.delta,
        "cost": {"unit": budget.unit, **asdict(cost)},
        "budget": {
            "unit": budget.unit,
            "epsilon": budget.epsilon,
            "delta": budget.delta,
            "spent_epsilon": budget.spent_epsilon,
            "spent_delta": budget.spent_delta,
        },
        "stages": [asdict(one) for one in plan.stages],
        "composition": plan.composition,
        "frame": {
            "simulated": about.simulated,
            "period_from_data": about.period_from_data,
            "places_public": about.places_public,
        },
        "counted": {"bars": bars, "kept": kept, "beyond": beyond},
        "cells": plan.cells,
        "setting": plain(plan.setting, dataset),
        "trips": plan.trips,
        "tuning": {"how": this.body["tuning"], "note": this.body["tuning_note"]},
        "accuracy": [asdict(row) for row in plan.accuracy],
        "items": dict(zip(ITEMS, words(plan, *ITEMS, **said), strict=True)),
        "software": {"name": "Mobility Privacy Explorer", "version": release},
        "noise_library": {"name": noise.LIBRARY, "version": noise.VERSION},
        "ledger": {"entry": this.id, "hash": this.hash},
    }


def plain(setting: Setting, dataset: str) -> dict[str, Any]:
    """Return a setting as JSON holds it, its dataset by name and never by its folder."""
    when = setting.when
    parameters: Any = asdict(setting.parameters)
    return {
        "dataset": dataset,
        "zones": setting.zones,
        "time": when.step,
        "first": when.first,
        "last": when.last,
        "parameters": json.loads(json.dumps(parameters, default=str)),
    }


def _json(content: object) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)


def _group(epsilon: float, delta: float) -> tuple[float, float]:
    """Return what a group of `_GROUP` people pays: kε and δ(e^kε − 1)/(e^ε − 1), at most 1."""
    if _GROUP * epsilon > 700:
        return _GROUP * epsilon, 1.0 if delta else 0.0
    return _GROUP * epsilon, min(delta * math.expm1(_GROUP * epsilon) / math.expm1(epsilon), 1.0)


def _others(earlier: Sequence[Entry]) -> list[dict[str, Any]]:
    """Return what was released before, the like of it in one."""
    said: list[dict[str, Any]] = []
    for (product, epsilon, delta), alike in groupby(
        earlier, lambda one: (one.body.get("product"), one.body["epsilon"], one.body["delta"])
    ):
        first, *more = (one.time[:10] for one in alike)
        when = f"{first} to {more[-1]}, {len(more) + 1} times" if more else first
        said.append({"when": when, "product": product, "epsilon": epsilon, "delta": delta})
    return said


def _composed(releases: Sequence[Entry], plan: Plan, budget: Budget) -> tuple[float, float] | None:
    """Return ε and δ of several releases together where that is less than their sum.

    Holds for settings fixed in advance. Where later ones follow from earlier results only the sums
    of ε and δ do, which the ledger charges. The slack is at most a tenth of one over the people.
    """
    slack = min(_MOST_SLACK, 0.1 / max(plan.metadata.people_public or 1, 1))
    costs = [(float(one.body["epsilon"]), float(one.body["delta"])) for one in releases]
    delta = math.fsum(delta for _, delta in costs) + slack
    epsilon = composed_epsilon(costs, delta)
    return (epsilon, delta) if epsilon < 0.999 * budget.spent_epsilon else None


def _measurements(plan: Plan) -> dict[str, Any]:
    """Return the measurements that draw the noise, in OpenDP's own form, to be checked or rerun."""
    return {
        "library": f"{noise.LIBRARY} {noise.VERSION}",
        "read": "opendp.mod.deserialize(json.dumps(measurement)).map(sensitivity)",
        "measurements": [
            {
                "counts": stage.name,
                "sensitivity": stage.sensitivity * stage.step,
                "measurement": noise.measurement(stage.scale * stage.step, stage.noise),
            }
            for stage in plan.stages
        ],
    }
