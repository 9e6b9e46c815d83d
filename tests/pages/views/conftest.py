"""Settings of the tiny city, as the sidebar would hand them to a page."""

import pytest

from pages._ui.shell import catalogue, session, settings
from pages._ui.shell.settings import Settings


@pytest.fixture
def set_to(monkeypatch) -> Settings:
    kept = session.Session()
    monkeypatch.setattr(settings, "session", lambda: kept)
    entry = catalogue.shared()["demo-city"]
    return Settings(
        epsilon=2.0,
        delta=1e-6,
        max_visits=20,
        max_trips=4,
        threshold=15,
        cluster_minimum=None,
        variant="efpag_joint",
        unit="person-day",
        od_method="published",
        od_time="day",
        density_data=entry,
        od_data=entry,
    )
