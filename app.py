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

    def warm() -> None:
        """Start workers, which import for two seconds, so that nobody waits for that."""
        from pages._ui.jobs.pool import pool

        pool().warm()

    problems.quiet()
    idle = threading.Timer(20.0, warm)  # the first page goes before
    idle.daemon = True
    idle.start()
    app = App(
        __file__,
        lifespan=ended.lifespan,
        middleware=[Middleware(Gate)],
        on_script_error=problems.uncaught,
    )
