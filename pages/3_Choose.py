"""Choose: what accuracy costs, what ε means for a person, and all settings of a dataset."""

from pages._ui import state
from pages._ui.choose import formulas, frontier_chart, meaning
from pages._ui.frame import layout

LEAD = (
    "How much privacy must an accurate number cost, and what does it leave a person? Calculators "
    "and meaning read no data; the view of all settings does."
)


def draw() -> None:
    """Draw the page."""
    VIEWS[state.choose("View", list(VIEWS), "choose_view")]()


def _draw_all() -> None:
    """Draw every setting of the trips dataset by risk and use: this reads the data."""
    entry, setting = state.entry_for("trips"), state.flows()
    layout.draw_banners([entry])
    if setting is None:
        layout.explain_missing(entry, "trips")
        return
    frontier_chart.draw(setting)
    layout.draw_link(layout.HOME, "State another need on home")


VIEWS = {"Calculators": formulas.draw, "What ε means": meaning.draw, "All settings": _draw_all}
layout.show_page(draw, "Choose", LEAD)
