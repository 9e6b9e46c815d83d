"""The page Release, open on demo-city, with a ledger of the test's own."""

import pytest

from pages._ui.release import release_job


@pytest.fixture
def own_data(own_root):
    """A data folder of the test's own, since releases write a ledger into it."""
    yield own_root
    if (latest := release_job.latest()) is not None:
        latest.wait(60)
    release_job._latest.clear()


@pytest.fixture
def page(own_data, open_page, monkeypatch):
    monkeypatch.setattr(release_job, "is_served_locally", lambda: True)
    return open_page("pages/7_Release.py", od_data="demo-city", density_data="demo-city")
