"""Home, and the application that Streamlit serves, with what stands before every page."""

import threading

from starlette.middleware import Middleware
from streamlit.starlette import App

from pages._ui.shell import ended, problems
from pages._ui.shell.gate import Gate

if __name__ == "__main__":  # a session runs the page
    from pages._ui.home import page as home_page
    from pages._ui.shell import frame

    frame.show(home_page.draw, frame.PRODUCT)
else:  # `streamlit run` finds this by its name and serves it
    from pages._ui.jobs.pool import pool

    problems.quiet()
    # workers import for two seconds: beside the server's start, and not before the first answer
    threading.Thread(target=pool, daemon=True).start()
    app = App(
        __file__,
        lifespan=ended.lifespan,
        middleware=[Middleware(Gate)],
        on_script_error=problems.uncaught,
    )
