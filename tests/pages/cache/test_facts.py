"""What a dataset's files tell without being read."""

from engine import datasets
from engine.contract import Seen
from pages._ui.cache.facts import facts


def test_the_size_counts_the_files_of_every_day():
    country = datasets.load("town")
    files = [path for path in country.folder.rglob("*") if path.is_file()]
    assert any(path.parent != country.folder for path in files)
    said = facts(Seen(dataset=str(country.folder)))
    assert said.size_bytes == sum(path.stat().st_size for path in files)
    assert said.zones == len(country.zones)
