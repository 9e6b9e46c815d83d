"""What decisions read of a dataset, kept by settings and seed, and their draws in steps."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine import decisions
from engine.arrays import Floats
from engine.contract import Selection
from engine.decisions import Comparison, EpidemicParameters, Outflow, Shock
from engine.decisions.aid import AidDraws
from engine.parameters import ODParameters
from engine.resolution import FINEST, INHABITED_LEVEL
from pages._ui.cached import Seed, dataset, generator, of, once, purpose_of
from pages._ui.drawing import maps

CURVE_DRAWS = 30
"""Releases at every stop of ε: the fewest that can show that 9 in 10 meet a target."""
PIECE = 5
"""Draws that are made at a time."""

AID_DRAWS, OURS, AID_CURVE = 200, 40, 60
"""Of one setting, of empirical Bayes, which reads every cell, and at every stop of ε."""


@dataclass(frozen=True)
class Outbreak:
    """The epidemic that is looked at: its origin (a zone's id), model, and rule."""

    origin: str
    model: EpidemicParameters
    threshold: float


def place(seen: Selection) -> Selection:
    """Return a dataset as it is seen, without the zones in which nobody lives."""
    homes = dataset(seen).homes
    empty = homes is not None and bool((homes <= 0).any())
    return (
        replace(seen, zone_level=INHABITED_LEVEL) if empty and seen.zone_level == FINEST else seen
    )


@once
def true(key: Selection, outbreak: Outbreak) -> Floats:
    """Return the true prevalence, shape (days, zones) (confidential)."""
    asked = dataset(key), [outbreak.origin], outbreak.model
    return decisions.simulate_true_epidemic(*asked)[0]


@once
def quiet(key: Selection, outbreak: Outbreak, parameters: ODParameters) -> Floats:
    """Return the prevalence with trimming and suppression, without noise; ε plays no part."""
    asked = dataset(key), [outbreak.origin], outbreak.model, parameters
    return decisions.simulate_suppressed_epidemic(*asked)[0]


def names(key: Selection) -> dict[str, str]:
    """Return the names of the zones by their ids, in their order."""
    return of(maps.zone_names, key)


def epidemics(
    key: Selection, outbreak: Outbreak, settings: tuple[ODParameters, ...], seed: Seed, at: int
) -> Floats:
    """Return the prevalence of one piece of draws, axes (settings, draws, days, zones)."""
    asked = dataset(key), [outbreak.origin], outbreak.model, settings, PIECE
    rng = generator(seed, purpose_of("epidemic", key), at)
    blocks = decisions.simulate_private_epidemics(*asked, rng=rng)
    return np.concatenate([block[:, :, 0] for block in blocks], axis=1)


def compared(
    key: Selection, outbreak: Outbreak, settings: tuple[ODParameters, ...], seed: Seed, at: int
) -> Comparison:
    """Return what one piece of draws decides, axes (settings, draws, zones)."""
    drawn = epidemics(key, outbreak, settings, seed, at)
    return decisions.compare_decisions(true(key, outbreak), drawn, outbreak.threshold)


@once
def outflow(key: Selection, shock: Shock, parameters: ODParameters) -> Outflow:
    """Return the trips out of the affected area; ε plays no part."""
    return decisions.count_outflow(dataset(key), shock, parameters)


def aid(
    key: Selection, shock: Shock, k: int, settings: tuple[ODParameters, ...], seed: Seed, at: int
) -> AidDraws:
    """Return one piece of draws of aid for `k` destinations of each matrix."""
    asked = dataset(key), shock, settings, PIECE, k
    return decisions.simulate_private_aid(*asked, rng=generator(seed, purpose_of("aid", key), at))


def together(drawn: Sequence[AidDraws]) -> AidDraws:
    """Return pieces of as many draws each as one."""
    return AidDraws(
        np.concatenate([one.totals for one in drawn], axis=1),
        np.concatenate([one.overlap for one in drawn], axis=1),
        np.mean([one.targeting_rate for one in drawn], axis=0),
        np.mean([one.shortfall_rate for one in drawn], axis=0),
    )
