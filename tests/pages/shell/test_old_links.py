"""A link that was shared before a page was rebuilt still says what it said."""

import pytest

from pages._ui.release import work
from pages._ui.shell import setting

FLOWS, DENSITY = "pages/2_Origin_Destination.py", "pages/1_Density.py"
DECISIONS, REPORT = "pages/4_Decisions.py", "pages/6_Report.py"
TOWN = {"od_data": "demo-city", "density_data": "demo-city"}
LINKS = [
    ("app.py", {"view": "presenter"}),
    ("app.py", {"home_alpha": "20", "home_confidence": "0.99"}),
    (DENSITY, {"density_view": "methods", "variant": "efpa", "density_smoothing": "false"}),
    (DENSITY, {"density_map_view": "error", "density_hour": "5", "density_beside": "lpa"}),
    (FLOWS, {"od_view": "from-one-zone", "od_origin_show": "true"}),
    (FLOWS, {"od_flows_scope": "leaving-a-zone", "od_flows_show": "phantom-and-lost"}),
    (FLOWS, {"od_flows_most": "100"}),
    (FLOWS, {"od_view": "matrix", "od_block_size": "20"}),
    (FLOWS, {"od_view": "ε-τ", "od_grid_population": "all"}),
    (FLOWS, {"od_view": "trimming-t"}),
    (FLOWS, {"od_view": "days-and-totals", "od_day": "all"}),
    (FLOWS, {"od_method": "estimate", "od_ours_view": "totals", "od_ours_way": "arriving"}),
    ("pages/3_Choose_Epsilon.py", {"choose_alpha": "50", "choose_confidence": "99"}),
    ("pages/3_Choose_Epsilon.py", {"choose_law": "discrete_laplace", "choose_trips": "8"}),
    ("pages/3_Choose_Epsilon.py", {"choose_view": "from-ε-to-accuracy"}),
    ("pages/3_Choose_Epsilon.py", {"choose_curve": "a-change-between-two-dates"}),
    (DECISIONS, {"decisions_beta": "0.5", "decisions_direction": "arrivals"}),
    (DECISIONS, {"decisions_view": "ε-from-a-decision", "decisions_confidence": "80"}),
    (REPORT, {"report_trips": "10", "report_losses": "14", "report_weight_hours": "2"}),
    (REPORT, {"report_view": "where", "report_unit": "item", "report_preset": "package"}),
    (REPORT, {"report_view": "errors-and-m", "report_people": "1000"}),
    ("pages/7_Release.py", {"release_product": "mobility-report", "release_trips": "10"}),
    ("pages/7_Release.py", {"release_method": "ours"}),
]
"""By page, settings as links held them, none at its default."""


@pytest.mark.parametrize(("path", "link"), LINKS, ids=lambda one: str(one))
def test_an_old_link_is_taken(open_page, monkeypatch, path, link):
    monkeypatch.setattr(work, "served_locally", lambda: True)  # Release is drawn there only
    app = open_page(path, **TOWN, **link)
    assert not app.toast
    assert taken(app).items() >= dict(map(setting._renamed, link.items())).items()


def test_what_was_renamed_is_read_by_its_old_name(open_page, monkeypatch):
    monkeypatch.setattr(
        setting, "RENAMED", {"flow_switch": "od_view", "od_view=squares": "od_view=matrix"}
    )
    for link in ({"flow_switch": "matrix"}, {"od_view": "squares"}, {"od_view": "matrix"}):
        assert taken(open_page(FLOWS, **TOWN, **link))["od_view"] == "matrix"


def taken(app) -> dict[str, str]:
    """Return the settings that a page has read, and that are not at their defaults."""
    return app.session_state["session"].texts
