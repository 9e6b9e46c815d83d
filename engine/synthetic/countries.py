"""The simulated countries: Rwanda 2008, Afghanistan 2015 and 2020.

Their habits were set so that published marginals of call records come out (P2, Tables 1, 3 and
S2); ``docs/calibration.md`` shows how well. No result of a mechanism was looked at for that.
"""

from datetime import date

from .country import CountrySpec, Level, ShockPlan
from .countryplaces import CountryOutline, Town
from .mobility import Habits

_SOURCE = "simulated people; outlines of provinces from Natural Earth"
_KABUL, _HIRAT, _KUNDUZ = "AFG-1767", "AFG-1742", "AFG-1763"
_LAKE_DISTRICT = "RWA-3492-07"
_DAILY_TRIPS_2020 = 7_120_000 * 14 / 305

RWANDA_2008 = CountrySpec(
    description="Simulated people in Rwanda, the week of an earthquake; calibrated to published "
    "marginals",
    source=_SOURCE,
    plan=CountryOutline(
        outline="rwanda_provinces",
        coarse_per_province={
            "RWA-3491": 8,
            "RWA-3492": 7,
            "RWA-3493": 7,
            "RWA-3494": 5,
            "RWA-3495": 3,
        },
        coarse_word="district",
        fine_word="sector",
        fine=416,
        towns=(
            Town(30.06, -1.95, 9.0, 12.0),
            Town(28.90, -2.48, 1.5, 10.0),
            Town(29.26, -1.69, 1.5, 10.0),
            Town(29.63, -1.50, 1.5, 10.0),
            Town(29.74, -2.60, 1.5, 10.0),
        ),
        seed=2008,
    ),
    people=541_000,
    first_day=date(2008, 2, 3),
    days=7,
    time_zone="Africa/Kigali",
    habits=Habits(
        coarse_trips=1.53,
        fine_trips=2.88,
        movers=0.215,
        spread=0.7,
        travel_shape=4.0,
        coarse_outing=2.3,
        fine_outing=5.2,
        coarse_decay=5.5,
        fine_decay=3.0,
        coarse_scatter=1.6,
        fine_scatter=0.8,
    ),
    outflow_shares={_LAKE_DISTRICT: 0.0202},
    bustle_factors={_LAKE_DISTRICT: 0.68},
    shock=ShockPlan(zone_id=_LAKE_DISTRICT, factor=3.0, fading_days=4.0),
    mid_size_zone_id="RWA-3494-03",
    with_person_ranks=True,
    seed=20080203,
)

_AFGHANISTAN = CountryOutline(
    outline="afghanistan_provinces",
    coarse_per_province=None,
    coarse_word="province",
    fine_word="district",
    fine=421,
    towns=(
        Town(69.17, 34.53, 25.0, 25.0),
        Town(62.20, 34.35, 9.0, 25.0),
        Town(65.71, 31.61, 7.0, 25.0),
        Town(67.11, 36.71, 8.0, 25.0),
        Town(70.45, 34.43, 8.0, 25.0),
        Town(68.87, 36.73, 6.0, 22.0),
    ),
    seed=34,
)

AFGHANISTAN_2015 = CountrySpec(
    description="Simulated people in Afghanistan, the week of a battle; calibrated to published "
    "marginals",
    source=_SOURCE,
    plan=_AFGHANISTAN,
    people=2_790_000,
    first_day=date(2015, 9, 28),
    days=7,
    time_zone="Asia/Kabul",
    habits=Habits(
        coarse_trips=0.26,
        fine_trips=1.73,
        movers=0.6,
        spread=1.1,
        travel_shape=0.7,
        coarse_outing=1.9,
        fine_outing=2.2,
        coarse_decay=6.2,
        fine_decay=2.0,
        coarse_scatter=1.9,
        fine_scatter=0.7,
    ),
    outflow_shares={_KUNDUZ: 0.0341},
    bustle_factors={_KUNDUZ: 0.242},
    shock=ShockPlan(zone_id=_KUNDUZ, factor=3.0, fading_days=4.0),
    mid_size_zone_id=_HIRAT,
    with_person_ranks=True,
    seed=20150928,
)

AFGHANISTAN_2020 = CountrySpec(
    description="Simulated people in Afghanistan, 305 days; calibrated to published marginals",
    source=_SOURCE,
    plan=_AFGHANISTAN,
    people=7_120_000,
    first_day=date(2020, 1, 1),
    days=305,
    time_zone="Asia/Kabul",
    habits=Habits(
        coarse_trips=14.0,
        fine_trips=52.0,
        movers=0.38,
        spread=1.0,
        travel_shape=0.17,
        coarse_outing=1.9,
        fine_outing=2.2,
        coarse_decay=12.0,
        fine_decay=15.0,
        coarse_scatter=4.0,
        fine_scatter=4.0,
        arrival_focus=4.0,
    ),
    outflow_shares={_KABUL: 18_602 / _DAILY_TRIPS_2020, _HIRAT: 3_733 / _DAILY_TRIPS_2020},
    mid_size_zone_id=_HIRAT,
    with_person_ranks=False,
    seed=20200101,
)

COUNTRIES: dict[str, tuple[CountrySpec, Level]] = {
    "rwanda-districts": (RWANDA_2008, "coarse"),
    "rwanda-sectors": (RWANDA_2008, "fine"),
    "afghanistan-provinces": (AFGHANISTAN_2015, "coarse"),
    "afghanistan-districts": (AFGHANISTAN_2015, "fine"),
    "afghanistan-2020": (AFGHANISTAN_2020, "coarse"),
}

ON_FIRST_USE: dict[str, tuple[CountrySpec, Level]] = {
    "afghanistan-2020-districts": (AFGHANISTAN_2020, "fine"),
}
"""Too large to ship; made and kept under ``data/local`` when somebody first asks for them."""
