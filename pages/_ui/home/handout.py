"""A handout of one page, made by the server: a sentence to quote, the picture, the limits."""

from collections.abc import Sequence
from datetime import UTC, datetime
from html import escape
from urllib.parse import urlencode, urlsplit

import streamlit as st

from pages._ui.drawing.gauges import gauges_html
from pages._ui.drawing.svg.stage import Picture
from pages._ui.home import verdict as home_verdict
from pages._ui.home.side import Side
from pages._ui.shell import kept
from pages._ui.shell.settings import current
from pages._ui.wording.datasets import NOT_A_RELEASE
from pages._ui.wording.numbers import percent
from pages._ui.wording.privacy import guess

_STYLE = """
@page { size: A4; margin: 12mm } * { box-sizing: border-box; print-color-adjust: exact; -webkit-print-color-adjust: exact }
body { font: 11px/1.45 sans-serif; color: #1c1c1c; background: #fff; max-width: 186mm; margin: 0 auto }
h1 { font-size: 15px; margin: 0 } h2 { font-size: 11px; margin: 8px 0 2px; text-transform: uppercase; letter-spacing: .04em }
blockquote { font-size: 19px; line-height: 1.35; font-weight: 600; margin: 10px 0; padding-left: 12px; border-left: 4px solid #2a6f97 }
p, ul { margin: 2px 0 } ul { padding-left: 16px } .small { color: #444; overflow-wrap: anywhere } a { color: inherit }
.gauges { display: grid; grid-template-columns: 1fr 1fr; gap: 10px; margin: 8px 0 } .gauge .name { font-weight: 700 } .gauge .words b { font-size: 16px }
.gauge .scale { position: relative; height: 10px; border-radius: 3px; margin: 4px 0 2px } .gauge .ends { display: flex; justify-content: space-between; gap: 1em; color: #444 }
.gauge .sign { position: absolute; margin-left: 2px; font: 700 8px/10px sans-serif; color: #fff; text-shadow: 0 0 2px #000, 0 0 2px #000 }
.gauge .needle { position: absolute; top: -3px; bottom: -3px; width: 4px; margin-left: -2px; background: #1c1c1c; outline: 1px solid #fff }
.gauge .tick { position: absolute; top: 0; bottom: 0; width: 2px; margin-left: -1px; background: #fff }
.maps { display: grid; grid-template-columns: 1fr 1fr; gap: 8px } figure { margin: 0 } figcaption { font-weight: 600 } .maps svg { display: block; width: 100%; max-height: 82mm }
.zone { stroke: #fff; stroke-width: 1 } .ground { fill: #f1f1f1; stroke: #aaa; stroke-width: 1.2 } .flow { stroke: #fff; stroke-width: .6 } .marked { fill: none; stroke: #d1495b; stroke-width: 5 }
.lost { fill: none; stroke: var(--c); stroke-width: 3; stroke-dasharray: 9 6 } .phantom { fill: color-mix(in srgb, var(--c) 25%, #fff); stroke: var(--c); stroke-width: 3 }
.inflated { fill: var(--c); stroke: #1c1c1c; stroke-width: 2; stroke-dasharray: 2 5 } .shown { fill: var(--c) }
.key { display: flex; flex-wrap: wrap; gap: 0 14px; align-items: center } .key .bar { width: 90px; height: 7px; display: inline-block; background: var(--c) } .key svg { width: 26px; height: 10px }
"""  # noqa: E501
_UNSEEN = {
    "density": "other draws of the noise than this one; the map shows one hour of the week",
    "trips": "the private map is one draw of the noise; another one would look a little different",
}
_ALIKE = (
    "people who travel together, as in a household: together they are protected less",
    "other releases of the same people's data: every one adds to the risk",
    "who is missing in the data, such as people without a phone, and errors made while counting",
    "what a decision made of these numbers would cost",
)


def button(side: Side) -> None:
    """Draw the button that saves the handout.

    A file that a page offers is served to whoever knows its address, so that data of real people
    have none.
    """
    if side.entry.metadata.simulated:
        # read now: the file is made where no session is at hand
        lines, link, banner = _setting(side), _link(), " ".join(kept.banners(current()))
        st.download_button(
            "Handout",
            data=lambda: page_html(side, lines, link, banner),
            file_name=f"handout-{side.entry.name}-{side.part}.html",
            mime="text/html",
            key="home_handout",
            type="tertiary",
            help="One page to print: a sentence to quote, the picture, the setting in words, what "
            "was not looked at.",
        )


def page_html(side: Side, lines: Sequence[str], link: str, banner: str) -> str:
    """Return the handout as one file that needs no other; reads nothing of a session.

    Parameters
    ----------
    lines : sequence of str
        The setting in words.
    link : str
        Leads to the same setting.
    banner : str
        Whose data it is.
    """
    banner = f"{banner} {NOT_A_RELEASE}".replace("**", "")
    today = f"{datetime.now(UTC):%-d %B %Y}"
    what = "Flows between zones" if side.part == "trips" else "Density of visits"
    title = f"{what}: {side.entry.name}"
    settings = "".join(f"<li>{escape(one)}</li>" for one in lines)
    limits = "".join(f"<li>{escape(one)}</li>" for one in (_UNSEEN[side.part], *_ALIKE))
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style></head><body><h1>{escape(title)}</h1>"
        f'<p class="small">{escape(banner)}</p><blockquote>“{escape(quote(side))}”</blockquote>'
        f"{gauges_html(home_verdict.gauges(side), of=side.entry.name)}{_maps(side.picture)}"
        f"<h2>The setting</h2><ul>{settings}</ul>"
        f"<h2>Not looked at</h2><ul>{limits}</ul>"
        f'<p class="small">Mobility Privacy Explorer, {today} · <a href="{escape(link)}">'
        f"{escape(link)}</a></p></body></html>"
    )


def quote(side: Side) -> str:
    """Return one sentence that is true without the page around it."""
    trips = side.part == "trips"
    who = "a single trip is" if side.unit == "trip" else "a given person is"
    use = percent(side.usable)
    kept_words = f"{use} of trips lie in flows" if trips else f"{use} of zones have counts"
    often = guess(side.risk.best_guess, 1)
    often = f"{often} of the time" if often.startswith("over") else f"at most {often} of the time"
    return (
        f"If this were published, {kept_words} that can be used, and even someone who knows "
        f"everybody else's data could tell right whether {who} in it "
        f"{often}, where tossing a coin gets 50%."
    )


def _setting(side: Side) -> list[str]:
    """Return what is set, in words: of the part shown alone."""
    other = ("Trips", "Flows", "trips") if side.part == "density" else ("Visits", "Density", "δ")
    lines = [
        f"{label}: {value}"
        for label, value in kept.described(current(resolution=True)).items()
        if not any(word in label for word in other)
    ]
    return [*lines, home_verdict.covered(side).partition(" White marks")[0]]


def _link() -> str:
    at = urlsplit(st.context.url or "")
    query = urlencode(st.query_params.to_dict())
    return f"{at.scheme}://{at.netloc}{at.path}" + (f"?{query}" if query else "")


def _maps(picture: Picture) -> str:
    """Return both sides as they stand on the screen, with their scale and marks."""
    sides = "".join(
        f"<figure><figcaption>{escape(picture[which]['title'])}</figcaption>"
        f"{_map(picture, which)}</figure>"
        for which in ("true", "private")
    )
    marks = "".join(
        f'<span><svg viewBox="0 0 52 20"><path class="flow {kind}" style="--c:{colour}" '
        f'd="M2 5H50V15H2Z"/></svg> {escape(words)}</span>'
        for colour, words, kind in picture.get("marks", ())
    )
    scale = picture["scale"]
    bar = f'<span>0 <i class="bar" style="--c:{scale["gradient"]}"></i> {escape(scale["high"])}'
    return (
        f'<div class="maps">{sides}</div><div class="key">{bar} or more: '
        f"{escape(scale['what'])}</span>{marks}</div>"
    )


def _map(picture: Picture, which: str) -> str:
    side = picture[which]
    fills = side.get("fills")
    zones = "".join(
        f'<path class="zone" fill="{fills[i]}" d="{path}"/>'
        if fills
        else f'<path class="ground" d="{path}"/>'
        for i, path in enumerate(picture["zones"])
    )
    flows = "".join(
        f'<path class="flow {kind}" style="--c:{colour}" d="{path}"/>'
        for path, colour, kind, _ in side.get("flows", ())
    )
    return (
        f'<svg viewBox="{picture["viewBox"]}" role="img" aria-label="{escape(side["alt"])}">'
        f"{zones}{flows}</svg>"
    )
