"""The Origin–Destination page, opened with settings."""

import pytest

from tests.support.flows_page import PAGE, show


@pytest.fixture
def open_od(open_page):
    """Return a function that opens the page with settings, as if they had been set before."""

    def run(view="Flows", **settings):
        app = open_page(PAGE)
        for key, value in settings.items():
            app.session_state[key] = value
        app.run()
        assert not app.exception
        return show(app, view)

    return run
