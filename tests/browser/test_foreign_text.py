"""Texts of others, in links and names, stay texts: they make nothing on any page."""

import json
import shutil
from urllib.parse import urlencode

import geopandas as gpd
import pytest

from engine.datasets import storage
from engine.release import BudgetLedger
from engine.text.numbers import MAX_FOREIGN_LENGTH, WORD_JOINER
from pages._ui.settings import fields
from tests.browser.test_pages import MAIN, go
from tests.support.browser import settled
from tests.support.server import served

HOSTILE = (
    "# Zq", "Zq\n\n# Zq ended. [Zq](https://e.vil/)", "Zq\n===", "> Zq", "- Zq", "1. Zq",
    "| Zq |\n|---|", "[Zq](https://e.vil/)", "[Zq](e.vil)", "[Zq][1]\n\n[1]: //e.vil",
    "![Zq](https://e.vil/a.png)", "<https://e.vil/Zq>", "https://e.vil/Zq", "www.e.vil/Zq",
    "www.e.vil Zq", "Zq@e.vil", "mailto:Zq@e.vil", "**Zq**", "__Zq__", "*Zq*", "~~Zq~~", "`Zq`",
    "$Zq$", "$$Zq$$", ":red[Zq]", ":red-background[Zq]", ":orange-badge[Zq]", ":rainbow[Zq]",
    ":small[Zq]", ":material/delete: Zq", ":skull: Zq :+1:", ":streamlit: Zq", "<h1>Zq</h1>",
    "<b>Zq</b>", "<a href=https://e.vil>Zq</a>", "<img src=https://e.vil/a.png> Zq",
    "<script>Zq</script>", "&lt;b&gt;Zq &copy;", "Zq[^1]", "Zq\\# " + "and so on " * 20,
)  # fmt: skip
"""Every one holds a word that no page has."""

NAMING = ("Home", "Density", "Origin–destination", "Decisions", "Report", "Release")
"""Pages that name a dataset."""
NAME = "# Zq [Zq](e.vil) www.e.vil :skull: $Zq$ :red[Zq] <b>`Zq`"
KEYS = ("v", *fields.NAMES, *fields.FIELDS_BY_KEY)[:20]
"""Of a link; each takes one of these texts."""
WATCH = """() => {
    window.texts = new Set(), window.made = new Set();
    new MutationObserver(() => {
        for (const one of document.querySelectorAll('[data-testid="stMarkdownContainer"]'))
            if (!one.querySelector('figure')) texts.add(one.textContent);
        for (const one of document.querySelectorAll('a, img, b, h1, h2, code, em, del, script')) {
            const to = (one.getAttribute('href') || '') + (one.getAttribute('src') || '');
            if (to.includes('e.vil') || one.textContent.trim() === 'Zq') made.add(one.outerHTML);
        }
    }).observe(document, {childList: true, subtree: true, characterData: true});
}"""
"""Gathers what is shown at any time: a toast goes."""


def cut(text):
    words = " ".join(text.split())
    return words if len(words) <= MAX_FOREIGN_LENGTH else words[: MAX_FOREIGN_LENGTH - 1] + "…"


@pytest.fixture(scope="module")
def hostile(tiny_city, tmp_path_factory):
    """A server whose only dataset, zones, levels and budget have such names."""
    root = tmp_path_factory.mktemp("hostile")
    document = json.loads((tiny_city.folder / storage.METADATA_FILE).read_text(encoding="utf-8"))
    texts = dict.fromkeys(("description", "source", "licence"), HOSTILE[1])
    document |= {"name": NAME, "simulated": False, **texts}
    document.pop("checksums")

    def write(version):
        for path in tiny_city.folder.glob("*.parquet"):
            shutil.copy(path, version / path.name)
        zones = gpd.read_parquet(version / "zones.parquet")
        zones["name"] = [HOSTILE[row % len(HOSTILE)] for row in range(len(zones))]
        zones["**Zq**_id"] = [f"{row // 6}" for row in range(len(zones))]
        zones.to_parquet(version / "zones.parquet")

    storage.write_version(root / "local" / NAME, document, write)
    owners = {"manager": HOSTILE[18], "other_managers": [HOSTILE[24]]}
    BudgetLedger(root / "ledger.sqlite").declare(
        HOSTILE[7], datasets=[NAME], unit="person", epsilon=100.0, delta=1e-3, **owners
    )
    with served({"MOBILITY_DATA": str(root)}) as url:
        yield url


@pytest.mark.parametrize("half", [0, 1])
def test_nothing_of_what_others_wrote_takes_effect(hostile, page, half):
    link = dict(zip(KEYS, HOSTILE[half::2], strict=True))
    page.add_init_script(f"({WATCH})()")
    page.goto(f"{hostile}/{'Density' if half else ''}?{urlencode(link)}")
    settled(page)
    notices = "count => [...texts].filter(one => one.startsWith('The link ')).length >= count"
    page.wait_for_function(notices, arg=len(link))
    for title in [*MAIN][half::2]:
        go(page, title)
        page.locator(f"{MAIN[title]}:visible").first.wait_for()
        texts, made = page.evaluate("[[...texts], [...made]]")
        page.evaluate("texts.clear()")
        assert not made
        shown = " ".join(" ".join(texts).replace(WORD_JOINER, "").split())
        if link:
            assert not [text for text in map(cut, link.values()) if text not in shown]
            link.clear()
        assert (NAME in shown) or title not in NAMING
        for text in sorted(map(cut, (NAME, "**Zq**", *HOSTILE)), key=len, reverse=True):
            shown = shown.replace(text, " ")
        assert "Zq" not in shown
