"""What a class reads: roles, reasons, and what came out."""

from collections.abc import Mapping

from engine.steps import level_of
from pages._ui.classroom.question import Choice, Outcome
from pages._ui.drawing.cards import Card
from pages._ui.wording.numbers import percent
from pages._ui.wording.privacy import guess

TITLE = "Class"
LEAD = (
    "A class votes on a setting from its phones, sees what the choice of the middle means, and "
    "talks about why. The lesson: docs/workshop.md."
)
ROLES = {
    "regulator": "A regulator",
    "agency": "An aid agency",
    "operator": "A phone operator",
    "subscriber": "A subscriber",
    "researcher": "A researcher",
}
TASKS = {
    "regulator": "You answer for what is published about people, also if it goes wrong.",
    "agency": "You send help where people went, tomorrow morning.",
    "operator": "You hold the data, and your subscribers can leave you.",
    "subscriber": "Your own trips are in the data.",
    "researcher": "You model how people move, and others build on your results.",
}
REASONS = {
    "hidden": "Every person must be well hidden",
    "usable": "The numbers must be good enough to act on",
    "small": "Small places must be visible, too",
    "known": "It is what others have used",
    "between": "It is a fair middle between both",
}
SHORT = "← more private · more accurate →"
THIS_COMPUTER = (
    "This server answers to this computer only: no phone reaches it. Start it with "
    "`--server.address 0.0.0.0 -- --public` (docs/workshop.md), then open its network address."
)


def choice(one: Choice, zones: Mapping[str, str]) -> str:
    """Return a choice in words."""
    return f"ε = {one.epsilon:g}, T = {one.max_trips}, {zones[one.zones].lower()} zones".replace(
        "clusters zones", "clusters"
    )


def cards(of: str, one: Outcome) -> list[Card]:
    """Return both axes of a choice as large numbers."""
    words = {"good": "usable", "partly": "usable in part", "noisy": "too noisy to use"}
    return [
        Card(
            f"Risk, {of}",
            guess(one.worth.best_guess, 1),
            one.worth.strength,
            "the most an attacker can guess right from everything released; a coin gets 50%",
        ),
        Card(
            f"Use, {of}",
            percent(one.use),
            words[level_of(one.use)],
            "of trips lie in flows that are within a quarter of the truth in 95% of releases",
        ),
    ]
