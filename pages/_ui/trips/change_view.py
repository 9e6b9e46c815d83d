"""Origin–destination page: what rose and what fell between two spans, and what nobody can tell."""

import html
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import streamlit as st

from engine.arrays import Floats, Integers
from engine.contract import Setting
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
from engine.text import setting_text as words
from engine.text.numbers import number
from engine.text.privacy_text import UNIT_LABELS
from pages._ui.answers import cached, spans
from pages._ui.answers.matrix import Matrix
from pages._ui.app import cache
from pages._ui.app.session import session
from pages._ui.components import charts, colours, picture
from pages._ui.components.charts import Note
from pages._ui.components.maps import Scale, largest_flows
from pages._ui.components.picture import Picture, Shapes
from pages._ui.frame import layout
from pages._ui.settings import widgets
from pages._ui.settings.seeds import Seed

SIZE, SHARE = 100, 0.2
BEYOND_CHANCE, COUNTS_DIFFER = "Beyond chance", "Counts differ"
MAX_FLOWS = 80
"""Flows that each side draws."""

_GREY = "#8a8a8a"
_KINDS = (
    ("rise", "", colours.MORE),
    ("fall", "inflated", colours.LESS),
    ("cannot tell", "untold", _GREY),
    ("false: the true flow did not change this way", "phantom", colours.PHANTOM),
)
_RISE, _FALL, _UNCLEAR, _INVENTED = range(len(_KINDS))


def draw(matrix: Matrix) -> None:
    """Draw the two spans, the map, how the verdicts fare, and the curve over ε."""
    setting = spans.pick_spans(matrix.setting, len(matrix.names))
    if setting is None:
        return
    old, new = spans.split_spans(setting)
    controls = words.format_controls(matrix.setting)
    session().stamp = f"{controls}, {UNIT_LABELS[matrix.parameters.unit]}, two spans"
    view = widgets.choose(
        "Show", ("Flows", "Leaving", "Arriving"), "od_change_show", in_link=False, has_title=True
    )
    grades = BEYOND_CHANCE, COUNTS_DIFFER
    grade = widgets.choose("Told", grades, "od_change_grade", in_link=False, has_title=True)
    _draw_map(matrix, old, new, view, grade)
    who = "a trip is in one period only and" if matrix.parameters.unit == "trip" else "a person"
    st.caption(
        "Each span would be one table, whatever time is set. They are a release of their own: "
        f"{who} pays ε = {cached.risk(setting).epsilon:.3g} for both spans, beside all others."
    )
    layout.draw_link("pages/6_Release.py", "Release both spans", release_product=spans.PRODUCT)
    draws = max(5, min(20, 10**6 // len(matrix.names) ** 2))  # many flows vary less
    counts = simulate_power(old, new, matrix.seed, draws, beyond_chance=grade == BEYOND_CHANCE)
    told = "reported beyond chance" if grade == BEYOND_CHANCE else "reported"
    st.markdown(
        f"{number(counts.true_positives + counts.false_negatives)} flows of {SIZE} trips or more "
        f"before or after truly change by {SHARE:.0%} or more. **{number(counts.true_positives)} "
        f"are found and {number(counts.false_negatives)} are missed**. Among all flows "
        f"{number(counts.changed)} changes are {told}, and **{number(counts.false_positives)} of "
        "them are invented**, by noise or because T drops more trips in one span. Means of "
        f"{draws} draws."
    )
    _draw_epsilon_curve(matrix.parameters, len(matrix.names))


@cache.memoize
def compare_spans(
    old: Setting, new: Setting, seed: Seed
) -> tuple[FlowChanges, tuple[Floats, Floats]]:
    """Return the verdicts of the draw on the page, and the ranges of the ratios of flows."""
    parameters = old.parameters
    first, second = (
        change.draw_noisy_cells(
            cached.dataset(cached.view_key(setting)),
            parameters,
            noise=cached.flow_noise(setting, seed),
            **cached.days(setting, 0),
        )
        for setting in (old, new)
    )
    law = change.noise_distribution(parameters)
    changes = change.find_changes(first, second, law, least_shown=_floor(parameters))
    return changes, change.ratio_intervals(first, second, law, min_trips=SIZE)


@cache.memoize
def simulate_power(
    old: Setting, new: Setting, seed: Seed, draws: int, *, beyond_chance: bool
) -> ChangeCounts:
    """Return how verdicts fare beside the truth, on average over draws."""
    parameters, pair = old.parameters, (old, new)
    limit = parameters.max_trips_per_user
    trims = ODParameters(epsilon=1.0, unit=parameters.unit, max_trips_per_user=limit)
    return change.simulate_power(
        [
            cached.read(
                truncated_matrices, cached.view_key(setting), trims, **cached.days(setting, 0)
            )[0]
            for setting in pair
        ],
        [cached.truth(setting, 0) for setting in pair],
        change.noise_distribution(parameters),
        rng=cached.generator(seed, "changes"),
        least_shown=_floor(parameters),
        share=SHARE,
        size=SIZE,
        draws=draws,
        beyond_chance=beyond_chance,
    )


def _floor(parameters: Any) -> float:
    return parameters.min_shown_count if has_suppression(parameters) else -np.inf


def _draw_map(matrix: Matrix, old: Setting, new: Setting, view: str, grade: str) -> None:
    changes, (low, high) = compare_spans(old, new, matrix.seed)
    true = cached.truth(new, 0) - cached.truth(old, 0)
    names = list(matrix.names.values())
    truly, selected, topic = {
        "Flows": (true, changes.flows, f"the {MAX_FLOWS} largest changes of flows"),
        "Leaving": (true.sum(axis=1), changes.outflows, "trips leaving"),
        "Arriving": (true.sum(axis=0), changes.inflows, "trips arriving"),
    }[view]
    is_strict = grade == BEYOND_CHANCE
    verdicts = {1: "a rise", -1: "a fall", 0: "cannot tell"}
    signs = selected.signs_beyond_chance if is_strict else selected.signs

    def say(i: int) -> str:
        index = np.unravel_index(i, truly.shape)
        text = f"{selected.change[index]:+,} ± {selected.half_width:,}"
        if truly.ndim == 2 and not changes.shown_flows[index]:
            text = "one of the two counts is suppressed"
        elif truly.ndim == 2 and np.isfinite(low[index]):
            text += f", {low[index]:.0%} to {high[index]:.0%} of before"
        where = " → ".join(names[zone] for zone in index)
        verdict = verdicts[int(signs[index])]
        if signs[index] != selected.signs[index]:
            verdict += " beyond chance, though the counts differ"
        return f"{where}\ntrue: {truly[index]:+,}\nreported: {verdict}, {text}"

    shapes = cached.read(picture.shapes, cached.view_key(matrix.setting))
    both = cached.truth(old, 0) + cached.truth(new, 0)
    busy = (both.sum(axis=0) + both.sum(axis=1)).astype(float)
    drawing = changes_picture(shapes, truly, selected.change, signs, say, topic, busy)
    picture.draw(drawing, "changes")
    covered = (
        "The counts differ beyond chance: that covers the noise, and who happened to travel on "
        "these days as if every trip were made independently."
        if is_strict
        else "The counts differ: that covers the noise alone, not who happened to travel on these "
        "days."
    )
    st.caption(
        f"On average at most {FALSE_DISCOVERY_RATE:.0%} of the reported changes are wrong about "
        "trips within the contribution limit, by one Benjamini–Hochberg test over all "
        f"{'flows' if truly.ndim == 2 else 'zones'}. {covered}"
    )


def changes_picture(
    shapes: Shapes,
    true: Integers,
    changes: Integers,
    signs: Integers,
    describe: Callable[[int], str],
    topic: str,
    weights: Floats | None = None,
) -> Picture:
    """Return changes of flows (zones, zones) or of zones (zones,), as they are and as told.

    A true change that is not told is hatched, a told one that the truth does not share is hollow.
    `describe` tells one by its place in `true`.
    """
    high = float(max(np.abs(true).max(initial=0), 1))
    kinds_told = np.select(
        [(signs != 0) & (signs != np.sign(true)), signs > 0, signs < 0],
        [_INVENTED, _RISE, _FALL],
        _UNCLEAR,
    ).ravel()
    kinds_true = np.select([true > 0, true < 0], [_RISE, _FALL], -1).ravel()
    ground = picture.hatching_html("untold", _GREY) + picture.ground_html(shapes)

    def side(title: str, values: Integers, kinds: Integers) -> str:
        sizes, order, outlines = np.abs(values).ravel(), np.arange(values.size), [*shapes.zones]
        if true.ndim == 2:
            pairs = largest_flows(np.abs(values), MAX_FLOWS)
            order = np.ravel_multi_index(pairs, true.shape)
            widths = Scale(high).widths(sizes[order].astype(float))
            outlines = picture.arrow_paths(shapes, pairs, widths)
        paths = ""
        for i, kind, outline in zip(order.tolist(), kinds[order].tolist(), outlines, strict=True):
            if kind < 0:  # really no change
                continue
            _, edge, colour = _KINDS[kind]
            full = true.ndim == 2 or kind == _UNCLEAR
            deep = 1.0 if full else min(0.2 + 0.7 * sizes[i] / high, 1.0)
            paths += f'<path class="flow {edge}" fill-opacity="{deep:.2f}" '
            zones = [int(zone) for zone in np.unravel_index(i, true.shape)]
            words = picture.pointed_html(describe(i), *zones)
            paths += f'style="--c:{colour}" d="{outline}"{words}/>'
        return picture.figure_html(shapes, title, f"{title}: {topic}", ground + paths, weights)

    cells = np.where(signs == 0, true, changes)  # a true change that nobody can tell is drawn, too
    key = "".join(picture.swatch_html(edge, name, colour) for name, edge, colour in _KINDS)
    sides = side("True change", true, kinds_true)
    sides += side("Reported from the private counts", cells, kinds_told)
    return Picture(sides, f"{key}<span>{html.escape(topic)}</span>", shapes.names)


def _draw_epsilon_curve(parameters: Any, zones: int) -> None:
    """Draw how likely one change is told over ε, and from which ε on it is."""
    st.subheader(f"Counts differ: a {SHARE:.0%} change in a flow of {SIZE}", anchor=False)
    flows = zones * (zones - 1)
    curves, min_epsilons = cache.compute(change_curves, parameters.with_epsilon(1.0), flows)
    names = "one flow, chosen in advance", f"any one of {flows:,} flows (worst case)"
    charts.draw_curve(
        charts.make_lines(dict(zip(names, curves, strict=True))),
        y_axis=charts.share_axis("Share of releases that report it"),
        current=parameters.epsilon,
        notes=[Note(y=0.95, words="95%", colour=colours.TRUE)],
        key="od_change_epsilon",
        alt="How often the change is reported, over the privacy loss",
    )
    single, chosen = (math.ceil(100 * epsilon) / 100 for epsilon in min_epsilons)
    st.markdown(
        f"**From ε = {single:g} on, a {SHARE:.0%} change in a flow of {SIZE} is reported** in 95 "
        f"of 100 releases. From ε = {chosen:g} on, this holds also as one of {flows:,} flows. "
        "That they differ beyond chance is reported so often at no ε."
    )


def change_curves(unit: ODParameters, flows: int) -> tuple[list[list[float]], list[float]]:
    """Return how likely the change is told at every stop, and the least ε for 95%.

    Of settings at an ε of 1; by itself, and as one of so many flows.
    """
    law = change.noise_distribution(unit)
    levels = (FALSE_DISCOVERY_RATE, FALSE_DISCOVERY_RATE / flows)

    def chance(epsilon: float, level: float) -> float:
        noise = NoiseDistribution(epsilon * law.rate, law.name)
        reach = NoiseSum(noise, 2).half_width(level)
        new = round(SIZE * (1 + SHARE))
        return change.change_probabilities(SIZE, new, noise, reach, least_shown=_floor(unit))[0]

    rates = [change.min_rate_for_change(SIZE, SHARE, level=level, law=law.name) for level in levels]
    curves = [[chance(epsilon, level) for epsilon in EPSILON_STOPS] for level in levels]
    return curves, [rate / float(law.rate) for rate in rates]
