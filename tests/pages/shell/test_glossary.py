"""The glossary is short, and the guide to the pages repeats it word for word."""

from pages._ui.wording.glossary import GLOSSARY
from tests.support.server import ROOT


def test_it_has_twenty_words_at_most():
    assert len(GLOSSARY) <= 20


def test_the_guide_repeats_it():
    text = (ROOT / "docs" / "use.md").read_text(encoding="utf-8")
    for word, said in GLOSSARY.items():
        assert word in text, word
        assert said in text, word
