"""The verbs of `engine.contract` for a `Setting`, each answer computed once."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial, wraps
from hashlib import sha256
from types import ModuleType
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np

from engine import density, origin_destination as od, privacy, report
from engine.arrays import Floats
from engine.contract import Selection, Setting, TimeSelection
from engine.datasets import Dataset
from engine.parameters import DensityParameters, ODParameters
from engine.privacy import Risk
from engine.privacy_cost import PrivacyCost
from engine.report import ReportParameters
from engine.resolution import FINEST, finest_selection, open_view
from engine.utility import Utility, compute_utility
from pages._ui.store import store_of

Seed = tuple[int, int]
"""Secret (or, for simulated people, fixed) number and the count of redraws."""
P = ParamSpec("P")
R = TypeVar("R")
REPEATS = 20
"""Draws behind a range; the page's own is the first of them."""

PRODUCTS = {DensityParameters: density, ODParameters: od, ReportParameters: report}


def computed(function: Callable[P, R], /, *given: P.args, **named: P.kwargs) -> R:
    """Return what a function makes of settings and public facts alone."""
    asked = (function, *given, *sorted(named.items()))
    return store_of(asked).get(asked, lambda: function(*given, **named))


def once(function: Callable[P, R]) -> Callable[P, R]:
    """Keep what a function of settings, seeds and other scalars returns."""

    @wraps(function)
    def call(*given: P.args, **named: P.kwargs) -> R:
        return computed(function, *given, **named)

    return call


@once
def dataset(seen: Selection) -> Dataset:
    """Open a dataset at the zones and the days seen; tables are read on first use."""
    return (
        open_view(seen)
        if seen == finest_selection(seen)
        else open_view(seen, lambda _: ingested(seen))
    )


def ingested(asked: Selection | Setting) -> Dataset:
    """Open a dataset as it was ingested."""
    return dataset(Selection(dataset_id=asked.dataset_id))


def view(setting: Setting) -> Selection:
    """Return how a setting's dataset is opened: a person's whole period is a sum of its days."""
    if getattr(setting.parameters, "unit", "") == "person":
        return replace(setting.selection, time=replace(setting.time, aggregation="day"))
    return setting.selection


def days(setting: Setting, day: int | None = None) -> dict[str, Any]:
    """Return ``days`` and ``sum_days`` of one matrix of flows in its `view`, or of all of them."""
    if not isinstance(setting.parameters, ODParameters):
        return {}
    if setting.parameters.unit == "person":
        every = range(len(dataset(view(setting)).metadata.days))
        return {"days": tuple(every), "sum_days": True}
    return {"days": tuple(range(matrices(setting))) if day is None else day}


def matrices(setting: Setting) -> int:
    """Return how many matrices a setting has: days, weeks or one."""
    if setting.time.aggregation == "whole" or not isinstance(setting.parameters, ODParameters):
        return 1
    return len(dataset(view(setting)).metadata.periods)


def of(
    function: Callable[Concatenate[Dataset, P], R],
    seen: Selection,
    /,
    *given: P.args,
    **named: P.kwargs,
) -> R:
    """Return what a function at the top of a module reads from a dataset as it is seen."""
    asked = (function, seen, *given, *sorted(named.items()))
    return store_of(asked).get(asked, lambda: function(dataset(seen), *given, **named))


def product_of(setting: Setting) -> ModuleType:
    """Return the package of the engine that answers for a setting."""
    return PRODUCTS[type(setting.parameters)]


def method_of(setting: Setting) -> Any:
    """Return what the setting's method uses, has and needs: its row in the product's table."""
    return product_of(setting).METHODS[setting.parameters.method]


def truth(setting: Setting, day: int | None = None) -> Any:
    """Return the confidential counts: visits by hour, or trips of one matrix or of all added up."""
    product, at = product_of(setting), view(setting)
    if product is not od:
        return of(product.truth, at)
    asked = days(setting, day)
    return of(od.truth, at, **{**asked, "sum_days": day is None or "sum_days" in asked})[0]


def generator(seed: Seed, purpose: str, repeat: int = 0, layer: int = 0) -> np.random.Generator:
    """Return the generator of one draw.

    Seed, redraw, purpose, repeat and layer each change all of its noise, so that no two mechanisms,
    days or repeats share any: whoever subtracts one from another learns nothing. The page is no
    part of it: a repeat is the same draw wherever it is shown.
    """
    kind = int.from_bytes(sha256(purpose.encode()).digest()[:8], "big")
    return np.random.default_rng([*seed, kind, repeat, layer])


def noise_of(setting: Setting, seed: Seed, repeat: int = 0, day: int = 0) -> np.random.Generator:
    """Return the generator of one draw of a setting: it does not change with the parameters."""
    name = {density: "density", od: "trips", report: "report"}[product_of(setting)]
    purpose = purpose_of(name, setting.selection)
    return generator(seed, purpose, repeat, setting.time.first_position + 1 + day)


def purpose_of(name: str, seen: Selection) -> str:
    """Return what noise is drawn for: apart for every level of zones and every way to add days."""
    purpose, when = name, seen.time
    if seen.zone_level != FINEST:  # coarse zones must not share noise with those inside
        purpose += f" {seen.zone_level}"
    if when.aggregation != "day":
        purpose += f" {when.aggregation}"
        if when != TimeSelection(
            aggregation=when.aggregation
        ):  # nor days that are added up with some of them
            purpose += f" {when.first_position} {when.last_position} {when.compared_days}"
    return purpose


def release(setting: Setting, seed: Seed, repeat: int = 0, day: int = 0) -> Any:
    """Return one draw, of flows that of one matrix."""
    asked = ("release", setting, seed, repeat, day)
    return store_of(asked).get(asked, lambda: draw(setting, seed, repeat, day))


def draw(setting: Setting, seed: Seed, repeat: int = 0, day: int = 0) -> Any:
    """Return one draw that nothing keeps: of many, only what is said of each is kept."""
    source, product = dataset(view(setting)), product_of(setting)
    if product is not od:
        rng = noise_of(setting, seed, repeat)
        return product.release(source, setting.parameters, rng=rng)
    noise = flow_noise(setting, seed, repeat, day)
    return od.release(source, setting.parameters, noise=noise, **days(setting, day))


def flow_noise(setting: Setting, seed: Seed, repeat: int = 0, day: int = 0) -> Floats:
    """Return the noise of one matrix, kept by how the dataset is seen, whatever else is set."""
    at = view(setting)
    asked = ("noise", at, setting.time, seed, repeat, day)
    rng = noise_of(setting, seed, repeat, day)
    draw = partial(od.draw_noise, dataset(at), setting.parameters, rng=rng, days=0)
    return store_of(asked).get(asked, draw)


def expected(setting: Setting, day: int | None = None) -> Any:
    """Return the exact law's answer over one matrix or all; None for a method without one."""
    if method_of(setting).expected is None:
        return None
    return of(od.expected, view(setting), setting.parameters, **days(setting, day))


@once
def scores(setting: Setting, seed: Seed, repeat: int = 0, day: int = 0) -> Any:
    """Return the errors of one draw; small, so that those of many draws can be kept."""
    one = (draw if repeat else release)(setting, seed, repeat, day)
    true = truth(setting, day)
    return product_of(setting).scores(true if product_of(setting) is not od else true[None], one)


@once
def utility(setting: Setting, seed: int) -> Utility:
    """Return how much of the truth a release retains, and how much of it is genuine."""
    return compute_utility(setting, ingested(setting), seed=seed)


@once
def risk(setting: Setting) -> Risk:
    """Return what an attacker can learn of all that a setting releases; of public facts alone."""
    parameters: Any = setting.parameters
    if isinstance(parameters, ODParameters):
        days = setting.time.days_per_matrix(len(ingested(setting).metadata.days))
        return privacy.flow_release_risk(parameters, days)
    return privacy.cost_risk(compute_cost(setting), parameters.epsilon)


@once
def compute_cost(setting: Setting) -> PrivacyCost:
    """Return what one unit of protection pays for one matrix; of public facts alone."""
    return product_of(setting).compute_cost(dataset(view(setting)), setting.parameters)
