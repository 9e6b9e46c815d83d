"""Properties of the real ingest on small random raw data.

Privacy by construction: what one person's raw rows change before any noise is drawn is at most
the sensitivity that the mechanisms declare.
"""

import tempfile
from collections import Counter
from datetime import date
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, example, given, settings, strategies as st

from engine.datasets.multiscale_tables import CITY_CLIPS_SQUARED, CLIP_SQUARED, WEIGHT_UNITS
from engine.ingest import build, keyed_hash
from engine.ingest.progress import Monitor
from engine.ingest.row_report import Reason
from tests.support.ingests import TOWERS, options, write_csv, write_trips

PLACES = [name for name, _, _ in TOWERS]
SLOW = settings(
    max_examples=6,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
START = 1_441_602_000  # Monday 2015-09-07 00:00 in Guadalajara

people = st.sampled_from(["p1", "p2", "p3", "p4"])
moments = st.one_of(
    st.integers(START, START + 4 * 3_600), st.integers(START, START + 7 * 86_400 - 1)
)
trips = st.tuples(
    people,
    moments,
    st.none() | st.integers(60, 9_000),
    st.sampled_from(PLACES),
    st.sampled_from(PLACES),
)


FULL: list[tuple[Any, ...]] = [
    ("p1", START, None, "A", "A"),
    ("p1", START, None, "B", "A"),
    ("p1", START + 407_828, None, "A", "A"),
    ("p1", START + 10_926, 60, "A", "B"),
]
"""Five visits of six that are allowed: a clip is reached to the last unit."""


def counted(rows: list[tuple[Any, ...]], folder: Path, **changes: Any) -> dict[str, Counter]:
    """Run the real ingest, short of writing, and return its tables as counters."""
    table = write_trips(folder / "t.parquet", rows)
    asked = options(folder, "trips", [table], **changes)
    counted = build.count_rows(asked, Monitor())
    return {
        name: Counter(
            {tuple(v for k, v in r.items() if k != "n"): r["n"] for r in table.to_pylist()}
        )
        for name, table in counted.tables.items()
    }


def change(with_person: Counter, without: Counter) -> Counter:
    """The counts that one person adds; never negative, for nobody else's ranks move."""
    keys_of_both = with_person.keys() | without.keys()
    difference = Counter({k: with_person[k] - without[k] for k in keys_of_both})
    assert min(difference.values(), default=0) >= 0
    return difference


@SLOW
@given(
    rows=st.lists(trips, min_size=1, max_size=60),
    cap=st.integers(1, 12),
    salt=st.sampled_from(["a", "b", "c"]),
)
@example(rows=FULL, cap=6, salt="a")
def test_removing_one_person_changes_no_more_than_the_declared_sensitivity(
    rows: list[tuple[Any, ...]], cap: int, salt: str
) -> None:
    other = [("q", START + 3_600 * i, 60, "A", "B") for i in range(30)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        asked = {"max_visits_cap": cap, "salt": salt}
        full = counted([*rows, *other], folder, **asked)
        rest = counted([*[row for row in rows if row[0] != "p1"], *other], folder, **asked)
    assert_report_within_sensitivities(full.pop("report"), rest.pop("report", Counter()))
    added = {name: change(full[name], rest.get(name, Counter())) for name in full}
    assert added["truth"].total() <= cap  # K_max, erratum D5
    assert added["single_visit"].total() <= 1  # H̃: at most 1
    assert added["homes"].total() <= 1
    assert_zoom_within_clips(added, cap)
    per_hour = Counter()
    per_rank = Counter()
    for (_, hour, rank), n in added["presampled"].items():
        per_hour[hour] += n
        per_rank[rank] += n
    assert max(per_hour.values(), default=0) <= 1
    for limit in range(1, 169):  # X̄ for any ℓ: at most ℓ in L₁
        assert sum(n for rank, n in per_rank.items() if rank <= limit) <= limit
    for limit in (1, 2, 5, 256):  # any T
        days: Counter = Counter()
        for (day, _, _, rank), n in added["trips"].items():
            days[day] += n if rank <= limit else 0
        assert max(days.values(), default=0) <= limit
        assert sum(n for key, n in added["trips_person"].items() if key[3] <= limit) <= limit


REPORT_CHANGE = {**dict.fromkeys(("hour", "zone"), lambda kept: 2 * kept), "gyration": lambda _: 1}
"""By measure how much the counts at M change in L₁: points 2M, people 1, trips M."""


def assert_report_within_sensitivities(full: Counter, rest: Counter) -> None:
    """One person changes every measure of the report by at most its sensitivity, at every M.

    Rows are changes from one stop of M to the next, so that single ones may be negative.
    """
    keys = full.keys() | rest.keys()
    for stop in (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100, 256):
        bins: Counter = Counter()
        for measure, cap, place in keys:
            if cap <= stop:
                n = full[measure, cap, place] - rest[measure, cap, place]
                bins[measure, place] += n
        assert bins
        for measure in {measure for measure, _ in bins}:
            changed = sum(abs(n) for (one, _), n in bins.items() if one == measure)
            assert changed <= REPORT_CHANGE.get(measure, lambda kept: kept)(stop), measure


def assert_zoom_within_clips(added: dict[str, Counter], cap: int) -> None:
    """One person changes every table of `multiscale` by at most what is left of its clip in L₂."""
    visits = added["zoom_total"].total()
    assert visits == added["truth"].total()
    unit = WEIGHT_UNITS**2 * (1 - Fraction(63, 64) * Fraction(visits, cap) ** 2)  # it is reached
    for name in ("zoom_towers", "zoom_districts", "zoom_weeks"):
        assert sum(n * n for n in added[name].values()) <= Fraction(CLIP_SQUARED) * unit
    for clip_squared in CITY_CLIPS_SQUARED:
        row = [n for (clip, _), n in added["zoom_city"].items() if clip == clip_squared]
        assert sum(n * n for n in row) <= Fraction(clip_squared) * unit


def test_ranks_above_256_share_a_bucket_and_no_rank_below_repeats(tmp_path: Path) -> None:
    rows = [("p1", START + 60 * i, 30, PLACES[i % 4], PLACES[(i + 1) % 4]) for i in range(300)]
    tables = counted(rows, tmp_path, mapping={"uid": "uid"})
    for name in ("trips", "trips_person"):
        ranks = Counter()
        for key, n in tables[name].items():
            ranks[key[3]] += n
        assert ranks == Counter({**dict.fromkeys(range(1, 257), 1), 257: 44})


FINE = {
    "2015-09-07 08:00:00": date(2015, 9, 7),
    "2015-09-07T23:59": date(2015, 9, 7),
    "1441632000": date(2015, 9, 7),
    "2014-09-07": date(2014, 9, 7),
    "2015-09-07 24:00:00": date(2015, 9, 8),
    "2015-09-12T08:00:00-05:00": date(2015, 9, 12),
    "2015-09-15 01:00:00": date(2015, 9, 15),
}
MESSY = (
    ("p1", "p2", "", " p1 ", 'é,"x"'),
    (*FINE, "2015-09-31", "", "soon"),
    ("", "2015-09-08 00:10:00", "never", "2015-10-02 00:00:00"),
    (*PLACES, "Z", "", " A "),
    (*PLACES, "Z"),
)


def test_every_row_is_accounted_for_once(tmp_path: Path) -> None:
    every = list(product(*MESSY))
    rows = [*every, *every[::3]]
    expected: Counter = Counter()
    seen: set[tuple[str, ...]] = set()
    for row in rows:
        uid, at, end, origin, destination = (value.strip() for value in row)
        if not uid:
            expected[Reason.NO_PERSON] += 1
        elif at not in FINE or end == "never":
            expected[Reason.UNPARSABLE] += 1
        elif FINE[at] < date(2015, 9, 1):
            expected[Reason.OUTSIDE_PERIOD] += 1
        elif origin not in PLACES or destination not in PLACES:
            expected[Reason.OUTSIDE_AREA] += 1
        elif (uid, at, end, origin, destination) in seen:
            expected[Reason.DUPLICATE] += 1
        else:
            seen.add((uid, at, end, origin, destination))
            expected[Reason.SELF_TRIP if origin == destination else Reason.USED] += 1
    header = ("uid", "datetime", "end_datetime", "origin", "destination")
    path = write_csv(tmp_path / "t.csv", header, rows)
    told = {"mapping": {"uid": "uid"}, "leave_out": ("people", "unreadable")}
    counts = build.count_rows(options(tmp_path, "trips", [path], **told), Monitor()).counts
    account = counts["rows"]
    reasons = Counter({**account.rows_unused, Reason.USED: account.rows_used})
    assert +reasons == +expected
    assert account.rows_read == len(rows)
    visits = counts["visits"]
    assert visits.rows_read == visits.rows_used + sum(visits.rows_unused.values())


def test_each_purpose_has_its_own_key() -> None:
    keys = {keyed_hash.derive_key("salt", purpose) for purpose in keyed_hash.Purpose}
    assert len(keys) == len(keyed_hash.Purpose)
    assert keyed_hash.salt_id("salt") not in keys


@given(salt=st.text("0123456789abcdef", min_size=32, max_size=32))
def test_the_name_of_a_salt_holds_no_piece_of_it(salt: str) -> None:
    """Salts are 32 such digits; eight in a row are in both by chance once in 10⁷ times."""
    name = keyed_hash.salt_id(salt)
    pieces = {name[at : at + 8] for at in range(len(name) - 7)}
    assert not any(piece in salt or piece[::-1] in salt for piece in pieces)
    assert name != keyed_hash.salt_id(salt[:-1] + ("0" if salt[-1] != "0" else "1"))
