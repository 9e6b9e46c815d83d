"""The clipped sums of the method `zoom`, as the ingest counts them from raw rows."""

from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from engine.ingest import engines, ingest
from tests.reference import ingest_reference, zoom_reference
from tests.reference.ingest_inputs import MONDAY, NUMBER, SALT, TOWERS, options, write_csv

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


@pytest.mark.parametrize(
    ("shares", "cap"),
    [(1, 840), (4, 45), *(pytest.param(*a, marks=pytest.mark.long) for a in ((1, 45), (4, 840)))],
)
def test_sums_equal_those_counted_person_by_person(
    tmp_path: Path, cap: int, shares: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = crowd()
    if shares > 1:
        monkeypatch.setattr(engines, "BYTES_A_ROW", 500_000)
    path = write_csv(tmp_path / "v.csv", HEADER, rows)
    dataset, _ = ingest(options(tmp_path, "visits", [path], max_visits_cap=cap))
    visits = [
        ingest_reference.Visit(uid, datetime.fromisoformat(at), NUMBER[place])
        for uid, at, place in rows
    ]
    kept = {}
    for uid, records in ingest_reference.records_by_person(visits, MONDAY).items():
        keyed = [(ingest_reference.digest(SALT, ingest_reference.CAP, uid, *r), r) for r in records]
        kept[uid] = [(tower, hour) for _, (hour, tower) in sorted(keyed)[:cap]]
    expected = zoom_reference.sums_of(kept.values(), POSITIONS, cap)
    assert max(map(len, kept.values())) > 40
    for name in ("towers", "districts", "city", "weeks", "visits", "max_visits_cap"):
        sums = getattr(dataset.zoom_tables, name)
        np.testing.assert_array_equal(sums, getattr(expected, name), err_msg=name)
