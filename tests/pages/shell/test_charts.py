"""The shared charts: what is drawn is what is given, and what is saved is what is drawn."""

import html
import json

import numpy as np
import pytest
import streamlit as st

from pages._ui.drawing import charts
from pages._ui.drawing.charts import EPSILON, Axis, Line, Mark, Point, Rule, Scale
from tests.support.charts import drawn as drawn, rows

AMOUNT = Axis(title="Trips")


@pytest.fixture
def saved(monkeypatch):
    """Keep what is saved of each chart, in the order in which they are drawn."""
    sheets = []
    write = st.html

    def keep(body):
        if "maprows" in body:
            sheets.append(json.loads(html.unescape(body.split(">")[1].split("<")[0])))
        return write(body)

    monkeypatch.setattr(st, "html", keep)
    return sheets


def test_a_curve_holds_its_lines_bands_rules_and_points(drawn, saved):
    charts.curve(
        [
            Line(name="a", y=[1.0, np.nan], low=[0.5, 1.5], high=[1.5, 2.5], texts=["x", ""]),
            Line(name="b", x=[0.2], y=[3.0], dash=charts.DASHED),
        ],
        x=[0.1, 1.0],
        at=EPSILON,
        of=AMOUNT,
        current=0.3,
        rules=[Rule(y=2.0, words="limit")],
        points=[Point(x=0.2, y=3.0, words="least", shape="diamond"), Point(x=1, y=1, shape="ring")],
        on_pick=lambda epsilon: None,
        key="k",
        alt="a curve",
    )
    chart = drawn["k"]
    assert [(row["x"], row["y"]) for row in rows(chart, "a")] == [(0.1, 1.0), (1.0, None)]
    assert [(row["x"], row["y"], row["low"]) for row in rows(chart, "b")] == [(0.2, 3.0, None)]
    assert chart["datasets"]["rule0"][0]["x"] == 0.3
    assert chart["datasets"]["rule1"][0]["y"] == 2.0
    assert chart["datasets"]["point0"][0]["words"] == "least"
    assert saved == [
        [
            ["series", "Privacy loss (ε)", "Trips", "low", "high"],
            ["a", "0.1", "1", "0.5", "1.5"],
            ["a", "1", "", "1.5", "2.5"],
            ["b", "0.2", "3", "", ""],
        ]
    ]


def test_every_line_differs_from_the_others_by_its_stroke_too():
    lines = charts.lines({f"{i}": [1.0] for i in range(7)})
    assert len({line.dash for line in lines}) == len({line.colour for line in lines}) == 7


@pytest.mark.parametrize("upright", [False, True])
def test_marks_stand_at_their_categories(drawn, saved, upright):
    charts.bars(
        ["one", "two"],
        [
            Mark(name="bar", values=[1.0, 2.0], colour=["#111", "#222"], texts=["a", "b"]),
            Mark(name="from", values=[0.5, 1.5], to=[1.5, 2.5], kind="rule"),
            Mark(name="last", values=[3.0], at=["two"], kind="dot"),
        ],
        of=AMOUNT,
        more={"Note": ["x", "y"]},
        rules=[Rule(y=2.0) if upright else Rule(x=2.0)],
        upright=upright,
        key="k",
        alt="bars",
    )
    marks = drawn["k"]["datasets"]["marks"]
    assert [row["mark0"] for row in marks] == [1.0, 2.0]
    assert [(row["mark1"], row["to1"]) for row in marks] == [(0.5, 1.5), (1.5, 2.5)]
    assert drawn["k"]["datasets"]["marks2"] == [{"label": "two", "mark2": 3.0, "colour2": "last"}]
    along = "y" if upright else "x"
    bar = next(one for one in drawn["k"]["layer"] if one["mark"]["type"] == "bar")
    assert bar["encoding"][along]["field"] == "mark0"
    assert saved[0][0] == ["category", "bar", "from", "from, to", "Note"]
    assert saved[0][2] == ["two", "2", "1.5", "2.5", "y"]


def test_parts_are_stacked_one_after_another():
    parts = [Mark(name=name, values=[a, b]) for name, a, b in (("x", 1, 2), ("y", 3, 5))]
    bars = charts.stacked(parts)
    assert [list(one.values) for one in bars] == [[0, 0], [1, 2]]
    assert [list(one.to) for one in bars] == [[1, 2], [4, 7]]


@pytest.mark.parametrize("scale", [None, Scale(title="Trips", domain=(0, 4), zero=True)])
def test_cells_of_a_heat_map_stand_at_their_row_and_column(drawn, saved, scale):
    values = np.array([[0, 1, 2], [3, 4, 0]])
    said = np.array([["0", "1", "2"], ["3", "4", ""]], dtype=object)  # the last is left out
    charts.heat(
        ["r", "s"],
        ["x", "y", "z"],
        values if scale else values > 1,
        {"Trips": said},
        scale=scale,
        outlined={"#f00": values == 3},
        chosen=(0, 2),
        on_pick=lambda row, column: None,
        key="k",
        alt="a heat map",
        height=100,
    )
    cells = drawn["k"]["datasets"]["cells"]
    assert [(one["row"], one["column"], one["tip0"]) for one in cells] == [
        ("r", "x", "0"),
        ("r", "y", "1"),
        ("r", "z", "2"),
        ("s", "x", "3"),
        ("s", "y", "4"),
    ]
    assert drawn["k"]["datasets"]["edge #f00"] == [{"row": "s", "column": "x"}]
    assert {"row": "r", "column": "z"} in drawn["k"]["datasets"]["edge #d1495b"]
    assert saved[0][1:] == [[one["row"], one["column"], one["tip0"]] for one in cells]


def test_what_is_clicked_is_handed_on(monkeypatch):
    taken, given = [], {}
    monkeypatch.setattr(st, "vega_lite_chart", lambda data, spec, **options: given.update(options))
    state = {"k": {"selection": {"point": [{"i": 1, "j": 2}]}}}
    monkeypatch.setattr(st, "session_state", state)
    cells = np.ones((2, 3))
    options = {"scale": Scale(title="t", domain=(0, 1)), "height": 9, "alt": "a"}
    options["on_pick"] = lambda row, column: taken.append((row, column))
    charts.heat(["a", "b"], ["x", "y", "z"], cells, {"t": cells}, key="k", **options)
    given["on_select"]()
    state["k"]["selection"] = {}
    given["on_select"]()
    assert taken == [(1, 2)]


def test_axes_write_and_place_numbers():
    assert charts.EPSILON.encode("x")["scale"] == {
        "type": "log",
        "nice": False,
        "domain": [0.01, 10],
    }
    assert charts.share("Right").encode("y")["scale"]["domain"] == [0.0, 1.0]
    assert AMOUNT.encode("y")["scale"] == {"type": "linear", "nice": True, "zero": True}
    assert "~s" in AMOUNT.encode("y")["axis"]["labelExpr"]
    assert EPSILON.far(5.0)
    assert not EPSILON.far(0.1)


def test_a_week_begins_on_monday_and_few_blocks_are_named():
    places, axis = charts.week([f"{i}" for i in range(168)])
    assert places[:3] == [0.0, 1.0, 2.0]
    assert axis.domain == (0.0, 167.0)
    named, few = charts.week(["weekday", "weekend"])
    assert (named, few.kind) == (["weekday", "weekend"], "names")
