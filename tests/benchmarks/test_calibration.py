"""The simulated datasets meet the published marginals they were set to, and the report says so."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks import calibration
from benchmarks.calibration import PROJECT
from engine import datasets


def test_published_marginals_are_met_and_the_table_says_so() -> None:
    report = (PROJECT / "docs" / "calibration.md").read_text(encoding="utf-8")
    bounded = 0
    for figure in calibration.figures(datasets.load):
        assert figure.met is not False, figure
        assert calibration.line(figure) in report
        bounded += figure.met is True
    assert bounded > 40


def test_a_figure_out_of_bounds_is_not_met() -> None:
    def met(target: float, got: float, kind: str) -> bool | None:
        return calibration.Figure("d", "w", target, got, kind).met

    assert met(100, 105, "count")
    assert not met(100, 105.1, "count")
    assert met(0.5, 0.529, "share")
    assert not met(0.5, 0.531, "share")
    assert met(0, 0, "count")
    assert not met(0, 1, "count")
    assert met(1, 9, "reported") is None


def test_shares_of_small_cells_agree_with_a_full_matrix(tiny_city: datasets.Dataset) -> None:
    trips, zones, days = tiny_city.trips, len(tiny_city.zones), 7
    full = np.zeros((days, zones, zones), dtype=np.int64)
    np.add.at(full, (trips.day, trips.origin, trips.destination), trips.n)
    totals = calibration.daily_totals(tiny_city)
    off_diagonal = ~np.eye(zones, dtype=bool)
    assert totals.share_small == pytest.approx((full[:, off_diagonal] < 15).mean())
    np.testing.assert_array_equal(totals.origins, full.sum(axis=2))


def test_calibrate_writes_its_report_from_any_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert calibration.main(["--report", str(tmp_path / "docs" / "calibration.md")]) == 0
    report = (tmp_path / "docs" / "calibration.md").read_text(encoding="utf-8")
    assert "not at hand" in report
    assert "0 outside their bounds" in capsys.readouterr().out


def test_calibrate_without_datasets_says_which_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "calibration.md"
    assert calibration.main(["--root", str(tmp_path), "--report", str(report)]) == 2
    assert "paris" in capsys.readouterr().err
    assert not report.exists()
