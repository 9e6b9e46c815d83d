"""The verbs of `engine.contract` for a `Setting`, each answer computed once."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
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
from pages._ui.app import parallel
from pages._ui.app.cache import cache_of, memoize
from pages._ui.app.session import session
from pages._ui.settings.seeds import Seed

P = ParamSpec("P")
R = TypeVar("R")
DRAW_COUNT = 20
"""Draws behind a range; the page's own is the first of them."""

PRODUCTS = {DensityParameters: density, ODParameters: od, ReportParameters: report}


@memoize
def dataset(selection: Selection) -> Dataset:
    """Open a dataset at the zones and the days seen; tables are read on first use."""
    return (
        open_view(selection)
        if selection == finest_selection(selection)
        else open_view(selection, lambda _: full_dataset(selection))
    )


def full_dataset(source: Selection | Setting) -> Dataset:
    """Open a dataset as it was ingested."""
    return dataset(Selection(dataset_id=source.dataset_id))


def view_key(setting: Setting) -> Selection:
    """Return how a setting's dataset is opened: a person's whole period is a sum of its days."""
    if getattr(setting.parameters, "unit", "") == "person":
        return replace(setting.selection, time=replace(setting.time, aggregation="day"))
    return setting.selection


def days(setting: Setting, day: int | None = None) -> dict[str, Any]:
    """Return ``days`` and ``sum_days`` of one matrix of flows as opened, or of all of them."""
    if not isinstance(setting.parameters, ODParameters):
        return {}
    if setting.parameters.unit == "person":
        positions = range(len(dataset(view_key(setting)).metadata.days))
        return {"days": tuple(positions), "sum_days": True}
    return {"days": tuple(range(matrix_count(setting))) if day is None else day}


def matrix_count(setting: Setting) -> int:
    """Return how many matrices a setting has: days, weeks or one."""
    if setting.time.aggregation == "whole" or not isinstance(setting.parameters, ODParameters):
        return 1
    return len(dataset(view_key(setting)).metadata.periods)


def read(
    function: Callable[Concatenate[Dataset, P], R],
    selection: Selection,
    /,
    *arguments: P.args,
    **options: P.kwargs,
) -> R:
    """Return the cached result of a module-level function of a dataset's view."""
    key = (function, selection, *arguments, *sorted(options.items()))
    return cache_of(key).get(key, lambda: function(dataset(selection), *arguments, **options))


def product_of(setting: Setting) -> ModuleType:
    """Return the package of the engine that answers for a setting."""
    return PRODUCTS[type(setting.parameters)]


def method_of(setting: Setting) -> Any:
    """Return the row of the setting's method in its product's table."""
    return product_of(setting).METHODS[setting.parameters.method]


def truth(setting: Setting, day: int | None = None) -> Any:
    """Return the confidential counts: visits by hour, or trips of one matrix or of all added up."""
    product, key = product_of(setting), view_key(setting)
    if product is not od:
        return read(product.truth, key)
    span = days(setting, day)
    return read(od.truth, key, **{**span, "sum_days": day is None or "sum_days" in span})[0]


def generator(seed: Seed, purpose: str, repeat: int = 0, layer: int = 0) -> np.random.Generator:
    """Return the generator of one draw.

    Seed, redraw, purpose, repeat and layer each change all of its noise, so that no two mechanisms,
    days or repeats share any: whoever subtracts one from another learns nothing. The page is no
    part of it: a repeat is the same draw wherever it is shown.
    """
    kind = int.from_bytes(sha256(purpose.encode()).digest()[:8], "big")
    return np.random.default_rng([*seed, kind, repeat, layer])


def noise_rng(setting: Setting, seed: Seed, repeat: int = 0, day: int = 0) -> np.random.Generator:
    """Return the generator of one draw of a setting: it does not change with the parameters."""
    name = {density: "density", od: "trips", report: "report"}[product_of(setting)]
    purpose = noise_purpose(name, setting.selection)
    return generator(seed, purpose, repeat, setting.time.first_position + 1 + day)


def noise_purpose(name: str, selection: Selection) -> str:
    """Return the purpose of a noise: its own for every zone level and every way to add up days."""
    purpose, when = name, selection.time
    if selection.zone_level != FINEST:  # coarse zones must not share noise with those inside
        purpose += f" {selection.zone_level}"
    if when.aggregation != "day":
        purpose += f" {when.aggregation}"
        # nor days that are added up with some of them
        if when != TimeSelection(aggregation=when.aggregation):
            purpose += f" {when.first_position} {when.last_position} {when.compared_days}"
    return purpose


def release(setting: Setting, seed: Seed, repeat: int = 0, day: int = 0) -> Any:
    """Return one draw, of flows that of one matrix."""
    key = ("release", setting, seed, repeat, day)
    return cache_of(key).get(key, lambda: draw_release(setting, seed, repeat, day))


def draw_release(setting: Setting, seed: Seed, repeat: int = 0, day: int = 0) -> Any:
    """Return one draw that nothing keeps: of many, only what is said of each is kept."""
    source, product = dataset(view_key(setting)), product_of(setting)
    if product is not od:
        rng = noise_rng(setting, seed, repeat)
        return product.release(source, setting.parameters, rng=rng)
    noise = flow_noise(setting, seed, repeat, day)
    return od.release(source, setting.parameters, noise=noise, **days(setting, day))


def flow_noise(setting: Setting, seed: Seed, repeat: int = 0, day: int = 0) -> Floats:
    """Return the noise of one matrix, kept by how the dataset is seen, whatever else is set."""
    view = view_key(setting)
    key = ("noise", view, setting.time, seed, repeat, day)
    rng = noise_rng(setting, seed, repeat, day)
    draw = partial(od.draw_noise, dataset(view), setting.parameters, rng=rng, days=0)
    return cache_of(key).get(key, draw)


def expected(setting: Setting, day: int | None = None) -> Any:
    """Return the exact law's answer over one matrix or all; None for a method without one."""
    if method_of(setting).expected is None:
        return None
    return read(od.expected, view_key(setting), setting.parameters, **days(setting, day))


@memoize
def scores(setting: Setting, seed: Seed, repeat: int = 0, day: int = 0) -> Any:
    """Return the errors of one draw; small, so that those of many draws can be kept."""
    result = (draw_release if repeat else release)(setting, seed, repeat, day)
    true = truth(setting, day)
    return product_of(setting).scores(true if product_of(setting) is not od else true[None], result)


def utility(setting: Setting, seed: int) -> Utility:
    """Return how much of the truth a release retains, and how much of it is genuine.

    Drawn releases of several matrices are judged by a worker: until then, on the first matrix.
    """
    key = (judge_setting, setting, seed)
    judged: list[Utility] = cache_of(key).find(key)
    if judged:
        return judged[0]
    is_drawn = product_of(setting) is od and not method_of(setting).has_flow_distribution
    if not is_drawn or matrix_count(setting) == 1:
        return cache_of(key).get(key, lambda: judge_setting(setting, seed))
    waiting = session().waiting_jobs
    if key not in waiting:
        waiting[key] = parallel.submit(
            f"utility_{len(waiting)}", judge_setting, [key[1:]], delay_s=parallel.REST_S
        )
    return next(iter(waiting[key].ordered_results), None) or _preview_utility(setting, seed)


def judge_setting(setting: Setting, seed: int, *, first_matrix: bool = False) -> Utility:
    """Judge a setting: a piece of long work."""
    dataset = full_dataset(setting)
    return compute_utility(setting, dataset, seed=seed, first_matrix=first_matrix)


@memoize
def _preview_utility(setting: Setting, seed: int) -> Utility:
    return judge_setting(setting, seed, first_matrix=True)


@memoize
def risk(setting: Setting) -> Risk:
    """Return the risk from everything that a setting releases, from public facts alone."""
    parameters: Any = setting.parameters
    if isinstance(parameters, ODParameters):
        days = setting.time.days_per_matrix(len(full_dataset(setting).metadata.days))
        return privacy.flow_release_risk(parameters, days)
    return privacy.cost_risk(compute_cost(setting), parameters.epsilon)


@memoize
def compute_cost(setting: Setting) -> PrivacyCost:
    """Return the privacy loss of one unit of privacy from one matrix, from public facts alone."""
    return product_of(setting).compute_cost(dataset(view_key(setting)), setting.parameters)
