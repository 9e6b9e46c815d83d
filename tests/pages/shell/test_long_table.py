"""A table long enough to sort: numbers stay numbers, and the whole of it can be saved as text."""

import pytest
from streamlit.testing.v1 import AppTest


def page(rows: int) -> None:
    from pages._ui.drawing import long_table
    from pages._ui.drawing.long_table import Column

    trips = list(range(1000, 1000 + rows))
    names = [f"<zone {number}>" for number in range(rows)]
    columns = {"Zone": Column(names), "Private (trips)": Column(trips, "{:,}".format)}
    long_table.draw(columns, key="zones")


@pytest.mark.parametrize(("rows", "sorts"), [(20, 0), (21, 1)])
def test_only_a_long_table_can_be_sorted_and_all_of_it_is_saved(rows, sorts):
    app = AppTest.from_function(page, args=(rows,)).run()
    assert not app.exception
    assert len(app.dataframe) == sorts
    for table in app.dataframe:
        assert table.value["Private (trips)"].tolist() == list(range(1000, 1000 + rows))
    (saved,) = (one.proto.body for one in app.get("html"))
    assert saved.count("<tr>") == rows + 1
    assert "<td>&lt;zone 0&gt;</td><td>1,000</td>" in saved
    assert saved.startswith('<div class="saved">') == bool(sorts)
