"""Invented, neutral names for simulated places."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

QUARTERS = (
    "Riverside", "Old Market", "Cathedral", "Harbour Gate", "Northfield", "Mill Lane", "Parkside",
    "Lindenhof", "University", "Station", "Brickworks", "Hillcrest", "Orchard", "Southbank",
    "Foundry", "Westgate", "Eastgate", "Meadows", "Lakeview", "Exchange", "Garden Court",
    "Highfield", "Quarry", "Springwell", "Ashgrove", "Newtown", "Bridge End", "Woodlands",
    "Clay Hill", "Fairground",
)  # fmt: skip


def quarter_names(centres: Floats, rng: np.random.Generator) -> list[str]:
    """Name places after invented quarters: places near each other share a quarter's name.

    Parameters
    ----------
    centres : array, shape (places, 2)
        Centres in metres.
    rng : Generator
        Decides where the quarters lie.

    Returns
    -------
    list of str
        Distinct names such as "Riverside 12", numbered from the middle outwards.

    Examples
    --------
    >>> quarter_names(np.zeros((2, 2)), np.random.default_rng(0))[1].endswith(" 2")
    True
    """
    middles = centres[rng.permutation(len(centres))[: len(QUARTERS)]]
    words = rng.permutation(np.array(QUARTERS))[: len(middles)]
    offset = centres[:, None, :] - middles[None, :, :]
    quarter = np.argmin(np.hypot(offset[..., 0], offset[..., 1]), axis=1)
    used: dict[str, int] = {}
    names = [""] * len(centres)
    for place in np.argsort(np.hypot(*centres.T), kind="stable"):
        word = str(words[quarter[place]])
        used[word] = used.get(word, 0) + 1
        names[place] = f"{word} {used[word]}"
    return names
