"""Ingest beside bare DuckDB, each in a process of its own; sizes follow Paris."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd

from benchmarks.measure import Child, Row, against, child
from engine.datasets.multiscale_tables import CITY_CLIPS_SQUARED, CLIP_SQUARED, WEIGHT_UNITS
from engine.density.multiscale_estimation import build_tree
from engine.ingest.options import IngestOptions

TOWERS = 1_303
PARIS_ROWS = 27_000_000
ROWS_PER_PERSON = 13.5
PERIOD = ["--timezone", "Europe/Paris", "--from", "2015-09-07", "--to", "2015-09-13"]


def rows() -> Iterator[Row]:
    """Yield the lines of the table of ingest."""
    with tempfile.TemporaryDirectory(prefix="bench-ingest-") as name:
        folder = Path(name)
        write_towers(folder)
        path = write_visits(folder, PARIS_ROWS)
        bare = bare_duckdb(path)
        ours = run_ingest(*_density(path, folder))
        work = "27 M visits → density aggregates"
        note = f"processor time {ours.cpu:.0f} s, of bare DuckDB {bare.cpu:.0f} s"
        yield against(work, ours.seconds, bare.seconds, 1.1, "bare DuckDB", note)
        yield Row(f"{work}: memory", ours.peak_mb, 4000, f"bare {bare.peak_mb:.0f} MB", "MB")
        tight = run_ingest(*_density(path, folder), "--memory", "1GB")
        note = f"peak {tight.peak_mb / 1000:.2f} GB"
        yield Row("the same with --memory 1GB", tight.seconds, note=note)


def write_towers(folder: Path) -> None:
    """Write 1,303 towers around Paris, and beside them their districts in the zoom tables."""
    normals = np.random.default_rng(0).standard_normal((TOWERS, 2))
    places = pd.DataFrame(
        np.round((48.86, 2.34) + normals * (0.03, 0.04), 6), columns=["lat", "lng"]
    )
    towers = places.set_axis([f"T{i:04d}" for i in range(TOWERS)])
    towers.to_csv(folder / "towers.csv", index_label="location_id")
    districts = pd.Series(build_tree(places[["lng", "lat"]].to_numpy()).districts, name="district")
    districts.to_csv(folder / "districts.csv", index_label="location")


def write_visits(folder: Path, count: int) -> Path:
    """Write `count` visits of people who move around a home tower; some move a lot."""
    path = folder / "visits.parquet"
    people = int(count / ROWS_PER_PERSON)
    duckdb.sql(
        f"""
        COPY (SELECT 'p' || uid AS uid,
            TIMESTAMP '2015-09-07' + to_seconds((hash(i * 5 + 1) % 604800)::BIGINT) AS datetime,
            'T' || lpad(((uid * 7919 + (hash(i * 5 + 2) % (1 + uid % 9))) % {TOWERS})::VARCHAR,
                        4, '0') AS location_id
          FROM (SELECT i, (pow((hash(i * 5 + 3) % 1000000007) / 1000000007.0, 1.3) * {people})
                   ::BIGINT AS uid FROM range({count}) t(i)))
        TO '{path}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 500000)
        """
    )
    return path


def run_ingest(*arguments: str) -> Child:
    """Run the ingest in a process of its own."""
    return child(f"from engine.ingest.command import main\nassert main({list(arguments)!r}) == 0")


def bare_duckdb(path: Path) -> Child:
    """Run the same aggregation in hand-written SQL."""
    return child(
        "import duckdb, tempfile\n"
        "con = duckdb.connect(config={'memory_limit': '4GB', "
        "'temp_directory': tempfile.mkdtemp(), 'preserve_insertion_order': False})\n"
        "con.execute('SET enable_progress_bar = false')\n"
        f"for statement in {_bare_statements(path)!r}:\n"
        "    con.execute(statement).fetchall() if statement.startswith('SELECT') "
        "else con.execute(statement)"
    )


def _density(path: Path, folder: Path) -> list[str]:
    return [
        *("visits", str(path), "--locations", str(folder / "towers.csv")),
        *("--out", str(folder / "out"), "--parts", "density", "--salt", "bench", *PERIOD),
    ]


def _bare_statements(path: Path) -> list[str]:
    towers = path.parent / "towers.csv"
    key = "0123456789abcdef"
    return [
        "CREATE TEMP TABLE places AS SELECT location_id AS place, "
        "(row_number() OVER (ORDER BY location_id) - 1)::INT AS location "
        f"FROM read_csv('{towers}')",
        "CREATE TEMP TABLE records AS SELECT uid, location, "
        "((epoch(datetime)::BIGINT - 1441584000) // 3600)::SMALLINT AS hour, count(*) AS copies "
        f"FROM read_parquet('{path}') LEFT JOIN places ON location_id = place GROUP BY ALL",
        "CREATE TEMP TABLE people AS SELECT uid, count(*) AS n, "
        f"arg_min(location, md5('{key}|' || uid || '|' || hour || '|' || location)) AS single "
        "FROM records GROUP BY uid",
        "SELECT single, count(*) FROM people GROUP BY single",
        "SELECT location, hour, count(*) FROM records GROUP BY ALL",
        "SELECT location, hour, rank, count(*) FROM (SELECT location, hour, row_number() OVER "
        f"(PARTITION BY uid ORDER BY md5('{key}|' || uid || '|' || hour), hour) AS rank FROM "
        "(SELECT uid, hour, arg_min(location, "
        f"md5('{key}|' || uid || '|' || hour || '|' || location)) AS location "
        "FROM records GROUP BY uid, hour)) GROUP BY ALL",
        "SELECT location, count(*) FROM (SELECT uid, arg_max(location, n) AS location FROM "
        "(SELECT uid, location, count(*) AS n FROM records "
        "WHERE hour % 24 IN (20, 21, 22, 23, 0, 1, 2, 3, 4, 5) GROUP BY ALL) GROUP BY uid) "
        "GROUP BY ALL",
        *_bare_zoom(path.parent / "districts.csv"),
    ]


def _bare_zoom(districts: Path) -> list[str]:
    """Return the five zoom tables in SQL: clipped by a person's ‖v‖₂ in each."""
    most = IngestOptions.max_visits_cap

    def units(squares: str, clip_squared: float) -> str:
        whole, room = int(clip_squared * WEIGHT_UNITS), f"(64 * {most**2} - 63 * n * n) * 16"
        return f"least(floor(sqrt({whole} * ({room} // {most**2}) // {squares})), {WEIGHT_UNITS})"

    towers, weeks = units("n", CLIP_SQUARED), units("weeks.squares", CLIP_SQUARED)
    cells = units("hours.in_districts", CLIP_SQUARED)
    city = ", ".join(f"sum(visits * {units('in_city', clip)})" for clip in CITY_CLIPS_SQUARED)
    return [
        f"CREATE TEMP TABLE districts AS SELECT * FROM read_csv('{districts}')",
        "CREATE TEMP TABLE hours AS SELECT uid, sum(v * v) AS in_city, "
        "sum(squares) AS in_districts FROM (SELECT uid, hour, sum(v) AS v, sum(v * v) AS squares "
        "FROM (SELECT uid, hour, district, count(*) AS v FROM records JOIN districts "
        "USING (location) GROUP BY ALL) GROUP BY ALL) GROUP BY uid",
        "CREATE TEMP TABLE weeks AS SELECT uid, sum(v * v) AS squares FROM "
        "(SELECT uid, location, count(*) AS v FROM records GROUP BY ALL) GROUP BY uid",
        "CREATE TEMP TABLE weights AS SELECT uid, n, in_city::BIGINT AS in_city, "
        f"{towers} AS towers, {cells} AS cells, {weeks} AS weeks "
        "FROM people JOIN hours USING (uid) JOIN weeks USING (uid)",
        "CREATE TEMP TABLE weighted AS SELECT location, hour, n, in_city, towers, cells, weeks "
        "FROM records JOIN weights USING (uid)",
        "SELECT location, hour, sum(towers) FROM weighted GROUP BY ALL",
        "SELECT district, hour, sum(cells) FROM weighted JOIN districts USING (location) "
        "GROUP BY ALL",
        "SELECT location, sum(weeks) FROM weighted GROUP BY ALL",
        f"SELECT hour, {city} FROM (SELECT hour, n, in_city, count(*) AS visits FROM weighted "
        "GROUP BY ALL) GROUP BY hour",
        f"SELECT sum(least(n, {most})) FROM people",
    ]
