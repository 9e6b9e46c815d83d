"""Origin–destination page: what rose and what fell between two spans, and what nobody can tell."""

import html
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from engine.arrays import Floats, Integers
from engine.contract import Setting
from engine.metrics import largest_positions
from engine.origin_destination import (
    NoiseDistribution,
    ODParameters,
    change,
    has_suppression,
    truncated_matrices,
)
from engine.origin_destination.change import FALSE_DISCOVERY_RATE, ChangeCounts, FlowChanges
from engine.origin_destination.noise_bounds import NoiseSum
from engine.parameters import EPSILON_STOPS
from pages._ui import cached, state
from pages._ui.drawing import charts, colours, picture
from pages._ui.drawing.arrows import arrows
from pages._ui.drawing.charts import Note
from pages._ui.drawing.maps import Scale
from pages._ui.drawing.picture import Picture, Shapes
from pages._ui.shell import frame
from pages._ui.shell.session import session
from pages._ui.trips.matrix import Matrix
from pages._ui.views import spans
from pages._ui.wording import use as words
from pages._ui.wording.numbers import number
from pages._ui.wording.privacy import UNITS

FLOW, SHARE = 100, 0.2
MOST = 80
"""Flows that each side draws."""

_GREY = "#8a8a8a"
_KINDS = (
    ("rise", "", "#1b8a3a"),
    ("fall", "inflated", "#8e4ec6"),
    ("cannot tell", "untold", _GREY),
    ("invented: the truth does not go there", "phantom", colours.PHANTOM),
)
_RISE, _FALL, _UNTOLD, _INVENTED = range(len(_KINDS))
_HATCHING = (
    '<pattern id="untold" width="14" height="14" patternUnits="userSpaceOnUse" '
    f'patternTransform="rotate(45)"><path d="M0 0V14" stroke="{_GREY}" stroke-width="9"/></pattern>'
)


def draw(matrix: Matrix) -> None:
    """Draw the two spans, the map, how the verdicts fare, and the curve over ε."""
    both = spans.pick(matrix.setting, len(matrix.names))
    if both is None:
        return
    before, after = spans.halves(both)
    asked = words.levers(matrix.setting)
    session().said = f"{asked}, {UNITS[matrix.parameters.unit]}, two spans"
    way = state.choose(
        "Show", ("Flows", "Leaving", "Arriving"), "od_change_show", linked=False, titled=True
    )
    _map(matrix, before, after, way)
    _price(both)
    frame.link("pages/7_Release.py", "Release both spans", release_product=spans.PRODUCT)
    draws = max(5, min(20, 10**6 // len(matrix.names) ** 2))  # many flows vary less
    counts = power(before, after, matrix.seed, draws)
    st.markdown(
        f"Of {number(counts.true_positives + counts.false_negatives)} true changes by {SHARE:.0%} "
        f"or more, in flows of {FLOW} trips or more, **{number(counts.true_positives)} are found "
        f"and {number(counts.false_negatives)} are missed**. Of all {number(counts.changed)} flows "
        f"told, **{number(counts.false_positives)} are invented**: the truth does not go there, by "
        f"noise, or because trimming drops more in one span. Means of {draws} draws."
    )
    _over_epsilon(matrix.parameters, len(matrix.names))


def leaving(matrix: Matrix) -> None:
    """Draw the two spans, and where more or fewer people leave a zone than before."""
    if both := spans.pick(matrix.setting, len(matrix.names)):
        _map(matrix, *spans.halves(both), "Leaving")
        _price(both)


@cached.once
def compared(
    before: Setting, after: Setting, seed: cached.Seed
) -> tuple[FlowChanges, tuple[Floats, Floats]]:
    """Return the verdicts of the draw on the page, and the ranges of the ratios of flows."""
    parameters = before.parameters
    first, second = (
        change.draw_noisy_cells(
            cached.dataset(cached.view(one)),
            parameters,
            noise=cached.flow_noise(one, seed),
            **cached.days(one, 0),
        )
        for one in (before, after)
    )
    law = change.noise_distribution(parameters)
    changes = change.find_changes(first, second, law, least_shown=_least(parameters))
    return changes, change.ratio_intervals(first, second, law, min_trips=FLOW)


@cached.once
def power(before: Setting, after: Setting, seed: cached.Seed, draws: int) -> ChangeCounts:
    """Return how verdicts fare beside the truth, on average over draws."""
    parameters, both = before.parameters, (before, after)
    trims: Any = replace(
        parameters.with_epsilon(1.0), method="laplace_suppression", suppression_threshold=0
    )
    return change.simulate_power(
        [
            cached.of(truncated_matrices, cached.view(one), trims, **cached.days(one, 0))[0]
            for one in both
        ],
        [cached.truth(one, 0) for one in both],
        change.noise_distribution(parameters),
        rng=cached.generator(seed, "changes"),
        least_shown=_least(parameters),
        share=SHARE,
        size=FLOW,
        draws=draws,
    )


def _least(parameters: Any) -> float:
    return parameters.min_shown_count if has_suppression(parameters) else -np.inf


def _map(matrix: Matrix, before: Setting, after: Setting, way: str) -> None:
    told, (low, high) = compared(before, after, matrix.seed)
    true = cached.truth(after, 0) - cached.truth(before, 0)
    names = list(matrix.names.values())
    truly, each, what = {
        "Flows": (true, told.flows, f"the {MOST} largest changes of flows"),
        "Leaving": (true.sum(axis=1), told.outflows, "trips leaving"),
        "Arriving": (true.sum(axis=0), told.inflows, "trips arriving"),
    }[way]
    verdicts, signs = {1: "a rise", -1: "a fall", 0: "cannot tell"}, each.signs

    def say(i: int) -> str:
        at = np.unravel_index(i, truly.shape)
        said = f"{each.change[at]:+,} ± {each.half_width:,}"
        if truly.ndim == 2 and not told.shown_flows[at]:
            said = "one of the two counts is suppressed"
        elif truly.ndim == 2 and np.isfinite(low[at]):
            said += f", {low[at]:.0%} to {high[at]:.0%} of before"
        where = " → ".join(names[zone] for zone in at)
        return f"{where}\ntrue: {truly[at]:+,}\ntold: {verdicts[int(signs[at])]}, {said}"

    shapes = cached.of(picture.shapes, cached.view(matrix.setting))
    picture.draw(picture_of(shapes, truly, each.change, signs, say, what))
    st.caption(
        f"Of all changes that are told at most {FALSE_DISCOVERY_RATE:.0%} are wrong on average, "
        f"by one Benjamini–Hochberg over all {'flows' if truly.ndim == 2 else 'zones'}, for the "
        "trips that trimming keeps. That covers the noise alone, not who happened to travel on "
        "these days."
    )


def _price(both: Setting) -> None:
    """Say what one release of both spans is charged."""
    who = "a trip is in one span only and" if both.parameters.unit == "trip" else "a person"
    st.caption(
        f"Each span would be one table, whatever time is set. One release holds both, and {who} "
        f"pays ε = {cached.risk(both).epsilon:.3g} for both spans."
    )


def picture_of(
    drawn: Shapes,
    true: Integers,
    told: Integers,
    signs: Integers,
    say: Callable[[int], str],
    what: str,
) -> Picture:
    """Return changes of flows (zones, zones) or of zones (zones,), as they are and as told.

    A true change that is not told is hatched, a told one that the truth does not share is hollow.
    `say` tells one by its place in `true`.
    """
    high = float(max(np.abs(true).max(initial=0), 1))
    named = np.select(
        [(signs != 0) & (signs != np.sign(true)), signs > 0, signs < 0],
        [_INVENTED, _RISE, _FALL],
        _UNTOLD,
    ).ravel()
    truly = np.select([true > 0, true < 0], [_RISE, _FALL], -1).ravel()
    ground = _HATCHING + "".join(f'<path class="ground" d="{path}"/>' for path in drawn.zones)

    def side(title: str, values: Integers, kinds: Integers) -> str:
        sizes, at = np.abs(values).ravel(), np.arange(values.size)
        if true.ndim == 2:
            at = largest_positions(sizes, MOST)
            at = at[sizes[at] > 0][::-1]
            pairs = drawn.centres[at // len(true)], drawn.centres[at % len(true)]
            widths = Scale(high).widths(sizes[at].astype(float))
            outlines = [picture.path(one) for one in arrows(*pairs, widths, unit=2.4)]
        else:
            outlines = list(drawn.zones)
        paths = ""
        for i, kind, outline in zip(at.tolist(), kinds[at].tolist(), outlines, strict=True):
            if kind < 0:  # really no change
                continue
            _, edge, colour = _KINDS[kind]
            full = true.ndim == 2 or kind == _UNTOLD
            deep = 1.0 if full else min(0.2 + 0.7 * sizes[i] / high, 1.0)
            paths += f'<path class="flow {edge}" fill-opacity="{deep:.2f}" '
            paths += f'style="--c:{colour}" d="{outline}">'
            paths += f"<title>{html.escape(say(i))}</title></path>"
        return picture.figure(drawn.view_box, title, f"{title}: {what}", ground + paths)

    shown = np.where(signs == 0, true, told)  # a true change that nobody can tell is drawn, too
    key = "".join(picture.swatch(edge, name, colour) for name, edge, colour in _KINDS)
    sides = side("True change", true, truly)
    sides += side("Told from the private counts", shown, named)
    return Picture(sides, f"{key}<span>{html.escape(what)}</span>")


def _over_epsilon(parameters: Any, zones: int) -> None:
    """Draw how likely one change is told over ε, and from which ε on it is."""
    st.subheader(f"A {SHARE:.0%} change in a flow of {FLOW}", anchor=False)
    flows = zones * (zones - 1)
    curves, least = cached.computed(told_over_epsilon, parameters.with_epsilon(1.0), flows)
    names = "one flow, chosen in advance", f"one of {flows:,}, at worst"
    charts.curve(
        charts.lines(dict(zip(names, curves, strict=True))),
        x=EPSILON_STOPS,
        at=charts.EPSILON,
        of=charts.share("Told in so many releases"),
        current=parameters.epsilon,
        notes=[Note(y=0.95, words="95%", colour=colours.TRUE)],
        key="od_change_epsilon",
        alt="How often the change is told, over the privacy loss",
    )
    alone, chosen = (math.ceil(100 * one) / 100 for one in least)
    st.markdown(
        f"**From ε = {alone:g} on a {SHARE:.0%} change in a flow of {FLOW} can be told** in 95 of "
        f"100 releases, from ε = {chosen:g} on also as one of {flows:,} flows."
    )


def told_over_epsilon(unit: ODParameters, flows: int) -> tuple[list[list[float]], list[float]]:
    """Return how likely the change is told at every stop, and the least ε for 95%.

    Of settings at an ε of 1; by itself, and as one of so many flows.
    """
    law = change.noise_distribution(unit)
    levels = (FALSE_DISCOVERY_RATE, FALSE_DISCOVERY_RATE / flows)

    def chance(epsilon: float, level: float) -> float:
        noise = NoiseDistribution(epsilon * law.rate, law.name)
        reach = NoiseSum(noise, 2).half_width(level)
        after = round(FLOW * (1 + SHARE))
        return change.change_probabilities(FLOW, after, noise, reach, least_shown=_least(unit))[0]

    rates = [change.min_rate_for_change(FLOW, SHARE, level=one, law=law.name) for one in levels]
    curves = [[chance(at, one) for at in EPSILON_STOPS] for one in levels]
    return curves, [rate / float(law.rate) for rate in rates]
