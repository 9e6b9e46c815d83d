"""One draw of flows, and what is computed of a setting without a draw."""

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from engine import origin_destination as od
from engine.arrays import Booleans, Numbers
from engine.contract import Setting
from engine.origin_destination import laws
from engine.origin_destination.exact import HeatMap, Outcomes, Share
from engine.origin_destination.scores import drawn_outcomes
from engine.origin_destination.trimming import TrimmingCurve
from engine.parameters import EPSILON_STOPS
from pages._ui import cached

GRID_THRESHOLDS = tuple(range(0, 101, 5))


@dataclass(frozen=True, eq=False)
class Drawn:
    """One draw, whichever method made it; of several matrices what they add up to.

    `counts` are to add up, `shown` is the number of each flow by itself, 0 where it is not shown;
    `lost` and `phantom` are pairs with at least one matrix in which that happened.
    """

    counts: Numbers
    shown: Numbers
    outcomes: Outcomes
    lost: Booleans
    phantom: Booleans


@cached.once
def drawn(setting: Setting, seed: cached.Seed, day: int | None) -> Drawn:
    """Return the draw on the page; each matrix has noise of its own, which follows the settings."""
    least = setting.parameters.least_shown
    counts: Any = 0
    shown: Any = 0
    lost: Any = False
    phantom: Any = False
    records: list[Outcomes] = []
    for each in range(cached.matrices(setting)) if day is None else [day]:
        true = cached.truth(setting, each)
        release = (cached.draw if day is None else cached.release)(setting, seed, day=each)
        seen, off = release.as_shown[0], ~np.eye(len(true), dtype=bool)
        counts, shown = counts + release.counts[0], shown + seen
        records.append(drawn_outcomes(true, seen, least))
        lost = lost | ((true >= least) & (seen == 0) & off)
        phantom = phantom | ((true == 0) & (seen > 0) & off)
    return Drawn(counts, shown, _added(records), lost, phantom)


def at(setting: Setting, **changes: Any) -> Setting:
    """Return the same with other parameters, such as ``method="estimate"``."""
    return replace(setting, parameters=replace(setting.parameters, **changes))


def methods(setting: Setting) -> list[Setting]:
    """Return the setting by every method."""
    return [at(setting, method=method) for method in od.METHODS]


@cached.once
def released_between(setting: Setting, day: int) -> tuple[Numbers, Numbers]:
    """Return between which numbers 95% of all releases of each flow lie, by the exact law."""
    parameters = setting.parameters
    kept = cached.of(od.kept, cached.view(setting), parameters, **cached.days(setting, day))[0]
    law = od.NoiseLaw(1 / parameters.noise_scale)
    return laws.released_range(law, kept, parameters.suppression_threshold, 0.95)


def grid(setting: Setting, day: int | None) -> HeatMap:
    """Return the exact measures over all stops of ε × `GRID_THRESHOLDS`, of flows with a trip."""
    return _grid(at(setting, epsilon=1.0, suppression_threshold=0), day)


@cached.once
def _grid(setting: Setting, day: int | None) -> HeatMap:
    parameters, when = setting.parameters, cached.days(setting, day)
    limit = parameters.max_trips_per_user
    counted = cached.of(od.histogram, cached.view(setting), parameters.unit, limit, **when)
    return od.heat_map(counted, EPSILON_STOPS, GRID_THRESHOLDS, limit, population="travelled")


def trimming(setting: Setting, day: int | None) -> TrimmingCurve:
    """Return the expected error over T."""
    asked = at(setting, max_trips_per_user=1)
    return cached.of(
        od.trimming_curve, cached.view(asked), asked.parameters, **cached.days(asked, day)
    )


def _added(records: list[Outcomes]) -> Outcomes:
    def total(name: str) -> Share:
        parts = [getattr(record, name) for record in records]
        return Share(
            cells=np.sum([part.cells for part in parts]),
            trips=np.sum([part.trips for part in parts]),
        )

    return Outcomes(**{field.name: total(field.name) for field in fields(Outcomes)})
