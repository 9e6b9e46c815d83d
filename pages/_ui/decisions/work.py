"""What decisions read of a dataset, kept by settings and seed, and their draws in steps."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from engine import decisions
from engine.arrays import Floats
from engine.contract import Seen
from engine.decisions import Comparison, EpidemicParameters, Outflow, Shock
from engine.decisions.rules import joined
from engine.parameters import EPSILON_STOPS, ODParameters
from engine.resolution import FINEST, INHABITED
from pages._ui.cached import REPEATS, Seed, dataset, generator, once
from pages._ui.drawing import picture
from pages._ui.drawing.picture import Shapes
from pages._ui.jobs.work import Step

CURVE_DRAWS = 40
"""Releases at every stop of ε: enough to show that 9 in 10 meet a target."""
FEW_DRAWS, MANY_CELLS = 30, 5_000_000
"""From so many cells of all days on, fewer draws over ε are made."""
AID_DRAWS, AID_CURVE = 200, 60


@dataclass(frozen=True)
class Outbreak:
    """The epidemic that is looked at: its origin (a zone's id), model, and rule."""

    origin: str
    model: EpidemicParameters
    threshold: float


@dataclass(frozen=True)
class Emergency:
    """The shock that is looked at: affected zone ids and days (positions), and k."""

    zones: tuple[str, ...]
    first: int
    last: int
    helped: int


@dataclass(frozen=True, eq=False)
class Epidemics:
    """Decisions of the draws, and low, middle and high prevalence by day and zone."""

    compared: Comparison
    bands: tuple[Floats, Floats, Floats]


def place(seen: Seen) -> Seen:
    """Return a dataset as it is seen, without the zones in which nobody lives."""
    homes = dataset(seen).homes
    empty = homes is not None and bool((homes <= 0).any())
    return replace(seen, zones=INHABITED) if empty and seen.zones == FINEST else seen


@once
def true(key: Seen, outbreak: Outbreak) -> Floats:
    """Return the true prevalence, shape (days, zones) (confidential)."""
    asked = dataset(key), [outbreak.origin], outbreak.model
    return decisions.true_epidemic(*asked)[0]


@once
def quiet(key: Seen, outbreak: Outbreak, parameters: ODParameters) -> Floats:
    """Return the prevalence with trimming and suppression, without noise; ε plays no part."""
    asked = dataset(key), [outbreak.origin], outbreak.model, parameters
    return decisions.suppressed_epidemic(*asked)[0]


@once
def shapes(key: Seen) -> Shapes:
    """Return the zones of the map."""
    return picture.shapes(dataset(key).zones)


def names(key: Seen) -> dict[str, str]:
    """Return the names of the zones by their ids, in their order."""
    return dict(zip(dataset(key).zones["zone_id"].astype(str), shapes(key).names, strict=True))


def epidemics(
    key: Seen, outbreak: Outbreak, parameters: ODParameters, seed: Seed
) -> Iterator[Step]:
    """Yield the draws at one ε as they come."""
    compared: list[Comparison] = []
    runs: list[Floats] = []
    for block in _blocks(key, outbreak, (parameters,), REPEATS, seed):
        runs.append(block[0])
        compared.append(decisions.compare(true(key, outbreak), block[0], outbreak.threshold))
        low, middle, high = np.quantile(np.concatenate(runs), [0.05, 0.5, 0.95], axis=0)
        drawn = Epidemics(joined(compared, axis=0), (low, middle, high))
        yield Step(len(drawn.compared.missed), REPEATS, drawn)


def epidemic_curve(
    key: Seen, outbreak: Outbreak, parameters: ODParameters, seed: Seed
) -> Iterator[Step]:
    """Yield the comparison over all stops of ε, axes (ε, draws, zones)."""
    cells = len(dataset(key).metadata.days) * len(dataset(key).zones) ** 2
    draws = FEW_DRAWS if cells > MANY_CELLS else CURVE_DRAWS
    settings = tuple(parameters.at(epsilon) for epsilon in EPSILON_STOPS)
    compared: list[Comparison] = []
    for block in _blocks(key, outbreak, settings, draws, seed):
        compared.append(decisions.compare(true(key, outbreak), block, outbreak.threshold))
        so_far = joined(compared, axis=1)
        yield Step(so_far.missed.shape[1], draws, so_far)


def _blocks(
    key: Seen, outbreak: Outbreak, settings: tuple[ODParameters, ...], draws: int, seed: Seed
) -> Iterator[Floats]:
    """Yield blocks of prevalence, axes (settings, draws, days, zones)."""
    asked = dataset(key), [outbreak.origin], outbreak.model, settings, draws
    for block in decisions.private_epidemics(*asked, rng=generator(seed, "epidemic")):
        yield block[:, :, 0]


def shock(key: Seen, emergency: Emergency) -> Shock:
    """Return the affected area and its days as the engine takes them."""
    span = slice(emergency.first, emergency.last + 1)
    return decisions.shock(dataset(key), emergency.zones, days=span)


@once
def outflow(key: Seen, emergency: Emergency, parameters: ODParameters) -> Outflow:
    """Return the trips out of the affected area; ε plays no part."""
    return decisions.outflow(dataset(key), shock(key, emergency), parameters)


def aid(
    key: Seen, emergency: Emergency, settings: tuple[ODParameters, ...], draws: int, seed: Seed
) -> Iterator[Step]:
    """Yield some draws of aid, then all of them: `AidDraws`."""
    event = shock(key, emergency)
    for some in (max(draws // 10, 1), draws):
        asked = dataset(key), event, settings, some, emergency.helped
        yield Step(some, draws, decisions.private_aid(*asked, rng=generator(seed, "aid")))
