"""The exact best attack: what one who knows everything else reaches against one target.

**Flows.** Only cells that the target travels in can betray it. He adds x trips to the m of all
others. With noise Z a cell is released as m + Z without the target and as m + x + Z with him, if
that is at least τ′ = max(τ, 1), and as 0 otherwise; of all results at most x + 3 differ in loss.
Losses add up over cells and matrices, and the likelihood-ratio test on the sum is the best.

**Density.** Every stage that reads people has a worst case known in closed form, its trade-off
curve: Laplace noise of scale b on a count that the target changes by Δ; Gaussian noise with Δ₂/σ;
an exponential mechanism whose log-ratios lie within a range η. The target's visits are placed
where they betray him most: each in an hour and a cell of its own for counts, all in one cell for
totals, all in one coefficient for shapes. That no other placement betrays more is proved in
``docs/attack-and-report.md``, but for the two methods in which every cluster chooses with a loss
of its own (`by_cluster`): there it holds for visits in one cluster.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from .. import validation
from ..arrays import Floats
from ..datasets.zoomtables import USUAL, ZoomClips
from ..density import METHODS, ledger as density_ledger
from ..density.accounting import BOUNDED_RANGE_FACTOR_SQUARED
from ..density.zoom import strengths_of
from ..errors import ParameterError
from ..ledger import Kind, Noise, Notion, Stage
from ..origin_destination import LawName, NoiseLaw, ledger as trips_ledger, suppresses
from ..parameters import DensityParameters, ODParameters
from .guarantee import Guarantee
from .losses import POINTS, Losses, Part, composed, from_deltas, randomised_response

MOST = 10_000
"""Most trips, cells or days of a target."""
MOST_RESULTS = 10**6
"""Most results that are composed."""
LARGEST_FLOW = 10**9

_COUNTS = frozenset({Kind.ZONE_COUNTS, Kind.TOWER_COUNTS, Kind.COVER_COUNTS})
_GAUSSIAN = frozenset({Noise.CLASSICAL_GAUSSIAN, Noise.ANALYTIC_GAUSSIAN})


@dataclass(frozen=True, kw_only=True)
class Corridor:
    """Cells of equal standing: an origin and a destination with the target's trips in it.

    So many (`cells`, 1 to 10,000) have x `trips` of the target each, 1 to 10,000, and a `rest` of m
    trips of others, 0 to 1e9.
    """

    trips: int
    rest: int
    cells: int = 1

    def __post_init__(self) -> None:
        for name, least, most, remedy in (
            ("trips", 1, MOST, "a target without trips leaves no trace"),
            ("rest", 0, LARGEST_FLOW, "it is the number of all other trips"),
            ("cells", 1, MOST, "it is how many such flows there are"),
        ):
            validation.whole_number(name, getattr(self, name), least, most, remedy=remedy)


@dataclass(frozen=True, eq=False, kw_only=True)
class Attack:
    """What an attacker reaches, beside what the guarantee allows him.

    Parameters
    ----------
    losses : Losses
        Of all that is released, in against out; its ``best_guess`` is what the best test gets.
    limit : Losses
        Of the worst mechanism with the same guarantee.
    guarantee : Guarantee
        Of one release, for all that the target has in it.
    """

    losses: Losses
    limit: Losses
    guarantee: Guarantee


def strongest(
    target: Sequence[Corridor],
    parameters: ODParameters,
    *,
    days: int = 1,
    law: LawName = "rounded_laplace",
) -> Attack:
    """Return the best attack on matrices of flows of one who knows all trips but the target's.

    Parameters
    ----------
    target : sequence of Corridor
        The target's trips in one matrix, after trimming, and all other trips in their cells.
    parameters : ODParameters
        ε, T, τ, the unit of protection and the method, which hands on noisy cells below τ where it
        suppresses nothing. At ``trip`` a target with n trips in a matrix has a guarantee of n·ε; at
        ``person-day`` and ``person`` it is ε, and n is at most T.
    days : int
        Daily matrices that hold such a target's trips, 1 to 10,000; 1 at ``person``.
    law : str
        Noise: ``rounded_laplace`` as published, ``discrete_laplace`` of a release and of methods
        whose noise is whole numbers from the start.

    Examples
    --------
    >>> one_trip = [Corridor(trips=1, rest=10**6)]
    >>> attack = strongest(one_trip, ODParameters(epsilon=0.5, unit="trip"))
    >>> round(100 * attack.losses.best_guess), round(100 * attack.limit.best_guess)
    (61, 62)
    """
    releases = _checked_days(days, parameters)
    trips = _checked_trips(target, parameters)
    threshold = parameters.suppression_threshold if suppresses(parameters) else None
    parts: list[Part] = []
    for stage in trips_ledger(parameters).stages:
        assert stage.noise_scale is not None
        if stage.noise is Noise.DISCRETE_LAPLACE and law != "discrete_laplace":
            raise ParameterError(
                f"law must be 'discrete_laplace' for method={parameters.method!r}, got {law!r}; "
                "its noise is whole numbers from the start"
            )
        noise = NoiseLaw(1 / stage.noise_scale, law)
        if stage.kind is not Kind.FLOWS:  # trips beyond T: of those who reach it, at worst all
            if trips == parameters.max_trips_per_user:
                beyond = int(stage.sensitivity)
                parts.append((*_cell(noise, beyond, LARGEST_FLOW, None), releases))
            continue
        parts += [
            (*_cell(noise, at.trips, at.rest, threshold), at.cells * releases) for at in target
        ]
    if (results := sum(times for *_, times in parts)) > MOST_RESULTS:
        raise ParameterError(
            f"cells × days must be at most {MOST_RESULTS:,}, got {results:,}; ask for fewer days"
        )
    loss = parameters.epsilon * (trips if parameters.unit == "trip" else 1)
    limit = composed([(*randomised_response(loss), releases)])
    return Attack(losses=composed(parts), limit=limit, guarantee=Guarantee(epsilon=loss))


def _cell(noise: NoiseLaw, trips: int, rest: int, threshold: int | None) -> tuple[Floats, Floats]:
    """Return the chances of what one cell is released as, with and without the target."""
    # below m all results are in the lower tails of both laws: suppressed or not, they say the same
    first = rest if threshold is None else max(threshold, 1, rest)
    between = np.arange(first, rest + trips + 1)  # empty where m + x < τ′
    end = max(first, rest + trips + 1)
    inside, outside = (
        np.r_[
            noise.tail(1 - (first - centre)), noise.pmf(between - centre), noise.tail(end - centre)
        ]
        for centre in (rest + trips, rest)
    )
    return inside, outside


def _checked_days(days: int, parameters: ODParameters) -> int:
    remedy = "one matrix is released a day"
    count = validation.whole_number("days", days, 1, MOST, remedy=remedy)
    if parameters.unit == "person" and count != 1:
        raise ParameterError(
            f"days must be 1 at unit='person', got {days!r}; one matrix covers the whole period"
        )
    return count


def _checked_trips(target: Sequence[Corridor], parameters: ODParameters) -> int:
    if not target:
        raise ParameterError(
            "target must have at least one Corridor, got none; without trips it leaves no trace"
        )
    trips = sum(at.trips * at.cells for at in target)
    if parameters.unit != "trip" and trips > parameters.max_trips_per_user:
        raise ParameterError(
            f"target must have at most max_trips_per_user = {parameters.max_trips_per_user} trips "
            f"at unit={parameters.unit!r}, got {trips}; trimming keeps no more of them"
        )
    return trips


@dataclass(frozen=True, kw_only=True)
class Visitor:
    """The target of an attack on the density.

    `visits` are those that pre-sampling keeps, 1 to ℓ (any number for `zoom`, which samples
    nobody), `all_visits` those of the whole week, at most K_max; None takes `visits`.
    """

    visits: int
    all_visits: int | None = None

    def __post_init__(self) -> None:
        remedy = "a target without visits leaves no trace"
        kept = validation.whole_number("visits", self.visits, 1, remedy=remedy)
        if self.all_visits is not None:
            remedy = "kept visits are some of all"
            validation.whole_number("all_visits", self.all_visits, kept, remedy=remedy)


class StageLoss(NamedTuple):
    """What one stage says about the target at worst, as often as there are draws like it.

    The size is Δ/b of ``laplace``, Δ₂/σ of ``gaussian``, the range η of a ``choice``.
    """

    mechanism: str
    size: float
    times: int = 1

    @property
    def reach(self) -> float:
        """A loss of one draw that is exceeded with a probability of no account."""
        return self.size * (self.size / 2 + 8) if self.mechanism == "gaussian" else self.size


def strongest_on_density(
    target: Visitor,
    parameters: DensityParameters,
    *,
    cover_size: int,
    max_visits_cap: int,
    clips: ZoomClips = USUAL,
) -> Attack:
    """Return the best attack on one density release of one who knows all other visits.

    `cover_size`, `max_visits_cap` and `clips` (of `zoom`) are |ℂ|, K_max and the dataset's, public.
    ``guarantee`` and ``limit`` are of the best proved total. No attack on a target with so many
    visits is stronger, wherever they lie; where `by_cluster`, if they lie in one cluster.

    Examples
    --------
    >>> parameters = DensityParameters(epsilon=1.0, delta=1e-6, method="lpa")
    >>> attack = strongest_on_density(
    ...     Visitor(visits=1), parameters, cover_size=100, max_visits_cap=840)
    >>> round(attack.losses.advantage, 4), round(1 - math.exp(-1 / 60), 4)
    (0.0165, 0.0165)
    """
    stages = stage_losses(
        target, parameters, cover_size=cover_size, max_visits_cap=max_visits_cap, clips=clips
    )
    width = 2 * math.fsum(each.reach * each.times for each in stages) / POINTS
    parts: list[Part] = []
    for each in stages:
        last = math.ceil(each.reach / width)
        epsilons = np.arange(-last, last + 1, dtype=np.float64) * width
        deltas = _DELTAS[each.mechanism](epsilons, each.size)
        parts.append((*from_deltas(epsilons, deltas), each.times))
    account = density_ledger(parameters, cover_size=cover_size, max_visits_cap=max_visits_cap)
    delta = 0.0 if account.proved_notion is Notion.PURE else account.delta
    kept = Guarantee(epsilon=account.proved_epsilon, delta=delta)
    in_, out = randomised_response(kept.epsilon)
    worst = np.r_[(1 - delta) * in_, delta, 0.0], np.r_[(1 - delta) * out, 0.0, delta]
    return Attack(losses=composed(parts, width), limit=composed([(*worst, 1)]), guarantee=kept)


def stage_losses(
    target: Visitor,
    parameters: DensityParameters,
    *,
    cover_size: int,
    max_visits_cap: int,
    clips: ZoomClips = USUAL,
) -> tuple[StageLoss, ...]:
    """Return what each stage of the ledger says about the target at worst.

    Examples
    --------
    >>> parameters = DensityParameters(epsilon=0.3, delta=2e-6)
    >>> [(each.mechanism, round(each.size, 4)) for each in stage_losses(
    ...     Visitor(visits=30), parameters, cover_size=934, max_visits_cap=732)]
    [('laplace', 0.075), ('laplace', 0.0031), ('choice', 0.053), ('gaussian', 0.0139)]
    """
    every = _checked_visits(target, parameters, max_visits_cap)
    stages = density_ledger(parameters, cover_size=cover_size, max_visits_cap=max_visits_cap).stages
    if stages[0].noise is Noise.SHARED_GAUSSIAN:  # reads all visits
        sizes = strengths_of(every, parameters, max_visits_cap, clips)
        return tuple(StageLoss("gaussian", size) for size in sizes)
    return tuple(_stage_loss(stage, target.visits, every, parameters) for stage in stages)


def by_cluster(parameters: DensityParameters) -> bool:
    """Return whether each cluster is perturbed with a loss of its own."""
    stages = density_ledger(parameters, cover_size=1, max_visits_cap=1).stages
    return any(stage.kind is Kind.CHOICE_BY_CLUSTER for stage in stages)


def _stage_loss(stage: Stage, visits: int, every: int, parameters: DensityParameters) -> StageLoss:
    if stage.noise is Noise.EXPONENTIAL:
        # κ·ε_E/(4√ℓ)·‖Δ‖₂ with ε_E = ε/2 and ‖Δ‖₂ = √visits (erratum D1)
        share = math.sqrt(visits / parameters.max_visits_per_user)
        reach = math.sqrt(BOUNDED_RANGE_FACTOR_SQUARED) * parameters.epsilon / 8 * share
        return StageLoss("choice", reach)
    assert stage.noise_scale is not None
    if stage.kind in _COUNTS:
        return StageLoss("laplace", 1 / stage.noise_scale, visits)
    changes = {
        Kind.TOWER_SHARES: 1.0,
        Kind.ALL_VISITS: every,
        Kind.COVER_TOTALS: visits,
        Kind.COEFFICIENTS: math.sqrt(visits),
    }
    mechanism = "gaussian" if stage.noise in _GAUSSIAN else "laplace"
    return StageLoss(mechanism, changes[stage.kind] / stage.noise_scale)


def _checked_visits(target: Visitor, parameters: DensityParameters, max_visits_cap: int) -> int:
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
    return every


def laplace_delta(epsilon: Floats, size: float) -> Floats:
    """Return the least δ of Laplace noise; size = Δ/b."""
    within = -np.expm1((np.minimum(epsilon, size) - size) / 2)
    return np.where(epsilon < -size, -np.expm1(epsilon), within)


def gaussian_delta(epsilon: Floats, size: float) -> Floats:
    """Return the least δ of Gaussian noise (Balle and Wang 2018, Theorem 8); size = Δ₂/σ."""
    return ndtr(size / 2 - epsilon / size) - np.exp(epsilon) * ndtr(-size / 2 - epsilon / size)


def bounded_range_delta(epsilon: Floats, reach: float) -> Floats:
    """Return the least δ of any mechanism with log-ratios within a range η = `reach`.

    δ = (e^(η/2) − e^(ε/2))²/(e^η − 1) for |ε| ≤ η (from the worst pair of Dong, Durfee and Rogers,
    "Optimal differential privacy composition for exponential mechanisms", 2020); the advantage is
    tanh(η/4), about half of what pure DP with the same η allows.
    """
    inner = np.clip(epsilon, -reach, reach)
    within = np.expm1((reach - inner) / 2) ** 2 * np.exp(inner) / np.expm1(reach)
    return np.where(epsilon < -reach, -np.expm1(epsilon), within)


_DELTAS = {"laplace": laplace_delta, "gaussian": gaussian_delta, "choice": bounded_range_delta}
