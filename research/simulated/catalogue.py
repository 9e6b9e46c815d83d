"""What can be made: the inputs of ``shipped.toml`` as specifications of cities and countries."""

import tomllib
from pathlib import Path
from typing import Any

from .city import CitySpec
from .country import Level
from .countryplaces import CountryOutline, Town
from .mobility import CountrySpec, Habits, Shock
from .visits import Activity

_INPUTS = tomllib.loads(Path(__file__).with_name("shipped.toml").read_text(encoding="utf-8"))


def _city(name: str, inputs: dict[str, Any]) -> CitySpec:
    own: dict[str, Any] = {
        "activity": Activity(**inputs["activity"]),
        "quarters": tuple(inputs["quarters"]),
    }
    return CitySpec(name=name, **(inputs | own))


def _country(inputs: dict[str, Any]) -> CountrySpec:
    plan = _INPUTS["plans"][inputs["plan"]]
    towns = tuple(Town(*place) for place in plan["towns"])
    shock = Shock(**inputs["shock"]) if "shock" in inputs else None
    own: dict[str, Any] = {
        "plan": CountryOutline(**({"coarse_per_province": None} | plan | {"towns": towns})),
        "habits": Habits(**inputs["habits"]),
        "shock": shock,
    }
    return CountrySpec(**(inputs | own))


_COUNTRIES = {name: _country(inputs) for name, inputs in _INPUTS["countries"].items()}
CITIES = {name: _city(name, inputs) for name, inputs in _INPUTS["cities"].items()}
COMMUTES = {"demo-city-commutes": "demo-city"}
"""Datasets of home–work flows, and the city whose people they are of."""
COUNTRIES: dict[str, tuple[CountrySpec, Level]] = {
    name: (_COUNTRIES[country], level) for name, (country, level) in _INPUTS["shipped"].items()
}
"""Shipped countries: who lives there, and the level of zones."""
