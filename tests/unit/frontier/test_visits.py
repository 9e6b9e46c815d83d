"""Density settings are judged by draws, as home judges one, with their standard error."""

import numpy as np
import pytest

from engine import density, frontier, privacy, resolution, sweeping, usability
from engine.errors import DatasetError
from engine.frontier import Need, visits
from engine.frontier.command import main
from tests.reference.small_city import Aggregates, geography, save, small_city


@pytest.fixture(scope="module")
def city(tmp_path_factory):
    return small_city(tmp_path_factory.mktemp("visits") / "city", people=1500)


def rng(seed):
    return np.random.default_rng(seed)


@pytest.fixture(scope="module")
def judged(city):
    return frontier.frontier(city, Need(read="zones", zones=5), rng=rng(7))


def test_use_is_the_mean_verdict_of_draws_and_risk_that_of_the_ledger(city):
    """One batch from the same generator state, each view released by itself, as home does."""
    need = Need(read="density", zones=25)
    batch = next(batch for _, batch in visits.judged(city, need, rng(7)) if batch)
    numbered = sweeping.generators(sweeping.generators(rng(7))(0))
    assert {one.matrices for one in batch} == {168}
    for one in batch[5::7]:  # at every block of hours, one ε
        view = resolution.look_at(city, one.seen.zones)
        true = density.truth(view)
        assert (one.zones, one.matrices) == true.shape
        shares, errors = [], []
        for draw in range(visits.DRAWS):
            release = density.release(view, one.parameters, rng=numbered(draw))
            hourly = true.sum(axis=1) / 168
            judged = usability.judge_density(density.scores(true, release), hourly)
            shares.append(judged.usable_share)
            errors.append(np.abs(release.counts - true).sum() / true.sum())
        assert one.use == pytest.approx(np.mean(shares))
        assert one.use_error == pytest.approx(np.std(shares, ddof=1) / visits.DRAWS**0.5)
        assert one.error == pytest.approx(np.mean(errors))
        ledger = density.ledger(
            one.parameters,
            cover_size=view.tessellation.cover_size,
            max_visits_cap=view.metadata.max_visits_cap,
        )
        assert one.risk == privacy.risk_of_ledger(ledger, one.parameters.epsilon).best_guess


def test_the_grid_is_levels_by_blocks_by_visits_by_epsilon(city, judged):
    methods = {name: ls for name, ls in visits.LIMITS.items() if name != "zoom" or city.has_zoom}
    settings = sum(map(len, methods.values())) * len(visits.EPSILONS)
    assert len(judged.judged) == len(resolution.judged_levels(city)) * settings
    assert {one.matrices for one in judged.judged} == {168}
    assert {one.unit for one in judged.judged} == {"person"}


def test_the_recommended_is_on_the_frontier_and_has_most_use(judged):
    best = judged.recommended(0.95)
    allowed = [one for one in judged.candidates if one.within(0.95)]
    assert best in judged.frontier
    assert max(one.use for one in allowed) < best.use + frontier.USE_STEP
    levers = {step.lever for step in judged.levers(best)}
    assert levers == {"zones", "time", "method", "ℓ", "ε"}


def test_whoever_reads_hours_needs_hours(city):
    hourly = frontier.frontier(city, Need(read="density", zones=5), rng=rng(7))
    assert {one.matrices for one in hourly.candidates} == {168}
    assert {way.lever for way in hourly.way_out()} <= {"zones", "time", "risk"}


def test_no_visits(tmp_path):
    hours = np.zeros((4, 168), dtype=np.int64)
    ranked = np.zeros((4, 168, 168), dtype=np.int64)
    none = Aggregates(hours, ranked, np.zeros(4, dtype=np.int64))
    with pytest.raises(DatasetError, match="has no visit at"):
        frontier.frontier(save(tmp_path / "none", none, geography(4, 2)), Need(read="density"))


def test_the_command_says_how_sure_it_is(city, capsys):
    assert main([str(city.folder.parent), "--read", "density", "--zones", "5"]) == 0
    said = capsys.readouterr().out
    assert "every hour, a person, " in said
    assert "zones usable" in said


def test_one_release_of_towers_is_seen_from_every_level_of_zones(tiny_city, monkeypatch):
    """Against each level released by itself, from the same generator state."""
    method, need = min(visits.OF_TOWERS), Need(read="zones")
    monkeypatch.setattr(visits, "LIMITS", {method: (30,)})
    monkeypatch.setattr(visits, "EPSILONS", (1.0,))
    monkeypatch.setattr(visits, "DRAWS", 2)
    batch = [one for _, some in visits.judged(tiny_city, need, rng(7)) for one in some]
    assert len({one.zones for one in batch}) == len(resolution.judged_levels(tiny_city)) > 1
    numbered = sweeping.generators(sweeping.generators(rng(7))(0))
    for one in batch:
        view = resolution.look_at(tiny_city, one.seen.zones)
        true = density.truth(view)
        draws = [density.release(view, one.parameters, rng=numbered(draw)) for draw in range(2)]
        errors = [np.abs(release.counts - true).sum() / true.sum() for release in draws]
        assert one.error == pytest.approx(np.mean(errors))
