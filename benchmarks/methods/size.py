"""How long both mechanisms are: lines of code, without docstrings, comments and blank lines."""

import ast
import io
import tokenize
from collections.abc import Callable, Iterator
from pathlib import Path

ENGINE = Path(__file__).parents[2] / "engine"
ESTIMATE, ZOOM = "origin_destination/estimate", "density/zoom"
MECHANISMS = {
    "`estimate`": (ESTIMATE, ("measurement", "prediction", "grid", "reading")),
    "`estimate`, what is said of it": (ESTIMATE, ("statements", "release", "__init__")),
    "`zoom`": (ZOOM, ("measure", "tree", "sizes", "basis", "weeks", "signal", "reading")),
    "`zoom`, what is said of it": (ZOOM, ("constants", "costs", "__init__")),
}
_NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def section(report: Callable[[str], None]) -> Iterator[str]:
    """Yield the lines of the section."""
    yield "## How long they are\n"
    yield "Lines of code, without docstrings, comments and blank lines:\n"
    yield "| part | files | lines |"
    yield "| --- | --- | ---: |"
    for part, (folder, names) in MECHANISMS.items():
        counts = [code_lines((ENGINE / folder / f"{name}.py").read_text("utf-8")) for name in names]
        files = ", ".join(f"`{name}` {n}" for name, n in zip(names, counts, strict=True))
        yield f"| {part} | {files} | {sum(counts)} |"
        report(f"{part}: {sum(counts)} lines")


def code_lines(source: str) -> int:
    """Return the number of lines with code; a statement over two lines counts as two."""
    strings: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            strings.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - strings)
