"""Keys of a bundle are the same with and without a person; a canary is in none of its bytes."""

import csv
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings, strategies as st

from engine import origin_destination as od
from engine.release import BudgetLedger
from tests.reference.od_people import counted
from tests.support.releases import ours, release, seen
from tests.support.trips import save_trips

ZONES, DAYS = 3, 2
CANARY = "canary-7f3a"
trips = st.tuples(
    st.integers(0, DAYS - 1), st.integers(0, ZONES - 1), st.integers(0, ZONES - 1)
).filter(lambda trip: trip[1] != trip[2])
people = st.lists(st.lists(trips, max_size=5), max_size=4)
BY_NOISE = {"flowmap/flows.csv": "dest", "flows_shown.csv": "destination"}
"""The tables whose rows are chosen by noisy numbers, with the column of a flow's end."""
KEYS = ("date", "period_from", "period_to", "origin", "destination")
KEYS += ("dest", "id", "name", "lat", "lon")


def saved(folder, everybody):
    rows = counted(everybody, per_day=True)
    words = dict.fromkeys(("source", "salt_id", "made_by"), CANARY)
    ranks = [*zip(rows.day, rows.origin, rows.destination, rows.rank, rows.trip_count, strict=True)]
    return save_trips(folder, ranks, zones=ZONES, days=DAYS, simulated=False, **words)


def keys(bundle):
    keys_by_table = {}
    for path in sorted(bundle.rglob("*")):
        name = path.relative_to(bundle).as_posix()
        keys_by_table[name] = None
        if path.suffix == ".csv":
            with path.open(encoding="utf-8", newline="") as handle:
                rows = list(csv.DictReader(handle))
            if name in BY_NOISE:
                zones = {f"z{i}" for i in range(ZONES)}
                assert all({row["origin"], row[BY_NOISE[name]]} <= zones for row in rows)
                continue
            keys_by_table[name] = [{k: row[k] for k in KEYS if k in row} for row in rows]
    return keys_by_table


@settings(max_examples=4, deadline=None)
@given(people, st.sampled_from([seen, ours]), st.sampled_from(["day", "whole"]), st.data())
def test_keys_do_not_depend_on_any_person(everybody, kind, step, data):
    gone = data.draw(st.integers(0, max(len(everybody) - 1, 0)))
    bundles = []
    with TemporaryDirectory() as name:
        folder = Path(name)
        for number, some in enumerate(
            (everybody, [own for i, own in enumerate(everybody) if i != gone])
        ):
            dataset = saved(folder / str(number) / "small", some)
            ledger = BudgetLedger(folder / f"{number}.sqlite")
            ledger.declare("p", datasets=["small"], unit="person", epsilon=9.0, manager="me")
            setting = seen(od.ODParameters(epsilon=0.5, max_trips_per_user=2), step=step)
            setting = ours(setting) if kind is ours else setting
            out = release(setting, dataset, folder / f"out{number}", ledger=ledger)
            bundles.append(keys(out))
            text = b"".join(p.read_bytes() for p in out.rglob("*") if p.is_file())
            assert CANARY.encode() not in text
    assert bundles[0] == bundles[1]
