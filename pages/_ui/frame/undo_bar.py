"""The bar beside the navigation: what a button has set, and *Undo*; and the browser's Back.

One press of Back goes one page back, or takes back what the first page has set.
"""

import html

import streamlit as st
from streamlit.components.v2 import component

from pages._ui.settings import current, undo_step
from pages._ui.settings.fields import LINK_VERSION

_KEEP_STEPS = component(
    "keep_back_steps",
    js="""export default ({ data }) => {
      if (window.hasBackSteps) return
      window.hasBackSteps = true
      const push = history.pushState.bind(history)
      const replace = history.replaceState.bind(history)
      let isAsOpened = true, isLeaving = false, isArriving = false
      const isHere = (link) => new URL(link, location.href).pathname === location.pathname
      addEventListener("popstate", () => { isLeaving = false; isArriving = true })
      for (const press of ["pointerdown", "keydown"])
        addEventListener(press, () => { isArriving = isLeaving = false }, true)
      addEventListener("click", ({ target }) => {
        const link = target.closest("a[href]")?.href
        if (link) isLeaving = !isHere(link)
      }, true)
      history.pushState = (...step) => {
        const here = isHere(step[2])
        if (here && isLeaving) return
        if (here && isArriving || !navigator.userActivation.hasBeenActive) return replace(...step)
        isArriving = !here
        isAsOpened = isLeaving = false
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

So the first thing that is set there adds a step. Nothing before a press is one, nor a link's `v`,
nor what a page that is left loses of its link, nor what the next one adds before a press.
"""


def draw() -> None:
    """Draw what can be taken back, where every page has it."""
    step = undo_step.find_step()
    with st.container(key="undo", horizontal=True, vertical_alignment="center", gap="small"):
        words = "" if step is None else undo_step.describe_step(step)
        st.html(f'<div role="status">{html.escape(words)}</div>')
        if step is not None:
            st.button("Undo", key="undo_step", on_click=current.undo, type="tertiary")
        _KEEP_STEPS(key="keep_back_steps", data={"version": LINK_VERSION}, height=1)
