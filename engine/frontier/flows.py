"""Every setting of the published flows, exactly.

One histogram serves all τ and ε of a view, unit and T.
"""

from collections.abc import Iterator
from functools import cache, partial
from itertools import product

from .. import origin_destination as od, privacy, usability
from ..contract import Seen, When
from ..datasets import Dataset
from ..parameters import EPSILON_STOPS, ODParameters
from ..resolution import ZoneLevel, look_at
from ..usability import Flows
from .candidate import Candidate
from .need import Need, Protected, Span, levels, spans

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


def meeting(dataset: Dataset, need: Need) -> list[tuple[ZoneLevel, Span, Protected]]:
    """Return the views that meet the need with what may be protected there, coarse before fine."""
    zones, matrices = need.least_zones(dataset), need.least_matrices(dataset)
    return [
        (level, span, unit)
        for level, span in steps(dataset, need)
        if level.zones >= zones and span.matrices >= matrices
        for unit in span.units
        if need.unit == "person-day" or unit == "person"
    ]


def judged(dataset: Dataset, need: Need) -> Iterator[tuple[float, tuple[Candidate, ...]]]:
    """Yield the share that is done and the candidates of one view, unit and T at a time.

    Views whose first matrix has no trip between zones have nothing to judge and are left out.
    """
    views = steps(dataset, need)
    risk = cache(_risk)
    for index, (level, span) in enumerate(views):
        candidate = _at(dataset, level, span)
        view = look_at(dataset, level.name, When(step=span.time))
        added_up = privacy.days_by_matrix(view.metadata)
        kept: list[tuple[Protected, int]] = list(product(span.units, LIMITS))
        for position, (unit, limit) in enumerate(kept, 1):
            done = (index + position / len(kept)) / len(views)
            counted = od.histogram(view, unit, limit, days=0)
            if counted.true_trips == 0:
                yield done, ()
                continue
            flows = Flows.of(counted)
            errors = od.heat_map(counted, EPSILON_STOPS, THRESHOLDS, limit).mean_absolute
            errors = errors * (counted.cells.sum() / counted.true_trips)
            batch: list[Candidate] = []
            settings = product(enumerate(EPSILON_STOPS), enumerate(THRESHOLDS))
            for (row, epsilon), (column, threshold) in settings:
                parameters = ODParameters(
                    epsilon=epsilon,
                    max_trips_per_user=limit,
                    suppression_threshold=threshold,
                    unit=unit,
                )
                batch.append(
                    candidate(
                        parameters=parameters,
                        risk=risk(unit, epsilon, added_up),
                        use=usability.usable_share(flows, parameters),
                        error=float(errors[row, column]),
                    )
                )
            yield done, tuple(batch)


def _at(dataset: Dataset, level: ZoneLevel, span: Span) -> "partial[Candidate]":
    """Return what makes candidates of one view."""
    seen = Seen(dataset=dataset.id, zones=level.name, when=When(step=span.time))
    days = len(dataset.metadata.days)
    return partial(Candidate, seen=seen, zones=level.zones, matrices=span.matrices, days=days)


def _risk(unit: Protected, epsilon: float, days: tuple[int, ...]) -> float:
    return privacy.risk_of_trips(ODParameters(epsilon=epsilon, unit=unit), days).best_guess
