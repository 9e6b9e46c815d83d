"""Totals of zones with Laplace noise, spread over the flows by public distances: a baseline.

Only how many trips leave and enter each zone is measured. Who travels between which two zones is
then guessed from the map: trips(i, j) ∝ out(i)·in(j)·distance(i, j)^−2, balanced to both noisy
totals (Zipf, "The P1 P2/D hypothesis: on the intercity movement of persons", 1946; Wilson, "A
statistical theory of spatial distribution models", 1967; balancing by Furness, 1965). It is what a
flow matrix is worth that knows the zones' totals and nothing of any flow.

Privacy: a trip counts once where it leaves and once where it enters, so a unit of protection that
keeps at most T trips changes the 2·zones totals by at most 2T in L₁; Laplace noise of scale 2T/ε
makes them ε-DP (Dwork, McSherry, Nissim and Smith 2006), and all that follows reads noisy totals
and public geometry alone.
"""

from dataclasses import dataclass
from typing import Unpack

import numpy as np

from ..arrays import Booleans, Floats, Integers
from ..datasets import Dataset
from ..geography import centre_distances_m
from ..ledger import Kind, Ledger, Noise
from ..parameters import ODParameters
from .algorithm import rounded_laplace
from .matrices import day_indices, kept
from .mechanism import Draw, drawn, laplace_ledger

EXPONENT = 2.0
"""How fast trips fall with distance; a public constant, never fitted to data."""

LEAST_DISTANCE_M = 500.0
"""Zones nearer than this count as this far apart."""

ROUNDS = 60
"""Of balancing."""


@dataclass(frozen=True, eq=False, kw_only=True)
class GravityRelease:
    """One release: noisy totals of zones, and the flows that they and the map suggest.

    Attributes
    ----------
    counts : array, shape (days, zones, zones)
        Trips as the model spreads them, at least 0; diagonal 0.
    outgoing, incoming : arrays of int64, shape (days, zones)
        Noisy totals, signed: all that was measured.
    days : tuple of int
        Positions of the days in the declared period.
    ledger : Ledger
        What one unit of protection pays.
    """

    parameters: ODParameters
    counts: Floats
    outgoing: Integers
    incoming: Integers
    days: tuple[int, ...]
    ledger: Ledger

    @property
    def shown(self) -> Booleans:
        """Flows of at least half a trip; the others read 0."""
        return self.counts >= 0.5

    @property
    def typical(self) -> Floats:
        """The best number of each flow by itself: `counts` in whole trips."""
        return np.floor(self.counts + 0.5)

    @property
    def as_shown(self) -> Floats:
        """The number shown of each flow by itself: `typical`, which is 0 where none is shown."""
        return self.typical


def release(dataset: Dataset, parameters: ODParameters, **draw: Unpack[Draw]) -> GravityRelease:
    """Draw one release; arguments and errors as `engine.origin_destination.release`.

    Of the noise the first 2·zones variates of each matrix are used.

    Examples
    --------
    >>> from engine import datasets
    >>> settings = ODParameters(epsilon=0.5, method="gravity")
    >>> private = release(datasets.load("demo-city"), settings, days=0,
    ...                   rng=np.random.default_rng(0))
    >>> private.counts.shape, private.ledger.proved_epsilon
    ((1, 150, 150), 0.5)
    """
    out, into = measure(dataset, parameters, **draw)
    near = 1 / np.maximum(centre_distances_m(dataset.zones), LEAST_DISTANCE_M) ** EXPONENT
    np.fill_diagonal(near, 0.0)
    return GravityRelease(
        parameters=parameters,
        counts=np.stack([spread(*totals, near) for totals in zip(out, into, strict=True)]),
        outgoing=out,
        incoming=into,
        days=day_indices(dataset, draw.get("days")),
        ledger=ledger(parameters),
    )


def measure(
    dataset: Dataset, parameters: ODParameters, **draw: Unpack[Draw]
) -> tuple[Integers, Integers]:
    """Return noisy trips out of and into each zone: the only step that sees counts.

    Returns
    -------
    outgoing, incoming : arrays of int64, shape (days, zones)
        Signed. One unit of protection changes both together by at most 2T in L₁ before the noise.
    """
    standard, chosen, summed = drawn(dataset, **draw)
    trips = kept(dataset, parameters, days=chosen, sum_days=summed)
    zones = trips.shape[-1]
    totals = np.concatenate([trips.sum(axis=2), trips.sum(axis=1)], axis=1)
    if zones > 1:  # else there is no flow, and nothing is measured
        scale = 2 * parameters.noise_scale
        totals = rounded_laplace(standard.reshape(len(trips), -1)[:, : 2 * zones], scale)(totals)
    return totals[:, :zones], totals[:, zones:]


def ledger(parameters: ODParameters) -> Ledger:
    """Return what one unit of protection pays: all of ε for the totals, of sensitivity 2T.

    Examples
    --------
    >>> (stage,) = ledger(ODParameters(epsilon=0.5, unit="trip", method="gravity")).stages
    >>> stage.sensitivity, stage.noise_scale
    (2.0, 4.0)
    """
    counted = (Kind.ZONE_TOTALS, 2 * parameters.max_trips_per_user, parameters.epsilon)
    return laplace_ledger(parameters, Noise.ROUNDED_LAPLACE, counted)


def spread(outgoing: Integers, incoming: Integers, near: Floats) -> Floats:
    """Return flows in proportion to `near`, balanced to totals of zones: all of it noisy or public.

    `near`, shape (zones, zones), says how readily one travels and is 0 on the diagonal. Negative
    totals are read as 0, and both sides are brought to the mean of their sums.

    Examples
    --------
    >>> flat = 1.0 - np.eye(3)
    >>> spread(np.array([6, 0, 0]), np.array([-1, 4, 2]), flat).round(6)
    array([[0., 4., 2.],
           [0., 0., 0.],
           [0., 0., 0.]])
    """
    sides = [np.maximum(side, 0).astype(np.float64) for side in (outgoing, incoming)]
    whole = sum(float(side.sum()) for side in sides) / 2
    if min(side.sum() for side in sides) <= 0:
        return np.zeros(near.shape)
    out, into = (side * (whole / side.sum()) for side in sides)
    flows = out[:, None] * near * into
    for _ in range(ROUNDS):
        flows *= _ratio(out, flows.sum(axis=1))[:, None]
        flows *= _ratio(into, flows.sum(axis=0))
    return flows


def _ratio(wanted: Floats, have: Floats) -> Floats:
    return np.divide(wanted, have, out=np.zeros_like(wanted), where=have > 0)
