"""The browser's Back: one press goes one page back, or takes back what the first page has set."""

from streamlit.components.v2 import component

from pages._ui.settings.fields import LINK_VERSION

_KEEP_STEPS = component(
    "keep_back_steps",
    js="""export default ({ data }) => {
      if (window.hasBackSteps) return
      window.hasBackSteps = true
      const push = history.pushState.bind(history)
      const replace = history.replaceState.bind(history)
      let isAsOpened = true
      history.pushState = (...step) => {
        if (!navigator.userActivation.hasBeenActive) return replace(...step)
        isAsOpened = false
        push(...step)
      }
      history.replaceState = (state, title, link) => {
        const needsVersion = /[?]./.test(link) && !/[?&]v=/.test(link)
        const write = isAsOpened ? history.pushState : replace
        write(state, title, needsVersion ? `${link}&v=${data.version}` : link)
      }
    }""",
)
"""Streamlit replaces the address at every move: Back would leave the page that was opened first.

So the first thing that is set there adds a step. Nothing before a press is one, nor a link's `v`.
"""


def keep() -> None:
    """Let one press of Back be one step."""
    _KEEP_STEPS(key="keep_back_steps", data={"version": LINK_VERSION}, height=1)
