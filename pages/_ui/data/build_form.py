"""The form of the Data page: four steps, from files to the options of an ingest."""

import re
from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import get_args

import streamlit as st

from engine import datasets
from engine.ingest import IngestOptions
from engine.ingest.options import CHOICES, KEPT, Choice
from engine.text.numbers import join_words
from pages._ui.app import catalogue
from pages._ui.data import builds, messages, period_form, table_form, zone_form
from pages._ui.data.builds import data_state
from pages._ui.data.files import Draft
from pages._ui.settings import widgets

UPLOAD, PATH = "Upload", "Path on this computer"
MAX_NAME_LENGTH = 40
_TRIPS, _COMMUTES = "Trips, and a density", "Home–work flows, each person once"
_PARTS_HELP = (
    "Home is the zone with records in more hours from 20:00 to 06:00 than any other. Work is that "
    "outside it from 09:00 to 17:00, Monday to Friday. To set other hours, use the command "
    "*ingest*. People without a home or a work zone are in no home–work flow. *What happened to "
    "each row* counts them."
)
_ONCE_HELP = (
    "Such as a census table of homes and work places. One person then changes one number by one. "
    "Numbers expanded from a sample are not of people."
)
NAME = re.compile(rf"[a-z0-9][a-z0-9_-]{{0,{MAX_NAME_LENGTH - 1}}}")


def draw(*, busy: bool) -> None:
    """Draw the form; while `busy` it is hidden but there, for uploads not drawn are forgotten."""
    with st.container(key="data_form_hidden" if busy else "data_form"):
        source = UPLOAD
        if builds.is_served_locally():
            label = "Where the files are"
            source = widgets.choose(label, (UPLOAD, PATH), "data_way", in_link=False)
        draft = Draft(by_path=source == PATH, busy=busy)
        # every step is always there: an uploader that moves loses what is being dropped into it
        for number, (title, step) in enumerate(STEPS.items(), 1):
            with st.container(border=True):
                st.markdown(f"**{number} · {title}**")
                step(draft)


def suggest_name(files: Sequence[str]) -> str:
    """Return a name for a dataset: what the files' names share, in small letters and hyphens."""
    letters = zip(*(file.lower().split(".")[0] for file in files), strict=False)
    shared = takewhile(lambda column: len(set(column)) == 1, letters)
    stem = "".join(column[0] for column in shared)
    if len(files) > 1:
        stem = stem.rstrip("0123456789_- ")  # half a date says nothing
    plain = re.sub(r"[^a-z0-9]+", "-", stem).strip("-")[:MAX_NAME_LENGTH].strip("-")
    return plain or "my-data"


def _draw_description(draft: Draft) -> None:
    """Draw what the dataset is called and what is said of it, and the button."""
    guess = suggest_name([f.name for f in draft.files]) if draft.files else ""
    name_col, people_col, public_col = st.columns([2, 1, 1])
    name = draft.ask(
        name_col.text_input,
        "Name of the dataset",
        f"name_{guess}",
        value=guess,
        max_chars=MAX_NAME_LENGTH,
        help="Lower-case letters, digits, - and _.",
    )
    draft.values["people_public"] = draft.ask(
        people_col.number_input,
        "People, public estimate",
        "people",
        min_value=1,
        max_value=10**10,
        value=None,
        step=1,
        placeholder="unknown",
        help=(
            "From public sources, never counted in the data. It is used to check that δ is "
            "small enough."
        ),
    )
    draft.values["places_public"] = draft.ask(
        public_col.selectbox,
        "Are the places public?",
        "public",
        {True: "yes", False: "no"},
        index=None,
        placeholder="not said",
        help="Zones of a statistical office are public. A list of private places is not, and "
        "neither is an area read from the data. If they are not, the list of places itself "
        "reveals something that no ε covers, and the statement of a release says so.",
    )
    if not NAME.fullmatch(name or ""):
        draft.missing.append("a name in lower-case letters, digits, - and _")
    elif name in datasets.available():
        draft.missing.append("another name, because this one is taken")
    _ask_parts(draft)
    left_out = tuple(choice for choice in get_args(Choice) if choice in draft.leave_out)
    for choice in left_out:
        st.caption(f"Your choice: {CHOICES[choice]}. These rows are counted in the report.")
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        pressed = st.button(
            "Build the dataset",
            type="primary",
            icon=":material/play_arrow:",
            key="data_start",
            disabled=bool(draft.missing),
        )
        if draft.missing:
            st.caption(f"Still needed: {join_words(list(dict.fromkeys(draft.missing)))}.")
    if builds.show_failure("Cannot be built"):
        zone_form.draw_choice(draft, data_state().error_code)
    if draft.missing:
        return
    draft.values["keep"] = (
        *draft.values.get("keep", ()),
        *(code for code in KEPT if code in data_state().accepted),
    )
    draft.values |= {"leave_out": left_out, "out": builds.workspace().datasets / name}
    options = messages.attempt("Cannot be built", lambda: IngestOptions(**draft.values))
    if options is not None and pressed:
        builds.start_ingest(options)
        st.rerun()


def _ask_parts(draft: Draft) -> None:
    """Ask what is built of the table: trips and density, or of each person one flow."""
    if draft.kind == "flows":
        label = "Each number is of people, and each person is in one flow only"
        draft.values["once"] = draft.ask(st.toggle, label, "once", help=_ONCE_HELP)
        return
    how = {"width": 320, "help": _PARTS_HELP}
    if draft.kind == "rides" or not draft.ask(
        st.selectbox, "What to build", "parts", {False: _TRIPS, True: _COMMUTES}, **how
    ):
        period_form.draw_density(draft)
        return
    entries = catalogue.entries().values()
    names = [e.name for e in entries if e.metadata.trips_have_people and not e.shipped]
    draft.values["parts"] = ("commutes",)
    draft.values["same_people_as"] = draft.ask(
        st.selectbox,
        "Dataset of the same people",
        "same_people",
        names,
        index=None,
        placeholder="none",
        help="What several datasets reveal about the same people adds up: they share one budget.",
    )


STEPS: dict[str, Callable[[Draft], None]] = {
    "Your table": table_form.draw,
    "Places and zones": zone_form.draw,
    "Period and time zone": period_form.draw,
    "Name and build": _draw_description,
}
"""Each step fills in the draft and notes what it lacks; a later one may read an earlier one's."""
