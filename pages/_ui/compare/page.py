"""The page Compare: settings side by side, their numbers, maps on one scale and curves over ε."""

import streamlit as st

from pages._ui import jobs
from pages._ui.compare import (
    column as compare_column,
    decided as compare_decided,
    table as compare_table,
    wording as compare_wording,
)
from pages._ui.compare.column import Column
from pages._ui.jobs import Job
from pages._ui.shell import frame, pins, problems, setting, sidebar
from pages._ui.shell.pins import Pin
from pages._ui.views import curve, maps

PARTS = {"density": "Density", "trips": "Flows"}
PART = setting.literal("compare_part", PARTS, "trips")
_EXAMPLES = {
    "ε = 0.1, 1 and 10": ((("epsilon", "0.1"),), (), (("epsilon", "10"),)),
    "Sectors, districts, provinces": tuple(
        (("od_data", "rwanda-sectors"), ("od_zones", level))
        for level in ("zones", "district", "province")
    ),
    "Days or the whole week": (
        (("od_data", "rwanda-sectors"),),
        (("od_data", "rwanda-sectors"), ("od_time", "week")),
    ),
}
"""What a person might compare first: the settings that differ from the defaults."""


def draw() -> None:
    """Draw the page."""
    part = setting.value(PART)
    now = sidebar.draw(
        density=part == "density", trips=part == "trips", od_method=part == "trips", resolution=True
    )
    setting.draw(
        st.segmented_control,
        "Compare",
        PART,
        list(PARTS),
        format_func=PARTS.__getitem__,
        required=True,
        label_visibility="collapsed",
    )
    columns = compare_column.columns(now, part)
    frame.banners([column.context and column.context.entry for column in columns])
    if more := pins.surplus():
        st.warning(
            f"The link holds {more} more than the {len(pins.LETTERS)} settings that stand side by "
            "side; they are left out.",
            icon=":material/link:",
        )
    if len(columns) == 1:
        _begin()
    _heads(columns)
    sides = compare_column.sides(columns)
    if not sides:
        return
    _table(columns, part)
    with problems.caught():
        view = setting.draw(
            st.segmented_control,
            "Maps",
            setting.choice("compare_map", maps.VIEWS, maps.PRIVATE),
            maps.VIEWS,
            required=True,
            help="Error is private less true; Difference is the private map less that of the first "
            "setting, where their zones are the same.",
        )
        maps.draw(sides, view, key="compare_map")
    st.subheader("Over ε", anchor=False)
    with problems.caught():
        curve.usable(sides, key="compare_curves")
    if any(not side.context.key.resolution.finest for side in sides):
        st.caption(compare_wording.COARSER)


def _begin() -> None:
    st.info(compare_wording.EMPTY, icon=":material/push_pin:")
    with st.container(horizontal=True):
        for name, chosen in _EXAMPLES.items():
            st.button(
                name,
                key=f"compare_example_{len(name)}",
                on_click=pins.put,
                args=tuple(Pin(texts) for texts in chosen),
            )


def _heads(columns: list[Column]) -> None:
    """Draw what cannot be shown of each setting, and what can be done with it."""
    with st.container(horizontal=True, gap="medium", key="compare_heads"):
        for column in columns:
            if not column.letter:
                continue
            with st.container(horizontal=True, width="content", gap="xxsmall"):
                st.button(
                    f"Use {column.name}",
                    key=f"compare_use_{column.letter}",
                    on_click=pins.apply,
                    args=(column.letter,),
                    help="Sets the sidebar as it was pinned.",
                )
                st.button(
                    "",
                    icon=":material/close:",
                    key=f"compare_remove_{column.letter}",
                    on_click=pins.remove,
                    args=(column.letter,),
                    help=f"Takes {column.name} off; those after it move up.",
                )
    for column in columns:
        for text in column.problems:
            st.warning(f"**{column.name}**: {text}", icon=":material/help:")


def _table(columns: list[Column], part: str) -> None:
    words = compare_wording.density_settings if part == "density" else compare_wording.trip_settings
    described = [words(column.settings) for column in columns]
    numbers: list[dict[str, str]] = []
    for index, column in enumerate(columns):
        numbers.append({})
        if column.context is not None:
            with problems.caught():
                numbers[index] = compare_column.numbers(column.context)
    if part == "density":
        st.html(compare_table.table_html(columns, described, numbers))
    else:
        _with_decisions(columns, described, numbers)
    names = {side.context.entry.name for side in compare_column.sides(columns)}
    if len(names) > 1:
        st.caption(compare_wording.DATA_DIFFER)


def _with_decisions(
    columns: list[Column], described: list[dict[str, str]], numbers: list[dict[str, str]]
) -> None:
    """Draw the table; the decisions' figures follow from beside the page."""
    work = compare_decided.asked(columns)

    def show(job: Job | None) -> None:
        figures = compare_decided.texts(columns, job)
        st.html(compare_table.table_html(columns, described, numbers, figures))
        for note in compare_decided.notes(columns, job):
            st.caption(note)

    if work is None:
        show(None)
    else:
        jobs.live(compare_decided.JOB, work, show)
