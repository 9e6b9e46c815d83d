"""What settings do to decisions, for the standard question of each dataset: long work, in steps.

The standard question is the one on which the page Decisions opens: an epidemic with P2's values
that starts in the largest zone, and the shock that the dataset describes, with three destinations.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine import decisions
from engine.contract import Seen
from engine.decisions import Selection
from engine.decisions.epidemic import scenario_origins
from engine.decisions.judgement import AidJudgement, EpidemicJudgement
from engine.decisions.scoring import THRESHOLD, one_origin
from engine.errors import ExplorerError
from engine.parameters import ODParameters
from pages._ui.cache import decisions as cached_decisions
from pages._ui.cache.datasets import dataset
from pages._ui.cache.decisions import Emergency, Outbreak
from pages._ui.jobs.work import Step

HELPED = 3
"""Destinations helped."""

Ask = tuple[Seen, ODParameters]
"""Seen of a dataset as it was ingested, and the settings of its release."""


@dataclass(frozen=True)
class Decided:
    """What is decided with one release instead of the true data.

    Attributes
    ----------
    epidemic : EpidemicJudgement or None
        By the expected matrices, a first estimate; None where it cannot be asked.
    acts : bool
        Whether any zone must act in truth; else there is nothing to decide.
    aid : AidJudgement or None
        By the exact law; None where it cannot be asked.
    problems : tuple of str
        Why something cannot be asked.
    """

    epidemic: EpidemicJudgement | None
    acts: bool
    aid: AidJudgement | None
    problems: tuple[str, ...]


def decided(asked: tuple[Ask, ...]) -> Iterator[Step]:
    """Yield what is known of each release, None for those that are still to come."""
    known: list[Decided | None] = [None] * len(asked)
    for place, (one, parameters) in enumerate(asked):
        known[place] = _decided(one, parameters)
        yield Step(place + 1, len(asked), tuple(known))


def _decided(key: Seen, parameters: ODParameters) -> Decided:
    problems: list[str] = []
    epidemic, aid, acts = None, None, False
    try:
        outbreak = standard_outbreak(key)
        acts = bool(cached_decisions.true(key, outbreak).max() >= outbreak.threshold)
        epidemic = estimate(key, outbreak, parameters)
    except ExplorerError as problem:
        problems.append(f"Epidemic: {problem}.")
    try:
        aid = helped(key, standard_emergency(key), parameters, HELPED)
    except ExplorerError as problem:
        problems.append(f"Aid: {problem}.")
    return Decided(epidemic, acts, aid, tuple(problems))


def standard_outbreak(key: Seen) -> Outbreak:
    """Return the epidemic in the largest zone, with P2's values and the homes of the dataset.

    Raises
    ------
    DatasetError
        If the dataset does not say how many people live in each zone.
    """
    people = cached_decisions.populations(key, None)
    origin = next(iter(scenario_origins(dataset(key), people).values()))
    return Outbreak(
        origins=(origin,),
        model=decisions.EpidemicParameters(),
        threshold=THRESHOLD,
        days=(0, len(dataset(key).metadata.days) - 1),
        people=None,
    )


def standard_emergency(key: Seen) -> Emergency:
    """Return the shock that the dataset describes.

    Raises
    ------
    ParameterError
        If it describes none.
    """
    event = decisions.shock(dataset(key))
    ids = dataset(key).zones["zone_id"].astype(str).to_numpy()
    return Emergency(tuple(sorted(ids[list(event.zones)])), (event.days[0], event.days[-1]))


def estimate(key: Seen, outbreak: Outbreak, parameters: ODParameters) -> EpidemicJudgement:
    """Judge the epidemic from the first origin on the expected matrices, without drawing."""
    true = cached_decisions.true(key, outbreak)
    expected = cached_decisions.expected(key, outbreak, parameters)[None]
    compared = decisions.compare(true, expected, outbreak.threshold)
    return decisions.judge_epidemic(one_origin(compared, 0))


def helped(key: Seen, emergency: Emergency, parameters: ODParameters, k: int) -> AidJudgement:
    """Judge the help to the first k destinations, by the exact law of the release."""
    totals = cached_decisions.totals(key, emergency, parameters)
    *_, last = chosen(key, emergency, parameters, k)
    return decisions.judge_aid(totals, last.result.overlap[k - 1])


def chosen(key: Seen, emergency: Emergency, parameters: ODParameters, most: int) -> Iterator[Step]:
    """Yield the exact law of the first `most` destinations, one day after another."""
    leaving = cached_decisions.leaving(key, emergency, parameters)
    days = len(leaving.true)
    parts: list[Selection] = []
    for day in range(days):
        today = slice(day, day + 1)
        one = decisions.Outflow(
            true=leaving.true[today],
            kept=leaving.kept[today],
            destinations=leaving.destinations,
            inside=leaving.inside[today],
        )
        parts.append(decisions.selection_probability(one, parameters, most))
        selection = Selection(
            chosen=np.concatenate([part.chosen for part in parts], axis=1),
            truly=np.concatenate([part.truly for part in parts], axis=1),
            fewer=np.concatenate([part.fewer for part in parts], axis=1),
        )
        yield Step(day + 1, days, selection)
