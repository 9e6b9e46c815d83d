"""Colours with a meaning stay apart for readers who see no red and green, and never stand alone."""

import itertools
import re

import numpy as np

from pages._ui.components import colours
from pages._ui.components.gauges import Gauge, gauges_html
from pages._ui.components.maps import Scale

SIGHT = {
    "usual": np.eye(3),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
}
"""On linear RGB, severity 1 (Machado, Oliveira and Fernandes 2009)."""
_TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175],
     [0.0193339, 0.119192, 0.9503041]]
)  # fmt: skip
_WHITE = np.array([0.95047, 1.0, 1.08883])
LEAST_STATES, LEAST_WRONG = 35.0, 20.0
"""CIE Lab distances (ΔE*ab); 2.3 is just noticeable for large patches side by side."""


def lab(rgb, sight):
    """CIE Lab under D65 of sRGB as it is seen, shape (…, 3)."""
    share = np.asarray(rgb, dtype=float) / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    xyz = np.clip(linear @ SIGHT[sight].T, 0, 1) @ _TO_XYZ.T / _WHITE
    part = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    x, y, z = np.moveaxis(part, -1, 0)
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def rgb(colour):
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]


def apart(one, other, sight):
    """The least distance of any colour of one from any of the other."""
    one, other = np.atleast_2d(lab(one, sight)), np.atleast_2d(lab(other, sight))
    return float(np.linalg.norm(one[:, None] - other[None], axis=-1).min())


def least_states(states):
    return min(
        apart(rgb(one), rgb(other), sight)
        for sight in SIGHT
        for one, other in itertools.combinations(states, 2)
    )


def least_from_scale(colour):
    scale = Scale(1.0, kind="linear").colours(np.linspace(0, 1, 256))[:, :3]
    return min(apart(rgb(colour), scale, sight) for sight in SIGHT)


def test_the_three_steps_of_a_verdict_stay_apart():
    assert least_states(colours.LEVELS.values()) >= LEAST_STATES


def test_wrong_flows_stay_apart_from_each_other_and_from_the_scale():
    wrong = [colours.PHANTOM, colours.INFLATED, colours.LOST]
    assert least_states(wrong) >= LEAST_WRONG
    assert min(map(least_from_scale, wrong)) >= LEAST_WRONG


def test_a_gauge_says_its_steps_by_signs_and_its_limits_in_words():
    gauge = Gauge(
        name="Use: in part", level="partly", sentence="*75%* of trips", note="", value=0.75,
        rule="good from 90%", low=0.0, high=1.0,
        bands=((0.5, "noisy"), (0.9, "partly"), (1.0, "good")),
    )  # fmt: skip
    drawn = gauges_html([gauge], name="Kigali")
    signs = re.findall(r'class="sign" style="left:([\d.]+)%" aria-hidden="true">(.)\d*<', drawn)
    assert signs == [("0.0", "✕"), ("50.0", "≈"), ("90.0", "✓")]
    assert 'data-help="good from 90%"' in drawn
    assert '<span aria-hidden="true">≈</span> Use: in part' in drawn
