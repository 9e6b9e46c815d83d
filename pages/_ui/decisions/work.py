"""Long work of the page, in steps: draws at one ε and draws over all ε."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

import numpy as np

from engine import contract, decisions
from engine.arrays import Floats
from engine.decisions.drawn import AidDraws
from engine.decisions.scoring import Comparison, acts, concatenate
from engine.parameters import EPSILON_STOPS, ODParameters
from pages._ui.cache import datasets as cached_datasets, decisions as cached_decisions
from pages._ui.cache.datasets import dataset
from pages._ui.cache.decisions import Emergency, Outbreak
from pages._ui.cache.draws import REPEATS, generator
from pages._ui.jobs import Step
from pages._ui.shell.settings import Seed
from pages._ui.views.context import Context

DRAWS_OVER_EPSILON = 40
"""Releases at every stop of ε: enough to show that 9 in 10 releases meet a target."""

FEWER_DRAWS, MANY_CELLS = 8, 5_000_000
"""From so many cells of all days on, fewer draws over ε are made."""

AID_DRAWS = 400


@dataclass(frozen=True, eq=False)
class Epidemics:
    """The epidemics at the ε of the slider.

    Attributes
    ----------
    estimate : bool
        Whether this is the run on the expected matrices, shown until draws are there.
    comparison : Comparison
        Arrays of shape (draws, origins, zones).
    low, middle, high : arrays, shape (days, zones)
        5th, 50th and 95th percentile of prevalence from the first origin.
    acting : array, shape (days, zones)
        Share of draws in which a zone acts, from the first origin.
    """

    estimate: bool
    comparison: Comparison
    low: Floats
    middle: Floats
    high: Floats
    acting: Floats

    @property
    def draws(self) -> int:
        """Releases drawn so far."""
        return len(self.comparison.right)


@dataclass(frozen=True, eq=False)
class Seen:
    """What every figure of an epidemic needs: the question, the truth and what was drawn.

    Attributes
    ----------
    true : array, shape (origins, days, zones)
        Prevalence with the true trips.
    """

    context: Context[ODParameters]
    outbreak: Outbreak
    true: Floats
    drawn: Epidemics

    @property
    def names(self) -> dict[str, str]:
        """The zones' names by their ids, in their order."""
        return cached_datasets.zone_names(self.context.key)

    @property
    def days(self) -> tuple[date, ...]:
        """The days of the epidemic."""
        return self.context.entry.metadata.days[self.outbreak.span]

    @property
    def quiet(self) -> Floats:
        """Prevalence with trimming and suppression alone, shape (origins, days, zones)."""
        return cached_decisions.quiet(
            self.context.key, self.outbreak, self.context.parameters.at(1.0)
        )


@dataclass(frozen=True, eq=False)
class Aid:
    """What every figure of the aid after a shock needs."""

    context: Context[ODParameters]
    shock: Emergency
    k: int

    @property
    def leaving(self) -> decisions.Outflow:
        """The trips out of the area, trimmed."""
        return cached_decisions.leaving(self.context.key, self.shock, self.context.parameters)

    @property
    def totals(self) -> decisions.ShockTotals:
        """Their exact totals."""
        return cached_decisions.totals(self.context.key, self.shock, self.context.parameters)

    @property
    def destinations(self) -> list[str]:
        """The names of the zones that people may go to."""
        names = list(cached_datasets.zone_names(self.context.key).values())
        return [names[zone] for zone in self.leaving.destinations]


def current(
    key: contract.Seen, outbreak: Outbreak, parameters: ODParameters, seed: Seed
) -> Iterator[Step]:
    """Yield the estimate, then the draws at one ε as they come."""
    true = cached_decisions.true(key, outbreak)
    expected = cached_decisions.expected(key, outbreak, parameters)[None]
    yield Step(0, REPEATS, _epidemics(true, [expected], outbreak, estimate=True))
    blocks = decisions.private_epidemics(
        dataset(key),
        outbreak.origins,
        outbreak.model,
        [parameters],
        REPEATS,
        rng=generator(seed, "epidemic"),
        **cached_decisions.arguments(key, outbreak),
    )
    runs: list[Floats] = []
    for block in blocks:
        runs.append(block[0])
        done = sum(len(run) for run in runs)
        yield Step(done, REPEATS, _epidemics(true, runs, outbreak, estimate=False))


def _epidemics(
    true: Floats, runs: list[Floats], outbreak: Outbreak, *, estimate: bool
) -> Epidemics:
    compared = [decisions.compare(true, run, outbreak.threshold) for run in runs]
    first = np.concatenate([run[:, 0] for run in runs])
    low, middle, high = np.quantile(first, [0.05, 0.5, 0.95], axis=0)
    return Epidemics(
        estimate=estimate,
        comparison=concatenate(compared, axis=0),
        low=low,
        middle=middle,
        high=high,
        acting=acts(first, outbreak.threshold).mean(axis=0),
    )


def draws_over_epsilon(key: contract.Seen, outbreak: Outbreak) -> int:
    """Return how many releases are drawn at every stop of ε."""
    days = outbreak.days[1] - outbreak.days[0] + 1
    zones = len(dataset(key).zones)
    return FEWER_DRAWS if days * zones**2 > MANY_CELLS else DRAWS_OVER_EPSILON


def over_epsilon(
    key: contract.Seen, outbreak: Outbreak, parameters: ODParameters, seed: Seed, draws: int
) -> Iterator[Step]:
    """Yield the comparison over all stops of ε, shape (settings, draws, origins, zones)."""
    true = cached_decisions.true(key, outbreak)
    settings = [parameters.at(epsilon) for epsilon in EPSILON_STOPS]
    blocks = decisions.private_epidemics(
        dataset(key),
        outbreak.origins,
        outbreak.model,
        settings,
        draws,
        rng=generator(seed, "epidemic"),
        **cached_decisions.arguments(key, outbreak),
    )
    compared: list[Comparison] = []
    for block in blocks:
        compared.append(decisions.compare(true, block, outbreak.threshold))
        so_far = concatenate(compared, axis=1)
        yield Step(so_far.right.shape[1], draws, so_far)


def aid_over_epsilon(aid: Aid) -> AidDraws:
    """Return draws of aid over all stops of ε; they take well under a second."""
    return decisions.private_aid(
        aid.leaving,
        [aid.context.parameters.at(epsilon) for epsilon in EPSILON_STOPS],
        AID_DRAWS,
        aid.k,
        rng=generator(aid.context.seed, "aid"),
    )
