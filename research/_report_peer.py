"""Run by the interpreter that has dp-mobility-report 0.2.11: reports of one folder of trips.

``python _report_peer.py FOLDER`` reads ``trips.csv`` and ``zones.geojson`` there and writes
``peer.json``: the exact quantities, and for each ε several private reports with their times.
"""

import json
import sys
import time
import warnings
from pathlib import Path

import geopandas as gpd
import pandas as pd
from dp_mobility_report import DpMobilityReport, constants as const

warnings.filterwarnings("ignore")
HISTOGRAMS = (
    (const.TRAVEL_TIME, "travel_time"),
    (const.JUMP_LENGTH, "jump_length"),
    (const.TRIPS_PER_USER, "trips_per_user"),
    (const.USER_TIME_DELTA, "time_between"),
    (const.RADIUS_OF_GYRATION, "gyration"),
    (const.USER_TILE_COUNT, "zones_per_user"),
    (const.MOBILITY_ENTROPY, "entropy"),
)
BINS = {
    "max_travel_time": 120,
    "bin_range_travel_time": 5,
    "max_jump_length": 20,
    "bin_range_jump_length": 0.5,
    "max_radius_of_gyration": 10,
    "bin_range_radius_of_gyration": 0.2,
    "max_user_tile_count": 30,
    "bin_range_user_tile_count": 1,
    "max_user_time_delta": 168,
    "bin_range_user_time_delta": 6,
}


def report(trips, zones, epsilon, kept, seed):
    start = time.perf_counter()
    release = DpMobilityReport(
        trips,
        zones.copy(),
        privacy_budget=epsilon,
        max_trips_per_user=kept,
        timewindows=[0, 6, 10, 14, 18, 24],
        seed_sampling=seed,
        disable_progress_bar=True,
        **BINS,
    ).report
    return numbers(release, len(zones)), time.perf_counter() - start


def numbers(release, zones):
    flows = [[0] * zones for _ in range(zones)]
    data = release[const.OD_FLOWS].data
    for origin, destination, flow in zip(data.origin, data.destination, data.flow, strict=True):
        flows[int(origin)][int(destination)] = int(flow)
    tiles = release[const.VISITS_PER_TILE].data.set_index(const.TILE_ID).visits
    days = release[const.TRIPS_OVER_TIME].data
    hours = release[const.TRIPS_PER_HOUR].data
    five = {}
    for name, ours in HISTOGRAMS:
        quartiles = release[name].quartiles
        if hasattr(quartiles.iloc[0], "total_seconds"):
            quartiles = quartiles.apply(lambda x: x.total_seconds() / 3600)
        five[ours] = [float(value) for value in quartiles]
    statistics = release[const.DS_STATISTICS].data
    return {
        "people": statistics[const.N_USERS],
        "trips": statistics[const.N_TRIPS],
        "days": {str(day): int(n) for day, n in zip(days.datetime, days.trip_count, strict=True)},
        "weekdays": [float(x) for x in release[const.TRIPS_PER_WEEKDAY].data.tolist()],
        "hours": {
            f"{category}|{int(hour)}": float(share)
            for hour, category, share in zip(
                hours.hour, hours["time category"], hours.perc, strict=True
            )
        },
        "zones": [int(tiles.get(str(zone), 0)) for zone in range(zones)],
        "flows": flows,
        "five": five,
    }


def main(folder):
    trips = pd.read_csv(folder / "trips.csv", parse_dates=["datetime"], dtype={"tile_id": str})
    zones = gpd.read_file(folder / "zones.geojson")[["tile_id", "geometry"]]
    wanted = json.loads((folder / "wanted.json").read_text())
    exact, seconds = report(trips, zones, None, wanted["all_trips"], 1)
    private = []
    for epsilon in wanted["epsilons"]:
        for seed in range(1, wanted["draws"] + 1):
            drawn, took = report(trips, zones, epsilon, wanted["kept"], seed)
            private.append({"epsilon": epsilon, "seconds": took, "numbers": drawn})
    outcome = {"exact": exact, "exact_seconds": seconds, "private": private}
    (folder / "peer.json").write_text(json.dumps(outcome, default=float))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
