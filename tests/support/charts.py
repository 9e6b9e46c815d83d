"""What a page's charts draw: their tables by the charts' keys, each specification checked."""

from collections.abc import Iterator
from typing import Any

import altair as alt
import pytest
import streamlit as st


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, dict[str, Any]]]:
    """Keep the specifications of the charts that are drawn, by their keys."""
    charts: dict[str, dict[str, Any]] = {}
    show = st.vega_lite_chart

    def keep(data: Any, spec: dict[str, Any], *, key: str, **options: Any) -> Any:
        assert options["alt"], key
        charts[key] = spec | {
            "datasets": {name: table.to_dict("records") for name, table in spec["datasets"].items()}
        }
        return show(data, spec, key=key, **options)

    monkeypatch.setattr(st, "vega_lite_chart", keep)
    yield charts
    for chart in charts.values():
        valid(chart)


def valid(chart: dict[str, Any]) -> None:
    """Hold a specification to the schema of Vega-Lite, and its fields to its tables."""
    plain = chart | {"datasets": {}}
    alt.LayerChart.from_dict(plain)
    for layer in chart["layer"]:
        table = chart["datasets"][layer["data"]["name"]]
        assert table
        for channel in layer.get("encoding", {}).values():
            for one in channel if isinstance(channel, list) else [channel]:
                assert "field" not in one or one["field"] in table[0], one


def said(chart: dict[str, Any]) -> str:
    """Return what stands under a chart, also where it is saved: a table, which its title reads."""
    assert chart["title"]["text"] == {"expr": "pluck(data('said'), 'line')"}
    assert any(layer.get("data") == {"name": "said"} for layer in chart["layer"])
    return " ".join(row["line"] for row in chart["datasets"]["said"])
