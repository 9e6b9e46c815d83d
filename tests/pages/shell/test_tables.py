"""A table of numbers long enough is sorted by them; any other is plain text."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.support import tables


def page(rows: int, numbers: bool) -> None:
    from pages._ui.drawing import tables
    from pages._ui.drawing.tables import Column

    trips = list(range(1000, 1000 + rows))
    names = [f"<zone {number}>" for number in range(rows)]
    private = Column(trips, "{:,}".format) if numbers else [f"{one:,}" for one in trips]
    tables.draw({"Zone": names, "Private (trips)": private}, key="zones")


@pytest.mark.parametrize(("rows", "numbers", "sorts"), [(5, 1, 0), (6, 1, 1), (30, 0, 0)])
def test_only_a_long_table_of_numbers_is_sorted(rows, numbers, sorts):
    app = AppTest.from_function(page, args=(rows, bool(numbers))).run()
    assert not app.exception
    assert len(app.dataframe) == sorts
    for table in app.dataframe:
        assert table.value["Private (trips)"].tolist() == list(range(1000, 1000 + rows))
    plain = [one.proto.body for one in app.get("html")]
    assert len(plain) == 1 - sorts
    for body in plain:
        assert "<td>&lt;zone 0&gt;</td><td>1,000</td>" in body
        assert tables.read(body)["Private (trips)"].tolist()[-1] == f"{999 + rows:,}"
