"""Where zones should act beside where they do, with what is missed or needless."""

import html
from collections.abc import Sequence

import numpy as np

from engine.arrays import Floats
from engine.decisions import Comparison
from engine.steps import GOOD_SHARE
from pages._ui.drawing import colours, picture
from pages._ui.drawing.picture import Picture, Shapes
from pages._ui.wording.numbers import number

_EDGES = {"missed": ("lost", colours.LOST), "needless": ("phantom", colours.PHANTOM)}
_LEAST, _MOST = 60, 235


def outcomes(compared: Comparison) -> list[str]:
    """Say how each zone is decided: wrongly where over one in ten of its due days is."""
    due = np.maximum(compared.acting_true, 1)
    missed, needless = compared.missed.mean(axis=0) / due, compared.needless.mean(axis=0) / due
    wrong = np.maximum(missed, needless) > 1 - GOOD_SHARE + 1e-9
    return np.where(wrong, np.where(missed >= needless, "missed", "needless"), "right").tolist()


def of_decisions(drawn: Shapes, compared: Comparison, epsilon: float) -> Picture:
    """Return the picture: the darker a zone, the more days it acts; wrong ones have an edge."""
    acting, missed, needless = (
        values.mean(axis=0) for values in (compared.acting, compared.missed, compared.needless)
    )
    figures = zip(drawn.names, compared.acting_true, acting, missed, needless, strict=True)
    words = [
        f"{name}\nshould act on {due} days\nacts on {number(now)}\nmissed: {number(lost)}\n"
        f"needless: {number(vain)}"
        for name, due, now, lost, vain in figures
    ]
    sides = _side(drawn, "Days on which to act, truly", compared.acting_true / compared.days, words)
    title = f"With a release, ε = {epsilon:g}"
    sides += _side(drawn, title, acting / compared.days, words, outcomes(compared))
    counts = {"missed": float(missed.sum()), "needless": float(needless.sum())}
    key = "".join(
        f'<span><svg viewBox="0 0 52 20" aria-hidden="true"><path class="flow {edge}" '
        f'style="--c:{colour}" d="M2 5H50V15H2Z"/></svg> {name}: {number(counts[name])} zone-days '
        f"of {number(float(compared.acting_true.sum()))} due</span>"
        for name, (edge, colour) in _EDGES.items()
    )
    note = "marked where more than one decision in ten is wrong; darker: acts on more days"
    return Picture(sides, f"{key}<span>{note}</span>")


def _side(
    drawn: Shapes, title: str, shares: Floats, words: Sequence[str], marks: Sequence[str] = ()
) -> str:
    most = max(float(shares.max(initial=0.0)), 1e-9)
    paths = ""
    for i, (path, share) in enumerate(zip(drawn.zones, shares.tolist(), strict=True)):
        opacity = round(_LEAST + (_MOST - _LEAST) * share / most) if share > 0 else 20
        fill, said = f"{colours.PRIVATE}{opacity:02x}", f"<title>{html.escape(words[i])}</title>"
        paths += f'<path class="zone" fill="{fill}" d="{path}">{said}</path>'
        if marks and marks[i] in _EDGES:
            edge, colour = _EDGES[marks[i]]
            paths += f'<path class="flow {edge}" style="--c:{colour}" d="{path}">{said}</path>'
    return picture.figure(drawn, title, f"Map of decisions: {title}", paths)
