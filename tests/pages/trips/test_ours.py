"""Our own method on the pages: the choice, both methods side by side, marks, totals, the list."""

import re

import numpy as np
import pytest

from engine import datasets, usability
from engine import origin_destination as od
from engine.origin_destination import estimate
from pages._ui.cache import estimates as cached_estimates
from pages._ui.cache import trips as cached_trips
from pages._ui.cache.window import Window
from pages._ui.drawing import marks
from pages._ui.wording import verdict

PAGE = "pages/2_Origin_Destination.py"
VIEWS = ("Published | ours", "Flows", "Totals", "Unexpected – check")
SEED = (1, 0)


def text(app):
    kinds = (app.markdown, app.caption, app.info, app.success)
    parts = [element.value for kind in kinds for element in kind]
    parts += [element.proto.body for element in app.get("html")]
    parts += [str(table.value.to_dict()) for table in [*app.table, *app.dataframe]]
    return "\n".join(parts)


@pytest.fixture
def open_ours(open_page):
    opened = []

    def run(view=None, **settings):
        app = open_page(PAGE)
        opened.append(app)
        app.selectbox(key="od_method").set_value("estimate").run()
        for key, value in settings.items():
            widget = app.select_slider if key in ("epsilon", "max_trips") else app.selectbox
            widget(key=key).set_value(value).run()
        if view is not None:
            app.button_group(key="od_ours_view").set_value(view).run()
        assert not app.exception, app.exception
        return app

    yield run
    for app in opened:  # the folder of data is this test's: no job may outlive it
        for job in app.session_state["session"].jobs.values():
            job.cancel()
            job.wait(30)
            assert job.state in ("cancelled", "finished")


def key_of(name):
    return str(datasets.load(name).folder)


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_opens(open_ours, view):
    app = open_ours(view)
    shown = text(app)
    assert "nan" not in shown.lower().replace("finance", "")
    assert "judged by" in shown or "Computing" in shown


def test_both_stand_side_by_side_at_one_proved_epsilon(open_ours):
    shown = text(open_ours(epsilon=0.5))
    assert "Published (τ = 15)" in shown
    assert "Ours" in shown
    assert "Both spend the same: ε = 0.5" in shown
    assert shown.count("Mean error, all pairs of zones") >= 2


def test_a_flow_reads_with_both_ranges(open_ours):
    shown = text(open_ours("Flows", epsilon=2.0, unit="trip"))
    matches = re.findall(r"[\d.,]+ \(([\d,]+)–([\d,]+) by the model; [\d,]+–[\d,]+ whatever", shown)
    assert "95% for all flows at once" in shown
    assert matches
    assert all(int(a.replace(",", "")) <= int(b.replace(",", "")) for a, b in matches)
    # where trips are trimmed, what needs no model is about those that are kept
    assert "trips kept by trimming" in text(open_ours("Flows", epsilon=2.0))


def test_days_one_by_one_are_not_compared(open_ours):
    app = open_ours()
    picker = next(box for box in app.selectbox if box.label == "Day")
    picker.set_value("all").run()
    assert not app.exception
    assert "Choose one day" in text(app)


def test_a_person_is_compared_over_the_whole_period(open_ours):
    assert "one person's trips of the whole period" in text(open_ours(unit="person"))


def test_home_follows_the_choice(open_home):
    app = open_home(od_method="estimate")
    shown = text(app)
    assert "Read by our own method" in shown
    assert "Common part of commuters" in shown
    assert "Common part of commuters" not in text(open_home())


def test_page_figures_are_the_engines():
    dataset, window = datasets.load("demo-city"), Window(2)
    key = str(dataset.folder)
    parameters = od.ODParameters(epsilon=0.7, max_trips_per_user=2)
    noise = cached_trips.noise(key, SEED, window)
    release = cached_estimates.release(key, parameters, SEED, window)
    direct = estimate.release(dataset, parameters, noise=noise, days=2)
    assert release.counts.tobytes() == direct.counts.tobytes()
    compared = cached_estimates.compared(key, parameters, SEED, window, 0)
    true = od.truth(dataset, days=2)[0]
    sums, shown = direct.counts[0], marks.shown(direct)
    assert compared.ours == od.agreement(true, direct.typical[0], shown, sums=sums)
    drawn = cached_trips.drawn(key, parameters, SEED, window).counts
    assert compared.published == od.agreement(true, drawn)
    *_, draws = cached_estimates.repeated(key, parameters, SEED, window, repeats=3)
    assert draws.ours[0] == compared.ours
    assert len(draws.published) == 3
    assert set(np.unique(draws.near * 3)) <= {0.0, 1.0, 2.0, 3.0}


def test_threshold_moves_only_the_published_method():
    key, window = key_of("demo-city"), Window(0)
    low, high = (
        cached_estimates.compared(
            key, od.ODParameters(epsilon=0.4, suppression_threshold=t), SEED, window, 0
        )
        for t in (0, 40)
    )
    assert low.ours == high.ours
    assert low.published != high.published


def test_verdict_names_method_and_draws():
    key, window = key_of("demo-city"), Window(0)
    parameters = od.ODParameters(epsilon=2.0)
    *_, draws = cached_estimates.repeated(key, parameters, SEED, window, repeats=2)
    judged = usability.judge_drawn_trips(cached_trips.truth(key, window), draws.near)
    finding = verdict.drawn_trips(judged, parameters, draws.published, draws.ours)
    assert "judged by 2 draws" in finding.remedy
    assert "with the published method" in finding.remedy
