"""Release of density by Fourier perturbation, `efpag_joint`, with noise from OpenDP alone.

The method of Acs and Castelluccia (2014) maps towers to the *cover*, a minimum vertex cover of the
graph of overlapping towers and zones, groups its cells into clusters, and keeps the first k cosine
coefficients of each cluster's week. It states real-valued noise. Here all arithmetic on
confidential counts is in whole numbers without rounding: shares of towers in cells in
1/`SHARE_UNITS`, cosines in 1/`COSINE_UNITS`. Let c bound the L₂ norm of that cosine transform, let
at most ℓ visits of a person count and Δ = c · `SHARE_UNITS` · √ℓ.

``docs/release.md`` proves the total in four steps: (1) one visit of each person by tower, and the
number of all visits, pure ε/4 each; (2) k by noisy minimum, pure ε/(4√2); (3) the first k
coefficients with Gaussian noise σ, (Δ/σ)²/2-zCDP; (4) adaptive composition. This ε is *the
paper's*; a release charges the total and derives the paper's ε from it.
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
from ..density.accounting import cluster_minimum, coefficient_scale, fourier_stages
from ..density.gaussian import bracketed_root
from ..density.mechanism import cluster_cells, to_series
from ..density.multiscale_estimation import to_shares
from ..density.smoothing import smooth_nights
from ..errors import DatasetError, ParameterError
from ..origin_destination.noise_bounds import cell_half_width
from ..parameters import CLASSICAL_GAUSSIAN_MAX_EPSILON, HOURS_PER_WEEK, DensityParameters
from . import opendp_noise
from .bundle import write_density, write_table, write_zones
from .plan import ROUNDING_MARGIN, ErrorBar, Progress, ReleasePlan, ReleaseStage

SHARE_UNITS = 2**12
COSINE_UNITS = 2**20
COEFFICIENT_UNITS = SHARE_UNITS * COSINE_UNITS
"""Whole numbers that stand for 1: of a share, a cosine and a coefficient."""

MAX_PEOPLE = 2**26
_MAX_NOISE = 2.0**61  # both keep sums of counts and noise below 2⁶³


@lru_cache(maxsize=1)
def integer_dct() -> tuple[Integers, int]:
    """Return the orthonormal cosine transform in whole 1/`COSINE_UNITS`, and c."""
    matrix: Any = dct(np.eye(HOURS_PER_WEEK), type=2, norm="ortho", axis=0)
    integer_matrix = np.rint(matrix * COSINE_UNITS).astype(np.int64)
    gram_row_sums = np.abs(integer_matrix @ integer_matrix.T).sum(axis=1)
    return integer_matrix, math.isqrt(int(gram_row_sums.max())) + 1  # Gershgorin's theorem


def integer_split(to_cover: Any) -> Any:
    """Return the shares of towers (columns) in cells in whole 1/`SHARE_UNITS`; columns sum to 1."""
    columns = to_cover.tocsc()
    data = np.floor(columns.data * SHARE_UNITS).astype(np.int64)
    for start, end in zip(columns.indptr[:-1], columns.indptr[1:], strict=True):
        remainders = columns.data[start:end] * SHARE_UNITS - data[start:end]
        largest_first = np.argsort(-remainders, kind="stable")
        data[start + largest_first[: SHARE_UNITS - data[start:end].sum()]] += 1
    return csr_array((data, columns.indices, columns.indptr), shape=columns.T.shape).T.tocsr()


def find_paper_parameters(parameters: DensityParameters, max_visits: int) -> DensityParameters:
    """Return the parameters at the paper's ε for which `parameters.epsilon` is the proved total."""
    if not parameters.scaling:  # of the cells' totals (the paper's section 5.4.1)
        rule = "Fourier perturbation must have its improved scaling in a release"
        remedy = "choose scaling=True, or release towers with Laplace noise"
        raise ParameterError(rule, value="scaling=False", remedy=remedy)
    stated_epsilon, highest = parameters.epsilon, 1.6 * parameters.epsilon

    def prove_epsilon(epsilon: float) -> float:
        stages = build_stages(replace(parameters, epsilon=epsilon), max_visits)
        return compose_stages(stages, parameters.delta)

    if parameters.gaussian == "classical":
        highest = min(highest, CLASSICAL_GAUSSIAN_MAX_EPSILON)
        if prove_epsilon(highest) < stated_epsilon:
            raise ParameterError(
                "epsilon must be below the total proved for the classical Gaussian at its limit, "
                f"a paper's ε of {CLASSICAL_GAUSSIAN_MAX_EPSILON:g}",
                value=f"{stated_epsilon:g}",
                remedy="choose the analytic Gaussian, or a smaller ε",
            )

    def excess_epsilon(epsilon: float) -> float:
        return prove_epsilon(epsilon) - stated_epsilon * (1 - 1e-9)

    return replace(parameters, epsilon=bracketed_root(excess_epsilon, stated_epsilon / 4, highest))


def build_stages(paper_parameters: DensityParameters, max_visits: int) -> tuple[ReleaseStage, ...]:
    """Return the four stages at the paper's ε, each with the cost that OpenDP states; all public.

    `max_visits` is the public bound on a person's visits. The last two stages are drawn in whole
    1/`COEFFICIENT_UNITS`.
    """
    norm = integer_dct()[1] * SHARE_UNITS * ROUNDING_MARGIN
    sensitivity = norm * math.sqrt(paper_parameters.max_visits_per_user) * ROUNDING_MARGIN
    *laplace_stages, choice, coefficients = fourier_stages(paper_parameters, max_visits)
    choice_scale = 8 * sensitivity / paper_parameters.epsilon
    sigma = coefficient_scale(paper_parameters) * norm
    fields: dict[str, Any] = {"norm": "L₂", "units_per_count": COEFFICIENT_UNITS}

    def build_laplace_stage(cost_stage: privacy_cost.Stage) -> ReleaseStage:
        scale = cost_stage.noise_scale or math.inf
        epsilon = opendp_noise.make_laplace(scale).map(int(cost_stage.sensitivity))
        return ReleaseStage.from_cost_stage(cost_stage, scale=scale, epsilon=epsilon)

    return (
        *map(build_laplace_stage, laplace_stages),
        ReleaseStage.from_cost_stage(
            choice,
            noise="noisy maximum",
            sensitivity=score_sensitivity(sensitivity) / COEFFICIENT_UNITS,
            scale=choice_scale / COEFFICIENT_UNITS,
            epsilon=opendp_noise.make_noisy_min(choice_scale).map(score_sensitivity(sensitivity)),
            **fields,
        ),
        ReleaseStage.from_cost_stage(
            coefficients,
            noise="discrete Gaussian",
            sensitivity=sensitivity / COEFFICIENT_UNITS,
            scale=sigma / COEFFICIENT_UNITS,
            rho=opendp_noise.make_gaussian(sigma).map(sensitivity),
            **fields,
        ),
    )


def compose_stages(stages: Sequence[ReleaseStage], delta: float) -> float:
    """Return the proved ε of all stages together at δ: step 4."""
    pure_epsilon = sum(stage.epsilon or 0.0 for stage in stages)
    gaussian_epsilon = opendp_noise.zcdp_epsilon(stages[-1].rho or 0.0, delta)
    return (pure_epsilon + gaussian_epsilon) * ROUNDING_MARGIN


def score_sensitivity(sensitivity: float) -> int:
    """Return by how much a person changes the difference of two scores in step 2, rounded up."""
    return math.ceil(math.sqrt(2) * sensitivity * ROUNDING_MARGIN) + 2


def plan(setting: Setting, view: Dataset) -> ReleasePlan:
    """Return the contents and cost of a release, from geometry and metadata alone."""
    parameters: DensityParameters = setting.parameters
    max_visits, cover_cells = view.metadata.max_visits_cap, view.tessellation.cover_size
    stages = build_stages(find_paper_parameters(parameters, max_visits), max_visits)
    _, visits_scale, _, sigma = (stage.drawn_scale for stage in stages)
    if sigma * math.sqrt(HOURS_PER_WEEK * cover_cells) > _MAX_NOISE:
        rule = "epsilon must be large enough that its noise fits whole numbers of 64 bits"
        raise ParameterError(rule, value=f"{parameters.epsilon:g}", remedy="choose it larger")
    quantity = "all visits of the week (totals.csv)"
    return ReleasePlan.from_setting(
        setting,
        view,
        product="density-fourier",
        unit="person",
        delta=parameters.delta,
        contribution_limit=parameters.max_visits_per_user,
        stages=stages,
        composition="adaptive composition",
        cell_count=len(view.towers) + 1 + cover_cells * HOURS_PER_WEEK,
        tower_count=len(view.towers),
        cover_cell_count=cover_cells,
        error_bars=(ErrorBar(quantity=quantity, half_width=cell_half_width(1 / visits_scale)),),
    )


def load_counts(plan: ReleasePlan, view: Dataset) -> None:
    """Read the counts of a release once; raise if they could exceed whole numbers of 64 bits."""
    visits = view.presampled_by_tower(plan.contribution_limit)
    people_public, people_by_tower = view.metadata.people_public or 0, view.single_visit_by_tower
    _ = view.truth_by_tower  # read by `write` as well
    if max(people_public, people_by_tower.sum(), visits.sum(axis=0).max()) > MAX_PEOPLE:
        raise DatasetError(
            f"Fourier perturbation can be released for at most {MAX_PEOPLE:,} people",
            remedy="release towers with Laplace noise, or multiscale; nothing was spent",
        )


def write(plan: ReleasePlan, view: Dataset, folder: Path, progress: Progress) -> None:
    """Write zones by hour, zones, and the noisy number of all visits, from one draw."""
    paper_parameters = find_paper_parameters(plan.parameters, view.metadata.max_visits_cap)
    counts, visits = draw_density(view, paper_parameters, plan.stages)
    progress(0.9)
    write_density(view.zones, {"visits": np.floor(counts + 0.5).astype(np.int64)}, folder)
    write_zones(view.zones, {"visits": np.rint(counts.sum(axis=1))}, folder)
    ends = {"low_95": [visits - int(plan.bar)], "high_95": [visits + int(plan.bar)]}
    write_table(folder / "totals.csv", [{"what": ["all visits"], "visits": [visits], **ends}])


def draw_density(
    view: Dataset, paper_parameters: DensityParameters, stages: Sequence[ReleaseStage]
) -> tuple[Floats, int]:
    """Return visits by zone and hour, and the number of all visits, from one draw of all noise.

    All visits by zone are 0 if a noisy total is not positive.
    """
    cover = view.tessellation
    people_scale, visits_scale, choice_scale, sigma = (stage.drawn_scale for stage in stages)
    noisy_people = opendp_noise.discrete_laplace(view.single_visit_by_tower, people_scale)
    visits = int(opendp_noise.discrete_laplace(view.truth_by_tower.sum()[None], visits_scale)[0])
    all_people = int(noisy_people.sum())
    visits_per_person = visits / all_people if min(all_people, visits) > 0 else 0.0
    totals = cover.to_cover @ (noisy_people * visits_per_person)
    if not (totals > 0).any():
        return np.zeros((len(view.zones), HOURS_PER_WEEK)), visits
    minimum = cluster_minimum(paper_parameters)
    clusters = cluster_cells(totals, cover.cover_centres_m, cover.cover_areas_m2, minimum)
    coefficients = exact_coefficients(view, paper_parameters.max_visits_per_user, clusters)
    k = 1 + opendp_noise.noisy_min(exact_scores(coefficients, sigma), choice_scale)
    noisy = np.zeros(coefficients.shape)
    noisy[:, :k] = opendp_noise.discrete_gaussian(coefficients[:, :k], sigma) / COEFFICIENT_UNITS
    shapes = to_shares(to_series(noisy))
    if paper_parameters.smoothing:
        shapes = smooth_nights(shapes)
    cell_visits = np.maximum(totals, 0.0)[:, None] * shapes[clusters]
    return cover.to_zones @ cell_visits, visits


def exact_coefficients(view: Dataset, max_visits: int, clusters: Integers) -> Integers:
    """Return cosine coefficients by cluster, in whole 1/`COEFFICIENT_UNITS` (confidential)."""
    cell_series = integer_split(view.tessellation.to_cover) @ view.presampled_by_tower(max_visits)
    cluster_series = np.zeros((int(clusters.max()) + 1, HOURS_PER_WEEK), dtype=np.int64)
    np.add.at(cluster_series, clusters, cell_series)
    return cluster_series @ integer_dct()[0].T


def exact_scores(coefficients: Integers, sigma: float) -> list[int]:
    """Return the score of each k = 1 … 168, the least of which is best (confidential).

    It estimates the L₂ error of keeping the first k coefficients: the root of the sum of squares of
    those left out, and the expected noise σ√(k · clusters) of those kept, both rounded down.
    """
    squares = [int(square) for square in (coefficients.astype(object) ** 2).sum(axis=0)]
    noise_norms = sigma * np.sqrt(np.arange(1, HOURS_PER_WEEK + 1) * float(len(coefficients)))
    scores: list[int] = []
    dropped_square = 0
    for k in range(HOURS_PER_WEEK, 0, -1):
        scores.append(math.isqrt(dropped_square) + int(noise_norms[k - 1]))
        dropped_square += squares[k - 1]
    return scores[::-1]
