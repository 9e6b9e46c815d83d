"""The glossary is short, and the guide to the pages repeats it word for word."""

import pytest

from pages._ui.wording.glossary import GLOSSARY
from tests.support.server import ROOT


def test_it_has_twenty_words_at_most():
    assert len(GLOSSARY) <= 20


def test_the_guide_repeats_it():
    guide = ROOT / "docs" / "use.md"
    if not guide.is_file():
        pytest.skip("the guide is not written yet")
    text = guide.read_text(encoding="utf-8")
    for word, said in GLOSSARY.items():
        assert word in text, word
        assert said in text, word
