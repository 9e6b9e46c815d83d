"""What decisions read of a dataset, kept by settings and seed, and their draws in steps."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine import decisions
from engine.arrays import Floats
from engine.contract import Selection, Setting
from engine.decisions import Comparison, EpidemicParameters, Outflow, Shock
from engine.decisions.aid import AidDraws
from engine.parameters import ODParameters
from engine.resolution import FINEST, INHABITED_LEVEL
from pages._ui.answers.cached import (
    Seed,
    dataset,
    draw_release,
    generator,
    memoize,
    noise_purpose,
    read,
    truth,
)
from pages._ui.components import maps

CURVE_DRAWS = 30
"""Releases at every stop of ε: the fewest that can show that 9 in 10 meet a target."""
PIECE, AID_PIECE = 5, 10
"""Draws that are made at a time: in general, and of aid by a method that draws few numbers.

A session hands on three pieces in 0.7 s: 200 draws take 5 s, and the first ones 0.05 s.
"""
MAX_AT_ONCE = 100_000
"""True trips of so many pairs and matrices let a page draw the first piece itself."""

AID_DRAWS, SLOW_DRAWS, AID_CURVE = 200, 40, 60
"""Of one setting, of one whose method draws every cell, and at every stop of ε."""

ZONE_DRAWS = 10
"""Of the whole matrices, to judge each zone as an area by itself."""


@dataclass(frozen=True)
class Outbreak:
    """The epidemic that is looked at: its origin (a zone's id), model, and rule."""

    origin: str
    model: EpidemicParameters
    threshold: float


def inhabited_selection(key: Selection) -> Selection:
    """Return a dataset as it is seen, without the zones in which nobody lives."""
    homes = dataset(key).homes
    empty = homes is not None and bool((homes <= 0).any())
    return replace(key, zone_level=INHABITED_LEVEL) if empty and key.zone_level == FINEST else key


@memoize
def true_prevalence(key: Selection, outbreak: Outbreak) -> Floats:
    """Return the true prevalence, shape (days, zones) (confidential)."""
    args = dataset(key), [outbreak.origin], outbreak.model
    return decisions.simulate_true_epidemic(*args)[0]


def names(key: Selection) -> dict[str, str]:
    """Return the names of the zones by their ids, in their order."""
    return read(maps.zone_names, key)


def simulate_epidemics(
    key: Selection, outbreak: Outbreak, settings: tuple[ODParameters, ...], seed: Seed, part: int
) -> Floats:
    """Return the prevalence of one piece of draws, axes (settings, draws, days, zones)."""
    args = dataset(key), [outbreak.origin], outbreak.model, settings, PIECE
    rng = generator(seed, noise_purpose("epidemic", key), part)
    blocks = decisions.simulate_private_epidemics(*args, rng=rng)
    return np.concatenate([block[:, :, 0] for block in blocks], axis=1)


def compare_decisions(
    key: Selection, outbreak: Outbreak, settings: tuple[ODParameters, ...], seed: Seed, part: int
) -> Comparison:
    """Return the decisions of one piece of draws, axes (settings, draws, zones)."""
    draws = simulate_epidemics(key, outbreak, settings, seed, part)
    return decisions.compare_decisions(true_prevalence(key, outbreak), draws, outbreak.threshold)


@memoize
def outflow(key: Selection, shock: Shock, parameters: ODParameters) -> Outflow:
    """Return the trips out of the affected area; ε plays no part."""
    return decisions.count_outflow(dataset(key), shock, parameters)


def simulate_aid(
    key: Selection,
    shock: Shock,
    k: int,
    settings: tuple[ODParameters, ...],
    seed: Seed,
    size: int,
    part: int,
) -> AidDraws:
    """Return one piece of `size` draws of aid for `k` destinations of each matrix."""
    args = dataset(key), shock, settings, size, k
    return decisions.simulate_private_aid(
        *args, rng=generator(seed, noise_purpose("aid", key), part)
    )


def score_each_zone(
    setting: Setting, days: tuple[int, ...], k: int, seed: Seed, repeat: int
) -> tuple[Floats, Floats]:
    """Return what one release says of each zone as an area by itself: its total, its overlap."""
    true = np.stack([truth(setting, day) for day in days]).astype(np.float64)
    released = [draw_release(setting, seed, repeat, day).counts[0] for day in days]
    return decisions.score_each_zone(true, np.stack(released), k)


def join_draws(pieces: Sequence[AidDraws]) -> AidDraws:
    """Return pieces of as many draws each as one."""
    return AidDraws(
        np.concatenate([piece.totals for piece in pieces], axis=1),
        np.concatenate([piece.overlap for piece in pieces], axis=1),
        np.mean([piece.targeting_rate for piece in pieces], axis=0),
        np.mean([piece.shortfall_rate for piece in pieces], axis=0),
    )
