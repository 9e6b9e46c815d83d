"""A mobility epidemic, with true and with private trips (P2, "Empirical Simulations").

The model is the mobility SIR of Goel and Sharma: each zone i has N_i people, each day t a matrix M
of trips, and with p_j = I_j/N_j

    dS_i/dt = −β·S_i·p_i − α·β·S_i·(Σ_j M_ij·p_j)/(N_i + Σ_j M_ij),
    dR_i/dt = μ·I_i,    dI_i/dt = −dS_i/dt − dR_i/dt.

Erratum E1: P2 prints dR_i/dt = μ·I_i/N_i, which lets fewer than one person a day recover, and
dI_i/dt = dS_i/dt − dR_i/dt, whose sign is wrong. P2 prints departures M_ij, as here, where its
words ("visitors") suggest arrivals M_ji. A day is one Euler step.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from .. import origin_destination as od, validation
from ..arrays import Float32s, Floats
from ..contract import draw_generators
from ..datasets import Dataset, memoise
from ..errors import DatasetError, ParameterError
from ..origin_destination.matrices import Days, day_indices, truncated_counts
from ..parameters import ODParameters, ODUnit
from .rules import zone_positions

BLOCK_CELLS = 2**22
"""Maximum numbers in one block (32 MB): trips of a whole period, prevalence of some draws."""
FIRST_DRAWS, MAX_DRAWS = 4, 16
"""Draws of the first block, for which a person waits, and of the later ones."""


@dataclass(frozen=True, kw_only=True)
class EpidemicParameters:
    """Settings of the epidemic model; the defaults are P2's.

    β are infections per infected person and day among residents, μ the share of the infected who
    recover in a day, α mixing with travellers relative to mixing with residents; `seed_share` of
    the origin's people are infected on the first day. β·(1 + α) and μ are at most 1, or a day
    could move more people out of a compartment than are in it.
    """

    beta: float = 0.10
    mu: float = 0.04
    alpha: float = 1.0
    seed_share: float = 0.01

    def __post_init__(self) -> None:
        validation.check_above("beta", self.beta, 0, "0.06 to 0.39 was fitted to COVID-19")
        validation.check_above("mu", self.mu, 0, "0.04 to 0.19 was fitted to COVID-19")
        validation.check_at_least("alpha", self.alpha, 0, "1 mixes travellers like residents")
        validation.check_inside("seed_share", self.seed_share, 0, 1, "0.01 is P2's")
        for rule, value in (("beta·(1 + alpha)", self.beta * (1 + self.alpha)), ("mu", self.mu)):
            if value > 1:
                rule += " must be at most 1, or a day could move more people than there are"
                raise ParameterError(rule, value=f"{value:.4g}", remedy="take a smaller rate")


class EpidemicScenario:
    """Checked arguments of an epidemic, shared by all functions here."""

    def __init__(
        self, dataset: Dataset, origins: Sequence[str], model: EpidemicParameters | None, days: Days
    ) -> None:
        self.dataset, self.days = dataset, day_indices(dataset, days)
        if len(self.days) < 2:
            rule, remedy = "an epidemic needs trips on at least 2 days", "choose more days"
            raise ParameterError(rule, value="1", remedy=remedy)
        self.origins = zone_positions(dataset, origins, "origins")
        self.people, self.model = people_by_home(dataset), model or EpidemicParameters()

    def matrices(self, unit: ODUnit, max_trips_per_user: int) -> Iterator[Floats]:
        """Yield the truncated trips of each day but the last, shape (zones, zones)."""
        zones, limit = len(self.people), 1 if unit == "trip" else max_trips_per_user

        def load_truncated(days: tuple[int, ...]) -> Floats:
            return truncated_counts(self.dataset, unit, limit, days).astype(np.float64)

        if len(self.days) * zones * zones <= BLOCK_CELLS:
            # a slider requests them again and again
            cache_key = ("trips of a period", unit, limit, self.days)
            yield from memoise(self.dataset, cache_key, lambda: load_truncated(self.days))[:-1]
            return
        for day in self.days[:-1]:
            yield load_truncated((day,))[0]

    def simulate(self, matrices: Iterator[Floats], people: Floats) -> Floats:
        """Return I/N along the given matrices, one for each day but the last.

        `people` have shape (…, zones), matrices (…, zones, zones), the result (…, origins, days,
        zones). A year takes thousands of small steps, so memory is allocated once and one product
        gives both the infected contacts and the trips of each zone.
        """
        model, people = self.model, people[..., None, :]
        shape = (*people.shape[:-2], len(self.origins), people.shape[-1])
        infected = np.zeros(shape)
        for row, zone in enumerate(self.origins):
            infected[..., row, zone] = model.seed_share * people[..., 0, zone]
        susceptible = people - infected
        # infected times this is β·I/N in a day
        pressing = np.broadcast_to(model.beta / people, shape).copy()
        # a last row of ones gives each zone's trips
        shares = np.ones((*shape[:-2], len(self.origins) + 1, shape[-1]))
        pressure, sums, moved = shares[..., :-1, :], np.empty_like(shares), np.empty(shape)
        prevalence = [infected / people]
        for flows in matrices:
            np.multiply(infected, pressing, pressure)
            np.matmul(shares, flows.swapaxes(-1, -2), sums)
            np.divide(sums[..., :-1, :], people + sums[..., -1:, :], moved)
            moved *= model.alpha
            moved += pressure
            moved *= susceptible  # infections
            susceptible -= moved
            infected *= 1 - model.mu
            infected += moved
            prevalence.append(infected / people)
        return np.stack(prevalence, axis=-2)


def people_by_home(dataset: Dataset) -> Floats:
    """Return people by home zone, N_i, all above 0 and confidential like the trips."""
    homes = dataset.homes
    if homes is None:
        need = f"an epidemic needs people by zone, and dataset '{dataset.id}' holds no homes"
        raise DatasetError(need, remedy="choose a dataset that tells where people live")
    if empty := int((homes <= 0).sum()):
        need = f"every zone needs people, but nobody lives in {empty} zones of '{dataset.id}'"
        raise DatasetError(need, remedy="leave out those zones and their trips")
    return homes.astype(np.float64)


def simulate_true_epidemic(
    dataset: Dataset,
    origins: Sequence[str],
    model: EpidemicParameters | None = None,
    *,
    days: Days = None,
) -> Floats:
    """Return the prevalence with the true trips (confidential), shape (origins, days, zones).

    One epidemic starts in each of the zones (ids) `origins`. A `model` of None takes P2's values,
    `days` of None all positions in the declared period. There must be trips on two days and people
    in every zone.
    """
    scene = EpidemicScenario(dataset, origins, model, days)
    return scene.simulate(scene.matrices("trip", 1), scene.people)


def simulate_private_epidemics(
    dataset: Dataset,
    origins: Sequence[str],
    model: EpidemicParameters | None,
    settings: Sequence[ODParameters],
    draws: int,
    *,
    rng: np.random.Generator,
    days: Days = None,
) -> Iterator[Floats]:
    """Yield the prevalence with private releases of every day, block by block of draws.

    Blocks, shape (settings, draws, origins, days, zones), are in the order of draws; the first has
    at most `FIRST_DRAWS`. All settings have the same method, unit and T; N gets Laplace noise of
    scale 1/ε of its own. Draw i of a longer run equals draw i of a shorter one.
    """
    draw_count = validation.check_whole_number("draws", draws, 1, remedy="20 is usual")
    if len({(item.method, item.unit, item.max_trips_per_user) for item in settings}) != 1:
        rule = "settings must be at least one, with the same method, unit and max_trips_per_user"
        got = f"{len(settings)} that differ" if settings else "none"
        raise ParameterError(rule, value=got, remedy="compare different units in separate runs")
    scene = EpidemicScenario(dataset, origins, model, days)
    numbered = draw_generators(rng)
    zones = len(scene.people)
    cells_per_draw = len(settings) * zones * max(zones, len(scene.origins) * len(scene.days))
    draws_per_block = max(1, min(MAX_DRAWS, BLOCK_CELLS // cells_per_draw))
    starts = range(min(draws_per_block, FIRST_DRAWS), draw_count, draws_per_block)
    spans = pairwise([0, *starts, draw_count])
    return (_simulate_block(scene, settings, [*map(numbered, range(*span))]) for span in spans)


def _simulate_block(
    scene: EpidemicScenario,
    settings: Sequence[ODParameters],
    generators: Sequence[np.random.Generator],
) -> Floats:
    standard = np.stack([item.laplace(size=len(scene.people)) for item in generators])
    scales = np.array([1 / item.epsilon for item in settings])[:, None, None]
    people = np.maximum(scene.people + scales * standard, 1.0)  # so that prevalence stays defined
    is_by_flow = od.METHODS[settings[0].method].has_flow_distribution
    released = _release_by_flow if is_by_flow else _release_by_method
    return scene.simulate(released(scene, settings, generators), people)


def _release_by_flow(
    scene: EpidemicScenario,
    settings: Sequence[ODParameters],
    generators: Sequence[np.random.Generator],
) -> Iterator[Floats]:
    """Yield Algorithm 1 of each day, with one noise for all settings, in memory allocated once."""
    shape = (len(generators), len(scene.people), len(scene.people))
    standard, room = np.empty(shape, np.float32), np.empty(shape, np.float32)
    pair, diagonals = np.empty((2, *shape[1:]), np.float32), np.einsum("dzz->dz", standard)
    released = np.empty((len(settings), *shape))
    for matrix in scene.matrices(settings[0].unit, settings[0].max_trips_per_user):
        for variates, generator in zip(standard, generators, strict=True):
            standard_laplace(generator, pair, out=variates)
        diagonals[...] = 0.0  # an empty cell without noise is released as 0
        for private, parameters in zip(released, settings, strict=True):
            add_noise_and_suppress(matrix, standard, parameters, room=room, out=private)
        yield released


def standard_laplace(rng: np.random.Generator, pair: Float32s, *, out: Float32s) -> None:
    """Fill `out` with Laplace variates in memory `pair`, twice as quickly as ``rng.laplace``."""
    rng.standard_exponential(out=pair, dtype=np.float32)
    np.subtract(pair[0], pair[1], out=out)


def add_noise_and_suppress(
    counts: Floats, standard: Float32s, settings: ODParameters, *, room: Float32s, out: Floats
) -> None:
    """Fill `out` with Algorithm 1 on truncated counts: count + ⌊scale·η + ½⌋, and 0 below τ′."""
    np.multiply(standard, settings.noise_scale, out=room)
    np.add(room, 0.5, out=room)
    np.floor(room, out=room)
    np.add(counts, room, out=out)
    out *= out >= settings.min_shown_count


def _release_by_method(
    scene: EpidemicScenario,
    settings: Sequence[ODParameters],
    generators: Sequence[np.random.Generator],
) -> Iterator[Floats]:
    """Yield the releases of each day by any method, with one noise for all settings."""
    for day in scene.days[:-1]:
        draw = partial(od.draw_noise, scene.dataset, settings[0], days=(day,))
        noises = [draw(rng=generator) for generator in generators]
        release = partial(od.release, scene.dataset, days=(day,))
        yield np.array([[release(each, noise=n).counts[0] for n in noises] for each in settings])


def seed_zones(dataset: Dataset) -> dict[str, str]:
    """Return zone ids by role: the dataset's, or those of the largest and the median population."""
    ids = [str(zone) for zone in dataset.zones["zone_id"]]
    zone_by_role: Mapping[str, str] = dataset.metadata.scenario.get("epidemic_origins", {})
    if zone_by_role and set(zone_by_role.values()) <= set(ids):
        return dict(zone_by_role)
    order = np.argsort(-people_by_home(dataset), kind="stable")
    return {"largest": ids[order[0]], "mid_size": ids[order[len(order) // 2]]}
