"""Invented, neutral names for simulated places."""

import numpy as np

from ..arrays import Floats

QUARTERS = (
    "Riverside", "Old Market", "Cathedral", "Harbour Gate", "Northfield", "Mill Lane", "Parkside",
    "Lindenhof", "University", "Station", "Brickworks", "Hillcrest", "Orchard", "Southbank",
    "Foundry", "Westgate", "Eastgate", "Meadows", "Lakeview", "Exchange", "Garden Court",
    "Highfield", "Quarry", "Springwell", "Ashgrove", "Newtown", "Bridge End", "Woodlands",
    "Clay Hill", "Fairground",
)  # fmt: skip

QUARTIERS = (
    "Vieux Marché", "Grand Pont", "Les Tilleuls", "La Gare", "Le Moulin", "Les Jardins",
    "La Colline", "Les Ateliers", "Porte Nord", "Porte Sud", "Porte Est", "Porte Ouest",
    "La Fontaine", "Les Vignes", "Le Canal", "La Halle", "Les Écoles", "Le Théâtre", "La Forge",
    "Les Lilas Blancs", "Le Verger", "La Tannerie", "Les Tuiles", "Le Belvédère", "La Source",
    "Les Peupliers", "Le Cloître", "La Barrière", "Les Entrepôts", "Le Grand Parc", "La Passerelle",
    "Les Quatre Vents", "La Verrerie", "Le Lavoir", "Les Remparts", "La Treille", "Le Carrefour",
    "Les Marronniers", "La Poterne", "Le Rond-Point",
)  # fmt: skip


def quarter_names(
    centres: Floats, rng: np.random.Generator, quarters: tuple[str, ...] = QUARTERS
) -> list[str]:
    """Name places (centres in metres) after invented quarters that places near each other share.

    Returns
    -------
    list of str
        Distinct names such as "Riverside 12", numbered from the middle outwards.

    Examples
    --------
    >>> quarter_names(np.zeros((2, 2)), np.random.default_rng(0))[1].endswith(" 2")
    True
    """
    middles = centres[rng.permutation(len(centres))[: len(quarters)]]
    words = rng.permutation(np.array(quarters))[: len(middles)]
    offset = centres[:, None, :] - middles[None, :, :]
    quarter = np.argmin(np.hypot(offset[..., 0], offset[..., 1]), axis=1)
    used: dict[str, int] = {}
    names = [""] * len(centres)
    for place in np.argsort(np.hypot(*centres.T), kind="stable"):
        word = str(words[quarter[place]])
        used[word] = used.get(word, 0) + 1
        names[place] = f"{word} {used[word]}"
    return names
