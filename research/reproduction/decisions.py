"""Measure what P2 reports in its Tables 2, 3 and S3 and figures S1 to S3, on simulated people."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from engine import decisions
from engine import origin_destination as od
from engine.arrays import Floats
from engine.datasets import Dataset
from engine.decisions.epidemic import scenario_origins, suppressed_epidemic
from engine.decisions.published import EPSILONS
from engine.decisions.scoring import Comparison, concatenate

Load = Callable[[str], Dataset | None]

THRESHOLD = 15
FINE_ZONES = 100


@dataclass(frozen=True)
class DecisionsPlan:
    """How many releases are drawn, how many destinations ranked (figure S3), and for Table 3."""

    draws: int = 20
    fine_draws: int = 3
    most: int = 10
    k: int = 3
    seed: int = 2024


@dataclass(frozen=True, eq=False)
class Epidemics:
    """Epidemics of one dataset.

    Attributes
    ----------
    origins : dict of str to str
        Kind of origin → zone name.
    drawn : dict of float to Comparison
        By ε; arrays of shape (draws, origins, zones).
    quiet : Comparison
        Suppression only, shape (origins, zones).
    highest : array, shape (origins,)
        Peak prevalence with the true data (figure S1).
    """

    origins: dict[str, str]
    drawn: dict[float, Comparison]
    quiet: Comparison
    highest: Floats


def trip_level(epsilon: float) -> od.ODParameters:
    """Return P2's setting: trip level, T = 1, τ = 15."""
    return od.ODParameters(epsilon=epsilon, unit="trip", suppression_threshold=THRESHOLD)


def epidemics(dataset: Dataset, plan: DecisionsPlan) -> Epidemics | None:
    """Return Table 2 for a dataset; None where it names no origins."""
    if "epidemic_origins" not in dataset.metadata.scenario:
        return None
    kinds = scenario_origins(dataset)
    origins = list(kinds.values())
    names = dict(zip(dataset.zones["zone_id"].astype(str), dataset.zones["name"], strict=True))
    true = decisions.true_epidemic(dataset, origins).prevalence
    quiet = suppressed_epidemic(dataset, origins, None, trip_level(1.0)).prevalence
    draws = plan.draws if len(dataset.zones) < FINE_ZONES else plan.fine_draws
    settings = [trip_level(epsilon) for epsilon in EPSILONS]
    blocks = decisions.private_epidemics(
        dataset, origins, None, settings, draws, rng=np.random.default_rng(plan.seed)
    )
    parts: list[list[Comparison]] = [[] for _ in EPSILONS]
    for block in blocks:
        for place, prevalence in enumerate(block.prevalence):
            parts[place].append(decisions.compare(true, prevalence))
    return Epidemics(
        origins={kind: str(names[zone]) for kind, zone in kinds.items()},
        drawn={
            epsilon: concatenate(each, axis=0)
            for epsilon, each in zip(EPSILONS, parts, strict=True)
        },
        quiet=decisions.compare(true, quiet),
        highest=true.max(axis=(1, 2)),
    )


@dataclass(frozen=True, eq=False)
class Aid:
    """The exact figures of one release of the trips out of an area."""

    totals: decisions.ShockTotals
    overlap: Floats
    """Expected overlap, shape (k, days)."""

    @property
    def error(self) -> float:
        """Relative error of the expected total."""
        return float(self.totals.together.bias / self.totals.together.true)


def aid(dataset: Dataset, settings: od.ODParameters, most: int) -> Aid | None:
    """Return the exact figures for the shock that a dataset names; None where it names none."""
    if "shock" not in dataset.metadata.scenario:
        return None
    leaving = decisions.outflow(dataset, decisions.shock(dataset), settings)
    law = decisions.selection_probability(leaving, settings, most)
    return Aid(decisions.shock_totals(leaving, settings), law.overlap)


def by_epsilon(dataset: Dataset, base: od.ODParameters, most: int) -> dict[float, Aid] | None:
    """Return the figures at P2's three ε."""
    selections = {
        epsilon: aid(dataset, replace(base, epsilon=epsilon), most) for epsilon in EPSILONS
    }
    kept = {epsilon: each for epsilon, each in selections.items() if each is not None}
    return kept or None


def percentile_trips(dataset: Dataset) -> dict[int, int]:
    """Return the T that each percentile of daily trips gives, as the dataset states it."""
    named = dataset.metadata.scenario.get("marginals", {}).get("daily_trips_percentiles", {})
    return {int(percentile): int(trips) for percentile, trips in named.items()}
