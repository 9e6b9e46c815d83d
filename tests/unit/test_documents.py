"""The documents build as a site without a warning, and the notebooks run."""

import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def test_the_site_builds_without_a_warning_and_fetches_nothing(tmp_path):
    build = [sys.executable, "-W", "ignore", "-m", "sphinx", "-W", "-q", "-c", "docs"]
    done = subprocess.run(
        [*build, ".", str(tmp_path / "site")], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    pages = {path.stem for path in (tmp_path / "site" / "docs").glob("*.html")}
    assert pages == {path.stem for path in (ROOT / "docs").glob("*.md")}
    assert "zcdp" in (tmp_path / "site" / "searchindex.js").read_text(encoding="utf-8")
    for page in (tmp_path / "site").rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(r"<(?:script|img)[^>]* src=\"([^\"]+)|<link[^>]* href=\"([^\"]+)", text)
        assert not [one for one in loaded if "//" in "".join(one)], page.name


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_is_kept_without_results(path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert not [cell for cell in code if cell.outputs or cell.execution_count]
    NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}}
    ).execute()
    assert code[-1].outputs, "the last cell shows what the notebook is for"


def test_there_is_a_notebook_for_each_question():
    assert {path.stem for path in NOTEBOOKS} == {"choose_epsilon", "own_data", "release_and_read"}
