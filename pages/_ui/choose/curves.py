"""Choose ε: ε over the tolerated error, the best guess over ε, and ε as others have used it."""

from dataclasses import replace

import numpy as np
import streamlit as st

from engine.parameters import EPSILON_STOPS
from engine.privacy import PRECEDENTS, Guarantee
from pages._ui.choose.question import Question, Read
from pages._ui.drawing import charts, colours
from pages._ui.drawing.charts import EPSILON, STROKES, Axis, Line, Mark, Point, Rule
from pages._ui.wording.numbers import trip_count

_CONFIDENCES = (0.8, 0.9, 0.95, 0.99)
_LINES = ("#5ec962", "#21918c", "#4a7fc1", "#9a6fc9")
_AXIS_END = 50.0
_TICKS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100)


def over_error(question: Question, read: Read) -> None:
    """Draw ε against the tolerated error at several confidences, with "you are here"."""
    longest = max(50, min(4 * question.alpha, 100_000))
    alphas = np.unique(np.geomspace(1, longest + 1, 60).round().astype(int) - 1)
    levels = sorted({*_CONFIDENCES, question.confidence})
    shades = dict(zip(_CONFIDENCES, _LINES, strict=True)) | {question.confidence: colours.HERE}
    current = float(
        read.epsilon(question.alpha, question.beta, question.max_trips, law=question.law)
    )
    charts.curve(
        [
            Line(
                name=f"{100 * level:g}% confidence",
                y=read.epsilon(alphas, 1 - level, question.max_trips, law=question.law),
                colour=shades[level],
                dash=dash,
            )
            for level, dash in zip(levels, STROKES, strict=False)
        ],
        x=alphas,
        at=Axis(
            title="Tolerated error α (trips)",
            form=",d",
            tip=",d",
            domain=(0, float(alphas[-1])),
            ticks=6,
        ),
        of=replace(EPSILON, domain=None, tip=".4~g", ticks=_TICKS),
        points=[Point(x=question.alpha, y=current, words="you are here")],
        key="choose_curve_chart",
        alt=f"Epsilon against the tolerated error; {current:.3g} at {trip_count(question.alpha)}",
        height=320,
    )
    st.caption(
        "Look for the bend: halving the error doubles ε almost everywhere, while more confidence "
        "is cheap – from 95% to 99% costs about half as much again."
    )


def best_guess(epsilon: float) -> None:
    """Draw the best possible guess over ε."""
    stops = np.geomspace(0.01, 10, 80)
    guess = Guarantee(epsilon=epsilon).best_guess
    charts.curve(
        charts.lines({"guess": [Guarantee(epsilon=stop).best_guess for stop in stops]}),
        x=stops,
        at=replace(EPSILON, tip=".2~g"),
        of=charts.share("Right at most", domain=(0.5, 1.0)),
        points=[Point(x=epsilon, y=guess, words="you are here")],
        key="choose_guess",
        alt=f"Best possible guess over epsilon; {guess:.0%} at {epsilon:g}",
        height=330,
    )


def deployments(epsilon: float) -> None:
    """Draw what others have used on the axis of ε, with what each protects."""
    used = [known.epsilon for known in PRECEDENTS]
    charts.bars(
        # one axis label on two lines: what it was, and whom it protects
        [f"{known.name}|protects {known.unit}" for known in PRECEDENTS],
        [Mark(name="ε", values=used, kind="dot", texts=[f"{one:g}" for one in used])],
        of=replace(EPSILON, domain=(EPSILON_STOPS[0], _AXIS_END), ticks=_TICKS[2:-1]),
        rules=[Rule(x=epsilon, colour=colours.HERE)],
        axis={
            "labelExpr": "split(datum.label, '|')",
            "labelLimit": 260,
            "labelLineHeight": 13,
            "grid": True,
        },
        key="choose_deployments",
        alt=f"Known deployments on the epsilon axis; you are at {epsilon:g}",
        height=330,
    )
