"""Home, and the application that Streamlit serves, with what stands before every page."""

from starlette.middleware import Middleware
from streamlit.starlette import App

from pages._ui.shell import ended, problems
from pages._ui.shell.gate import Gate

if __name__ == "__main__":  # a session runs the page
    from pages._ui.home import page as home_page
    from pages._ui.shell import frame

    frame.show(home_page.draw, frame.PRODUCT)
else:  # `streamlit run` finds this by its name and serves it
    problems.quiet()
    app = App(
        __file__,
        lifespan=ended.lifespan,
        middleware=[Middleware(Gate)],
        on_script_error=problems.uncaught,
    )
