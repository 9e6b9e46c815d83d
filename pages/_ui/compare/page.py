"""The page Compare: settings side by side, their numbers, maps on one scale and curves over ε."""

import streamlit as st

from pages._ui import jobs
from pages._ui.compare import column as compare_column
from pages._ui.compare import curves as compare_curves
from pages._ui.compare import decided as compare_decided
from pages._ui.compare import maps as compare_maps
from pages._ui.compare import numbers as compare_numbers
from pages._ui.compare import table as compare_table
from pages._ui.compare import wording as compare_wording
from pages._ui.compare.column import Column
from pages._ui.jobs import Job
from pages._ui.shell import frame, pins, problems, setting, sidebar
from pages._ui.shell.pins import Pin

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
        density=part == "density",
        trips=part == "trips",
        od_method=part == "trips",
        resolution=True,
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
    frame.banners([column.entry for column in columns])
    if more := pins.surplus():
        st.warning(
            f"The link holds {more} more than the {len(pins.LETTERS)} settings that stand side by "
            "side; they are left out.",
            icon=":material/link:",
        )
    if len(columns) == 1:
        _begin()
    _heads(columns)
    shown = [column for column in columns if column.entry is not None]
    if not shown:
        return
    _table(columns, part)
    with problems.caught():
        compare_maps.draw(shown, part)
    st.subheader("Over ε", anchor=False)
    with problems.caught():
        compare_curves.draw(shown, part)
    if any(not column.entry.resolution.finest for column in shown if column.entry):
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
    described = [compare_column.described(column, part) for column in columns]
    read = compare_numbers.density if part == "density" else compare_numbers.trips
    numbers: list[dict[str, str]] = []
    for index, column in enumerate(columns):
        numbers.append({})
        if column.entry is not None:
            with problems.caught():
                numbers[index] = read(column)
    if part == "density":
        st.html(compare_table.table_html(columns, described, numbers))
    else:
        _with_decisions(columns, described, numbers)
    names = {column.entry.name for column in columns if column.entry is not None}
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
