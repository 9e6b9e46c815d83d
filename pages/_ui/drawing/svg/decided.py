"""A picture of decisions on zones: where to act in truth, beside where a release acts."""

from collections.abc import Sequence

from engine.arrays import Floats
from pages._ui.drawing import colours
from pages._ui.drawing.svg.sketches import Shapes
from pages._ui.drawing.svg.stage import Picture

_LEAST, _MOST = 60, 235
_LEFT = "#8080801a"


def decision_picture(
    drawn: Shapes,
    true: Floats,
    acting: Floats,
    outcomes: Sequence[str],
    words: Sequence[str],
    *,
    titles: tuple[str, str],
    counts: dict[str, str],
    note: str,
) -> Picture:
    """Return zones as they should be and as they are decided; a wrong one has a pattern, too.

    Parameters
    ----------
    drawn : Shapes
    true, acting : arrays, shape (zones,)
        Share of moments on which to act, and on which a release does; the darker, the more.
    outcomes : sequence of str
        ``right``, ``missed`` or ``needless`` of each zone.
    words : sequence of str
        What is said of a zone under the pointer, below its name.
    titles : tuple of str
        Of the two maps.
    counts : dict
        For the legend: ``acted``, ``missed`` and ``needless`` in words.
    note : str
        What the picture says, in a sentence.
    """
    said = [f"{name}\n{text}" for name, text in zip(drawn.names, words, strict=True)]
    most = max(float(true.max(initial=0.0)), float(acting.max(initial=0.0)), 1e-9)
    marks = {"acted": colours.PRIVATE, "missed": colours.LOST, "needless": colours.PHANTOM}
    return {
        "viewBox": drawn.view_box,
        "zones": drawn.zones,
        "names": drawn.names,
        "true": {
            "title": titles[0],
            "alt": f"Map of decisions: {titles[0]}",
            "fills": _fills(true / most),
            "words": said,
        },
        "private": {
            "title": titles[1],
            "alt": f"Map of decisions: {titles[1]}. {note}",
            "fills": _fills(acting / most),
            "words": said,
            "over": ["" if one == "right" else one for one in outcomes],
        },
        "marks": [[colour, counts[kind], kind] for kind, colour in marks.items()],
        "note": note,
    }


def _fills(shares: Floats) -> list[str]:
    return [
        f"{colours.PRIVATE}{round(_LEAST + (_MOST - _LEAST) * share):02x}" if share > 0 else _LEFT
        for share in shares.tolist()
    ]
