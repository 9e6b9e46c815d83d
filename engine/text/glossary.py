"""The words of the pages, each said once; `docs/use.md` repeats them."""

from ..contract import Setting
from .privacy_text import PEOPLE_ONCE

GLOSSARY = {
    "ε": (
        "Privacy loss: how much one protected person, day or trip can change what is "
        "released. Smaller: more private, less exact, small numbers first."
    ),
    "δ": (
        "Allowance beyond ε: how much more often than ε allows an attack may succeed. Keep "
        "it far below 1 / number of people."
    ),
    "T": "Contribution limit of flows: trips counted per person and day, or per person. A larger T "
    "needs more noise.",
    "τ": "Suppression threshold: a flow with a noisy count below τ is not shown.",
    "ℓ": "Contribution limit of densities: visits counted per person in the week.",
    "visit": "A record of a person at a place in one hour, such as a call. Nobody is seen between "
    "records.",
    "true": (
        "Counted in the data before any protection. Confidential unless the people are simulated."
    ),
    "private": "With noise added, as it would be released.",
    "draw": "One random realisation of the noise. Another draw gives other numbers.",
    "person's day": "Unit of privacy: all trips of one person on one day, protected together.",
    "retained": "How many of 100 trips in the data are still in their flow, counted or matched by "
    "estimates.",
    "genuine": "How many of 100 trips that the release shows or estimates are in the data. The "
    "others are invented.",
    "utility": "The smaller of retained and genuine: good, fair or poor.",
    "reliable": "A number within a quarter of the truth in 95 of 100 releases.",
    "common part": "The harmonic mean of retained and genuine (CPC in the literature).",
    "guesses": "How often an attacker who knows all others guesses correctly, at most. A coin gets "
    "50 of 100.",
    "beyond T": "Trips beyond the contribution limit, which are left out before noise is added.",
    "suppressed": "Not shown, because the noisy count is below τ.",
    "lost": "A flow of at least 15 trips (in Outcomes: τ) that is not shown. Estimates too "
    "uncertain to show stay in files.",
    "phantom": "A flow that the release shows although nobody travelled.",
    "cluster": "Neighbouring zones merged into one, using the map only, never the counts.",
    "ledger": (
        "The record of all releases of these people's data and what each has cost in ε and δ."
    ),
    "twin": (
        "A simulated population of your own zones, built from public facts only, to try "
        "settings on."
    ),
}


def find_meaning(word: str, setting: Setting | None) -> str:
    """Return a word's meaning for flows of trips, or of people where each counts once."""
    if setting is None or not setting.selection.people_once:
        return GLOSSARY[word]
    is_fixed = word in ("T", "beyond T", "person's day")
    return PEOPLE_ONCE if is_fixed else setting.say_counts(GLOSSARY[word])
