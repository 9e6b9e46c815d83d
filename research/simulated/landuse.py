"""Land use as sums of wide bumps, so that neighbouring towers are alike, and a week's rhythm."""

from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats

WEEKDAYS, DAYS, HOURS = 5, 7, 24

_HOME_WEEKDAY = (
    .86, .88, .90, .92, .92, .90, .82, .62, .38, .24, .20, .20,
    .22, .22, .20, .20, .22, .30, .42, .52, .60, .66, .74, .80,
)  # fmt: skip
_WORK_WEEKDAY = (
    .04, .04, .04, .04, .04, .05, .09, .20, .40, .54, .58, .58,
    .46, .48, .56, .56, .52, .40, .24, .14, .09, .06, .05, .04,
)  # fmt: skip
_HOME_WEEKEND = (
    .72, .74, .78, .82, .84, .86, .84, .80, .72, .60, .50, .44,
    .44, .44, .42, .42, .42, .42, .44, .48, .50, .54, .60, .66,
)  # fmt: skip
_WORK_WEEKEND = (.04,) * 8 + (.08,) * 10 + (.04,) * 6  # fmt: skip


def place_shares() -> Floats:
    """Return the shares of visits made at home, at work and elsewhere, shape (168, 3)."""
    home = np.array(_HOME_WEEKDAY * WEEKDAYS + _HOME_WEEKEND * (DAYS - WEEKDAYS))
    work = np.array(_WORK_WEEKDAY * WEEKDAYS + _WORK_WEEKEND * (DAYS - WEEKDAYS))
    return np.stack([home, work, 1.0 - home - work], axis=1)


@dataclass(frozen=True)
class LandUse:
    """Weights of living, working, leisure and nightlife at places; each sums to 1."""

    residential: Floats
    offices: Floats
    leisure: Floats
    nightlife: Floats

    @property
    def together(self) -> Floats:
        """One weight for all uses."""
        return (
            0.45 * self.residential
            + 0.30 * self.offices
            + 0.20 * self.leisure
            + 0.05 * self.nightlife
        )


@dataclass(frozen=True)
class LandUsePlan:
    """Bumps from which land use is read at any point; lengths in units of the city's radius."""

    centre: Floats
    radius_m: float
    bumps: dict[str, tuple[Floats, Floats, Floats]]

    def at(self, points: Floats) -> LandUse:
        """Return the land use at `points`, shape (n, 2), metres."""
        scaled = (points - self.centre) / self.radius_m
        from_centre = np.hypot(scaled[:, 0], scaled[:, 1])
        base = {
            "residential": 0.55 + np.exp(-((from_centre / 0.8) ** 2)),
            "offices": 0.06 + 1.1 * np.exp(-((from_centre / 0.38) ** 2)),
            "leisure": 0.12 + 0.9 * np.exp(-((from_centre / 0.5) ** 2)),
            "nightlife": 0.03 + 0.6 * np.exp(-((from_centre / 0.35) ** 2)),
        }
        weights: dict[str, Floats] = {}
        for use, (middles, widths, heights) in self.bumps.items():
            offset = scaled[:, None, :] - middles[None, :, :]
            squared = (offset**2).sum(axis=2) / widths**2
            weight = base[use] + (heights * np.exp(-squared)).sum(axis=1)
            weights[use] = weight / weight.sum()
        return LandUse(**weights)


def plan_land_use(centre: Floats, radius_m: float, rng: np.random.Generator) -> LandUsePlan:
    """Draw a plan of neighbourhoods, office districts, stations and nightlife streets."""
    numbers = {"residential": 14, "offices": 6, "leisure": 9, "nightlife": 4}
    widths = {"residential": 0.30, "offices": 0.16, "leisure": 0.18, "nightlife": 0.12}
    bumps: dict[str, tuple[Floats, Floats, Floats]] = {}
    for use, number in numbers.items():
        angle = rng.uniform(0, 2 * np.pi, number)
        distance = np.sqrt(rng.uniform(0.0, 1.0, number))
        bumps[use] = (
            np.stack([distance * np.cos(angle), distance * np.sin(angle)], axis=1),
            widths[use] * rng.uniform(0.7, 1.5, number),
            rng.uniform(0.3, 1.6, number),
        )
    return LandUsePlan(centre=centre, radius_m=radius_m, bumps=bumps)
