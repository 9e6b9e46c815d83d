"""What is set, as pages read it that do not take a `Setting` yet."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine import parameters
from engine.contract import When
from engine.parameters import MAX_TRIPS_STOPS as MAX_TRIPS_STOPS, DensityParameters, ODParameters
from pages._ui import state
from pages._ui.shell import catalogue
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.setting import Setting
from pages._ui.state import (
    EPSILON_SLIDER as EPSILON_SLIDER,
    SIMULATED_SEED as SIMULATED_SEED,
    Seed as Seed,
    has_part as has_part,
    seed as seed,
    units as units,
)


def _as_setting(field: state.Field[Any]) -> Setting[Any]:
    return Setting(key=field.key, default=field.default, read=lambda text: field.read(text))


EPSILON, UNIT, VARIANT = map(_as_setting, (state.EPSILON, state.UNIT, state.VARIANT))
MAX_TRIPS, THRESHOLD = map(_as_setting, (state.MAX_TRIPS, state.THRESHOLD))
MAX_VISITS, DELTA = map(_as_setting, (state.MAX_VISITS, state.DELTA))


@dataclass(frozen=True)
class Settings:
    """What the person has set, for both mechanisms."""

    epsilon: float
    delta: float
    max_visits: int
    max_trips: int
    threshold: int
    variant: str
    unit: str
    od_method: str
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
            **changes,
        }
        values["gaussian"] = parameters.gaussian_for(
            str(values["method"]), float(values["epsilon"]), values.get("gaussian", "classical")
        )
        return DensityParameters(**values)

    def trips(self, **changes: object) -> ODParameters:
        """Return the origin–destination settings; `changes` replaces some."""
        values: dict[str, Any] = {
            "epsilon": self.epsilon,
            "max_trips_per_user": self.max_trips,
            "suppression_threshold": self.threshold,
            "unit": self.unit,
            **changes,
        }
        if values["unit"] == "trip":
            values["max_trips_per_user"] = 1
        return ODParameters(**values)


def current(*, resolution: bool = False) -> Settings:
    """Return what is set; with `resolution` the datasets are seen at the one that is set."""
    density_data, od_data = state.entry("density"), state.entry("trips")
    unit = state.value(state.UNIT)
    unit = unit if unit in units(od_data) else units(od_data)[0]
    variant = state.value(state.VARIANT)
    variant = variant if variant in state.variants(density_data) else state.VARIANT.default
    step = state.value(state.OD_TIME)
    if resolution:
        when = When(step="day" if unit == "person" else step)
        density_data = density_data and density_data.at(state.zones("density"))
        od_data = od_data and od_data.at(state.zones("trips"), when)
    return Settings(
        epsilon=state.value(state.EPSILON),
        delta=state.value(state.DELTA),
        max_visits=state.value(state.MAX_VISITS),
        max_trips=1 if unit == "trip" else state.value(state.MAX_TRIPS),
        threshold=state.value(state.THRESHOLD),
        variant=variant,
        unit=unit,
        od_method=state.value(state.OD_METHOD),
        od_time=step,
        density_data=density_data,
        od_data=od_data,
    )


def use_settings(**values: object) -> None:
    """Set fields from elsewhere: in a callback, ``on_click=use_settings, kwargs={…}``."""
    state.put(**values)


def nearest_stop_above(value: float, stops: Sequence[float]) -> float:
    """Return the smallest stop of at least `value`, or the largest stop there is."""
    return state.above(value, stops)


def nearest_stop_below(value: float, stops: Sequence[float]) -> float | None:
    """Return the largest stop of at most `value`, None where all are larger."""
    return max((one for one in stops if one <= value), default=None)


def dataset_with(part: str) -> Entry | None:
    """Return a dataset that has the part, ``density`` or ``trips``, the preferred one first."""
    return state.preferred(catalogue.entries().values(), part)
