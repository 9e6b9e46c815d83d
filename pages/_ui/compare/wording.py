"""Sentences and names of the page Compare."""

from engine import density, origin_destination
from engine.parameters import ODParameters
from pages._ui.shell.settings import Settings
from pages._ui.wording.labels import HOUR_STEPS, TIME_STEPS
from pages._ui.wording.numbers import number, scientific
from pages._ui.wording.places import level_words
from pages._ui.wording.privacy import UNITS

LEAD = (
    "Settings side by side: what districts instead of sectors, weeks instead of days, or a smaller "
    "ε would do to the same numbers and the same map."
)
EMPTY = (
    "Nothing is pinned yet. Press “Pin to compare” in the sidebar of any page, move a slider and "
    "look here: both settings stand side by side. Or begin with one of these."
)
DATA_DIFFER = (
    "These settings read different data. Each is compared with the truth of its own: what differs "
    "between them is not the setting alone."
)
COARSER = (
    "Coarser zones and longer times hold more people, so the same noise is a smaller share of each "
    "count; what is lost instead is where and when. Trips inside a coarse zone are dropped, and "
    "their places among a person's T are not given to others: data ingested at the coarse level "
    "would keep more trips, and a larger T helps."
)

DECISIONS = (
    "Decisions are those on which the page Decisions opens: an epidemic that starts in the largest "
    "zone and is answered where 20% of the people are infected (an estimate on the expected "
    "matrices, without drawing), and help to the three zones that received most people after the "
    "shock that the dataset describes (by the exact law). What else is set on that page is not "
    "pinned."
)
NO_DECISIONS = (
    "Decisions are followed on days and zones as they were ingested and for methods with an exact "
    "law only; other settings have no figure."
)
NOBODY_ACTS = "No zone reaches the limit in truth, so the epidemic leaves nothing to decide."


def density_settings(settings: Settings) -> dict[str, str]:
    """Return what is set for the density, by name."""
    entry = settings.density_data
    minimum, method = settings.cluster_minimum, density.METHODS[settings.variant]
    sampled = "max_visits_per_user" in method.uses
    return {
        "Visits dataset": "–" if entry is None else entry.name,
        "Zones": "–" if entry is None else level_words(entry.resolution.zones),
        "Time": HOUR_STEPS[settings.density_hours],
        "Privacy loss (ε)": f"{settings.epsilon:g}",
        "Allowance (δ)": scientific(settings.delta),
        "Visits kept (ℓ)": f"{settings.max_visits}" if sampled else "all",
        "Method": method.short,
        "Cluster minimum": "by formula" if minimum is None else number(minimum),
    }


def trip_settings(settings: Settings) -> dict[str, str]:
    """Return what is set for the flows, by name."""
    entry, parameters = settings.od_data, settings.trips()
    method = origin_destination.METHODS[settings.od_method]
    return {
        "Trips dataset": "–" if entry is None else entry.name,
        "Zones": "–" if entry is None else level_words(entry.resolution.zones),
        "Time": _time(settings, parameters),
        "What is protected": UNITS[settings.unit],
        "Privacy loss (ε)": f"{settings.epsilon:g}",
        "Trips kept (T)": f"{parameters.max_trips_per_user}",
        "Suppress below (τ)": f"{settings.threshold}",
        "Method": method.short,
    }


def _time(settings: Settings, parameters: ODParameters) -> str:
    return TIME_STEPS["period" if parameters.unit == "person" else settings.od_time]
