"""Release of Fourier perturbation, `efpag_joint`, with noise from OpenDP alone.

All arithmetic on confidential counts is in whole numbers, without rounding. ``docs/release.md``
proves the total in four steps, with c ≥ ‖`COSINE_UNITS` · DCT, rounded‖₂ and Δ = c · `SHARES` · √ℓ:
(1) shares and visits, pure ε/4 each; (2) k, pure ε/(4√2); (3) the first k coefficients,
(Δ/σ)²/2-zCDP; (4) adaptive composition. A release charges this total and derives P1's ε from it.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.fft import dct
from scipy.sparse import csr_array

from .. import privacy_cost
from ..arrays import Floats, Integers
from ..contract import Setting
from ..datasets import Dataset
from ..density.accounting import coefficient_scale, default_cluster_minimum, fourier_stages
from ..density.gaussian import bracketed_root
from ..density.mechanism import cluster_cells, to_series
from ..density.multiscale_estimation import to_shares
from ..density.smoothing import smooth_nights
from ..errors import DatasetError, ParameterError
from ..parameters import CLASSICAL_GAUSSIAN_MAX_EPSILON, HOURS_PER_WEEK, DensityParameters
from . import opendp_noise
from .bundle import write_density, write_table, write_zones
from .plan import ROUNDING_MARGIN, ErrorBar, Progress, ReleasePlan, Stage, laplace_bar

SHARES = 2**12
COSINE_UNITS = 2**20
COEFFICIENT_UNITS = SHARES * COSINE_UNITS
MAX_PEOPLE = 2**26
_LARGEST_NOISE = 2.0**61


@lru_cache(maxsize=1)
def integer_dct() -> tuple[Integers, int]:
    """Return the orthonormal DCT-II in whole 1/`COSINE_UNITS`, and a bound on its norm."""
    matrix: Any = dct(np.eye(HOURS_PER_WEEK), type=2, norm="ortho", axis=0)
    integer_matrix = np.rint(matrix * COSINE_UNITS).astype(np.int64)
    return integer_matrix, math.isqrt(
        int(np.abs(integer_matrix @ integer_matrix.T).sum(axis=1).max())
    ) + 1  # Gershgorin


def integer_split(to_cover: Any) -> Any:
    """Return the public shares of towers (columns) in cells in 1/`SHARES`; columns sum to it."""
    columns = to_cover.tocsc()
    data = np.floor(columns.data * SHARES).astype(np.int64)
    for start, end in zip(columns.indptr[:-1], columns.indptr[1:], strict=True):
        lacking = np.argsort(data[start:end] - columns.data[start:end] * SHARES, kind="stable")
        data[start + lacking[: SHARES - data[start:end].sum()]] += 1  # largest remainders
    return csr_array((data, columns.indices, columns.indptr), shape=columns.T.shape).T.tocsr()


def paper_parameters(parameters: DensityParameters, cap: int) -> DensityParameters:
    """Return the parameters at P1's ε, of which at most `parameters.epsilon` is proved."""
    if not parameters.scaling:
        raise ParameterError(
            "the papers' scheme is released with its improved scaling alone",
            value="scaling=False",
            remedy="take the improved scaling, or release towers with Laplace noise",
        )
    stated_epsilon, highest = parameters.epsilon, 1.6 * parameters.epsilon

    def prove_epsilon(epsilon: float) -> float:
        return compose_stages(
            build_stages(replace(parameters, epsilon=epsilon), cap), parameters.delta
        )

    if parameters.gaussian == "classical":
        highest = min(highest, CLASSICAL_GAUSSIAN_MAX_EPSILON)
        if prove_epsilon(highest) < stated_epsilon:
            raise ParameterError(
                "epsilon must be below what P1's classical Gaussian proves at its limit of 4",
                value=f"{stated_epsilon:g}",
                remedy="choose the analytic Gaussian, or a smaller ε",
            )
    aim = stated_epsilon * (1 - 1e-9)
    return replace(
        parameters,
        epsilon=bracketed_root(
            lambda value: prove_epsilon(value) - aim, stated_epsilon / 4, highest
        ),
    )


def build_stages(published: DensityParameters, cap: int) -> tuple[Stage, ...]:
    """Return the four draws at P1's ε with the cost that OpenDP states of each; all public.

    The last two are drawn in steps of 1/`COEFFICIENT_UNITS`; a person changes at most `moved` in
    L₂.
    """
    step = integer_dct()[1] * SHARES * ROUNDING_MARGIN
    moved = step * math.sqrt(published.max_visits_per_user) * ROUNDING_MARGIN
    *pure, chosen, coefficients = fourier_stages(published, cap)
    choice, sigma = 8 * moved / published.epsilon, coefficient_scale(published) * step
    steps: dict[str, Any] = {"norm": "L₂", "step": COEFFICIENT_UNITS}

    def laplace(stated: privacy_cost.Stage) -> Stage:
        scale = stated.noise_scale or math.inf
        epsilon = opendp_noise.make_laplace(scale).map(int(stated.sensitivity))
        return Stage.from_ledger_stage(stated, scale=scale, epsilon=epsilon)

    return (
        *map(laplace, pure),
        Stage.from_ledger_stage(
            chosen,
            noise="noisy maximum",
            sensitivity=score_range(moved) / COEFFICIENT_UNITS,
            scale=choice / COEFFICIENT_UNITS,
            epsilon=opendp_noise.make_choice(choice).map(score_range(moved)),
            **steps,
        ),
        Stage.from_ledger_stage(
            coefficients,
            noise="discrete Gaussian",
            sensitivity=moved / COEFFICIENT_UNITS,
            scale=sigma / COEFFICIENT_UNITS,
            rho=opendp_noise.make_gaussian(sigma).map(moved),
            **steps,
        ),
    )


def compose_stages(stages: Sequence[Stage], delta: float) -> float:
    """Return the proved ε at δ of all stages together: step 4."""
    total = sum(stage.epsilon or 0.0 for stage in stages)
    return (total + opendp_noise.zcdp_epsilon(stages[-1].rho or 0.0, delta)) * ROUNDING_MARGIN


def score_range(moved: float) -> int:
    """Return the range of a difference of two whole scores, step 2 of the proof."""
    return math.ceil(math.sqrt(2) * moved * ROUNDING_MARGIN) + 2


def plan(setting: Setting, view: Dataset) -> ReleasePlan:
    """Return the contents and cost of a release, from geometry and metadata alone."""
    parameters: DensityParameters = setting.parameters
    cap, cover = view.metadata.max_visits_cap, view.tessellation.cover_size
    stages = build_stages(paper_parameters(parameters, cap), cap)
    _, of_visits, _, sigma = (stage.drawn_scale for stage in stages)
    if sigma * math.sqrt(HOURS_PER_WEEK * cover) > _LARGEST_NOISE:
        rule = "epsilon must leave noise that fits whole numbers of 64 bits"
        raise ParameterError(rule, value=f"{parameters.epsilon:g}", remedy="choose it larger")
    return ReleasePlan.from_setting(
        setting,
        view,
        product="density-fourier",
        unit="person",
        delta=parameters.delta,
        limit=parameters.max_visits_per_user,
        stages=stages,
        composition="adaptive composition",
        cells=len(view.towers) + 1 + cover * HOURS_PER_WEEK,
        towers=len(view.towers),
        matrices=cover,
        error_bars=(
            ErrorBar(what="all visits of the week (totals.csv)", half_width=laplace_bar(of_visits)),
        ),
    )


def prepare(plan: ReleasePlan, view: Dataset) -> None:
    """Read the visits of a release; raise if they exceed whole numbers of 64 bits."""
    visits, single = view.presampled_by_tower(plan.limit), view.single_visit_by_tower
    people_public, _ = view.metadata.people_public or 0, view.truth_by_tower
    if max(people_public, single.sum(), visits.sum(axis=0).max()) > MAX_PEOPLE:
        raise DatasetError(
            f"the papers' scheme is released for at most {MAX_PEOPLE:,} people",
            remedy="release towers with Laplace noise, or by our own method; nothing was spent",
        )


def write(plan: ReleasePlan, view: Dataset, folder: Path, progress: Progress) -> None:
    """Draw once and write zones by hour, and the noisy visit total with its bar."""
    settings = paper_parameters(plan.parameters, view.metadata.max_visits_cap)
    counts, visits = draw_density(view, settings, plan.stages)
    progress(0.9)
    write_density(view.zones, {"visits": np.floor(counts + 0.5).astype(np.int64)}, folder)
    write_zones(view.zones, {"visits": np.rint(counts.sum(axis=1))}, folder)
    ends = {"low_95": [visits - int(plan.bar)], "high_95": [visits + int(plan.bar)]}
    write_table(folder / "totals.csv", [{"what": ["all visits"], "visits": [visits], **ends}])


def draw_density(
    view: Dataset, parameters: DensityParameters, stages: Sequence[Stage]
) -> tuple[Floats, int]:
    """Return one draw of visits by zone and hour (0 where the noise exceeds the data) and K̂."""
    places = view.tessellation
    of_people, of_visits, choice, sigma = (stage.drawn_scale for stage in stages)
    histogram = opendp_noise.discrete_laplace(view.single_visit_by_tower, of_people)
    visits = int(opendp_noise.discrete_laplace(view.truth_by_tower.sum()[None], of_visits)[0])
    people = int(histogram.sum())
    totals = places.to_cover @ (histogram * (visits / people if min(people, visits) > 0 else 0.0))
    if not (totals > 0).any():
        return np.zeros((len(view.zones), HOURS_PER_WEEK)), visits
    minimum = parameters.cluster_minimum
    if minimum is None:
        minimum = default_cluster_minimum(parameters)
    clusters = cluster_cells(totals, places.cover_centres_m, places.cover_areas_m2, minimum)
    exact = exact_coefficients(view, parameters.max_visits_per_user, clusters)
    coefficient_count = 1 + opendp_noise.noisy_min(exact_scores(exact, sigma), choice)
    noisy = np.zeros(exact.shape)
    noisy[:, :coefficient_count] = (
        opendp_noise.discrete_gaussian(exact[:, :coefficient_count], sigma) / COEFFICIENT_UNITS
    )
    shapes = to_shares(to_series(noisy))
    if parameters.smoothing:
        shapes = smooth_nights(shapes)
    cover = np.maximum(totals, 0.0)[:, None] * shapes[clusters]
    return places.to_zones @ cover, visits


def exact_coefficients(view: Dataset, kept_visits: int, clusters: Integers) -> Integers:
    """Return the coefficients of all clusters in whole 1/`COEFFICIENT_UNITS` (confidential)."""
    series = integer_split(view.tessellation.to_cover) @ view.presampled_by_tower(kept_visits)
    summed = np.zeros((int(clusters.max()) + 1, HOURS_PER_WEEK), dtype=np.int64)
    np.add.at(summed, clusters, series)
    return summed @ integer_dct()[0].T


def exact_scores(exact: Integers, sigma: float) -> list[int]:
    """Return u(1) … u(168) in whole steps: exact floors of roots of whole sums of squares."""
    squares = [int(square) for square in (exact.astype(object) ** 2).sum(axis=0)]
    expected = sigma * np.sqrt(np.arange(1, HOURS_PER_WEEK + 1) * float(len(exact)))
    losses: list[int] = []
    tail = 0
    for k in range(HOURS_PER_WEEK, 0, -1):
        losses.append(math.isqrt(tail) + int(expected[k - 1]))
        tail += squares[k - 1]
    return losses[::-1]
