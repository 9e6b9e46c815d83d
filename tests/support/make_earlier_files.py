"""Write what leaves the process into a folder, to be opened by every later version.

Run by hand with the version whose files are kept: ``python -m tests.support.make_earlier_files
FOLDER``. It gives commands alone, as a custodian would. ``links.json`` was written by hand: links,
the settings that they open, and what is drawn on the page; a setting left out is the first link's.
"""

import shutil
import subprocess
import sys
import tempfile
import zipfile
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import geopandas as gpd
import numpy as np
import shapely

from tests.support.ingests import write_csv

MONDAY = datetime(2024, 6, 3)
DAYS, PEOPLE, ZONES, STATIONS = 9, 40, 6, 10
HEADER = ("uid", "datetime", "end_datetime", "origin", "destination")
COMMON = "--tuned-on public --trips 100000000"
NOISE = "I understand that most of it is noise"
TRIPS = "I understand that this protects trips, not people"
RELEASES = {  # by the folder of the bundle: what is typed
    "flows-published": f"od town --epsilon 0.5 --max-trips-per-user 2 --to 2024-06-06 {COMMON}",
    "flows-estimate": f"od town --epsilon 0.5 --method estimate --to 2024-06-06 {COMMON}",
    "flows-change": f"od town --epsilon 0.7 --unit person --span 3 --zones district {COMMON}",
    "flows-trips": f"od riders --epsilon 0.3 --unit trip --to 2024-06-03 {COMMON}",
    "density-towers": "density town --epsilon 0.4 --method towers_laplace --tuned-on twin --twin "
    "twin --max-visits-per-user 14",
    "density-fourier": "density town --epsilon 0.9 --delta 1e-5 --tuned-on public",
    "density-multiscale": "density town --epsilon 0.6 --delta 1e-6 --method zoom --tuned-on public",
    "report": "report town --epsilon 1.5 --max-trips-per-user 10 --tuned-on public",
}


def write_places(folder: Path) -> None:
    """Write zones in districts and provinces, with residents, and stations in them."""
    number = range(ZONES)
    columns = {
        "zone_id": [f"z{i}" for i in number],
        "name": ["Ost", "=West", "Süd", "Nord", "Mitte, alt", "حي"],
        "district_id": [f"d{i // 2}" for i in number],
        "district_name": [f"District {i // 2}" for i in number],
        "province_id": [f"p{i // 4}" for i in number],
        "residents": [100 * (i + 1) for i in number],
    }
    shapes = [shapely.box(30 + i / 50, -2, 30 + (i + 1) / 50, -1.96) for i in number]
    gpd.GeoDataFrame(columns, geometry=shapes, crs=4326).to_file(folder / "zones.geojson")
    places = [(f"s{i}", -1.97 - 0.02 * (i % 2), round(30.006 + i / 83, 4)) for i in range(STATIONS)]
    write_csv(folder / "stations.csv", ("location_id", "lat", "lng"), places)


def write_trips(path: Path) -> None:
    """Write trips of people who differ much, and of every kind of row that is left out."""
    rng = np.random.default_rng(20240603)
    rows: list[tuple[str, str, str, str, str]] = []
    for person in range(PEOPLE):
        for _ in range(int(rng.geometric(1 / 12))):
            start = MONDAY + timedelta(minutes=int(rng.integers(60 * 24 * DAYS)))
            stop = start + timedelta(minutes=int(rng.integers(3, 90)))
            origin, end = rng.choice(STATIONS, 2, p=np.arange(STATIONS, 0, -1) / 55)
            rows.append((f"p{person:02d}", f"{start}", f"{stop}", f"s{origin}", f"s{end}"))
    rows += [rows[3], rows[7], rows[7]]  # duplicates
    rows += [("", *rows[5][1:]), ("p01", "2024-07-01 08:00:00", "", "s1", "s2")]
    write_csv(path, HEADER, rows)


def give(folder: Path, words: str, *more: str) -> None:
    """Give one command in a folder, as it is typed."""
    arguments = [sys.executable, "-m", "engine", *words.split(), *more]
    root = Path(__file__).parents[2]
    environment = {"PYTHONPATH": str(root), "MOBILITY_DATA": str(folder), "PATH": "/usr/bin:/bin"}
    subprocess.run(arguments, cwd=folder, env=environment, check=True)


def main(target: Path) -> None:
    """Write all files into a folder that is not there yet."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        run = partial(give, folder)
        write_places(folder)
        write_trips(folder / "trips.csv")
        period = "--timezone Africa/Kigali --from 2024-06-03 --to 2024-06-11"
        places = "--locations stations.csv --zones zones.geojson --leave-out people"
        ingest = f"{places} {period} --people 5000 --public-places --salt earlier"
        run(f"ingest trips trips.csv {ingest} --out town")
        run(f"ingest trips trips.csv {ingest} --parts trips --salt other --out riders")
        facts = "--people 60 --trips 1.5 --visits 6 --seed 7 --source people=census"
        run(f"twin --zones zones.geojson {facts} --out twin")
        ledger, by = "--ledger ledger.sqlite", "--by custodian"
        budget = f"--datasets town --unit person --epsilon 6 --delta 1e-6 {by} --raised-by board"
        run(f"release budget set people {budget} {ledger}")
        budget = f"--datasets elsewhere --unit trip --epsilon 1 {by}"
        run(f"release budget set riders {budget} {ledger}")
        run(f"release budget join riders riders {by} {ledger}")
        more = f"--epsilon 9.5 --delta 1e-4 --by board {ledger} --reason"
        run(f"release budget raise people {more}", "a second month: “été”")
        for name, words in RELEASES.items():
            run(f"release {words} --out {name} {ledger}", "--consent", NOISE, "--consent", TRIPS)
        target.mkdir(parents=True)
        for name in ("town", "twin"):
            shutil.copytree(folder / name, target / name)
        for name in ("trips.csv", "stations.csv", "zones.geojson", "ledger.sqlite"):
            shutil.copyfile(folder / name, target / name)
        for name in RELEASES:  # the archive holds what the folder does, packed less tightly
            with zipfile.ZipFile(target / f"{name}.zip", "w", zipfile.ZIP_LZMA) as packed:
                for path in sorted(file for file in (folder / name).rglob("*") if file.is_file()):
                    packed.write(path, path.relative_to(folder))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
