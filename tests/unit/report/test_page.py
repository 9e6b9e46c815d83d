"""The report as a page: every bar is a released number, nothing is loaded, windows are sums."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from engine import datasets, report
from engine.errors import ParameterError
from engine.report import Analysis, ReportParameters, ReportTable, Side
from engine.report.command import main
from engine.report.loss import losses
from engine.report.measures import WINDOWS, Extent, Measure, windows_between
from engine.report.vectors import by_window, numbers

PARAMETERS = ReportParameters(epsilon=2.0, max_trips_per_user=5)
EDGES = [(0, 6, 10, 14, 18, 24), (2, 6, 10, 14, 18, 22), (6, 24), (0, 12), (5, 9)]


def in_window(hour: int, low: int, high: int) -> bool:
    return low <= hour < high if low < high else hour >= low or hour < high


@pytest.mark.parametrize("edges", EDGES)
def test_windows_are_sums_of_hours_also_past_midnight(tiny_city, edges):
    table = report.truth(tiny_city)
    hours = table.counts(Measure.ZONE_HOUR, 5).reshape(-1, 49)
    asked = replace(PARAMETERS, windows=edges)
    sums = numbers(table, Analysis.ZONE_WINDOWS, asked, kept=True).reshape(len(hours), -1)
    windows = windows_between(edges)
    assert sums.shape[1] == 2 * len(windows) + 1
    for weekend in (0, 1):
        for place, (low, high) in enumerate(windows):
            within = [24 * weekend + h for h in range(24) if in_window(h, low, high)]
            column = weekend * len(windows) + place
            assert sums[:, column].tolist() == hours[:, within].sum(axis=1).tolist()
    assert sums.sum() == hours.sum() > 0
    drawn = report.release(tiny_city, asked, rng=np.random.default_rng(0))
    assert len(drawn.results[Analysis.ZONE_WINDOWS].noisy) == sums.size


@pytest.mark.parametrize("edges", [(6,), (6, 6), (10, 6), (0, 25), (-1, 6)])
def test_windows_that_are_no_ascending_hours_are_refused(edges):
    with pytest.raises(ParameterError, match="windows"):
        replace(PARAMETERS, windows=edges)


def test_a_table_counted_by_windows_answers_for_these_and_their_sums_alone():
    extent = Extent(first_day=datasets.load("demo-city").metadata.first_day, days=7, zones=1)
    rows = {"measure": ["zone_window"] * 4, "cap": [1] * 4, "bin": [0, 4, 7, 21], "n": [5, 6, 7, 8]}
    table = ReportTable(pa.table(rows), extent)
    hours = table.counts(Measure.ZONE_HOUR, None)
    usual = [5, 0, 0, 0, 6, 0, 0, 7, 0, 0, 0, *[0] * 10, 8]
    assert by_window(table, hours, WINDOWS).tolist() == usual
    assert by_window(table, hours, (6, 18)).tolist() == [0, 11, 7, 0, 0, 0, 0, 0, 0, 8]
    with pytest.raises(ParameterError, match="build the dataset again"):
        by_window(table, hours, (2, 6))


@pytest.fixture
def named(tiny_city):
    """A dataset one of whose zones has a name that is HTML."""
    zones = tiny_city.zones.assign(
        name=[f"<script>{i}</script>" for i in range(len(tiny_city.zones))]
    )
    dataset = datasets.load(tiny_city.folder.parent)
    dataset.__dict__["zones"] = zones
    return dataset


def tips(text: str, of: str) -> list[tuple[str, int]]:
    pairs = re.findall(rf"<title>([^<]*), {of}: ([\d,]+)</title>", text)
    return [(name, int(value.replace(",", ""))) for name, value in pairs]


def test_every_bar_is_a_released_number_and_the_page_loads_nothing(named):
    drawn = report.release(named, PARAMETERS, rng=np.random.default_rng(1))
    side = Side.of("private", drawn, report.extent_of(named))
    text = report.page(named, side, note="a < b", subtitle="s & t")
    shown = drawn.counts
    bars = [a for a in shown if a is Analysis.DAYS or a is Analysis.WEEKDAYS or a.is_histogram]
    order = [Analysis.DAYS, Analysis.WEEKDAYS, Analysis.HOURS]
    order += [a for a in bars if a not in order]
    expected = [int(n) for analysis in order for n in shown[analysis]]
    assert [value for _, value in tips(text, "private")] == expected
    zones = re.findall(r"<title>&lt;script&gt;(\d+)&lt;/script&gt;: ([\d,]+)</title></use>", text)
    visits = [int(value.replace(",", "")) for _, value in zones[: len(named.zones)]]
    assert visits == shown[Analysis.ZONES][:-1].tolist()
    assert "<script" not in text
    assert "a &lt; b" in text
    assert "s &amp; t" in text
    assert not re.search(r"src=|href=\"(?!#)|url\((?!#)|@import", text)


def test_a_benchmark_measures_from_the_numbers_without_noise(tiny_city):
    table = report.truth(tiny_city)
    drawn = report.release(tiny_city, PARAMETERS, rng=np.random.default_rng(1))
    side = Side.of("private", drawn, report.extent_of(tiny_city))
    true = Side.true("true", table, PARAMETERS)
    text = report.page(tiny_city, side, true, note="")
    assert text.count("private measured from true") == len(drawn.results)
    loss = losses(table, drawn, Analysis.WEEKDAYS)["js_divergence"]
    block = text.split(">Trips by weekday</h3>")[1].split("<h3>")[0]
    assert f"{loss:.3g}" in block
    assert [v for _, v in tips(block, "true")] == numbers(
        table, Analysis.WEEKDAYS, PARAMETERS
    ).tolist()


def run(tmp_path: Path, *arguments: str) -> tuple[int, Path]:
    out = tmp_path / "r.json"
    return main(["demo-city", "--epsilon", "1", "--out", str(out), *arguments]), out


def test_the_command_gives_the_report_of_its_options(tmp_path: Path) -> None:
    code, out = run(
        tmp_path,
        *("--analyses", "overview", "od_flows", "--weights", "trips_per_hour=3"),
        *("--max-trips-per-user", "4", "--windows", "6", "22"),
    )
    assert code == 0
    (document,) = json.loads(out.read_text(encoding="utf-8"))["reports"]
    dataset = datasets.load("demo-city")
    chosen = {"statistics", "missing", "days", "weekdays", "hours", "flows"}
    budget = report.Budget.of(
        weights={str(a): float(str(a) in chosen) for a in Analysis} | {"hours": 3.0}
    )
    expected = report.release(
        dataset,
        ReportParameters(epsilon=1.0, max_trips_per_user=4, budget=budget, windows=(6, 22)),
        rng=np.random.default_rng(0),
    )
    assert set(document["analyses"]) == chosen == {str(a) for a in expected.results}
    for analysis, result in expected.results.items():
        one = document["analyses"][str(analysis)]
        assert one["counts"] == result.shown.tolist()
        assert len(one["labels"]) == len(one["counts"])
        assert one["epsilon"] == pytest.approx(result.epsilon)


def test_another_dataset_is_compared_by_what_both_have(tmp_path: Path, tiny_city) -> None:
    code, out = run(
        tmp_path, "--against", str(tiny_city.folder.parent), "--against-epsilon", "none"
    )
    assert code == 0
    first, second = json.loads(out.read_text(encoding="utf-8"))["reports"]
    places = {"zones", "zone_windows", "flows"}
    assert set(first["analyses"]) - set(second["analyses"]) == places
    true = numbers(report.truth(tiny_city), Analysis.HOURS, PARAMETERS)
    assert second["analyses"]["hours"]["counts"] == true.tolist()
    assert "half_width_90" not in second["analyses"]["hours"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--analyses", "tempo"], "one of a report"),
        (["--unit", "item", "--analyses", "trips_per_user"], "unit='user'"),
        (["--out", "r.pdf"], ".html or .json"),
        (["--windows", "9", "6"], "ascending"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(tmp_path, capsys, arguments, words):
    assert run(tmp_path, *arguments)[0] == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1


def test_a_page_of_real_people_is_for_its_owner_and_says_so(tmp_path, monkeypatch, tiny_city):
    real = datasets.load(tiny_city.folder.parent)
    real.metadata = replace(real.metadata, simulated=False)
    monkeypatch.setattr(datasets, "load", lambda _: real)
    pages: list[str] = []
    for name in ("a.html", "b.html"):
        assert main(["x", "--epsilon", "1", "--out", str(tmp_path / name)]) == 0
        assert (tmp_path / name).stat().st_mode & 0o077 == 0
        pages.append((tmp_path / name).read_text(encoding="utf-8"))
    assert "in no ledger" in pages[0]
    assert tips(pages[0], "private") != tips(pages[1], "private")  # no known seed
