"""In which zones to act: rules, judgement and target against plain loops over zones and moments."""

import numpy as np
import pytest

from engine import datasets, decisions, density, origin_destination as od
from engine.decisions import AboveLimit, MostZones, ZonesTarget
from engine.decisions.zones import right_share, usual_limit
from engine.errors import ParameterError

FLOWS = od.ODParameters(epsilon=0.01, unit="trip", suppression_threshold=5)
VISITS = density.DensityParameters(epsilon=0.3)
CASES = [
    (od, datasets.load("rwanda-districts"), FLOWS, {"days": 0}),
    (od, datasets.load("demo-city"), FLOWS.at(0.2), {"days": 0}),
    (density, datasets.load("demo-city"), VISITS, {}),
]


def drawn(product, dataset, parameters, when, draws=12):
    """Return true and released amounts, shapes (moments, zones) and (draws, moments, zones)."""
    true = product.by_zone(product.truth(dataset, **when))
    every = [
        product.release(dataset, parameters, rng=np.random.default_rng(draw), **when).counts
        for draw in range(draws)
    ]
    return true, np.stack([product.by_zone(counts) for counts in every])


def helped(amounts, k):
    """Zones with most, one after another, ties to the first; never one without any."""
    totals, chosen = amounts.sum(axis=0).tolist(), set()
    for _ in range(k):
        left = [zone for zone in range(len(totals)) if zone not in chosen and totals[zone] > 0]
        if left:
            chosen.add(max(left, key=lambda zone: (totals[zone], -zone)))
    return {(0, zone) for zone in chosen}


def above(amounts, limit):
    """Moments and zones that hold more than the limit."""
    moments, zones = amounts.shape
    return {(m, z) for m in range(moments) for z in range(zones) if amounts[m, z] > limit}


@pytest.mark.parametrize(("product", "dataset", "parameters", "when"), CASES)
@pytest.mark.parametrize("use", ["most", "above"])
def test_a_rule_is_judged_as_zone_by_zone(product, dataset, parameters, when, use):
    true, released = drawn(product, dataset, parameters, when)
    limit = usual_limit(true)
    rule = MostZones(k=5) if use == "most" else AboveLimit(limit=limit)
    truly = helped(true, 5) if use == "most" else above(true, limit)
    acts = [helped(one, 5) if use == "most" else above(one, limit) for one in released]
    moments = 1 if use == "most" else len(true)

    compared = decisions.decide_zones(rule, true, released)
    judged = decisions.judge_zones(compared)

    right = [len(truly & now) / max(len(truly), len(now), 1) for now in acts]
    assert right_share(compared) == pytest.approx(right)
    assert (judged.right, judged.low, judged.high) == pytest.approx(
        (np.mean(right), min(right), max(right))
    )
    assert 0 < judged.right < 1, "a case in which nothing can go wrong tests nothing"
    assert judged.acting == len(truly)
    assert judged.missed == pytest.approx(np.mean([len(truly - now) for now in acts]))
    assert judged.needless == pytest.approx(np.mean([len(now - truly) for now in acts]))
    assert judged.decisions == moments * len(dataset.zones)
    for zone in range(len(dataset.zones)):
        to_act = [m for m, z in truly if z == zone]
        missed = sum(len({m for m in to_act if (m, zone) not in now}) for now in acts)
        needless = sum(sum(z == zone for _, z in now - truly) for now in acts)
        shares = [wrong / max(len(to_act), 1) / len(acts) for wrong in (missed, needless)]
        assert [judged.missed_share[zone], judged.needless_share[zone]] == pytest.approx(shares)
        names = ["missed", "needless"]
        worse = names[shares.index(max(shares))]
        assert judged.outcomes[zone] == (worse if max(shares) > 0.1 + 1e-9 else "right")
        acted = np.mean([sum(z == zone for _, z in now) for now in acts]) / moments
        assert judged.acting_share[zone] == pytest.approx(acted)


def test_arrivals_and_visits_are_what_a_decision_reads():
    trips = datasets.load("rwanda-districts")
    matrix = od.truth(trips, days=0)[0]
    assert od.by_zone(matrix)[0].tolist() == [sum(column) for column in zip(*matrix, strict=True)]
    assert density.by_zone(np.array([[1.0, -2.0, 3.0], [0.0, 5.0, 6.0]])).tolist() == [
        [1.0, 0.0],
        [0.0, 5.0],
        [3.0, 6.0],
    ]


def test_who_acts_for_nothing_is_never_right():
    quiet = np.zeros((3, 4))
    loud = np.full((2, 3, 4), 9.0)
    both = decisions.decide_zones(AboveLimit(limit=5), quiet, np.stack([quiet, loud[0]]))
    assert right_share(both).tolist() == [1.0, 0.0]
    assert decisions.judge_zones(both).level == "partly"
    deaf = decisions.decide_zones(AboveLimit(limit=5), loud[0], quiet[None])
    assert decisions.judge_zones(deaf).level == "noisy"
    assert decisions.judge_zones(deaf).missed_share.tolist() == [1.0] * 4


def test_epsilon_follows_from_a_decision_on_density():
    visits = datasets.load("demo-city")
    true = density.by_zone(density.truth(visits))
    epsilons = (0.1, 0.5, 2.0, 10.0)
    right = [
        right_share(
            decisions.decide_zones(
                MostZones(k=5), true, drawn(density, visits, VISITS.at(epsilon), {}, 30)[1]
            )
        )
        for epsilon in epsilons
    ]
    target = ZonesTarget(right=0.8)
    choice = decisions.strongest_privacy(epsilons, target.met(np.stack(right)), target.confidence)
    assert choice.epsilon is not None
    assert choice.epsilon > 0.1
    met = [sum(share >= 0.8 for share in row) / 30 for row in right]
    assert choice.share.tolist() == pytest.approx(met)


@pytest.mark.parametrize(
    "refused",
    [
        lambda: MostZones(k=0),
        lambda: AboveLimit(limit=0),
        lambda: AboveLimit(limit=float("nan")),
        lambda: ZonesTarget(right=0),
        lambda: ZonesTarget(confidence=1),
    ],
)
def test_bad_rules_are_refused(refused):
    with pytest.raises(ParameterError):
        refused()
