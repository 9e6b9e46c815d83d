"""What home recommends: by brute force, the same on every page, and never against the gauges."""

import re

import pytest

from engine import datasets, origin_destination as od, privacy, usability
from engine.contract import When
from engine.parameters import EPSILON_STOPS, ODParameters
from engine.resolution import look_at
from engine.usability import Flows
from pages._ui.views import frontier as frontier_view, way_out
from pages._ui.wording.numbers import percent
from pages._ui.wording.privacy import guess
from tests.support.charts import drawn as drawn
from tests.support.page import bodies


def card(app):
    """Return what the card says, without tags."""
    body = next(body for body in bodies(app) if 'class="verdict ' in body)
    return re.sub(r"<[^>]+>", " ", body)


def gauges(app):
    """Return the best guess and the share that is usable, as the gauges say them."""
    body = next(body for body in bodies(app) if 'class="gauges"' in body)
    return re.findall(r"<b>((?:over )?[\d.]+%)</b>", body)


def button(app, key):
    return next((one for one in app.button if one.key == f"way_home_{key}"), None)


def by_hand(time, unit, limit, days=7):
    """Return the best use within a limit of risk: setting by setting, without the frontier."""
    source = datasets.load("demo-city")
    best = 0.0
    for shown, at in (("whole", "person"), ("whole", "person-day"), ("day", "person-day")):
        if (time == "day" and shown != "day") or (unit == "person" and at != "person"):
            continue
        view = look_at(source, when=When(step=shown))
        for trips in (1, 2, 4, 10, 30, 100):
            counted = Flows.of(od.histogram(view, at, trips, days=0))
            for epsilon in EPSILON_STOPS:
                for threshold in (0, 5, 10, 15, 30):
                    one = ODParameters(
                        epsilon=epsilon,
                        max_trips_per_user=trips,
                        suppression_threshold=threshold,
                        unit=at,
                    )
                    spans = [1] * days if shown == "day" else [days]
                    if privacy.risk_of_trips(one, spans).best_guess <= limit:
                        best = max(best, usability.usable_share(counted, one))
    return best


@pytest.mark.parametrize(
    ("time", "unit", "limit"),
    [("day", "person-day", 0.75), ("whole", "person", 0.75), ("whole", "person-day", 0.9)],
)
def test_the_recommended_setting_is_the_best_and_reads_alike_on_every_page(
    open_home, settled, time, unit, limit
):
    app = settled(open_home(od_time=time, unit=unit, risk_limit=f"{limit:g}"))
    said = card(app)
    use, risk = re.search(
        r"more use: ([\d.]+%) of trips at a best guess of ([\d.]+%)", said
    ).groups()
    days = len(datasets.load("demo-city").metadata.days)
    best = by_hand(time, unit, limit, days)
    assert float(use[:-1]) == pytest.approx(100 * best, abs=0.55)  # use is in steps of half a point
    assert float(risk[:-1]) <= 100 * limit
    button(app, "recommended").click().run()
    app = settled(app)
    assert gauges(app) == [risk, use]
    assert "as you have it ✓" in card(app)
    assert button(app, "recommended") is None


def test_each_way_out_brings_what_its_button_says(open_home, settled):
    app = settled(open_home(od_time="day"))
    offered = [one for one in app.button if ":" in one.label and "way_home_" in str(one.key)]
    assert offered
    for one in offered:
        fresh = settled(open_home(od_time="day"))
        use, risk = re.search(r"([\d.]+%) at ((?:over )?[\d.]+%)$", one.label).groups()
        next(other for other in fresh.button if other.key == one.key).click().run()
        assert gauges(settled(fresh)) == [risk, use]


def test_own_data_say_that_choosing_by_them_is_a_leak_and_a_release_states_it(open_home, settled):
    app = settled(open_home())
    app.selectbox(key="od_data").set_value("town").run()
    notices = [one.value for one in app.toast]  # at once, where all is computed already
    app = settled(app)
    notices += [one.value for one in app.toast]
    assert any("leaks a little about them" in one.value for one in app.caption)
    # own data open on what is recommended, which is said
    assert "as you have it ✓" in card(app)
    assert any("town opens on its recommended setting" in notice for notice in notices)
    assert app.session_state["session"].judged == {"town"}
    app = settled(app.select_slider(key="epsilon").set_value(3.0).run())
    assert app.select_slider(key="epsilon").value == 3.0  # once, and never against a person
    simulated = settled(open_home())
    assert not any("leaks a little about them" in one.value for one in simulated.caption)
    button(simulated, "recommended").click().run()
    assert not simulated.session_state["session"].judged


@pytest.mark.parametrize(
    ("link", "reason"),
    [
        ({"od_data": "flows"}, "flows without people"),
        ({"risk_limit": "0.55", "od_time": "day", "home_shown": "density"}, "best guess"),
    ],
)
def test_where_nothing_can_be_recommended_the_card_says_why(open_home, settled, link, reason):
    assert reason in card(settled(open_home(**link)))


def test_all_settings_show_here_recommended_and_every_best_step(open_home, settled, drawn):
    app = settled(open_home(frontier="true", epsilon="0.5", max_trips="10", threshold="5"))
    chart = drawn["frontier_chart"]["datasets"]
    now, best = chart["marks"]
    risk, use = gauges(app)
    assert (guess(now["risk"], 1), percent(now["use"])) == (risk, use)
    assert f"{percent(best['use'])} of trips at a best guess of {guess(best['risk'], 1)}" in card(
        app
    )
    assert chart["dots"][best["id"]]["use"] == best["use"]
    assert chart["limit"][0]["risk"] == 0.75
    for line in {row["line"] for row in chart["steps"]}:
        steps = [row for row in chart["steps"] if row["line"] == line]
        zones, span = steps[0]["zones"], steps[0]["span"]
        every = [d for d in chart["dots"] if (d["zones"], d["span"]) == (zones, span)]
        for dot in every:  # no dot lies above its step
            below = [step["use"] for step in steps if step["risk"] <= dot["risk"]]
            assert dot["use"] <= max(below) + 1e-12
        uses = [step["use"] for step in steps]
        assert uses == sorted(uses)
    assert any(one.key == "frontier_csv" for one in app.get("download_button"))


def test_all_settings_of_real_people_are_served_by_no_address(open_home, settled):
    app = settled(open_home(frontier="true"))
    assert any(one.key == "frontier_csv" for one in app.get("download_button"))
    app.selectbox(key="od_data").set_value("town").run()
    app = settled(app)
    assert any("saved with the chart" in one.value for one in app.caption)
    assert not app.get("download_button")


def test_a_dot_that_is_clicked_sets_every_lever(open_home, settled, drawn, monkeypatch):
    picks = []
    show = frontier_view.spec.show

    def keep(layers, tables, *, on_pick, **named):
        picks.append((on_pick, tables["dots"]))
        show(layers, tables, on_pick=on_pick, **named)

    monkeypatch.setattr(frontier_view.spec, "show", keep)
    taken = []
    monkeypatch.setattr(way_out, "use_settings", lambda **values: taken.append(values))
    settled(open_home(frontier="true"))
    on_pick, dots = picks[-1]
    number = next(
        i
        for i, words in enumerate(dots["setting"])
        if "the whole period, a person, T 30, τ 0" in words
    )
    on_pick({"id": number})
    on_pick({})
    on_pick({"id": -1})
    (values,) = taken
    epsilon = float(re.search(r"ε ([\d.]+)", dots["setting"][number])[1])
    assert values == {
        "unit": "person",
        "max_trips": 30,
        "threshold": 0,
        "epsilon": epsilon,
        "od_method": "published",
        "od_zones": values["od_zones"],
    }
