"""The strongest attacker against the density: stage by stage of the ledger, then composed.

Every stage that reads people has a worst case known in closed form, its exact trade-off curve:
Laplace noise of scale b on a count that the target changes by Δ; Gaussian noise with Δ₂/σ; and an
exponential mechanism whose log-ratios lie within a range η. They are composed on a grid of losses.
The target's visits are placed where they betray him most: each in an hour and a cell of its own for
counts, all in one cell for totals, all in one coefficient for shapes. That no other placement
betrays more is proved in ``docs/attack.md``, but for the two methods in which every cluster is
perturbed with a loss of its own (`by_cluster`): there it holds for visits in one cluster.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtr

from .. import validation
from ..arrays import Floats
from ..composition import from_deltas
from ..density import METHODS, ledger
from ..density.accounting import BOUNDED_RANGE_FACTOR_SQUARED
from ..density.zoom.costs import strengths_of
from ..errors import ParameterError
from ..ledger import Kind, Noise, Notion, Stage
from ..losses import Losses, composed_on_grid
from ..parameters import DensityParameters
from ..risk import Guarantee
from .roc import Roc, limit, roc
from .strongest import Attack

_COUNTS = frozenset({Kind.ZONE_COUNTS, Kind.TOWER_COUNTS, Kind.COVER_COUNTS})
_GAUSSIAN = frozenset({Noise.CLASSICAL_GAUSSIAN, Noise.ANALYTIC_GAUSSIAN})
_STEPS = 5_000  # of the grid from a loss of 0 to the largest of all stages


@dataclass(frozen=True, kw_only=True)
class Visitor:
    """The target of an attack on the density.

    Parameters
    ----------
    visits : int
        His visits that pre-sampling keeps, 1 to ℓ; any number for `zoom`, which samples nobody.
    all_visits : int or None
        His visits of the whole week, at least `visits` and at most K_max; None takes `visits`.
    """

    visits: int
    all_visits: int | None = None

    def __post_init__(self) -> None:
        kept = validation.whole_number(
            "visits", self.visits, 1, remedy="a target without visits leaves no trace"
        )
        if self.all_visits is not None:
            validation.whole_number(
                "all_visits", self.all_visits, kept, remedy="kept visits are some of all"
            )


@dataclass(frozen=True, kw_only=True)
class StageLoss:
    """What one stage says about the target at worst.

    Attributes
    ----------
    stage : Stage
        Of the ledger.
    mechanism : str
        ``laplace``, ``gaussian`` or ``choice``.
    size : float
        Laplace: Δ/b. Gaussian: Δ₂/σ. Choice: the range η of its log-ratios.
    times : int
        How many independent draws like this one read the target.
    """

    stage: Stage
    mechanism: str
    size: float
    times: int = 1


def strongest_on_density(
    target: Visitor, parameters: DensityParameters, *, cover_size: int, max_visits_cap: int
) -> Attack:
    """Return the best attack on one density release of one who knows all other visits.

    `cover_size` and `max_visits_cap` are |ℂ| and K_max, both public.

    Returns
    -------
    Attack
        ``guarantee`` and ``limit`` are of the best proved total, which a release with most visits
        and this attacker come closest to. No attack on a target with so many visits is stronger,
        wherever they lie; where `by_cluster`, if they lie in one cluster.

    Raises
    ------
    ParameterError
        If the target has more visits than ℓ or K_max.

    Examples
    --------
    >>> parameters = DensityParameters(epsilon=1.0, delta=1e-6, method="lpa")
    >>> attack = strongest_on_density(
    ...     Visitor(visits=1), parameters, cover_size=100, max_visits_cap=840)
    >>> round(attack.roc.advantage, 4), round(1 - math.exp(-1 / 60), 4)
    (0.0165, 0.0165)
    """
    stages = stage_losses(target, parameters, cover_size=cover_size, max_visits_cap=max_visits_cap)
    account = ledger(parameters, cover_size=cover_size, max_visits_cap=max_visits_cap)
    delta = 0.0 if account.proved_notion is Notion.PURE else account.delta
    kept = Guarantee(epsilon=account.proved_epsilon, delta=delta)
    return Attack(roc=_composed(stages), limit=limit(kept), guarantee=kept, releases=1)


def stage_losses(
    target: Visitor, parameters: DensityParameters, *, cover_size: int, max_visits_cap: int
) -> tuple[StageLoss, ...]:
    """Return what each stage of the ledger says about the target at worst.

    Examples
    --------
    >>> parameters = DensityParameters(epsilon=0.3, delta=2e-6)
    >>> [(each.mechanism, round(each.size, 4)) for each in stage_losses(
    ...     Visitor(visits=30), parameters, cover_size=934, max_visits_cap=732)]
    [('laplace', 0.075), ('laplace', 0.0031), ('choice', 0.053), ('gaussian', 0.0139)]
    """
    visits, every = _checked(target, parameters, max_visits_cap)
    stages = ledger(parameters, cover_size=cover_size, max_visits_cap=max_visits_cap).stages
    if stages[0].noise is Noise.SHARED_GAUSSIAN:  # reads all visits
        sizes = strengths_of(every, parameters, max_visits_cap)
        losses = zip(stages, sizes, strict=True)
        return tuple(StageLoss(stage=s, mechanism="gaussian", size=size) for s, size in losses)
    return tuple(_loss(stage, visits, every, parameters) for stage in stages)


def by_cluster(parameters: DensityParameters) -> bool:
    """Return whether each cluster is perturbed with a loss of its own.

    There the attack is the strongest only on a target with all visits in one cluster.

    Examples
    --------
    >>> [by_cluster(DensityParameters(epsilon=1.0, method=each)) for each in ("efpag", "lpa")]
    [True, False]
    """
    stages = ledger(parameters, cover_size=1, max_visits_cap=1).stages
    return any(stage.kind is Kind.CHOICE_BY_CLUSTER for stage in stages)


def _loss(stage: Stage, visits: int, every: int, parameters: DensityParameters) -> StageLoss:
    if stage.noise is Noise.EXPONENTIAL:
        # κ·ε_E/(4√ℓ)·‖Δ‖₂ with ε_E = ε/2 and ‖Δ‖₂ = √visits (erratum D1)
        share = math.sqrt(visits / parameters.max_visits_per_user)
        reach = math.sqrt(BOUNDED_RANGE_FACTOR_SQUARED) * parameters.epsilon / 8 * share
        return StageLoss(stage=stage, mechanism="choice", size=reach)
    assert stage.noise_scale is not None
    if stage.kind in _COUNTS:
        size = 1 / stage.noise_scale
        return StageLoss(stage=stage, mechanism="laplace", size=size, times=visits)
    changes = {
        Kind.TOWER_SHARES: 1.0,
        Kind.ALL_VISITS: every,
        Kind.COVER_TOTALS: visits,
        Kind.COEFFICIENTS: math.sqrt(visits),
    }
    size = changes[stage.kind] / stage.noise_scale
    mechanism = "gaussian" if stage.noise in _GAUSSIAN else "laplace"
    return StageLoss(stage=stage, mechanism=mechanism, size=size)


def bounded_range_delta(epsilon: Floats, reach: float) -> Floats:
    """Return the least δ at `epsilon` of any mechanism with log-ratios within a range η = `reach`.

    δ = (e^(η/2) − e^(ε/2))²/(e^η − 1) for |ε| ≤ η (from the worst pair of Dong, Durfee and Rogers,
    "Optimal differential privacy composition for exponential mechanisms", 2020); the advantage is
    tanh(η/4), about half of what pure DP with the same η allows.

    Examples
    --------
    >>> bool(np.isclose(bounded_range_delta(np.zeros(1), 0.2)[0], np.tanh(0.05)))
    True
    """
    inner = np.clip(epsilon, -reach, reach)
    within = np.expm1((reach - inner) / 2) ** 2 * np.exp(inner) / np.expm1(reach)
    return np.where(epsilon < -reach, -np.expm1(epsilon), within)


def _checked(
    target: Visitor, parameters: DensityParameters, max_visits_cap: int
) -> tuple[int, int]:
    sampled = "max_visits_per_user" in METHODS[parameters.method].uses
    if sampled and target.visits > parameters.max_visits_per_user:
        raise ParameterError(
            f"visits must be at most max_visits_per_user = {parameters.max_visits_per_user}, got "
            f"{target.visits}; pre-sampling keeps no more of them"
        )
    every = target.visits if target.all_visits is None else target.all_visits
    if every > max_visits_cap:
        raise ParameterError(
            f"all_visits must be at most max_visits_cap = {max_visits_cap}, got {every}; "
            "no more visits of a person are counted"
        )
    return target.visits, every


def _composed(stages: Sequence[StageLoss]) -> Roc:
    reach = math.fsum(_reach(stage) for stage in stages)
    width = reach / _STEPS
    total = composed_on_grid([(_losses(each, width), each.times) for each in stages], width)
    bounded = all(stage.mechanism != "gaussian" for stage in stages)
    return replace(roc(total), largest_loss=reach if bounded else math.inf)


def _reach(stage: StageLoss) -> float:
    """Return a loss that is exceeded with a probability of no account."""
    if stage.mechanism == "gaussian":
        return stage.size * (stage.size / 2 + 8)
    return stage.size * stage.times


def _losses(stage: StageLoss, width: float) -> Losses:
    """Return the losses of one draw of a stage, on a grid."""
    one = _reach(stage) / stage.times
    last = math.ceil(one / width)
    epsilons = np.arange(-last, last + 1, dtype=np.float64) * width
    return from_deltas(epsilons, _DELTAS[stage.mechanism](epsilons, stage.size))


def _laplace_delta(epsilon: Floats, size: float) -> Floats:
    """Return the least δ of Laplace noise; size = Δ/b."""
    within = -np.expm1((np.minimum(epsilon, size) - size) / 2)
    return np.where(epsilon < -size, -np.expm1(epsilon), within)


def _gaussian_delta(epsilon: Floats, size: float) -> Floats:
    """Return the least δ of Gaussian noise (Balle and Wang 2018, Theorem 8); size = Δ₂/σ."""
    return ndtr(size / 2 - epsilon / size) - np.exp(epsilon) * ndtr(-size / 2 - epsilon / size)


_DELTAS = {"laplace": _laplace_delta, "gaussian": _gaussian_delta, "choice": bounded_range_delta}
