"""What stands in everything that is saved from a page: its settings and whose data it is."""

from pages._ui.shell.catalogue import Entry
from pages._ui.shell.session import session
from pages._ui.shell.settings import Settings
from pages._ui.wording.datasets import CONFIDENTIAL_BANNER, SIMULATED_BANNER
from pages._ui.wording.labels import OD_METHOD_NAMES, SHORT_METHODS
from pages._ui.wording.numbers import joined, scientific
from pages._ui.wording.places import looked_at
from pages._ui.wording.privacy import UNITS


def described(settings: Settings) -> dict[str, str]:
    """Return the settings in words, by label."""
    return {
        "Privacy loss (ε)": f"{settings.epsilon:g}",
        "Allowance beyond ε (δ)": scientific(settings.delta),
        "Visits dataset": _named(settings.density_data, density=True),
        "Visits kept per person (ℓ)": f"{settings.max_visits}",
        "Density method": SHORT_METHODS[settings.variant],
        "Trips dataset": _trips(settings.od_data),
        "Protected in trips": UNITS[settings.unit],
        "Trips kept per person (T)": f"{settings.max_trips}",
        "Flows suppressed below (τ)": f"{settings.threshold}",
        "Trips method": OD_METHOD_NAMES[settings.od_method],
    }


def banners(settings: Settings) -> list[str]:
    """Return whose data it is: simulated people, or confidential data, set or shown."""
    used = [one for one in (settings.density_data, settings.od_data) if one is not None]
    real = session().real_shown | {one.name for one in used if not one.metadata.simulated}
    if real:
        return [f"{CONFIDENTIAL_BANNER.replace('**', '')} Dataset: {joined(sorted(real))}."]
    return [f"{SIMULATED_BANNER}."]


def _trips(entry: Entry | None) -> str:
    """Return the trips dataset, and the one whose numbers the page shows in its place."""
    name, stands_in = _named(entry, density=False), session().stands_in
    return f"{stands_in} (in place of {name})" if stands_in else name


def _named(entry: Entry | None, *, density: bool) -> str:
    """Return the name of a dataset and how far away it is looked at."""
    if entry is None:
        return "–"
    seen = looked_at(entry.key, density=density)
    return f"{entry.name} ({seen})" if seen else entry.name
