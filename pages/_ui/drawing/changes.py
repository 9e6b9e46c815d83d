"""What rose and what fell between two spans, true beside private, as one picture."""

import html
from collections.abc import Callable

import numpy as np

from engine.arrays import Integers
from engine.metrics import largest
from pages._ui.drawing import colours, picture
from pages._ui.drawing.arrows import arrows
from pages._ui.drawing.maps import Scale
from pages._ui.drawing.picture import Picture, Shapes

MOST = 80
"""Flows that each side draws."""

RISE, FALL, GREY = "#1b8a3a", "#8e4ec6", "#8a8a8a"
_KINDS = (
    ("rise", "", RISE),
    ("fall", "inflated", FALL),
    ("cannot tell", "untold", GREY),
    ("invented: the truth does not go there", "phantom", colours.PHANTOM),
)
_RISE, _FALL, _UNTOLD, _INVENTED = range(len(_KINDS))
_HATCHING = (
    '<pattern id="untold" width="14" height="14" patternUnits="userSpaceOnUse" '
    f'patternTransform="rotate(45)"><path d="M0 0V14" stroke="{GREY}" stroke-width="9"/></pattern>'
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

    `signs` are the verdicts; a true change that is not told is hatched, a told one that the truth
    does not share is hollow. `say` tells one by its place in `true`.
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
            at = largest(sizes, MOST)
            at = at[sizes[at] > 0][::-1]
            pairs = drawn.centres[at // len(true)], drawn.centres[at % len(true)]
            widths = 1 + 5 * Scale(0.0, high).positions(sizes[at].astype(float))
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
        return picture.figure(drawn, title, f"{title}: {what}", ground + paths)

    shown = np.where(signs == 0, true, told)  # a true change that nobody can tell is drawn, too
    key = "".join(picture.swatch(edge, colour, name) for name, edge, colour in _KINDS)
    sides = side("True change", true, truly)
    sides += side("Told from the private counts", shown, named)
    return Picture(sides, f"{key}<span>{html.escape(what)}</span>")
