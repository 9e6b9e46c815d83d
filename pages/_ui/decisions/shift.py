"""A map of how far the first acting day of each zone moves."""

import numpy as np
import streamlit as st

from engine import decisions
from engine.arrays import Floats
from pages._ui.cache import datasets as cached_datasets
from pages._ui.cache.decisions import Outbreak
from pages._ui.decisions import wording
from pages._ui.decisions.work import Epidemics
from pages._ui.drawing import maps
from pages._ui.drawing.maps import Scale
from pages._ui.shell.catalogue import Entry

_LEAST_SCALE = 14.0
_WIDTH = 330
"""Pixels that the map has beside the strip in a window of 1024."""


def draw(entry: Entry, outbreak: Outbreak, true: Floats, drawn: Epidemics) -> None:
    """Draw the map of the shift, in days, median over draws."""
    st.subheader("How far the first day moves", anchor=False)
    comparison = decisions.one_origin(drawn.comparison, 0)
    shifts = comparison.shift
    some = np.isfinite(shifts).any(axis=0)
    median = np.full(shifts.shape[1], np.nan)
    median[some] = np.nanmedian(shifts[:, some], axis=0)
    reach = max(_LEAST_SCALE, float(np.nanmax(np.abs(median), initial=0.0)))
    scale = Scale(-reach, reach, "diverging")
    days = entry.metadata.days[outbreak.days[0] :]
    truly = np.any(decisions.acts(true, outbreak.threshold), axis=0)
    names = list(cached_datasets.outlines(entry.key).ids)
    maps.zone_map(
        cached_datasets.outlines(entry.key),
        median,
        scale,
        key="decisions_shift",
        alt="Map of the shift of the first acting day by zone",
        tooltip={
            "Should act from": [
                f"{days[first]:%d %b %Y}" if first != decisions.NEVER else "never"
                for first in comparison.first_true
            ],
            "In the release": [
                wording.shift(value)
                if np.isfinite(value)
                else ("never acts" if truly[zone] else _phantom(comparison, zone))
                for zone, value in enumerate(median)
            ],
        },
        height=460,
        width=_WIDTH,
        marked=names.index(outbreak.origins[0]),
    )
    scale.legend(
        "shift of the first acting day, median over releases",
        f"{wording.duration(reach)} early",
        f"{wording.duration(reach)} late",
    )
    st.caption(
        "Grey: the zone never acts, in truth or in the release. The red outline is where the "
        "epidemic starts."
    )


def _phantom(comparison: decisions.Comparison, zone: int) -> str:
    share = float((comparison.first[:, zone] != decisions.NEVER).mean())
    return "never acts" if share == 0 else f"acts in {share:.0%} of releases, and should not"
