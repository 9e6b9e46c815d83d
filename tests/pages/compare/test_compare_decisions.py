"""Compare's figures of decisions, each computed another way; what has none says why."""

import html
import re

import numpy as np
import pytest

from engine import datasets, decisions, origin_destination as od
from engine.decisions.epidemic import scenario_origins
from engine.parameters import ODParameters
from engine.resolution import Key
from pages._ui.cache import decided as cached_decided
from pages._ui.compare import wording
from pages._ui.compare.decided import AID, EPIDEMIC
from pages._ui.wording.numbers import percent
from tests.reference import decisions_reference as plain
from tests.reference.od_reference import released_pmf

PAGE = "pages/9_Compare.py"
P2 = {"beta": 0.10, "mu": 0.04, "alpha": 1.0, "seed_share": 0.01}


@pytest.fixture(scope="module")
def settings():
    return ODParameters(
        epsilon=1.0, max_trips_per_user=4, suppression_threshold=15, unit="person-day"
    )


@pytest.fixture(autouse=True)
def shipped(_use_data_root, monkeypatch):
    """Read the datasets that are shipped: the small ones of other tests have no shock."""
    monkeypatch.delenv("MOBILITY_DATA")


@pytest.fixture
def open_compare(open_page):
    """Return a function that opens the page by a link."""
    return lambda **link: open_page(PAGE, **link)


def kept_trips(dataset, most):
    """Add up, by day and pair, the trips that are among a person's first `most` of the day."""
    trips, zones = dataset.trips.whole, len(dataset.zones)
    kept = np.zeros((len(dataset.metadata.days), zones, zones))
    first = trips.rank <= most
    place = (trips.day[first], trips.origin[first], trips.destination[first])
    np.add.at(kept, place, trips.n[first])
    return kept


def row(app, name):
    body = next(one.proto.body for one in app.get("html") if 'class="compare"' in one.proto.body)
    cells = re.search(rf'<th scope="row">{re.escape(html.escape(name))}</th>(.*?)</tr>', body)
    return [html.unescape(cell) for cell in re.findall(r"<td>(.*?)</td>", cells[1])]


def captions(app):
    return " ".join(one.value for one in app.caption)


def test_the_epidemic_agrees_as_plain_loops_count_it(open_compare, settled, settings):
    app = settled(open_compare(pin_a="bafghanistan-2020", pin_b="bafghanistan-2020~e10"))
    year = datasets.load("afghanistan-2020")
    origin = list(year.zones["zone_id"]).index(scenario_origins(year)["largest"])
    true = plain.epidemic(od.truth(year).tolist(), year.homes.tolist(), origin, **P2)
    kept = kept_trips(year, settings.max_trips_per_user)
    mean = {0: 0.0}  # a pair without trips is drawn as well
    for size in np.unique(kept):
        law = released_pmf(int(size), 1 / settings.noise_scale, 15, "rounded_laplace", 160)
        mean[int(size)] = sum(value * chance for value, chance in law.items())
    expected = np.vectorize(mean.get)(kept)
    expected[:, np.arange(len(year.homes)), np.arange(len(year.homes))] = 0.0
    other = plain.epidemic(expected.tolist(), year.homes.tolist(), origin, **P2)
    zones = plain.decisions(true, other, 0.2)
    same = sum(zone["accuracy"] for zone in zones) / len(zones)
    still = sum(day[i] < 0.2 for day in true for i in range(len(zones))) / np.size(true)
    shown = row(app, EPIDEMIC)
    assert shown[0] == f"{percent(same)} (never acting: {percent(still)})"
    assert shown[1].endswith(f"(never acting: {percent(still)})")
    assert row(app, AID)[0] == "–"
    assert "names none" in captions(app)
    assert wording.DECISIONS in captions(app)


def test_aid_reaches_the_destinations_that_plain_draws_reach(settings):
    town = datasets.load("rwanda-districts")
    key, emergency = (
        Key(str(town.folder)),
        cached_decided.standard_emergency(Key(str(town.folder))),
    )
    parameters = ODParameters(epsilon=0.05, max_trips_per_user=4, suppression_threshold=15)
    exact = cached_decided.helped(key, emergency, parameters, 3).overlap
    event = decisions.shock(town)
    rng = np.random.default_rng(5)
    area, days = list(event.zones), list(event.days)
    true = od.truth(town, days=days)[:, area].astype(float)
    kept = kept_trips(town, 4)[days][:, area]
    outside = np.setdiff1d(np.arange(true.shape[2]), area)

    def drawn(scale, draws=1500):
        overlaps = []
        for _ in range(draws):
            noisy = np.rint(kept + rng.laplace(scale=scale, size=kept.shape))
            shown = np.where(noisy >= 15, noisy, 0.0)
            shares = []
            for before, after in zip(true, shown, strict=True):
                right = plain.first_k(before.sum(axis=0)[outside].tolist(), 3)
                got = plain.first_k(after.sum(axis=0)[outside].tolist(), 3)
                shares.append(len(set(right) & set(got)) / len(right))
            overlaps.append(np.mean(shares))
        return np.mean(overlaps), np.std(overlaps) / np.sqrt(draws)

    def agrees(scale):
        mean, error = drawn(scale)
        return abs(mean - exact) < 4 * error

    scale = parameters.noise_scale
    assert agrees(scale)
    assert not agrees(0.8 * scale)
    assert not agrees(1.25 * scale)


def test_the_page_tells_aid_and_where_there_is_nothing_to_decide(open_compare, settled, settings):
    link = {"pin_a": "~", "pin_b": "wweek", "pin_c": "mestimate", "od_data": "rwanda-districts"}
    app = settled(open_compare(**link))
    key = Key(str(datasets.load("rwanda-districts").folder))
    emergency = cached_decided.standard_emergency(key)
    helped = cached_decided.helped(key, emergency, settings, 3)
    assert row(app, AID) == [percent(helped.overlap), "–", "–", percent(helped.overlap)]
    assert row(app, EPIDEMIC) == ["no zone has to act", "–", "–", "no zone has to act"]
    assert wording.NO_DECISIONS in captions(app)
    assert wording.NOBODY_ACTS in captions(app)
