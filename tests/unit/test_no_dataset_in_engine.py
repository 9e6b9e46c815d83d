"""Constants are chosen by random worlds: no code of `engine` knows a dataset's name."""

import ast
import re
from pathlib import Path

from engine import datasets

ENGINE = Path(datasets.__file__).parents[1]
MAY = ("data",)
"""What holds the shipped datasets."""


def code(path):
    """Return a module without its docstrings and comments."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            words = [
                one
                for one in body
                if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
            ]
            node.body = words or [ast.Pass()]
    return ast.unparse(tree)


def knowing(folder):
    known = "|".join(map(re.escape, [*datasets.available(), "mibici"]))
    names = re.compile(rf"(?<![a-z])({known})(?![a-z])", re.IGNORECASE)
    for path in folder.rglob("*.py"):
        place = path.relative_to(folder).as_posix()
        if not place.startswith(MAY) and names.search(code(path)):
            yield place


def test_nothing_in_the_engine_knows_a_dataset():
    assert not list(knowing(ENGINE))


def test_one_that_knows_is_told(tmp_path):
    (tmp_path / "tuned.py").write_text(
        '"""Of demo-city."""\nSTEP = 1 if NAME == "demo-city" else 2'
    )
    (tmp_path / "plain.py").write_text('"""Of demo-city."""\nSTEP = 1  # comparison')
    assert list(knowing(tmp_path)) == ["tuned.py"]
