"""Plain language: short sentences, no inversions, one word a concept, on screens and in files."""

import ast
import json
import re
from pathlib import Path

import pytest

from engine.release import plan
from engine.release.statement import STATEMENT_ITEMS
from engine.text.glossary import GLOSSARY
from tests.support.releases import TRIPS, flows, ours, products, report, statement_of, visits, zoom

ROOT = Path(__file__).parents[2]
TEMPLATES = ROOT / "engine" / "release" / "templates"
DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *ROOT.glob("[bd]*/README.md")]
MAX_WORDS = 25
INVERSIONS = re.compile(
    r"^(Of (all|one|the|a|\d|\{)[^.]*?, |As it is|Truly |Whoever |Who (knows|says) |Nobody has said"
    r"|What (is|was|follows|becomes?) [^?]*$|Once it is out|How (near|sums|it was)|By itself"
    r"|Alone,|Knowing |Protecting [^,]*, (people|the)|(Flows|Counts|Those|Zones) that (read|is)"
    r"|Left of|Kept of|Told )"
)
RETIRED_WORDS = {
    r"papers' (method|scheme)|\b(our|ours|own) (method|scheme|density)s?\b|\(ours\)": "its name",
    r"where (and when )?they (really )?were\b|where they really are\b": "retained, genuine",
    r"\bguess(es)? right\b|\bbest guess\b|\bright over\b|\bover \d\d of 100 guesses": "at most",
    r"\breads? (0\b|below|less|above|too|\{)": "is shown as, has a noisy count of",
    r"\b(are|is|be) told\b|\btold (from|apart|flows)\b": "detected, reported, distinguished",
    r"\bas (asked|it is set)\b": "current setting, meets your requirement",
    r"\bby draws\b": "from simulated releases",
    r"\b(leaks?|tells?) a little\b": "reveals something",
    r"\bjudg(e|ed|ing)\b": "evaluate",
    r"\bin the pickers\b|\bat hand\b|\bmend(ed|s)?\b|\bway out\b": "plain words",
    r"\btrim(s|med|ming)\b": "beyond the contribution limit",
    r"\bmiddle zone\b": "median zone",
    r"\bhid(es?|den) (flows|nothing|small|none)|\bflows? (are|is) hidden\b": "suppressed",
    r", got ": "value=, which an error states by itself",
}
NO_PROSE = re.compile(
    r"\b(SELECT|FROM|CASE|UNION|CAST|coalesce|regexp|ATTACH|CREATE|create table|INSERT)\b"
    r"|</?\w+[ >]|[{;]\s*\w+-?\w*:\s*\w+;|export default|np\.ndarray|\(\?|provincia"
    r"|\n  mobility-privacy"
)
PARTS = ["title", "recommended", "may_conclude", "may_not_conclude", "warnings", "counted", "items"]
SETTINGS = {
    **products(),
    "trips": flows(unit="trip"),
    "weak": flows(epsilon=0.05, unit="person"),
    "estimate of a weak day": ours(flows(epsilon=0.05, last=0)),
    "two weeks": flows(last=3, span=2, step="whole"),
    "weak visits": visits(epsilon=0.1),
    "zoom of clusters": zoom(zones="clusters-30"),
    "trips of a report": report(unit="item", epsilon=0.1),
}


def find_faults(text):
    """Yield what is hard to read in a text; a placeholder is one word."""
    text = re.sub(r"\{[^{}]*(\{[^{}]*\}[^{}]*)*\}", "X", text)
    text = re.sub(r"\be\.g\.|\bi\.e\.|et al\.|\bvs\.", "eg", re.sub(r"\*\*|`", "", text))
    sentences = re.split(r"(?<=[.!?])\*?\s+(?=\S)|\n\n|\n(?=[-#|*])", text)
    for sentence in (" ".join(part.split()) for part in sentences):
        words = len(re.findall(r"[\w’'ε-ωℓτδ%/.-]*\w[\w’'%]*", sentence))
        if words > MAX_WORDS:
            yield f"{words} words: {sentence}"
        if INVERSIONS.search(sentence):
            yield f"an inversion: {sentence}"
    for pattern, better in RETIRED_WORDS.items():
        if found := re.search(pattern, " ".join(text.split()), re.IGNORECASE):
            yield f"'{found[0]}', write {better}: {text[:80]}"


def read_strings(path):
    """Yield the strings of a module, f-strings with their placeholders, but no docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes: list[ast.AST] = [tree]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            parts = node.values
            yield "".join(str(p.value) if isinstance(p, ast.Constant) else "{x}" for p in parts)
            nodes += [part.value for part in parts if isinstance(part, ast.FormattedValue)]
        else:
            nodes += ast.iter_child_nodes(node)


def read_values(values):
    """Yield all strings among the values of JSON."""
    if isinstance(values, str):
        yield values
    elif isinstance(values, dict | list):
        for value in values.values() if isinstance(values, dict) else values:
            yield from read_values(value)


def is_prose(text):
    return len(re.findall(r"[A-Za-z]{2,}", text)) > 1 and " " in text and not NO_PROSE.search(text)


def assert_plain(texts):
    """Fail with each fault and where its text stands."""
    faults = [f"{place}: {fault}" for place, text in texts for fault in find_faults(text)]
    assert not faults, "\n".join(faults)


def test_screens_commands_and_errors_are_in_plain_language():
    paths = {ROOT / "app.py", *ROOT.glob("pages/**/*.py"), *ROOT.glob("engine/**/*.py")}
    paths -= {ROOT / "pages" / "_ui" / "settings" / "link.py"}  # reads the words of old links
    texts = [(path, text) for path in sorted(paths) for text in read_strings(path)]
    for path in ROOT.glob("engine/ingest/*.json"):
        texts += [(path, text) for text in read_values(json.loads(path.read_text("utf-8")))]
    assert_plain((path, text) for path, text in texts if is_prose(text))


@pytest.mark.parametrize("name", SETTINGS)
def test_a_statement_is_in_plain_language(demo, name):
    """Rendered, so that what stands in a file is read, with its numbers."""
    for sums in (False, True):  # without a meaning where nothing is suppressed
        planned = plan(SETTINGS[name], demo, trips=TRIPS, sums_before_suppression=sums)
        said = statement_of(demo, planned, earlier=1)
        texts = read_values([STATEMENT_ITEMS, *(said[part] for part in PARTS)])
        assert_plain((name, text) for text in texts)


def test_the_page_of_a_statement_and_the_notebook_are_in_plain_language():
    page = (TEMPLATES / "statement.html.j2").read_text(encoding="utf-8")
    page = re.sub(r"\{[{%].*?[%}]\}", "X", page.partition("</head>")[2])
    cells = json.loads((TEMPLATES / "use_it.ipynb").read_text(encoding="utf-8"))["cells"]
    notebook = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    assert_plain(("bundle", text) for text in (*re.split(r"<[^>]+>", page), *notebook))


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_document_is_in_plain_language(path):
    """Paragraphs, items and headings; no code, no tables, no targets of links."""
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    text = re.sub(r"^( {4}|\||!\[).*$|\]\([^)]*\)", "\n", text, flags=re.M)
    text = re.sub(r"^(#.*\n|\s*[-*] |\s*\d+\. )", r"\n\n\1\n", text, flags=re.M)
    assert_plain((path.name, text) for text in re.split(r"\n\s*\n", text))


def test_the_glossary_is_short_and_the_guide_repeats_it():
    rows = re.findall(r"^\| (.+?) \| (.+) \|$", (ROOT / "docs/use.md").read_text("utf-8"), re.M)
    assert dict(rows[rows.index(("word", "meaning")) + 2 :]) == GLOSSARY
    assert_plain(GLOSSARY.items())
    assert max(len(text.split()) for text in GLOSSARY.values()) <= 24
