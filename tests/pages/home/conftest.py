"""Home with its long work done, as a person sees it after a moment."""

import pytest

from pages._ui import jobs
from pages._ui.home import density as home_density


@pytest.fixture(autouse=True)
def long_work_starts_at_once(monkeypatch):
    monkeypatch.setattr(jobs, "RESTED_S", 0.0)
    monkeypatch.setattr(home_density, "FIRST_DELAY_S", 0.0)
