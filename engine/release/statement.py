"""The statement of a release: what a reader must know, as a JSON object with a schema.

The eighteen items follow NIST SP 800-226 (Guidelines for evaluating differential privacy
guarantees): what is promised, to whom, at what cost, and what the numbers cannot tell.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, get_args

from ..privacy import composed_epsilon
from .bars import LEVEL
from .cost import Cost
from .ledger import Budget, exact
from .noise import LIBRARY, VERSION
from .plan import PRODUCTS, Composition, Noise, Norm, Plan

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

TRIP_LEVEL = (
    "PROTECTS TRIPS, NOT PEOPLE. This release hides any single trip. It does not hide a person who "
    "made several."
)
SIMULATED = "SIMULATED PEOPLE. Made of a simulation; nobody's data are in it."


def statement(
    plan: Plan,
    *,
    name: str,
    simulated: bool,
    budget: Budget,
    cost: Cost,
    others: Sequence[Mapping[str, Any]],
    tuning: str,
    tuning_note: str,
    made_on: str,
    version: str,
) -> dict[str, Any]:
    """Return the statement as a JSON object; nothing in it depends on a count.

    Parameters
    ----------
    plan : Plan
    name : str
        Of the dataset.
    simulated : bool
    budget : Budget
        After this release was charged.
    cost : Cost
        ε and δ per unit of the budget.
    others : sequence of mappings
        Earlier releases from the same people: date, product, ε, δ.
    tuning, tuning_note : str
        One of `TUNING`, and the custodian's words.
    made_on : str
        Day of the release.
    version : str
        Of this software.
    """
    costs = [(float(one["epsilon"]), float(one["delta"])) for one in others]
    costs.append((cost.epsilon, cost.delta))
    composed = _composed(costs) if others else None
    if composed is not None and composed[0] >= budget.spent_epsilon:
        composed = None
    warnings = [SIMULATED] * simulated + [TRIP_LEVEL] * (plan.unit == "trip")
    warnings += plan.warnings
    items = {
        "parameters": f"ε = {plan.epsilon:g} per {plan.unit} as asked. Proved: {plan.proof}",
        "delta": "δ = 0: no attack succeeds more often than ε allows."
        if plan.delta == 0
        else f"δ = {plan.delta:g}. It is not the chance of a larger loss, which can be several "
        "times δ.",
        "unit": _unit(plan),
        "contribution": plan.contribution[0].upper() + plan.contribution[1:] + ".",
        "neighbours": "Two datasets that differ by one such unit, added or removed.",
        "total": f"ε = {budget.spent_epsilon:g} of the declared {budget.epsilon:g} per "
        f"{budget.unit}, this release ({cost.epsilon:g}) included"
        + (
            f", and δ = {budget.spent_delta:g} of {budget.delta:g}, this release ({cost.delta:g}) "
            "included"
            if budget.spent_delta
            else ""
        )
        + ", added up (basic composition)."
        + (
            ""
            if composed is None
            else f" At δ = {composed[1]:.3g} all releases together: ε = {composed[0]:.4g}, "
            "provided that no later setting was chosen after seeing an earlier release."
        ),
        "other_releases": "None."
        if not others
        else "; ".join(_earlier(others)) + f"; each per {budget.unit}.",
        "library": f"{LIBRARY} {VERSION} draws the noise; Mobility Privacy Explorer {version} "
        "counts, accounts and writes.",
        "floating_point": "Noise is drawn as whole numbers in exact rational arithmetic from the "
        "operating system's entropy; no seed exists. Timing is not hidden: run it where nobody "
        "untrusted can watch the clock."
        + (
            " What is read from the noisy numbers uses floating point; it sees no count."
            if plan.reads_noise
            else ""
        ),
        "cells": f"{plan.cells:,} noisy numbers: {plan.cells_words}. They are fixed by the places "
        f"and the period before anything is counted, so that no row depends on a person"
        + (
            "; rows of flowmap/flows.csv are chosen by noisy numbers. "
            if plan.product.startswith("od")
            else ". "
        )
        + plan.frame.words,
        "bounds": "The bound on a unit is a setting, which this software does not read from the "
        "data. It, ε and the other settings were "
        f"chosen {TUNING[tuning]}{f' ({tuning_note})' if tuning_note else ''}.",
        "accuracy": f"Error bars (columns {plan.bars}) hold with probability 90% over the noise "
        "alone, whatever the data, for a number picked before the release is seen. They are around "
        f"{plan.kept}. {plan.beyond} " + plan_accuracy(plan) + "See the table and the files.",
        "bias": " ".join(plan.bias),
        "small_groups": "Small counts are mostly noise: compare a number with its error bar before "
        "it is used, above all for sparsely populated zones and quiet hours. People who travel "
        "together, such as a household or a bus of k, are protected only by k times ε.",
        "interactive": "Not interactive: drawn once, published once. Noise cannot be averaged away "
        "unless it is released again, which costs again.",
        "trust": "Central: one custodian held the data, counted and added the noise.",
        "access": "The ledger records who may raise the budget. Access to the raw data is the "
        "custodian's duty and not part of this guarantee.",
        "collection": "The guarantee covers what is published here. It does not cover what was "
        "collected, how long it is kept, or who can see it before the noise.",
    }
    return {
        "format": 1,
        "title": plan.title,
        "dataset": name,
        "people": budget.people,
        "simulated": simulated,
        "made": made_on,
        "product": plan.product,
        "warnings": warnings,
        "unit": plan.unit,
        "epsilon": plan.epsilon,
        "delta": plan.delta,
        "cost": {"unit": budget.unit, "epsilon": cost.epsilon, "delta": cost.delta},
        "budget": {
            "unit": budget.unit,
            "epsilon": budget.epsilon,
            "delta": budget.delta,
            "spent_epsilon": budget.spent_epsilon,
            "spent_delta": budget.spent_delta,
        },
        "mechanism": plan.mechanism,
        "scale": plan.scale,
        "sensitivity": plan.sensitivity,
        "norm": plan.norm,
        "stages": [{k: v for k, v in vars(one).items() if v is not None} for one in plan.stages],
        "composition": plan.composition,
        "frame": vars(plan.frame),
        "counted": {"bars": plan.bars, "kept": plan.kept, "beyond": plan.beyond},
        "cells": plan.cells,
        "settings": dict(plan.settings),
        "tuning": {"how": tuning, "note": tuning_note},
        "accuracy": [vars(row) for row in plan.accuracy],
        "items": items,
        "software": {"name": "Mobility Privacy Explorer", "version": version},
        "noise_library": {"name": LIBRARY, "version": VERSION},
    }


def _unit(plan: Plan) -> str:
    if plan.product.startswith("density"):
        return "One person's visits of one week."
    if plan.unit == "person-day":
        whole = float(exact(plan.epsilon) * plan.days)
        several = f" All {plan.days} released days of a person together lose up to ε = {whole:g}."
        return "One person's trips of one day." + several * (plan.days > 1)
    return "One trip." if plan.unit == "trip" else "One person's trips of the whole period."


def _earlier(others: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Say what was released before, the like of it in one."""
    for (product, epsilon, delta), alike in groupby(
        others, lambda one: (one["product"], one["epsilon"], one["delta"])
    ):
        first, *more = (one["date"] for one in alike)
        when = f"{first} to {more[-1]}, {len(more) + 1} times" if more else first
        yield f"{when}: {product}, ε = {epsilon:g}" + (f", δ = {delta:g}" if delta else "")


def plan_accuracy(plan: Plan) -> str:
    """Say how often bars hold where only some numbers are shown; nothing where all are."""
    least = min(plan.accuracy, key=lambda row: row.holds)
    if least.holds >= LEVEL - 0.005:
        return ""
    return (
        "Among numbers that are shown they hold less often near the threshold, since noise lifted "
        f"many of them over it: of {least.what} of kept size {least.size:g} that is shown, in "
        f"{least.holds:.1%} of releases. "
    )


SLACK = 1e-6


def _composed(costs: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return ε and δ of several releases together.

    Holds for settings fixed in advance. Where later ones follow from earlier results only the sums
    of ε and δ do, which the ledger charges.
    """
    delta = math.fsum(delta for _, delta in costs) + SLACK
    return composed_epsilon(costs, delta), delta


SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "required": [
        *("format", "title", "dataset", "people", "simulated", "made", "product", "warnings"),
        *("unit", "epsilon", "delta", "cost", "budget", "mechanism", "scale", "sensitivity"),
        *("norm", "stages", "composition", "frame", "counted"),
        *("cells", "settings", "tuning", "accuracy", "items", "software", "noise_library"),
    ],
    "additionalProperties": False,
    "properties": {
        "format": {"const": 1},
        **{
            name: {"type": "string", "minLength": 1}
            for name in ("title", "dataset", "people", "made", "mechanism")
        },
        "product": {"enum": list(PRODUCTS)},
        "simulated": {"type": "boolean"},
        "warnings": {"type": "array", "items": {"type": "string"}},
        "unit": {"enum": ["trip", "person-day", "person"]},
        "epsilon": {"type": "number", "exclusiveMinimum": 0},
        "delta": {"type": "number", "minimum": 0, "exclusiveMaximum": 1},
        "cost": {"type": "object", "required": ["unit", "epsilon", "delta"]},
        "budget": {"type": "object", "required": ["unit", "epsilon", "spent_epsilon"]},
        "scale": {"type": "number", "exclusiveMinimum": 0},
        "sensitivity": {"type": "number", "minimum": 1},
        "norm": {"enum": list(get_args(Norm))},
        "stages": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["name", "noise", "sensitivity", "norm", "scale"],
                "additionalProperties": False,
                "properties": {
                    "name": {"type": "string", "minLength": 1},
                    "noise": {"enum": list(get_args(Noise))},
                    "norm": {"enum": list(get_args(Norm))},
                    **{
                        name: {"type": "number", "exclusiveMinimum": 0}
                        for name in ("sensitivity", "scale", "epsilon")
                    },
                    "rho": {"type": "number", "minimum": 0},
                    "step": {"type": "integer", "minimum": 1},
                },
                "oneOf": [{"required": ["epsilon"]}, {"required": ["rho"]}],
            },
        },
        "composition": {"enum": list(get_args(Composition))},
        "counted": {"type": "object", "required": ["bars", "kept", "beyond"]},
        "frame": {"type": "object", "required": ["simulated", "period_from_data", "places_public"]},
        "cells": {"type": "integer", "minimum": 1},
        "settings": {"type": "object"},
        "tuning": {
            "type": "object",
            "required": ["how", "note"],
            "properties": {"how": {"enum": list(TUNING)}},
        },
        "accuracy": {"type": "array", "minItems": 1, "items": {"type": "object"}},
        "ledger": {"type": "object", "required": ["entry", "hash"]},
        "items": {
            "type": "object",
            "required": list(ITEMS),
            "additionalProperties": False,
            "properties": {name: {"type": "string", "minLength": 1} for name in ITEMS},
        },
        "software": {"type": "object", "required": ["name", "version"]},
        "noise_library": {"type": "object", "required": ["name", "version"]},
    },
}
"""JSON schema of `statement`."""
