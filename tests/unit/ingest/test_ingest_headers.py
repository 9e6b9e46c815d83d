"""Headers, delimiters and packing as others write them: the same flows out of each."""

import bz2
import lzma

import pytest
import shapely

from engine.errors import InputError
from engine.ingest.command import main
from tests.support.ingests import arguments, built, refused, table

FLOWS = "origin,destination,flow\nA,B,10\nB,C,20\n"
FORMS: dict[str, bytes | str] = {
    "a line break in a name": '"origin\n(zone)","destination\n(zone)",trips\nA,B,10\nB,C,20\n',
    "a comma after each row": FLOWS.replace("0\n", "0,\n"),
    "a comma after the names": FLOWS.replace("flow\n", "flow,\n"),
    "blanks": "origin  destination flow\nA   B 10\nB C   20 \n",
    "blanks and quotes": '"origin" "destination" "the flow" "trips"\n"A" "B" "x y" 10\n'
    '"B" "C" "" 20\n',
    "tabs below a title": "From: a, b, c, d\norigin\tdestination\tflow\nA\tB\t10\nB\tC\t20\n",
    "decimal commas": "origin;destination;share;flow\nA;B;0,5;10\nB;C;0,7;20\n",
    "bz2": bz2.compress(FLOWS.encode()),
    "xz": lzma.compress(FLOWS.encode()),
}


@pytest.mark.parametrize("form", FORMS)
def test_each_form_gives_the_same_flows(tmp_path, form):
    contents, path = FORMS[form], tmp_path / "t.csv"
    path.write_bytes(contents.encode() if isinstance(contents, str) else contents)
    if "title" in form:
        refused(tmp_path, "1 line stands above the line of names", path, kind="flows")
        path.write_text(str(contents).partition("\n")[2])
    dataset, report = built(tmp_path, path, kind="flows")
    assert sorted(n for n in table(dataset.folder, "trips").values()) == [10, 20]
    assert report.rows.rows_read == 2


def test_places_by_semicolons_with_decimal_commas_and_no_names(tmp_path):
    places = tmp_path / "places.csv"
    places.write_text("\ufeffA;48,1;2,1\nB;48,2;2,2\nC;48,3;2,2\n", encoding="utf-8")
    (tmp_path / "t.csv").write_text(FLOWS)
    mapping = {"location_id": "column1", "lat": "column2", "lng": "column3"}
    given = {"locations": places, "locations_mapping": mapping}
    dataset, _ = built(tmp_path, tmp_path / "t.csv", kind="flows", **given)
    places_at = shapely.points([2.1, 2.2, 2.2], [48.1, 48.2, 48.3])
    assert shapely.contains(dataset.zones.geometry.to_numpy(), places_at).all()


def test_the_line_of_names_again_is_left_out_if_chosen(tmp_path):
    rows = [("p1", "1441612800", "A", "B"), ("uid", "datetime", "origin", "destination")]
    _, report = built(tmp_path, [*rows, ("p2", "1441612900", "B", "A")], leave_out=("unreadable",))
    assert (report.rows.rows_used, report.rows.rows_read) == (2, 3)


def test_a_guessed_column_of_times_can_be_left_out(tmp_path, capsys):
    (tmp_path / "t.csv").write_text("origin,destination,flow,day\nA,B,10,1\nB,A,20,7\n")
    assert main(arguments(tmp_path, kind="flows")) == 2
    assert "'day' (for date, guessed)" in capsys.readouterr().err
    assert main(arguments(tmp_path, "--map", "date=", kind="flows")) == 0


def test_a_copy_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("engine.ingest.tables.MAX_UNPACKED_BYTES", 20)
    (tmp_path / "t.csv").write_bytes(bz2.compress(FLOWS.encode()))
    with pytest.raises(InputError, match="unpacks to too much"):
        built(tmp_path, tmp_path / "t.csv", kind="flows")
