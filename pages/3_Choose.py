"""Choose: what accuracy costs, what ε means for a person, and all settings of a dataset."""

from pages._ui import state
from pages._ui.choose import calculators, meaning
from pages._ui.shell import frame
from pages._ui.views import frontier

CALCULATORS, MEANING, ALL = VIEWS = "Calculators", "What ε means", "All settings"

LEAD = (
    "How much privacy must an accurate number cost, and what does it leave a person? Calculators "
    "and meaning read no data; the view of all settings does."
)


def draw() -> None:
    """Draw the page."""
    view = state.choose("View", VIEWS, "choose_view")
    if view == CALCULATORS:
        calculators.draw()
        frame.link("pages/4_Decisions.py", "Choose ε from a decision it must keep right")
    elif view == MEANING:
        meaning.draw()
    else:
        _all()


def _all() -> None:
    """Draw every setting of the trips dataset by risk and use: this reads the data."""
    entry, asked = state.entry("trips"), state.flows()
    frame.banners([entry])
    if asked is None:
        frame.missing(entry, "trips")
        return
    frontier.draw(asked)
    frame.link(frame.HOME, "State another need on home")


frame.show(draw, "Choose", LEAD)
