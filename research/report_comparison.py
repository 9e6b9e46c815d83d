"""The mobility report beside the package dp_mobility_report 0.2.11, on the same simulated trips.

``python -m research report_comparison --peer PYTHON``; ``docs/report.md`` is written around it.
PYTHON is the interpreter of an environment of its own::

    python3.11 -m venv peer
    peer/bin/pip install dp-mobility-report==0.2.11 "numpy<2" "scipy<=1.13.1" "pandas<2.3" \
        "scikit-learn<1.6" "fiona<1.10"
"""

import json
import math
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.measure import median_seconds
from engine import report
from engine.arrays import Floats, Integers
from engine.report import Analysis, Bins, ReportParameters
from engine.report.fivenumbers import true_five_numbers
from engine.report.loss import js_divergence
from engine.report.measures import Extent
from engine.report.tabulate import PeopleTrips
from engine.synthetic.catalogue import DEMO_CITY
from engine.synthetic.city import Places, make_places
from engine.synthetic.reporttrips import ReportTrips
from engine.synthetic.visits import City, simulate
from research.rows import Row, row

CITY = replace(DEMO_CITY, people=3_000, towers=80, zones=40)
KEPT, EPSILONS, DRAWS, OWN_DRAWS = 20, (1.0, 10.0), 3, 20
_PEER = Path(__file__).with_name("_report_peer.py")
EXTREMES: Any = "extremes"


def rows(peer: str) -> Iterator[Row]:
    """Yield quantities without noise, times of one look, and errors at equal ε."""
    places = make_places(CITY)
    towers = places.towers.geometry.get_coordinates().to_numpy()
    collected = ReportTrips(towers, places.zone_of_tower, CITY.zones, CITY.monday, seed=7)
    city = City(places.towers_m, places.land_use, reach_m=0.45 * places.radius_m)
    for visits in simulate(city, CITY.people, CITY.activity, seed=5):
        collected.add(visits, 0)
    start = time.perf_counter()
    rows = collected.table()
    counting = time.perf_counter() - start
    extent = Extent(first_day=CITY.monday, days=7, zones=CITY.zones)
    table = report.ReportTable(rows, extent)
    with tempfile.TemporaryDirectory(prefix="report-comparison-") as name:
        folder = Path(name)
        write_trips(folder, collected.trips(), places)
        done = subprocess.run(
            [peer, str(_PEER), str(folder)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"the package's process failed: {done.stderr.strip()[-800:]}")
        theirs = json.loads((folder / "peer.json").read_text(encoding="utf-8"))
    yield row("data", "trips", f"{CITY.people:,} simulated people", len(collected.trips().person))
    yield row("time of one look", "counting once for every M, s", "ours", counting)
    yield from exact(table, theirs["exact"])
    yield from times(table, theirs)
    yield from errors(table, theirs)


def write_trips(folder: Path, trips: PeopleTrips, places: Places) -> None:
    """Write the trips as the package wants them: one record for each end."""
    towers = places.towers.geometry
    ends: list[pd.DataFrame] = []
    for moment, place, zone in (
        (trips.start, trips.origin, trips.origin_zone),
        (trips.finish, trips.destination, trips.destination_zone),
    ):
        ends.append(
            pd.DataFrame(
                {
                    "uid": trips.person,
                    "tid": np.arange(len(place)),
                    "datetime": [datetime.fromtimestamp(int(s), UTC) for s in moment],
                    "lat": towers.y.to_numpy()[place],
                    "lng": towers.x.to_numpy()[place],
                    "tile_id": zone,
                }
            )
        )
    records = pd.concat(ends).sort_values(["tid", "datetime"], kind="stable")
    records["datetime"] = records["datetime"].dt.tz_localize(None)
    records.to_csv(folder / "trips.csv", index=False)
    zones = places.zones[["geometry"]].copy()
    zones["tile_id"] = [str(number) for number in range(len(zones))]
    zones.to_file(folder / "zones.geojson", driver="GeoJSON")
    wanted = {"all_trips": 10_000, "kept": KEPT, "epsilons": EPSILONS, "draws": DRAWS}
    (folder / "wanted.json").write_text(json.dumps(wanted), encoding="utf-8")


def parameters(epsilon: float, method: Any) -> ReportParameters:
    """Return our settings for a report of the same trips."""
    bins = ((Analysis.ZONES_PER_USER, Bins(minimum=1, maximum=31, width=1)),)
    return ReportParameters(
        epsilon=epsilon, max_trips_per_user=KEPT, method=method, bins=bins, ends=EXTREMES
    )


def exact(table: report.ReportTable, peer: dict[str, Any]) -> Iterator[Row]:
    """Compare quantities without noise; the package counts a trip on the weekday of its end."""
    truth, fives = _truth(table)
    weekdays, points = truth[Analysis.WEEKDAYS], truth[Analysis.HOURS]
    # percent of trips by (end, weekend, hour), as the package states them
    hours = 100 * points / points.reshape(2, 48).sum(axis=1)[1]
    pairs: dict[str, tuple[Any, Any]] = {
        "people": (truth[Analysis.STATISTICS][0], peer["people"]),
        "trips": (truth[Analysis.STATISTICS][1], peer["trips"]),
        "visits by zone": (truth[Analysis.ZONES][:-1], peer["zones"]),
        "flows between zones": (truth[Analysis.FLOWS], np.ravel(peer["flows"])),
        "trips by weekday, %": (100 * weekdays / weekdays.sum(), peer["weekdays"]),
        "trips by hour, %": (hours, _peer_hours(peer)),
    }
    for analysis in report.HISTOGRAMS:
        label = f"{analysis.label.lower()}: five numbers"
        pairs[label] = (fives[analysis], peer["five"][analysis])
    for label, (own, theirs) in pairs.items():
        own, theirs = np.asarray(own, dtype=float), np.asarray(theirs, dtype=float)
        gap = float(np.abs(own - theirs).max())
        yield row("without noise", "largest difference", label, gap)
        yield row("without noise", "largest value", label, float(np.abs(own).max()))


def _truth(table: report.ReportTable) -> tuple[dict[Analysis, Integers], dict[Analysis, Floats]]:
    """Return the numbers of all trips and their five numbers."""
    params = parameters(1.0, "package")
    fives = {one: true_five_numbers(table, one, params) for one in report.HISTOGRAMS}
    return {one: report.numbers(table, one, params) for one in Analysis}, fives


def times(table: report.ReportTable, peer: dict[str, Any]) -> Iterator[Row]:
    """Compare the time of one report after a move of a slider."""
    noise = report.ReportNoise.draw(np.random.default_rng(0))
    epsilons = iter(np.linspace(1, 2, 21))
    ours = median_seconds(
        lambda: report.release_table(
            table, parameters(float(next(epsilons)), "package"), noise=noise
        )
    )
    theirs = statistics.median(one["seconds"] for one in peer["private"])
    yield row("time of one look", "seconds", "package", theirs)
    yield row("time of one look", "seconds", "ours", ours)


def errors(table: report.ReportTable, peer: dict[str, Any]) -> Iterator[Row]:
    """Compare the errors of private reports at equal ε: medians over draws.

    Jensen–Shannon divergence from the truth in nats; mean distance of five numbers from the true
    ones. The package's column is not of equal privacy: its noise is for M where counting hours
    needs 2M, and it redraws bounds uncharged (R5).
    """
    truth, fives = _truth(table)

    def scores(private: dict[Analysis, Any], five: Mapping[Any, Floats]) -> dict[str, float]:
        both = {one: (truth[one], np.asarray(private[one], dtype=float)) for one in private}
        values = {
            "trips by weekday": js_divergence(*both[Analysis.WEEKDAYS]),
            "trips by hour": js_divergence(*both[Analysis.HOURS]),
            "visits by zone": js_divergence(*(x[: CITY.zones] for x in both[Analysis.ZONES])),
            "flows between zones": js_divergence(*both[Analysis.FLOWS]),
        }
        for one in report.HISTOGRAMS:
            apart = np.abs(np.asarray(five[one]) - fives[one])
            values[f"five numbers: {one.label.lower()}"] = float(np.mean(apart))
        return values

    def of_peer(numbers: dict[str, Any]) -> dict[str, float]:
        known = {one: numbers[one] for one in (Analysis.WEEKDAYS, Analysis.ZONES)}
        flows = {Analysis.FLOWS: np.ravel(numbers["flows"])}
        return scores(known | flows | {Analysis.HOURS: _peer_hours(numbers)}, numbers["five"])

    def own(epsilon: float, method: str) -> Iterator[dict[str, float]]:
        for seed in range(OWN_DRAWS):
            rng = np.random.default_rng(seed)
            drawn = report.release_table(table, parameters(epsilon, method), rng=rng)
            five = {one: read.private for one, read in drawn.five_numbers.items()}
            yield scores(drawn.counts, five)

    for epsilon in EPSILONS:
        drawn = [one["numbers"] for one in peer["private"] if one["epsilon"] == epsilon]
        runs = {"package": list(map(of_peer, drawn))}
        for method in ("package", "derived"):
            runs[f"ours, {method} shares"] = list(own(epsilon, method))
        for who, several in runs.items():
            for what in several[0]:
                known = [one[what] for one in several if one[what] == one[what]]
                value = statistics.median(known) if known else math.nan
                yield row(f"errors at ε = {epsilon:g}", what, who, value)


def _peer_hours(numbers: dict[str, Any]) -> np.ndarray:
    hours = np.zeros((2, 2, 24))
    for key, share in numbers["hours"].items():
        category, hour = key.split("|")
        weekend, end = category.split(" ")
        hours[int(end == "end"), int(weekend == "weekend"), int(hour)] = share
    return hours.reshape(-1)
