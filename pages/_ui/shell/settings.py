"""Settings shared by all pages: keys, defaults, limits, the URL, seeds and reset.

The five settings, the two datasets, the variant and the unit have one unprefixed key each; every
other key begins with its page's name. Choices stand in the link by their id, so that wording can
change; a local dataset's name never does.
"""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

from engine import density, parameters
from engine.parameters import (
    DELTA_STOPS,
    EPSILON_STOPS,
    MAX_TRIPS_STOPS,
    MAX_VISITS_LIMIT,
    DensityParameters,
    ODParameters,
)
from engine.resolution import FINEST, HourStep, Resolution, TimeStep
from pages._ui.cache import facts as cached_facts
from pages._ui.shell import catalogue, setting
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.session import session
from pages._ui.shell.setting import Setting
from pages._ui.wording.numbers import scientific

Seed = tuple[int, int]
"""Secret (or, for simulated people, fixed) number and the count of redraws."""

_MANTISSAS = (
    *(1, 1.1, 1.2, 1.25, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2, 2.2, 2.5, 2.8),
    *(3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5, 7, 7.5, 8, 9),
)
EPSILON_SLIDER = (
    *(round(one * 10.0**power, 6) for power in (-2, -1, 0) for one in _MANTISSAS),
    EPSILON_STOPS[-1],
)
"""The slider's stops: round ones, close together where promises lie."""

THRESHOLD_LIMIT = 100
CLUSTER_MINIMUM_LIMIT = 1e9
PREFERRED_DENSITY = ("demo-city", "paris")
PREFERRED_TRIPS = ("rwanda-districts", "demo-city")
"""What pages open on: data small enough to break visibly within the range of ε."""

EPSILON = setting.stop("epsilon", EPSILON_SLIDER, 1.0, label="ε")
DELTA = setting.stop("delta", DELTA_STOPS, 1e-7, write=scientific, label="δ")
MAX_VISITS = setting.whole_number("max_visits", 30, 1, MAX_VISITS_LIMIT, label="ℓ")
MAX_TRIPS = setting.whole_stop("max_trips", MAX_TRIPS_STOPS, 4, label="T")
THRESHOLD = setting.whole_number("threshold", 15, 0, THRESHOLD_LIMIT, label="τ")
CLUSTER_MINIMUM: Setting[Any] = replace(
    setting.number("cluster_minimum", 0.0, 0.0, CLUSTER_MINIMUM_LIMIT), default=None
)
"""None takes the paper's formula."""
VARIANT = setting.choice("variant", get_args(parameters.DensityMethod), "efpag_joint")
UNIT = setting.choice("unit", get_args(parameters.ODUnit), "person-day")
OD_METHODS = get_args(parameters.ODMethod)
OD_METHOD = setting.choice("od_method", OD_METHODS, "published")
DENSITY_HOURS = setting.literal("density_hours", get_args(HourStep), "hour")
OD_TIME = setting.literal("od_time", get_args(TimeStep), "day")
SETTINGS: dict[str, Setting[Any]] = {
    one.key: one
    for one in (
        EPSILON,
        DELTA,
        MAX_VISITS,
        MAX_TRIPS,
        THRESHOLD,
        CLUSTER_MINIMUM,
        VARIANT,
        UNIT,
        OD_METHOD,
        DENSITY_HOURS,
        OD_TIME,
    )
}
"""The settings of the sidebar but for the datasets and their zones, by key."""

SIMULATED_SEED = 20140824


@dataclass(frozen=True)
class Settings:
    """What the person has set, for both mechanisms.

    `density_data` and `od_data` are None only where no dataset is installed at all; a dataset that
    lacks the part asked for is returned as it is, and the page says what is missing.
    """

    epsilon: float
    delta: float
    max_visits: int
    max_trips: int
    threshold: int
    cluster_minimum: float | None
    variant: str
    unit: str
    od_method: str
    density_hours: str
    od_time: str
    density_data: Entry | None
    od_data: Entry | None

    @property
    def needs_analytic(self) -> bool:
        """Whether the analytic Gaussian is used because the classical one does not reach."""
        return parameters.gaussian_for(self.variant, self.epsilon) == "analytic"

    def density(self, **changes: object) -> DensityParameters:
        """Return the density settings; `changes` replaces some, such as ``epsilon=0.1``."""
        values: dict[str, Any] = {
            "epsilon": self.epsilon,
            "delta": self.delta,
            "max_visits_per_user": self.max_visits,
            "method": self.variant,
            "cluster_minimum": self.cluster_minimum,
            **changes,
        }
        values["gaussian"] = parameters.gaussian_for(
            str(values["method"]), float(values["epsilon"]), values.get("gaussian", "classical")
        )
        return DensityParameters(**values)

    def trips(self, **changes: object) -> ODParameters:
        """Return the origin–destination settings; `changes` replaces some."""
        values: dict[str, object] = {
            "epsilon": self.epsilon,
            "max_trips_per_user": self.max_trips,
            "suppression_threshold": self.threshold,
            "unit": self.unit,
            **changes,
        }
        if values["unit"] == "trip":
            values["max_trips_per_user"] = 1
        return ODParameters(**values)


def current(
    *, resolution: bool = False, value: Callable[[Setting[Any]], Any] = setting.value
) -> Settings:
    """Return what is set, also where the page at hand draws no widget for it.

    Parameters
    ----------
    resolution : bool
        Whether the datasets are seen at the resolution that is set; else as they were ingested.
    value : callable
        Reads a setting; of this session unless given, such as one that was pinned.
    """
    known = catalogue.entries()
    od_data = known.get(value(dataset_setting("trips", known)))
    values: dict[str, Any] = {key: value(one) for key, one in SETTINGS.items()}
    if values["unit"] not in units(od_data):
        values["unit"] = units(od_data)[0]
    if values["unit"] == "trip":
        values["max_trips"] = 1
    density_data = known.get(value(dataset_setting("density", known)))
    if values["variant"] not in variants(density_data):
        values["variant"] = VARIANT.default
    if resolution:
        hours = Resolution(hours=values["density_hours"])
        # a person over the whole period has one matrix, however days are counted
        time = Resolution(time="day" if values["unit"] == "person" else values["od_time"])
        density_data = _seen(density_data, "density", hours, value)
        od_data = _seen(od_data, "trips", time, value)
    return Settings(**values, density_data=density_data, od_data=od_data)


def _seen(
    entry: Entry | None, part: str, time: Resolution, value: Callable[[Setting[Any]], Any]
) -> Entry | None:
    """Return a dataset at the zones that are set for a part, and at a resolution's time."""
    if entry is None:
        return None
    zones = value(zones_setting(part, entry))
    known = cached_facts.levels(entry.key).has(zones)
    return entry.at(replace(time, zones=zones if known else FINEST))


def coarser() -> bool:
    """Whether a coarser resolution is set for anything."""
    now = current(resolution=True)
    return any(
        entry is not None and not entry.resolution.finest
        for entry in (now.density_data, now.od_data)
    )


def zones_setting(part: str, entry: Entry | None) -> Setting[str]:
    """Return the setting that holds the level of zones of a part, ``density`` or ``trips``.

    The name of a level of one's own dataset is no part of a link; a number of clusters may be.
    """

    def read(text: str) -> str:
        if entry is None or not cached_facts.levels(entry.key).has(text):
            raise KeyError(text)
        return text

    own = entry is not None and not entry.shipped
    return Setting(
        key="density_zones" if part == "density" else "od_zones",
        default=FINEST,
        read=read,
        shared=lambda level: level == FINEST or level.startswith("clusters-") or not own,
        label="zones",
    )


def variants(entry: Entry | None) -> tuple[str, ...]:
    """Return the methods that a dataset's tables allow; ours needs tables of its own."""
    every = get_args(parameters.DensityMethod)
    return tuple(one for one in every if entry is None or density.METHODS[one].offered(entry))


def units(entry: Entry | None) -> tuple[str, ...]:
    """Return what can be protected in a dataset's trips, the default first."""
    every = ("person-day", "trip", "person")
    if entry is None or (entry.metadata.trips_have_people and entry.has_trips_by_person):
        return every
    return every[:2] if entry.metadata.trips_have_people else ("trip",)


def dataset_setting(part: str, known: dict[str, Entry]) -> Setting[str]:
    """Return the setting that holds the dataset of a part, ``density`` or ``trips``.

    Only the name of a shipped dataset may stand in a link. Where nothing is installed it is empty.
    """
    first = preferred(known, part) or next(iter(known.values()), None)
    shipped = {name: name for name, entry in known.items() if entry.shipped}
    return Setting(
        key="density_data" if part == "density" else "od_data",
        default="" if first is None else first.name,
        read=shipped.__getitem__,
        shared=lambda name: name in shipped,
    )


def seed(entry: Entry) -> Seed:
    """Return the seed of the noise for a dataset: fixed for simulated people, else secret.

    A known seed lets anyone subtract the noise. The secret one is made per session and dataset and
    lives in the session only: never in the URL, a log or a file.
    """
    kept = session()
    if entry.metadata.simulated:
        return SIMULATED_SEED, kept.redraws
    return kept.secret_seeds.setdefault(entry.key, secrets.randbits(128)), kept.redraws


def use_settings(**values: object) -> None:
    """Set sliders from elsewhere: in a callback, ``on_click=use_settings, kwargs={…}``.

    Numbers are moved to a stop of their slider: ε up to the next stop (so that an accuracy asked
    for is reached), T up likewise. ``density_data`` and ``od_data`` take a dataset's name,
    ``density_zones`` and ``od_zones`` the name of a level of its zones.

    Examples
    --------
    >>> nearest_stop_above(0.2853, EPSILON_SLIDER)
    0.3
    >>> set(EPSILON_STOPS) <= set(EPSILON_SLIDER)
    True
    """
    for key, value in values.items():
        if key == "epsilon":
            value = nearest_stop_above(float(str(value)), EPSILON_SLIDER)
        elif key == "max_trips":
            value = nearest_stop_above(int(str(value)), MAX_TRIPS_STOPS)
        elif key == "threshold":
            value = min(max(int(str(value)), 0), THRESHOLD_LIMIT)
        if key in ("density_data", "od_data"):
            part = "density" if key == "density_data" else "trips"
            setting.put(dataset_setting(part, catalogue.entries()), str(value))
        elif key in ("density_zones", "od_zones"):
            now, part = current(), "density" if key == "density_zones" else "trips"
            entry = now.density_data if part == "density" else now.od_data
            setting.put(zones_setting(part, entry), str(value))
        else:
            setting.put(SETTINGS[key], value)


def nearest_stop_above(value: float, stops: Sequence[float]) -> float:
    """Return the smallest stop of at least `value`, or the largest stop there is."""
    return next((one for one in stops if one >= value), stops[-1])


def nearest_stop_below(value: float, stops: Sequence[float]) -> float | None:
    """Return the largest stop of at most `value`, None where all are larger.

    Examples
    --------
    >>> nearest_stop_below(0.066, EPSILON_SLIDER)
    0.065
    """
    return max((one for one in stops if one <= value), default=None)


def reset() -> None:
    """Put every setting of every page back to its default, and the first noise (a callback)."""
    setting.forget()
    session().redraws = 0


def redraw() -> None:
    """Draw other noise with the same settings (a callback)."""
    session().redraws += 1


def dataset_with(part: str) -> Entry | None:
    """Return a dataset that has the part, ``density`` or ``trips``, the preferred one first."""
    return preferred(catalogue.entries(), part)


def preferred(known: dict[str, Entry], part: str) -> Entry | None:
    """Return the dataset of `known` that opens first for a part, None where none has it."""
    able = {name: entry for name, entry in known.items() if has_part(entry, part)}
    first = PREFERRED_DENSITY if part == "density" else PREFERRED_TRIPS
    return next((able[name] for name in (*first, *able) if name in able), None)


def has_part(entry: Entry, part: str) -> bool:
    """Whether the dataset has the tables of a part, ``density`` or ``trips``."""
    return entry.has_density if part == "density" else entry.has_trips
