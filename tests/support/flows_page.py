"""What the Origin–Destination page shows: its texts, its figures and its map."""

import json

from tests.support.page import figures as figures, text as text

PAGE = "pages/2_Origin_Destination.py"


def show(app, view):
    if view != "Map":
        app.button_group(key="od_view").set_value(view).run()
    assert not app.exception, app.exception
    return app


def deck(app):
    return json.loads(app.get("deck_gl_json_chart")[0].proto.json)
