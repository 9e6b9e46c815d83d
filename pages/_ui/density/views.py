"""Four views of one release: one at a time, and only the one that is shown is computed."""

from collections.abc import Callable

from pages._ui.density import (
    costs as density_costs,
    map as density_map,
    sweeps as density_sweeps,
    zones as density_zones,
)
from pages._ui.shell import setting
from pages._ui.views.context import Density

DEFAULT = "map"
VIEWS: dict[str, tuple[str, Callable[[Density], None]]] = {
    "map": ("Map and week", density_map.draw),
    "methods": ("Methods and ℓ", density_sweeps.draw),
    "zones": ("Zones", density_zones.draw),
    "cost": ("Cost", density_costs.draw),
}


def draw(context: Density) -> None:
    """Draw the picker and the view that is picked."""
    names = {key: name for key, (name, _) in VIEWS.items()}
    VIEWS[setting.views("density_view", names, DEFAULT)][1](context)
