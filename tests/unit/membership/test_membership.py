"""P2's attack on one's own tables: what it reads, whom it draws, and the control."""

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from engine.errors import InputError
from engine.ingest.progress import Monitor
from engine.membership import Target, command as attack_command, comparison, control, people
from tests.reference.ingest_inputs import TOWERS, trip_options, write_csv, write_towers

DAYS = 50
FIRST = date(2015, 9, 1)
NAMES = [name for name, *_ in TOWERS]
HEADER = ("uid", "datetime", "origin", "destination")
Trip = tuple[str, int, str, str]


def regulars(count: int = 12) -> Iterator[Trip]:
    """There and back on every second or third day; r0 stays on too few days, r1 goes on too few."""
    for i in range(count):
        there, back = NAMES[i % 3], NAMES[3]
        every = {0: range(1, DAYS), 1: range(0, DAYS, 3)}.get(i, range(i % 2, DAYS, 2))
        for day in every:
            yield f"r{i}", day, there, back
            yield f"r{i}", day, back, there


def write(folder: Path, trips: list[Trip]) -> Path:
    rows = [
        (uid, f"{FIRST + timedelta(days=day)} {8 + i % 3:02d}:{i % 60:02d}:00", a, b)
        for i, (uid, day, a, b) in enumerate(trips)
    ]
    return write_csv(folder / "t.csv", HEADER, rows)


def asked(folder: Path, trips: list[Trip], **changes: Any) -> Any:
    last = FIRST + timedelta(days=DAYS - 1)
    how = {"first_day": FIRST, "last_day": last, "parts": ("trips",), "by_person": False}
    return trip_options(folder, "trips", [write(folder, trips)], **{**how, **changes})


def plain(trips: list[Trip]) -> np.ndarray:
    counts = np.zeros((DAYS, len(NAMES), len(NAMES)), dtype=int)
    for _, day, a, b in trips:
        counts[day, NAMES.index(a), NAMES.index(b)] += 1
    return counts


def test_matrices_hold_all_trips_and_targets_are_regulars_alone(tmp_path: Path) -> None:
    trips = [*regulars(), *((f"once{i}", i % DAYS, "A", "C") for i in range(80))]
    counts, targets = people.travel(asked(tmp_path, trips), 10, Monitor())
    assert (counts == plain(trips)).all()
    assert len(targets) == 10  # all but r0 and r1
    own = [plain([t for t in trips if t[0] == f"r{i}"]).reshape(DAYS, -1) for i in range(2, 12)]
    drawn = []
    for target in targets:
        whole = np.zeros_like(own[0])
        whole[:, target.cells] = target.trips
        drawn.append(whole.tobytes())
    assert sorted(drawn) == sorted(one.tobytes() for one in own)


WRONG = {
    "fewer than 10 people": {},
    "the period has 39 days; the attack needs 40": {"last_day": FIRST + timedelta(days=38)},
    "too many for the classifiers": {},
}


@pytest.mark.parametrize("words", WRONG)
def test_what_cannot_be_attacked_is_said(
    tmp_path: Path, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "classifiers" in words:
        monkeypatch.setattr(people, "MOST_NUMBERS", DAYS * len(NAMES) ** 2 - 1)
    with pytest.raises(InputError, match=words):
        people.travel(asked(tmp_path, list(regulars(11)), **WRONG[words]), 10, Monitor())


def test_only_the_targets_own_trips_are_taken_out_and_the_noise_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(1)
    seen: list[np.ndarray] = []

    def area(_classifier: str, counts: np.ndarray, *_: Any) -> float:
        seen.append(counts)
        return 0.0

    monkeypatch.setattr(comparison, "area", area)
    trips = rng.integers(0, 2, (30, 1)) * np.array([[3, 3]])
    target = Target(cells=np.array([1, 2]), trips=trips)
    counts = rng.poisson(60, (30, 2, 2)) * (1 - np.eye(2, dtype=int))
    counts.reshape(30, -1)[:, [1, 2]] += 3
    shares: list[float] = []
    control(counts, [target, target], epsilons=[0.5], rng=rng, progress=shares.append)
    raw, _, removed, _, noisy, _, without, _ = seen[:8]
    assert (raw - removed)[:, [1, 2]].tolist() == target.trips.tolist()
    assert (raw - removed)[:, [0, 3]].sum() == 0
    assert (noisy - without == raw - removed).all()  # nothing is near τ
    assert (noisy != raw).any()
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_a_target_who_is_all_there_is_is_found_until_taken_out() -> None:
    """Alone in the data: an attacker is always right with the trips, and guesses without."""
    rng = np.random.default_rng(2)
    days = 60
    targets = []
    for i in range(2):
        out = np.arange(days) % 2 == i
        targets.append(Target(cells=np.array([1]), trips=5 * out[:, None].astype(int)))
    counts = np.zeros((days, 2, 2), dtype=int)
    counts.reshape(days, -1)[:, 1] = targets[0].trips[:, 0]
    (row, forest) = control(counts, targets[:1] * 2, epsilons=[], rng=rng)
    assert (row.matrices, row.classifier, forest.classifier) == ("raw", "logistic", "forest")
    for one in (row, forest):
        assert one.present == 1
        assert one.removed == 0.5
        assert one.difference == 0.5
        assert one.error == one.difference_error == 0


def test_the_command_writes_the_table_for_its_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    areas = iter(np.linspace(0.5, 0.9, 1_000))
    monkeypatch.setattr(comparison, "area", lambda *_: float(next(areas)))
    places = ("--locations", str(write_towers(tmp_path)), "--timezone", "America/Mexico_City")
    period = ("--from", str(FIRST), "--to", str(FIRST + timedelta(days=DAYS - 1)))
    table = str(write(tmp_path, list(regulars())))
    words = ["trips", table, *places, *period, "--targets", "10", "--epsilon", "1"]
    out = tmp_path / "attack.csv"
    assert attack_command.main([*words, "--out", str(out)]) == 0
    rows = pd.read_csv(out)
    assert rows["matrices"].tolist() == ["raw", "raw", "ε = 1", "ε = 1"]
    step = 0.4 / 999  # areas come as logistic, forest with the target, then without him
    assert np.allclose(rows["difference"], -2 * step)
    assert np.allclose(rows["present"], 0.5 + step * (36 + np.array([0, 1, 4, 5])))
    assert np.allclose(rows["error"], 8 * step * np.std(np.arange(10), ddof=1) / np.sqrt(10))
    assert out.stat().st_mode & 0o077 == 0
    printed = capsys.readouterr().out
    assert f"{rows['present'][0]:.3f} ± {rows['error'][0]:.3f}" in printed
    assert "custodians" in printed
    assert attack_command.main([*words, "--out", str(tmp_path / "none" / "a.csv")]) == 2
    assert "must be a CSV file" in capsys.readouterr().err
    assert attack_command.main([*words[:-4], "--targets", "3", "--out", str(out)]) == 2
    assert "P2 took 100" in capsys.readouterr().err
