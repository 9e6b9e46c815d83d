"""What the law says of the flows that a map draws."""

from collections.abc import Callable
from typing import Any

from engine import origin_destination as od
from engine.arrays import Floats
from engine.contract import Seen
from engine.origin_destination import laws
from engine.parameters import ODParameters
from pages._ui.cache import verbs
from pages._ui.cache.window import Window

Ends = Callable[[Any], tuple[Floats, Floats]]
"""The least and the most that 90% of draws show, at the places asked for."""


def flow_ends(key: Seen, parameters: ODParameters, window: Window) -> Ends:
    """Return between which numbers 90% of all releases of each flow lie, by the exact law."""
    trims = ODParameters(
        epsilon=1.0, unit=parameters.unit, max_trips_per_user=parameters.max_trips_per_user
    )
    kept = verbs.of(od.kept, key, trims, **window.arguments)[0]
    law = od.NoiseLaw(1 / parameters.noise_scale)
    return lambda at: laws.released_range(law, kept[at], parameters.suppression_threshold, 0.9)
