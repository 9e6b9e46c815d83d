"""Hours counted together: sums, bounds on a person, one noise where there are no hours."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from shapely import Polygon

from engine import datasets, density, resolution
from engine.density.aggregates import cover_series, in_blocks
from engine.errors import ParameterError
from engine.geography import zone_areas_km2
from engine.resolution import Resolution, block_names, hour_blocks
from tests.reference.small_city import MemoryDataset, aggregate, one_zone_a_tower

STEPS = ("hour", "four-hours", "day-part")


def block_by_clock(step, hour):
    """Name the block of an hour in words, by the clock alone."""
    day, clock = divmod(hour, 24)
    if step == "hour":
        return day, clock
    if step == "four-hours":
        return day, clock // 4
    return day >= 5, ("night", "morning", "afternoon", "evening")[clock // 6]


@pytest.mark.parametrize(("step", "count"), [("hour", 168), ("four-hours", 42), ("day-part", 8)])
def test_hours_share_a_block_where_the_clock_says_so(step, count):
    blocks = hour_blocks(step)
    assert sorted(set(blocks.tolist())) == list(range(count))
    assert len(block_names(step)) == count
    for one in range(168):
        for other in range(one, 168, 5):
            same = block_by_clock(step, one) == block_by_clock(step, other)
            assert (blocks[one] == blocks[other]) == same


visits = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 167)), min_size=1, max_size=80)


@settings(max_examples=60, deadline=None)
@given(st.lists(visits, min_size=1, max_size=4), st.integers(1, 168), st.sampled_from(STEPS))
def test_one_person_changes_the_blocks_by_at_most_their_bounds(crowd, kept, step):
    """At most ℓ in L₁ and, in one block, the smaller of ℓ and the hours of the largest block."""
    counts = []
    for people in (crowd, crowd[1:]):
        city = MemoryDataset(
            aggregate(dict(enumerate(people, len(crowd) - len(people))), 3, 840),
            one_zone_a_tower(3),
        )
        city.hour_blocks = hour_blocks(step)
        counts.append(density.presampled(city, kept))
    change = np.abs(counts[0] - counts[1])
    assert change.sum() <= kept + 1e-9
    by_time = change.sum(axis=0)
    longest = np.bincount(hour_blocks(step)).max()
    assert by_time.max() <= min(kept, longest) + 1e-9


@pytest.mark.parametrize("step", STEPS[1:])
@pytest.mark.parametrize("method", ["efpag_joint", "efpa", "zoom"])
def test_the_published_scheme_and_ours_release_hours_and_add_them_up(method, step):
    demo = datasets.load("demo-city")
    parameters = density.DensityParameters(epsilon=0.7, method=method)
    view = resolution.coarsen(demo, Resolution(hours=step))
    hourly = density.release(demo, parameters, rng=np.random.default_rng(1))
    coarse = density.release(view, parameters, rng=np.random.default_rng(1))
    for block in range(coarse.counts.shape[1]):
        hours = [hour for hour in range(168) if hour_blocks(step)[hour] == block]
        assert coarse.counts[:, block] == pytest.approx(hourly.counts[:, hours].sum(axis=1))
    assert coarse.ledger == hourly.ledger
    assert density.truth(view).sum() == pytest.approx(density.truth(demo).sum())


@pytest.mark.parametrize("step", STEPS)
def test_laplace_is_added_once_to_each_block(step):
    demo = resolution.coarsen(datasets.load("demo-city"), Resolution(hours=step))
    parameters = density.DensityParameters(epsilon=0.5, method="lpa", max_visits_per_user=20)
    noise = density.DensityNoise.draw(np.random.default_rng(2), demo, "lpa")
    release = density.release(demo, parameters, noise=noise)
    added = release.cover_counts - in_blocks(demo, cover_series(demo, 20))
    assert added.shape[1] == len(block_names(step))
    spread = np.abs(added).mean()  # the mean of |Laplace| is its scale: ℓ/ε at every step
    assert spread == pytest.approx(20 / 0.5, rel=0.12)
    if step == "hour":
        assert 0.8 * spread != pytest.approx(20 / 0.5, rel=0.12)


def test_unknown_steps_are_refused():
    with pytest.raises(ParameterError, match="hours must be one of"):
        hour_blocks("minute")
    with pytest.raises(ParameterError, match="hours must be one of"):
        Resolution(hours="minute")
    assert Resolution(hours="day-part").text == "zones,day,day-part"


def test_joined_zones_have_no_gaps_but_keep_what_others_fill():
    sectors = datasets.load("rwanda-sectors")
    provinces = resolution.coarsen(sectors, Resolution(zones="province")).zones
    smallest = zone_areas_km2(sectors.zones).min()
    for part in provinces.explode().geometry.to_crs(32736):
        for ring in part.interiors:
            assert Polygon(ring).area / 1e6 > smallest / 3
    whole = zone_areas_km2(sectors.zones).sum()
    assert zone_areas_km2(provinces).sum() == pytest.approx(whole, rel=1e-3)
