"""Every setting of the published flows, judged exactly; one histogram serves all its τ and ε."""

from collections.abc import Iterator
from functools import cache
from itertools import product

from engine import attack, usability
from engine import origin_destination as od
from engine.datasets import Dataset
from engine.frontier.candidate import Candidate
from engine.frontier.need import Need, Protected, Span, levels, spans
from engine.parameters import EPSILON_STOPS, ODParameters
from engine.resolution import Resolution, ZoneLevel, coarsen
from engine.usability import Flows

LIMITS = (1, 2, 4, 10, 30, 100)
"""T."""
THRESHOLDS = (0, 5, 10, 15, 30)
"""τ. A τ of 1 is left out: what is released is the same as at 0."""


def steps(dataset: Dataset, need: Need) -> list[tuple[ZoneLevel, Span]]:
    """Return the views to judge: those that meet the need first, coarse before fine."""
    zones, matrices = need.least_zones(dataset), need.least_matrices(dataset)
    views = [(level, span) for level in levels(dataset) for span in spans(dataset)]
    views.sort(key=lambda view: view[0].zones < zones or view[1].matrices < matrices)
    return views


def judged(dataset: Dataset, need: Need) -> Iterator[tuple[float, tuple[Candidate, ...]]]:
    """Yield the share that is done and the candidates of one view, unit and T at a time.

    Views whose first matrix has no trip between zones have nothing to judge and are left out.
    """
    views = steps(dataset, need)
    days = len(dataset.metadata.days)

    @cache
    def risk(unit: Protected, epsilon: float, added_up: bool) -> float:
        parameters = ODParameters(epsilon=epsilon, unit=unit)
        return attack.worth_of_trips(parameters, days, added_up=added_up).best_guess

    for index, (level, span) in enumerate(views):
        resolution = Resolution(zones=level.name, time=span.time)
        view = coarsen(dataset, resolution)
        settings: list[tuple[Protected, int]] = list(product(span.units, LIMITS))
        for position, (unit, limit) in enumerate(settings, 1):
            done = (index + position / len(settings)) / len(views)
            counted = od.histogram(view, unit, limit, days=0)
            if counted.true_trips == 0:
                yield done, ()
                continue
            flows = Flows.of(counted)
            errors = od.heat_map(counted, EPSILON_STOPS, THRESHOLDS, limit).mean_absolute
            errors = errors * (counted.cells.sum() / counted.true_trips)
            batch: list[Candidate] = []
            for row, epsilon in enumerate(EPSILON_STOPS):
                for column, threshold in enumerate(THRESHOLDS):
                    parameters = ODParameters(
                        epsilon=epsilon,
                        max_trips_per_user=limit,
                        suppression_threshold=threshold,
                        unit=unit,
                    )
                    batch.append(
                        Candidate(
                            parameters=parameters,
                            resolution=resolution,
                            zones=level.zones,
                            matrices=span.matrices,
                            days=days,
                            risk=risk(unit, epsilon, span.time != "day"),
                            use=usability.usable_share(flows, parameters),
                            error=float(errors[row, column]),
                        )
                    )
            yield done, tuple(batch)
