"""Long work in a real browser: a part asks for itself alone, and no move is lost beside it."""

import re

import pytest
from playwright.sync_api import expect
from streamlit.proto.BackMsg_pb2 import BackMsg

pytestmark = pytest.mark.browser

SLIDER = ".st-key-epsilon input[type=range]"
TITLE = ".stage .private .paneltitle"
PENDING = re.compile("calculating")


def test_ranges_fill_in_without_a_run_of_the_whole_page(page, address):
    asked = []

    def listen(line):
        line.on("framesent", lambda frame: asked.append(BackMsg.FromString(frame)))

    page.on("websocket", listen)
    page.goto(address)
    cards = page.locator(".card")
    expect(cards).to_have_count(8)
    expect(cards.filter(has_text=PENDING)).to_have_count(0)
    before = len(asked)
    page.locator(SLIDER).press("ArrowLeft")
    expect(page.locator(TITLE)).to_have_text("Private, ε = 0.9")
    expect(cards.filter(has_text=PENDING)).to_have_count(0)
    expect(page.locator("[class*=st-key-job_ask]")).to_have_count(0)
    runs = [one.rerun_script for one in asked[before:] if one.HasField("rerun_script")]
    assert [run.fragment_id for run in runs].count("") == 1


def test_a_move_in_the_very_moment_of_asking_redraws_the_page(page, address):
    page.goto(address)
    expect(page.locator(TITLE)).to_have_text("Private, ε = 1")
    expect(page.locator("[class*=st-key-job_ask]").first).to_be_attached()
    # while the page is held up for longer than a job waits between two askings, both come at once
    page.evaluate(
        """slider => {
          const held = document.querySelector(slider);
          held.focus();
          const setter = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
          setter.call(held, Number(held.value) - 1);
          const until = performance.now() + 1500;
          while (performance.now() < until);
          held.dispatchEvent(new Event('input', {bubbles: true}));
          held.dispatchEvent(new Event('change', {bubbles: true}));
        }""",
        SLIDER,
    )
    expect(page.locator(TITLE)).to_have_text("Private, ε = 0.9")
