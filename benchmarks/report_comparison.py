"""The mobility report beside the package dp_mobility_report 0.2.11, on the same simulated trips.

``python -m benchmarks.report_comparison --peer PYTHON`` prints the section of ``docs/report.md``;
``--write`` puts it there. PYTHON is the interpreter of an environment of its own::

    python3.11 -m venv peer
    peer/bin/pip install dp-mobility-report==0.2.11 "numpy<2" "scipy<=1.13.1" "pandas<2.3" \
        "scikit-learn<1.6" "fiona<1.10"
"""

import argparse
import json
import statistics
import subprocess
import tempfile
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from engine import report
from engine.report import Analysis, Bins, ReportParameters
from engine.report.loss import js_divergence
from engine.report.tabulate import PeopleTrips
from engine.synthetic.catalogue import DEMO_CITY
from engine.synthetic.city import Places, make_places
from engine.synthetic.reporttrips import ReportTrips
from engine.synthetic.visits import City, simulate

DOCUMENT = Path(__file__).parent.parent / "docs" / "report.md"
START, END = "<!-- comparison: start -->", "<!-- comparison: end -->"
CITY = replace(DEMO_CITY, people=3_000, towers=80, zones=40)
KEPT, EPSILONS, DRAWS, OWN_DRAWS = 20, (1.0, 10.0), 3, 20
_PEER = Path(__file__).with_name("_report_peer.py")
FIVE = tuple(str(analysis) for analysis in report.HISTOGRAMS)
EXTREMES: Any = "extremes"


def main() -> int:
    """Run the comparison and print or write it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report_comparison")
    parser.add_argument("--peer", required=True, help="Python that has dp-mobility-report 0.2.11")
    parser.add_argument("--write", action="store_true", help="write it into docs/report.md")
    options = parser.parse_args()
    text = compare(options.peer)
    print(text)
    if options.write:
        document = DOCUMENT.read_text(encoding="utf-8")
        before, rest = document.split(START)
        after = rest.split(END)[1]
        replaced = f"{before}{START}\n{text}\n{END}{after}"
        DOCUMENT.write_text(replaced, encoding="utf-8")
    return 0


def compare(peer: str) -> str:
    """Return the comparison as Markdown."""
    places = make_places(CITY)
    collected = ReportTrips(places.towers, places.zone_of_tower, CITY.zones, CITY.monday, seed=7)
    city = City(places.towers_m, places.land_use, reach_m=0.45 * places.radius_m)
    for visits in simulate(city, CITY.people, CITY.activity, seed=5):
        collected.add(visits, 0)
    start = time.perf_counter()
    rows = collected.table()
    counting = time.perf_counter() - start
    extent = report.Extent(first_day=CITY.monday, days=7, zones=CITY.zones)
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
    trips = len(collected.trips().person)
    intro = (
        f"{CITY.people:,} simulated people, {trips:,} trips, {CITY.zones} zones, one week. "
        f"Private reports keep M = {KEPT} trips a person; the package draws {DRAWS} of them at "
        f"each ε, ours {OWN_DRAWS}. Truth is of all trips."
    )
    return "\n\n".join(
        [
            intro,
            *exact(table, theirs["exact"]),
            *times(table, theirs, counting),
            *errors(table, theirs),
        ]
    )


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


def parameters(epsilon: float, preset: Any) -> ReportParameters:
    """Return our settings for a report of the same trips."""
    bins = ((Analysis.ZONES_PER_USER, Bins(minimum=1, maximum=31, width=1)),)
    return ReportParameters(
        epsilon=epsilon, max_trips_per_user=KEPT, preset=preset, bins=bins, ends=EXTREMES
    )


def exact(table: report.ReportTable, peer: dict[str, Any]) -> list[str]:
    """Compare quantities without noise."""
    params = parameters(1.0, "package")
    ours = report.release(table, params, rng=np.random.default_rng(0))
    truth = {a: result.truth for a, result in ours.results.items()}
    lines = ["**The same quantities without noise**", ""]
    lines += ["| quantity | largest difference | of |", "| --- | ---: | ---: |"]

    def line(name: str, own: Any, theirs: Any) -> None:
        own, theirs = np.asarray(own, dtype=float), np.asarray(theirs, dtype=float)
        gap, most = float(np.abs(own - theirs).max()), float(np.abs(own).max())
        lines.append(f"| {name} | {gap:.3g} | {most:,.6g} |")

    line("people", truth[Analysis.STATISTICS][0], peer["people"])
    line("trips", truth[Analysis.STATISTICS][1], peer["trips"])
    line("visits by zone", truth[Analysis.ZONES][:-1], peer["zones"])
    line("flows between zones", truth[Analysis.FLOWS], np.ravel(peer["flows"]))
    weekdays = truth[Analysis.WEEKDAYS]
    line(
        "trips by weekday, % (theirs: by the end)",
        100 * weekdays / weekdays.sum(),
        peer["weekdays"],
    )
    line("trips by hour, %", _hours(truth[Analysis.HOURS]), _peer_hours(peer))
    for name in FIVE:
        five = ours.five_numbers[Analysis(name)].truth
        line(f"{Analysis(name).label.lower()}: five numbers", five, peer["five"][name])
    note = (
        "Differences are those of our fine bins (1 minute, 100 m, 15 minutes, 0.01) and of "
        "quantiles between two values; the package counts a trip on the weekday on which it ends."
    )
    return ["\n".join(lines), note]


def times(table: report.ReportTable, peer: dict[str, Any], counting: float) -> list[str]:
    """Compare the time of one report after a move of a slider."""
    noise = report.ReportNoise.draw(np.random.default_rng(0))
    report.release(table, parameters(1.0, "package"), noise=noise)
    own: list[float] = []
    for epsilon in np.linspace(1, 2, 20):
        start = time.perf_counter()
        report.release(table, parameters(float(epsilon), "package"), noise=noise)
        own.append(time.perf_counter() - start)
    ours = statistics.median(own)
    theirs = statistics.median(one["seconds"] for one in peer["private"])
    return [
        f"**Time of one look**, both in this run: the package {theirs:.1f} s, ours "
        f"{1000 * ours:.1f} ms: {theirs / ours:,.0f} times faster. Counting the trips once for "
        f"every M took {counting:.2f} s."
    ]


def errors(table: report.ReportTable, peer: dict[str, Any]) -> list[str]:
    """Compare the errors of private reports at equal ε."""
    lines = [
        "**Errors at equal ε** (medians over draws; Jensen–Shannon divergence from the truth in "
        "nats, and the mean distance of the five numbers from the true ones)",
        "",
    ]
    lines += ["| what | ε | package | ours, fifteen shares | ours, nothing twice |"]
    lines += ["| --- | ---: | ---: | ---: | ---: |"]
    for epsilon in EPSILONS:
        drawn = [one["numbers"] for one in peer["private"] if one["epsilon"] == epsilon]
        columns = [_scores_of_peer(table, numbers) for numbers in drawn]
        own = {preset: _own_scores(table, epsilon, preset) for preset in ("package", "derived")}
        for what in columns[0]:
            cells = [_median([one[what] for one in columns])]
            cells += [_median([one[what] for one in own[p]]) for p in ("package", "derived")]
            lines.append(f"| {what} | {epsilon:g} | {' | '.join(cells)} |")
    return ["\n".join(lines), _READING]


_READING = (
    "Read with care: the package asks less of its noise than it should where it counts hours (both "
    "ends of a trip count, so that the sensitivity is 2M; its noise is for M) and repeats draws of "
    "bounds without charging them (R5), so that its column is not of equal privacy. Its five "
    "numbers are values of the data (R2). Ours pays for everything it shows."
)


def _own_scores(table: report.ReportTable, epsilon: float, preset: str) -> list[dict[str, float]]:
    params = parameters(epsilon, preset)
    runs: list[dict[str, float]] = []
    for seed in range(OWN_DRAWS):
        drawn = report.release(table, params, rng=np.random.default_rng(seed))
        results = drawn.results
        shown = {a: (results[a].truth, results[a].shown) for a in results}
        scores = {
            "trips by weekday": js_divergence(*shown[Analysis.WEEKDAYS]),
            "trips by hour": js_divergence(*shown[Analysis.HOURS]),
            "visits by zone": js_divergence(*(x[:-1] for x in shown[Analysis.ZONES])),
            "flows between zones": js_divergence(*shown[Analysis.FLOWS]),
        }
        for name in FIVE:
            five = drawn.five_numbers[Analysis(name)]
            label = f"five numbers: {Analysis(name).label.lower()}"
            scores[label] = float(np.mean(np.abs(five.private - five.truth)))
        runs.append(scores)
    return runs


def _scores_of_peer(table: report.ReportTable, numbers: dict[str, Any]) -> dict[str, float]:
    params = parameters(1.0, "package")
    ours = report.release(table, params, rng=np.random.default_rng(0))
    truth = {a: result.truth for a, result in ours.results.items()}
    scores = {
        "trips by weekday": js_divergence(truth[Analysis.WEEKDAYS], np.array(numbers["weekdays"])),
        "trips by hour": js_divergence(_hours(truth[Analysis.HOURS]), _peer_hours(numbers)),
        "visits by zone": js_divergence(truth[Analysis.ZONES][:-1], np.array(numbers["zones"])),
        "flows between zones": js_divergence(
            truth[Analysis.FLOWS], np.ravel(numbers["flows"]).astype(np.float64)
        ),
    }
    for name in FIVE:
        five = ours.five_numbers[Analysis(name)].truth
        label = f"five numbers: {Analysis(name).label.lower()}"
        scores[label] = float(np.mean(np.abs(np.array(numbers["five"][name]) - five)))
    return scores


def _hours(points: np.ndarray) -> np.ndarray:
    """Return percent of trips by (end, weekend, hour), as the package states them."""
    return 100 * points / points.reshape(2, 48).sum(axis=1)[1]


def _peer_hours(numbers: dict[str, Any]) -> np.ndarray:
    hours = np.zeros((2, 2, 24))
    for key, share in numbers["hours"].items():
        category, hour = key.split("|")
        weekend, end = category.split(" ")
        hours[int(end == "end"), int(weekend == "weekend"), int(hour)] = share
    return hours.reshape(-1)


def _median(values: list[float]) -> str:
    known = [value for value in values if value == value]
    return f"{statistics.median(known):.3g}" if known else "–"


if __name__ == "__main__":
    raise SystemExit(main())
