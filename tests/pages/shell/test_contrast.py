"""Small print is legible: at least 4.5:1 (WCAG 2.2, AA) on every ground, light and dark."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
CSS = "".join(
    (ROOT / "pages/_ui" / name).read_text(encoding="utf-8")
    for name in ("shell/style.css", "home/home.css")
)
THEME = tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8"))["theme"]
STREAMLIT = {
    "light": {"text": "#2f2d2b", "page": "#ffffff", "sidebar": "#f8f8f7"},
    "dark": {"text": "#edebe8", "page": "#171614", "sidebar": "#21201d"},
}
"""Streamlit's own colours (1.67, read in the browser), which this project's theme leaves alone."""
LEAST = 4.5

Colour = tuple[float, ...]


def rgb(colour: str) -> Colour:
    return tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))


def over(front: Colour, back: Colour, opacity: float) -> Colour:
    return tuple(opacity * f + (1 - opacity) * b for f, b in zip(front, back, strict=True))


def luminance(colour: Colour) -> float:
    """WCAG 2.2, relative luminance."""
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (value / 255 for value in colour)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: Colour, other: Colour) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def grounds(mode: str) -> list[Colour]:
    """Return what text stands on: page, sidebar, and the tints of the verdicts on the page."""
    page, sidebar = (rgb(STREAMLIT[mode][ground]) for ground in ("page", "sidebar"))
    tints = re.findall(
        r"background: color-mix\(in srgb, #([0-9a-f]{3,6}) (\d+)%, transparent\)", CSS
    )
    assert len(tints) >= 4
    return [
        page,
        sidebar,
        *(
            over(rgb("#" + (hue if len(hue) == 6 else "".join(2 * x for x in hue))), page,
                 int(share) / 100)
            for hue, share in tints
        ),
    ]  # fmt: skip


def faint() -> dict[str, float]:
    """Return the opacity of every rule that makes text fainter than the theme's."""
    rules = re.findall(r"([^{}]+)\{[^{}]*?(?<![-\w])opacity:\s*([\d.]+)", CSS)
    return {selector.split("*/")[-1].strip(): float(opacity) for selector, opacity in rules}


def test_black_on_white_is_twenty_one_to_one():
    assert contrast(rgb("#000000"), rgb("#ffffff")) == pytest.approx(21)
    assert contrast(rgb("#777777"), rgb("#ffffff")) == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_small_print_is_legible(mode):
    rules = faint()
    assert '[data-testid="stCaptionContainer"]' in rules
    text = rgb(STREAMLIT[mode]["text"])
    ratios = {
        (selector, ground): contrast(over(text, ground, opacity), ground)
        for selector, opacity in rules.items()
        for ground in grounds(mode)
    }
    assert min(ratios.values()) >= LEAST, min(ratios, key=lambda one: ratios[one])


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_links_are_legible_and_the_theme_leaves_text_and_grounds_alone(mode):
    theme = THEME[mode]
    assert not {"textColor", "backgroundColor", "secondaryBackgroundColor"} & set(theme)
    for ground in ("page", "sidebar"):
        assert contrast(rgb(theme["linkColor"]), rgb(STREAMLIT[mode][ground])) >= LEAST


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_a_chosen_segment_and_the_main_button_are_legible(mode):
    primary = rgb(THEME[mode]["primaryColor"])
    assert contrast(primary, rgb("#ffffff")) >= LEAST
    rule = re.search(r'data-selected="true"\] p \{ color: light-dark\((#\w{6}), (#\w{6})\)', CSS)
    assert rule is not None
    written = rgb(rule[1 if mode == "light" else 2])
    for ground in ("page", "sidebar"):
        tint = over(primary, rgb(STREAMLIT[mode][ground]), 0.1)  # Streamlit's own, of the primary
        assert contrast(written, tint) >= LEAST
