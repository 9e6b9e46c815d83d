"""The clipped sums of the method `zoom`, as the ingest counts them from raw rows."""

from datetime import datetime, timedelta
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from engine.ingest import engines, ingest
from tests.reference import ingest_reference, zoom_reference
from tests.support.ingests import MONDAY, NUMBER, SALT, TOWERS, options, write_csv

POSITIONS = [(lng, lat) for _, lat, lng in TOWERS]
HEADER = ("uid", "datetime", "location_id")


def crowd(people: int = 25, seed: int = 4) -> list[tuple[str, str, str]]:
    """People with few visits and with hundreds, with exact duplicates and other weeks."""
    rng = np.random.default_rng(seed)
    rows = []
    for person in range(people):
        for _ in range(int(rng.integers(1, 4) ** 5)):
            at = datetime(2015, 9, 5) + timedelta(minutes=int(rng.integers(0, 12 * 1_440)))
            rows.append((f"p{person}", str(at), str(rng.choice(list(NUMBER)))))
    return [*rows, *rows[:50]]


LONG = [pytest.param(*a, marks=pytest.mark.long) for a in ((1, 45, None), (4, 840, None))]


@pytest.mark.parametrize(
    ("shares", "cap", "mean"), [(1, 840, None), (4, 45, None), (1, 45, 2.5), (1, 4, 2.0), *LONG]
)
def test_sums_equal_those_counted_person_by_person(
    tmp_path: Path, cap: int, shares: int, mean: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = crowd()
    if shares > 1:
        monkeypatch.setattr(engines, "BYTES_A_ROW", 500_000)
    path = write_csv(tmp_path / "v.csv", HEADER, rows)
    asked = options(tmp_path, "visits", [path], max_visits_cap=cap, mean_visits_public=mean)
    dataset, _ = ingest(asked)
    visits = [
        ingest_reference.Visit(uid, datetime.fromisoformat(at), NUMBER[place])
        for uid, at, place in rows
    ]
    kept = {}
    for uid, records in ingest_reference.records_by_person(visits, MONDAY).items():
        keyed = [(ingest_reference.digest(SALT, ingest_reference.CAP, uid, *r), r) for r in records]
        kept[uid] = [(tower, hour) for _, (hour, tower) in sorted(keyed)[:cap]]
    # c² is the mean; the sum takes at most a twentieth of whoever has it, in 64ths
    share = 63 if mean is None else min(63, int(3.2 * (cap / mean) ** 2))
    expected = zoom_reference.sums_of(
        kept.values(), POSITIONS, cap, mean or 10.0, Fraction(share, 64)
    )
    assert max(map(len, kept.values())) > min(cap - 1, 40)
    assert dataset.metadata.mean_visits_public == mean
    for name in ("towers", "districts", "city", "weeks", "visits", "max_visits_cap"):
        sums = getattr(dataset.zoom_tables, name)
        np.testing.assert_array_equal(sums, getattr(expected, name), err_msg=name)
