"""Choose: what accuracy costs, what ε means for a person, and all settings of a dataset."""

from pages._ui import state
from pages._ui.choose import calculators, meaning
from pages._ui.shell import frame
from pages._ui.views import frontier

LEAD = (
    "How much privacy must an accurate number cost, and what does it leave a person? Calculators "
    "and meaning read no data; the view of all settings does."
)


def draw() -> None:
    """Draw the page."""
    VIEWS[state.choose("View", list(VIEWS), "choose_view")]()


def _all() -> None:
    """Draw every setting of the trips dataset by risk and use: this reads the data."""
    entry, asked = state.entry("trips"), state.flows()
    frame.banners([entry])
    if asked is None:
        frame.missing(entry, "trips")
        return
    frontier.draw(asked)
    frame.link(frame.HOME, "State another need on home")


VIEWS = {"Calculators": calculators.draw, "What ε means": meaning.draw, "All settings": _all}
frame.show(draw, "Choose", LEAD)
