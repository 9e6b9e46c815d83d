"""What tests of the page Release press and read."""

from engine.release import BudgetLedger
from pages._ui.release import release_job
from tests.support.page import plain


def errors(app):
    return [plain(one.value) for one in app.error]


def texts(app):
    kinds = (app.info, app.warning, app.error, app.success, app.caption, app.markdown)
    return " ".join(plain(str(one.value)) for kind in kinds for one in kind)


def declared(app, epsilon=10.0, trips=10**9):
    """Declare a budget, and say that so many trips were made."""
    BudgetLedger().declare(
        "people", datasets=["demo-city"], unit="person", epsilon=epsilon, manager="custodian"
    )
    app.run()
    fields = [one for one in app.number_input if str(one.key).startswith("release_trips")]
    return fields[0].set_value(trips).run() if fields else app


def confirmed(app):
    app.text_input(key="release_confirm").set_value("demo-city").run()
    return app.button(key="release_start")


def finished(app):
    release_job.latest().wait(60)
    return app.run()


def filled(app):
    return app.selectbox(key="release_tuned").value, app.text_input(key="release_note").value
