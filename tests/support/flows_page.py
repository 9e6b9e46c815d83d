"""What the Origin–Destination page shows: its texts, its figures and its map."""

import json

PAGE = "pages/2_Origin_Destination.py"


def show(app, view):
    if view != "Flows":
        app.button_group(key="od_view").set_value(view).run()
    assert not app.exception, app.exception
    return app


def text(app):
    kinds = (app.markdown, app.caption, app.warning, app.info)
    parts = [element.value for kind in kinds for element in kind]
    parts += [body for body in bodies(app) if "<style>" not in body]
    return "\n".join(parts)


def bodies(app):
    return [element.proto.body for element in app.get("html")]


def figures(app):
    return [
        piece.split("</span>")[0]
        for body in bodies(app)
        for piece in body.split('<span class="value">')[1:]
    ]


def deck(app):
    return json.loads(app.get("deck_gl_json_chart")[0].proto.json)
