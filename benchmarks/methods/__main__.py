"""Write ``docs/mechanisms.md``: ``python -m benchmarks.methods [part …]``.

Each part is a module of this folder with ``section(report)``, which yields the lines of its part
of the page; ``report`` takes a line on progress. Parts that are not run keep what stands.
"""

import argparse
import importlib
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "mechanisms.md"
HEAD = Path(__file__).with_name("head.md")
PARTS = ("origin_destination", "density", "size")


def main() -> int:
    """Run the parts named on the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.methods", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=", ".join(PARTS))
    chosen = parser.parse_args().parts or list(PARTS)
    if unknown := set(chosen) - set(PARTS):
        parser.error(f"unknown part {', '.join(unknown)}; known are {', '.join(PARTS)}")
    sections = written(PAGE)
    for name in chosen:
        module = importlib.import_module(f"benchmarks.methods.{name}")
        sections[name] = "\n".join(module.section(lambda line: print(line, flush=True)))
        PAGE.write_text(page(sections), encoding="utf-8")
    return 0


def page(sections: dict[str, str]) -> str:
    """Return the page: its head and every section, between marks by which it is read again."""
    parts = [HEAD.read_text(encoding="utf-8")]
    parts += [
        f"<!-- {name} -->\n{sections[name].strip()}\n<!-- end of {name} -->\n"
        for name in PARTS
        if name in sections
    ]
    return "\n".join(parts)


def written(path: Path) -> dict[str, str]:
    """Return the sections that stand in the page, by name."""
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    texts: dict[str, str] = {}
    for name in PARTS:
        start, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        if start in text and end in text:
            texts[name] = text.split(start, 1)[1].split(end, 1)[0]
    return texts


if __name__ == "__main__":
    sys.exit(main())
