"""Which destinations are among the first k, with what probability: an exact law, no draws.

Every day the k zones that received most people from the affected area are chosen; ties go by the
order of the zones, and a zone that reads 0 is never chosen. The totals X_j of the destinations are
independent, so

    P(j among the first k) = Σ_{v ≥ 1} P(X_j = v) · P(at most k − 1 others are ahead of v),

where zone i is ahead of v if X_i ≥ v and it comes before j, or X_i > v and it comes after: a
Poisson-binomial law, built up zone by zone from both ends.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .. import validation
from ..arrays import Booleans, Counts, Floats, Integers, Numbers
from ..origin_destination.laws import LawName, NoiseLaw, effective_threshold
from ..parameters import ODParameters
from .aid import Outflow

_CUT = 1e-13
"""Probability of a total beyond the table of its law."""

_NEGLIGIBLE = 1e-14
"""Probability per value below which a destination is passed over."""

_VALUES_AT_ONCE = 128

_TILTS = np.linspace(0.4, 0.96, 15)


@dataclass(frozen=True, eq=False)
class Selection:
    """Probabilities of being chosen, for every k up to the most asked for.

    Attributes
    ----------
    chosen : array, shape (most, days, destinations)
        Probability that a destination is among the first k = 1 … most of a release.
    truly : array of bool, same shape
        Whether it is among the first k in truth; zones without a trip never are.
    fewer : array, shape (most, days)
        Probability that a release leaves fewer than k destinations above 0; missing ones count as
        misses.
    """

    chosen: Floats
    truly: Booleans
    fewer: Floats

    @property
    def overlap(self) -> Floats:
        """Expected share of the true first k that a release names, shape (most, days).

        Where fewer than k zones received anyone, the share of those; NaN where none did.
        """
        return overlap(self.chosen, self.truly)


def overlap(chosen: Counts, truly: Booleans) -> Floats:
    """Return the share of the true destinations that are chosen; NaN where there is none.

    `chosen` holds probabilities, or whether a destination is; the last axis goes.
    """
    members = truly.sum(axis=-1)
    hits = np.where(truly, chosen, 0.0).sum(axis=-1)
    return np.where(members > 0, hits / np.maximum(members, 1), np.nan)


def selection_probability(
    leaving: Outflow, settings: ODParameters, most: int = 20, *, law: LawName = "rounded_laplace"
) -> Selection:
    """Return the exact probability of each destination to be among the first k, k = 1 … `most`.

    Parameters
    ----------
    leaving : Outflow
        Trimmed with the same unit and T.
    most : int
        Largest k, from 1 to the number of destinations.
    law : str
        ``rounded_laplace`` or ``discrete_laplace``.

    Examples
    --------
    >>> from engine import datasets
    >>> from engine.decisions import outflow, shock
    >>> week = datasets.load("afghanistan-provinces")
    >>> params = ODParameters(epsilon=0.5, unit="trip")
    >>> selection = selection_probability(outflow(week, shock(week), params), params, most=3)
    >>> bool(selection.overlap[2].mean() > 0.99)
    True
    """
    days, _, destinations = leaving.kept.shape
    kmax = validation.whole_number(
        "most", most, 1, destinations, remedy="the area leaves that many zones to go to; 3 is P2's"
    )
    noise = NoiseLaw(1 / settings.noise_scale, law)
    chosen, fewer = np.empty((kmax, days, destinations)), np.empty((kmax, days))
    for day in range(days):
        laws = destination_laws(leaving.kept[day], noise, settings.suppression_threshold)
        chosen[:, day] = _chosen(laws, kmax)
        fewer[:, day] = _at_most(1 - laws.probabilities[laws.of, 0], kmax)
    return Selection(chosen=chosen, truly=true_selection(leaving, kmax), fewer=fewer)


def true_selection(leaving: Outflow, most: int) -> Booleans:
    """Return which destinations truly are among the first k, shape (most, days, destinations)."""
    return first_zones(leaving.true.sum(axis=1), most)


def first_zones(totals: Numbers, most: int) -> Booleans:
    """Return which entries are among the first k = 1 … `most` of the last axis.

    Ties go by position; entries of 0 are never among them. The axis of k comes first.
    """
    place = np.argsort(np.argsort(-totals, axis=-1, kind="stable"), axis=-1, kind="stable")
    k = np.arange(1, most + 1).reshape(-1, *([1] * totals.ndim))
    return (place < k) & (totals > 0)


class TotalLaws(NamedTuple):
    """Laws of distinct totals, P(X = v) for v = 0, 1, …, and which of them each destination has.

    What lies beyond the table has a probability below 10⁻¹².
    """

    probabilities: Floats
    of: Integers


def destination_laws(kept: Floats, noise: NoiseLaw, threshold: int) -> TotalLaws:
    """Return the laws of destinations' totals on one day, of kept trips by area and destination."""
    # destinations whose cells hold the same counts, in any order, have one law
    columns, of = np.unique(np.sort(kept, axis=0), axis=1, return_inverse=True)
    counts, cell = np.unique(columns, return_inverse=True)
    cell = cell.reshape(columns.shape)
    least = float(effective_threshold(threshold))
    length = _length(columns, noise, least)
    values = np.arange(length, dtype=np.float64)
    cells = noise.pmf(values - counts[:, None]) * (values >= least)
    cells[:, 0] = noise.tail(1 - (least - counts))
    if len(columns) == 1:
        return TotalLaws(cells[cell[0]], of.ravel())
    room = 1 << (length - 1).bit_length()  # a power of two is quick to transform
    transformed = np.fft.rfft(cells, n=room, axis=1)
    products = np.stack([transformed[each].prod(axis=0) for each in cell.T])
    totals = np.fft.irfft(products, n=room, axis=1)[:, :length]
    return TotalLaws(np.maximum(totals, 0.0), of.ravel())


def _length(columns: Floats, noise: NoiseLaw, least: float) -> int:
    """Return how many values the table of a total needs (Chernoff's bound).

    A cell is released as at most max(m, τ′) + Z⁺, so for 0 < θ < a the total of n cells exceeds
    Σ max(m, τ′) + y with probability at most E[e^(θZ⁺)]ⁿ·e^(−θy).
    """
    rate, first = float(noise.rate), float(noise.first)
    tilt = _TILTS * rate
    growth = np.log1p(-first + first * np.exp(tilt) * -np.expm1(-rate) / -np.expm1(tilt - rate))
    beyond = ((len(columns) * growth - np.log(_CUT)) / tilt).min()
    return int(np.ceil(np.maximum(columns, least).sum(axis=0).max() + beyond)) + 1


def _chosen(laws: TotalLaws, most: int) -> Floats:
    """Return P(among the first k), shape (most, destinations)."""
    table, of = laws
    above = np.maximum(table[:, ::-1].cumsum(axis=1)[:, ::-1] - table, 0.0)  # P(X > v)
    chosen = np.zeros((most, len(of)))
    for first in range(1, table.shape[1], _VALUES_AT_ONCE):
        span = slice(first, min(first + _VALUES_AT_ONCE, table.shape[1]))
        # the target and at most k − 1 others are above a value where more than k rarely are not
        if _at_most(above[of, span.stop - 1], most + 1)[-1] < _NEGLIGIBLE:
            continue
        at = table[:, span]
        targets = np.flatnonzero((at.max(axis=1) > _NEGLIGIBLE)[of])
        # whoever cannot reach these values is ahead of nobody who does
        runners = np.flatnonzero((above[:, first - 1] > _NEGLIGIBLE)[of])
        if len(targets):
            beyond = above[of[runners], span]
            reach = beyond + at[of[runners]]  # P(X ≥ v)
            before = _ahead(reach, np.searchsorted(runners, targets), most)
            after_places = len(runners) - np.searchsorted(runners, targets, side="right")
            after = _ahead(beyond[::-1], after_places, most)
            ahead = np.zeros((len(targets), most, at.shape[1]))
            for n in range(most):
                ahead[:, n:] += before[:, n : n + 1] * after[:, : most - n]
            within = ahead.cumsum(axis=1)
            chosen[:, targets] += np.einsum("jkv,jv->kj", within, at[of[targets]])
    return chosen


def _ahead(probabilities: Floats, places: Integers, most: int) -> Floats:
    """Return how many of the first `places` zones are ahead, 0 … most − 1, by target and value."""
    law = np.zeros((most, probabilities.shape[1]))
    law[0] = 1.0
    laws = np.empty((len(places), *law.shape))
    laws[places == 0] = law
    for counted, p in enumerate(probabilities, start=1):
        law = _one_more(law, p)
        laws[places == counted] = law
    return laws


def _one_more(law: Floats, p: Floats) -> Floats:
    longer = law * (1 - p)
    longer[1:] += law[:-1] * p
    return longer


def _at_most(probabilities: Floats, most: int) -> Floats:
    """Return P(fewer than k events), k = 1 … most, for independent events."""
    law = np.zeros((most, 1))
    law[0] = 1.0
    for p in probabilities:
        law = _one_more(law, np.asarray([p]))
    return law[:, 0].cumsum()
