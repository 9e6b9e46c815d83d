"""Our method on the pages: offered where its tables are, ℓ off, published and ours side by side."""

import re
import shutil
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from engine.datasets import load
from pages._ui.wording.labels import METHODS, no_zoom

PAGE = "pages/1_Density.py"


def opened(open_home, **query: str) -> AppTest:
    """The Density page of demo-city with the words of a link."""
    app = open_home(density_data="demo-city", **query)
    app.switch_page(PAGE)
    for key, value in {"density_data": "demo-city", **query}.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception, app.exception
    return app


def captions(app: AppTest) -> str:
    return "\n".join(element.value for element in (*app.caption, *app.sidebar.caption))


@pytest.fixture
def without_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of demo-city as it was made before our method was there."""
    demo = load("demo-city").folder
    version = tmp_path / "demo-city" / demo.name
    shutil.copytree(demo, version)
    checksums = version / "dataset.json"
    for path in version.glob("zoom_*.parquet"):
        path.unlink()
        lines = checksums.read_text(encoding="utf-8").splitlines(keepends=True)
        checksums.write_text(
            "".join(line for line in lines if path.name not in line), encoding="utf-8"
        )
    text = re.sub(r",(\s*})", r"\1", checksums.read_text(encoding="utf-8"))
    checksums.write_text(text, encoding="utf-8")
    (version.parent / "current").write_text(demo.name + "\n", encoding="utf-8")
    monkeypatch.setenv("MOBILITY_DATA", str(tmp_path))
    return tmp_path


def test_a_dataset_made_before_is_read_by_the_published_methods_and_says_why(
    open_home, without_tables: Path
) -> None:
    app = opened(open_home, variant="zoom")
    method = next(box for box in app.sidebar.selectbox if box.label == "Method")
    assert METHODS["zoom"] not in method.options
    assert no_zoom(load("demo-city").metadata.made_by) in captions(app)
    slider = next(one for one in app.sidebar.slider if "ℓ" in one.label)
    assert not slider.disabled
