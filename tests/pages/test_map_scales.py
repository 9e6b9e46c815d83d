"""Colours of maps: at every ε a scale reaches up to the largest true values, or nearly."""

import numpy as np
import pytest
import streamlit as st

from pages._ui.drawing.maps import Scale

BEYOND = 0.05
"""Of the values that a map draws; with little noise, so that true and private are nearly alike."""
LITTLE_NOISE = {"epsilon": "10", "density_data": "demo-city", "od_data": "demo-city"}


@pytest.fixture
def coloured(monkeypatch):
    """Keep the scale and the values of every map that is coloured; none comes from a cache."""
    st.cache_data.clear()
    st.cache_resource.clear()
    calls = []
    positions = Scale.positions

    def keep(self, values):
        if self.kind != "diverging":
            calls.append((self.high, np.asarray(values, dtype=float)))
        return positions(self, values)

    monkeypatch.setattr(Scale, "positions", keep)
    return calls


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("app.py", {"home_shown": "density"}),
        ("app.py", {"home_shown": "trips"}),
        ("pages/1_Density.py", {"density_map_view": "true"}),
        ("pages/1_Density.py", {"density_view": "cells"}),
        ("pages/1_Density.py", {"density_view": "ours"}),
        ("pages/2_Origin_Destination.py", {}),
        ("pages/2_Origin_Destination.py", {"od_method": "estimate"}),
        ("pages/6_Report.py", {"report_view": "where"}),
        ("pages/6_Report.py", {"report_view": "flows"}),
    ],
)
def test_few_values_lie_beyond_the_end_of_a_scale(open_home, coloured, page, query):
    app = open_home(**LITTLE_NOISE, **query)
    if page != "app.py":
        coloured.clear()
        app.switch_page(page)
        for name, value in {**LITTLE_NOISE, **query}.items():
            app.query_params[name] = value
        app.run()
        assert not app.exception, app.exception
    assert coloured
    for high, values in coloured:
        assert np.nanmean(values > 1.05 * high) <= BEYOND
