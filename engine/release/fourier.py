"""Release of the papers' density scheme, `efpag_joint`, drawn with OpenDP's noise alone.

Everything that touches confidential counts is whole-number arithmetic: nothing is rounded after
the counts came in. ``docs/release.md`` proves the total in four steps, with c ≥ ‖COSINES · DCT,
rounded‖₂ and Δ = c · SHARES · √ℓ: (1) shares and visits, pure ε/4 each; (2) k, pure ε/(4√2); (3)
the first k coefficients, (Δ/σ)²/2-zCDP; (4) adaptive composition. What is asked and charged is this
total, and P1's ε is found from it.
"""

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.fft import dct
from scipy.sparse import csr_array

from ..arrays import Floats, Integers
from ..contract import Setting
from ..datasets import Dataset
from ..density.gaussian import bracketed_root
from ..density.mechanism import cluster_cells, to_series
from ..density.scales import (
    coefficient_scale,
    default_cluster_minimum,
    histogram_scale,
    visits_scale,
)
from ..density.smoothing import smooth_nights
from ..density.zoom.reading import shares
from ..errors import DatasetError, ParameterError
from ..parameters import CLASSICAL_GAUSSIAN_MAX_EPSILON, HOURS_PER_WEEK, DensityParameters
from ..resolution import look_at
from . import noise
from .bars import laplace_bar
from .files import TEXT, WHOLE, CsvTable, require_counts, write_hours, write_zones
from .plan import Accuracy, Plan, Progress, Stage

SHARES = 2**12
COSINES = 2**20
UNIT = SHARES * COSINES
MOST_PEOPLE = 2**26
_LARGEST_NOISE = 2.0**61
_ROOM = 1 + 1e-12  # for roots and products in floating point: ρ never exceeds what is stated


@lru_cache(maxsize=1)
def cosines() -> tuple[Integers, int]:
    """Return the orthonormal DCT-II times `COSINES` in whole numbers, and a bound on its norm."""
    matrix: Any = dct(np.eye(HOURS_PER_WEEK), type=2, norm="ortho", axis=0)
    whole = np.rint(matrix * COSINES).astype(np.int64)
    return whole, math.isqrt(int(np.abs(whole @ whole.T).sum(axis=1).max())) + 1  # Gershgorin


def whole_split(to_cover: Any) -> Any:
    """Return the public shares of towers (columns) in cells in 1/`SHARES`; columns sum to it."""
    columns = to_cover.tocsc()
    data = np.floor(columns.data * SHARES).astype(np.int64)
    for start, end in zip(columns.indptr[:-1], columns.indptr[1:], strict=True):
        lacking = np.argsort(data[start:end] - columns.data[start:end] * SHARES, kind="stable")
        data[start + lacking[: SHARES - data[start:end].sum()]] += 1  # largest remainders
    return csr_array((data, columns.indices, columns.indptr), shape=columns.T.shape).T.tocsr()


@dataclass(frozen=True, kw_only=True)
class Scales:
    """Scales of the four draws, in whole steps, and what OpenDP says they cost; all public."""

    published: DensityParameters
    moved: float
    histogram: float
    visits: float
    choice: float
    sigma: float
    pure: tuple[float, float, float]
    rho: float
    epsilon: float

    @classmethod
    def of(cls, published: DensityParameters, cap: int) -> "Scales":
        """Return the explorer's scales for P1's ε, and the total that is proved of them."""
        step = cosines()[1] * SHARES * _ROOM
        moved = step * math.sqrt(published.max_visits_per_user) * _ROOM
        histogram, visits = histogram_scale(published), visits_scale(published, cap)
        choice, sigma = 8 * moved / published.epsilon, coefficient_scale(published) * step
        rho = noise.gaussian_rho(moved, sigma)
        pure = (
            noise.laplace_epsilon(1, histogram),
            noise.laplace_epsilon(cap, visits),
            noise.choice_epsilon(range_of(moved), choice),
        )
        return cls(
            published=published,
            moved=moved,
            histogram=histogram,
            visits=visits,
            choice=choice,
            sigma=sigma,
            pure=pure,
            rho=rho,
            epsilon=(sum(pure) + noise.zcdp_epsilon(rho, published.delta)) * _ROOM,
        )

    @classmethod
    def proving(cls, parameters: DensityParameters, cap: int) -> "Scales":
        """Return the scales at P1's ε such that at most `parameters.epsilon` is proved of them."""
        if not parameters.scaling:
            raise ParameterError(
                "the papers' scheme is released with its improved scaling alone",
                value="scaling=False",
                remedy="take the improved scaling, or release towers with Laplace noise",
            )
        asked = parameters.epsilon

        def at(epsilon: float) -> "Scales":
            return cls.of(replace(parameters, epsilon=epsilon), cap)

        highest = 1.6 * asked
        if parameters.gaussian == "classical":
            highest = min(highest, CLASSICAL_GAUSSIAN_MAX_EPSILON)
            if at(highest).epsilon < asked:
                raise ParameterError(
                    "epsilon must be below what P1's classical Gaussian proves at its limit of 4",
                    value=f"{asked:g}",
                    remedy="choose the analytic Gaussian, or a smaller ε",
                )
        aim = asked * (1 - 1e-9)
        return at(bracketed_root(lambda one: at(one).epsilon - aim, asked / 4, highest))


def range_of(moved: float) -> int:
    """Return by how much a difference of two whole scores moves, step 2 of the proof."""
    return math.ceil(math.sqrt(2) * moved * _ROOM) + 2


def plan(setting: Setting, dataset: Dataset) -> Plan:
    """Return what a release will hold and cost; reads geometry and metadata alone."""
    parameters: DensityParameters = setting.parameters
    people, cap = dataset.metadata.people_public, dataset.metadata.max_visits_cap
    scales, view = Scales.proving(parameters, cap), look_at(dataset, setting.zones)
    cover = view.tessellation.cover_size
    if scales.sigma * math.sqrt(HOURS_PER_WEEK * cover) > _LARGEST_NOISE:
        raise ParameterError(
            "epsilon must leave noise that fits whole numbers of 64 bits",
            value=f"{parameters.epsilon:g}",
            remedy="choose it larger",
        )
    if people is not None and people > MOST_PEOPLE:
        raise ParameterError(
            f"the papers' scheme is released for at most {MOST_PEOPLE:,} people",
            value=f"{people:,}",
            remedy="release towers with Laplace noise, or by our own method",
        )
    shares_bar, visits_bar = laplace_bar(scales.histogram), laplace_bar(scales.visits)
    return Plan(
        product="density-fourier",
        setting=setting,
        metadata=dataset.metadata,
        unit="person",
        delta=parameters.delta,
        days=7,
        limit=parameters.max_visits_per_user,
        stages=_stages(scales, cap),
        composition="adaptive composition",
        cells=len(view.towers) + 1 + cover * HOURS_PER_WEEK,
        zones=len(view.zones),
        towers=len(view.towers),
        matrices=cover,
        accuracy=(
            Accuracy(what="all visits of the week (totals.csv)", half_width=visits_bar),
            Accuracy(what="people with their one visit at a tower", half_width=shares_bar),
        ),
    )


def _stages(scales: Scales, cap: int) -> tuple[Stage, ...]:
    """Return the four draws; the last two are in steps of 1/`UNIT`."""
    people, visits, choice = scales.pure
    moved = range_of(scales.moved) / UNIT, scales.moved / UNIT
    steps: dict[str, Any] = {"norm": "L₂", "step": UNIT}
    return (
        Stage(
            name="people by tower, one visit of each",
            sensitivity=1,
            scale=scales.histogram,
            epsilon=people,
        ),
        Stage(
            name=f"all visits, at most {cap} of a person",
            sensitivity=cap,
            scale=scales.visits,
            epsilon=visits,
        ),
        Stage(
            name="the number of coefficients that are kept",
            noise="noisy maximum",
            sensitivity=moved[0],
            scale=scales.choice / UNIT,
            epsilon=choice,
            **steps,
        ),
        Stage(
            name="the first coefficients of all clusters' weeks",
            noise="discrete Gaussian",
            sensitivity=moved[1],
            scale=scales.sigma / UNIT,
            rho=scales.rho,
            **steps,
        ),
    )


def prepare(plan: Plan, dataset: Dataset) -> None:
    """Read the visits that will be counted."""
    view = look_at(dataset, plan.setting.zones)
    kept, single = view.presampled_by_tower(plan.limit), view.single_visit_by_tower
    require_counts(dataset, kept, single, view.truth_by_tower)
    if max(single.sum(), kept.sum(axis=0).max()) > MOST_PEOPLE:
        raise DatasetError(
            f"the papers' scheme is released for at most {MOST_PEOPLE:,} people",
            remedy="release towers with Laplace noise, or by our own method; nothing was spent",
            code="people",
        )


def write(plan: Plan, dataset: Dataset, folder: Path, progress: Progress) -> None:
    """Draw once and write zones by hour, and the noisy number of all visits with its bar."""
    view = look_at(dataset, plan.setting.zones)
    scales = Scales.proving(plan.parameters, dataset.metadata.max_visits_cap)
    counts, visits = draw(view, scales)
    progress(0.9)
    whole = np.floor(counts + 0.5).astype(np.int64)
    write_hours(view.zones, {"visits": whole}, folder)
    write_zones(view.zones, {"visits": np.rint(counts.sum(axis=1))}, folder)
    bar, columns = int(plan.bar), {"what": TEXT, "visits": WHOLE, "low_95": WHOLE, "high_95": WHOLE}
    with CsvTable(folder / "totals.csv", columns) as table:
        table.add(["all visits"], [visits], [visits - bar], [visits + bar])
    progress(1.0)


def draw(view: Dataset, scales: Scales) -> tuple[Floats, int]:
    """Return one draw: visits by zone and hour, all 0 where the noise exceeds the data, and K̂."""
    parameters, places = scales.published, view.tessellation
    nothing = np.zeros((len(view.zones), HOURS_PER_WEEK))
    histogram = noise.discrete_laplace(view.single_visit_by_tower, scales.histogram)
    visits = int(noise.discrete_laplace(view.truth_by_tower.sum()[None], scales.visits)[0])
    people = int(histogram.sum())
    if people <= 0 or visits <= 0:
        return nothing, visits
    totals = places.to_cover @ (histogram / people * visits)
    if not (totals > 0).any():
        return nothing, visits
    asked, usual = parameters.cluster_minimum, default_cluster_minimum(parameters)
    minimum = usual if asked is None else asked
    clusters = cluster_cells(totals, places.cover_centres_m, places.cover_areas_m2, minimum)
    exact = coefficients(view, parameters.max_visits_per_user, clusters)
    kept = 1 + noise.least(scores(exact, scales.sigma), scales.choice)
    noisy = np.zeros(exact.shape)
    noisy[:, :kept] = noise.discrete_gaussian(exact[:, :kept], scales.sigma) / UNIT
    shapes = shares(to_series(noisy))
    if parameters.smoothing:
        shapes = smooth_nights(shapes)
    cover = np.maximum(totals, 0.0)[:, None] * shapes[clusters]
    return places.to_zones @ cover, visits


def coefficients(view: Dataset, kept_visits: int, clusters: Integers) -> Integers:
    """Return the exact coefficients of all clusters in steps of 1/`UNIT` (confidential)."""
    series = whole_split(view.tessellation.to_cover) @ view.presampled_by_tower(kept_visits)
    summed = np.zeros((int(clusters.max()) + 1, HOURS_PER_WEEK), dtype=np.int64)
    np.add.at(summed, clusters, series)
    return summed @ cosines()[0].T


def scores(exact: Integers, sigma: float) -> list[int]:
    """Return u(1) … u(168) in whole steps: exact floors of roots of whole sums of squares."""
    squares = [int(each) for each in (exact.astype(object) ** 2).sum(axis=0)]
    expected = sigma * np.sqrt(np.arange(1, HOURS_PER_WEEK + 1) * float(len(exact)))
    losses: list[int] = []
    tail = 0
    for k in range(HOURS_PER_WEEK, 0, -1):
        losses.append(math.isqrt(tail) + int(expected[k - 1]))
        tail += squares[k - 1]
    return losses[::-1]
