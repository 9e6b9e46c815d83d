"""Choose: what accuracy costs, what ε means for a person, and all settings of a dataset."""

from pages._ui.choose import formulas, frontier_chart, meaning
from pages._ui.frame import layout, page_table
from pages._ui.settings import current, offers, widgets

LEAD = (
    "How much privacy must an accurate number cost, and what does it leave a person? The "
    "calculators read no data; both other views do."
)


def draw() -> None:
    """Draw the page."""
    VIEWS[widgets.choose("View", list(VIEWS), "choose_view")]()


def _draw_all() -> None:
    """Draw every setting of the trips dataset by risk and use: this reads the data."""
    entry, setting = offers.entry_for("trips"), current.flows()
    layout.draw_banners([entry])
    if setting is None:
        layout.explain_missing(entry, "trips")
        return
    frontier_chart.draw(setting)
    layout.draw_link(page_table.HOME, "Change your requirement on Home")


VIEWS = {"Calculators": formulas.draw, "What ε means": meaning.draw, "All settings": _draw_all}
layout.show_page(draw, "Choose", LEAD)
