"""Every product and method answers the same verbs, with the same arguments: `engine.contract`."""

import inspect
from dataclasses import fields, is_dataclass, replace
from typing import Any, get_args

import numpy as np
import pytest

from engine import contract, density, report
from engine import origin_destination as od
from engine.datasets import Dataset
from engine.origin_destination.methods import METHODS
from engine.parameters import DensityMethod, ODMethod

VERBS: dict[str, list[str]] = {
    "truth": ["dataset"],
    "release": ["dataset", "parameters"],
    "expected": ["dataset", "parameters"],
    "scores": ["truth", "release"],
    "ledger": ["parameters"],
}
ABSENT = {
    density: {"expected"},  # no law is known
    od: set[str](),
    report: {"truth", "expected", "scores"},  # still inside its results, an analysis each
}
CASES: list[tuple[Any, Any, dict[str, Any]]] = [
    *(
        (density, density.DensityParameters(epsilon=2.0, delta=1e-6, method=method), {})
        for method in get_args(DensityMethod)
    ),
    *(
        (od, od.ODParameters(epsilon=1.0, max_trips_per_user=4, method=method), {"days": (0, 3)})
        for method in get_args(ODMethod)
    ),
]
every_method = pytest.mark.parametrize(
    ("product", "parameters", "when"),
    CASES,
    ids=lambda case: case.method if hasattr(case, "method") else "",
)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize("product", ABSENT, ids=lambda product: product.__name__)
def test_every_product_has_the_verbs_with_the_same_arguments(product):
    for verb, names in VERBS.items():
        if verb in ABSENT[product]:
            assert not hasattr(product, verb)
            continue
        asked = list(inspect.signature(getattr(product, verb)).parameters.values())
        leading = [each.name for each in asked if each.kind is each.POSITIONAL_OR_KEYWORD]
        if (product, verb) == (report, "release"):
            names = ["table", "parameters"]  # `report.read` of a dataset
        assert leading == names
        others = {each.kind for each in asked[len(names) :]}
        assert others <= {inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD}
        if verb == "release":
            assert {"rng", "noise"} <= {each.name for each in asked}


@every_method
def test_the_method_is_part_of_frozen_parameters(product, parameters, when):
    moved = parameters.at(0.7)
    assert moved == replace(parameters, epsilon=0.7)
    assert moved.method == parameters.method


@every_method
def test_the_state_of_the_generator_fixes_a_release(product, parameters, when, tiny_city):
    first, again, other = (
        product.release(tiny_city, parameters, rng=rng(seed), **when) for seed in (1, 1, 2)
    )
    assert np.array_equal(first.counts, again.counts)
    assert not np.array_equal(first.counts, other.counts)
    assert first.parameters == parameters
    true = product.truth(tiny_city, **when)
    assert first.counts.shape == true.shape
    assert np.isfinite(first.counts).all()
    for name in ("shown", "low", "high"):
        assert getattr(first, name, true).shape == true.shape  # absent, or an array; never None


@every_method
def test_what_is_charged_is_the_setting(product, parameters, when, tiny_city):
    ledger = product.release(tiny_city, parameters, rng=rng(), **when).ledger
    assert ledger.published_epsilon == pytest.approx(parameters.epsilon)
    assert ledger.stages
    assert sum(stage.epsilon for stage in ledger.stages) == pytest.approx(parameters.epsilon)
    if product is od:
        assert ledger.proved_epsilon == pytest.approx(parameters.epsilon)
        bought = len(ledger.stages) > 1
        public = {"capped_count": bought} if parameters.method == "estimate" else {}
        assert od.ledger(parameters, **public) == ledger


def arrays_in(value: Any) -> list[np.ndarray]:
    """Return all arrays that hang on a release, whatever holds them."""
    if isinstance(value, np.ndarray):
        return [value]
    if is_dataclass(value) and not isinstance(value, type):
        named = {field.name: getattr(value, field.name) for field in fields(value)}
        return arrays_in({**named, **getattr(value, "__dict__", {})})
    if isinstance(value, dict):
        return [each for one in value.values() for each in arrays_in(one)]
    if isinstance(value, list | tuple):
        return [each for one in value for each in arrays_in(one)]
    return []


def confidential(product: Any, parameters: Any, dataset: Dataset, when: dict[str, Any]) -> Any:
    if product is od:
        return [od.truth(dataset, **when), od.kept(dataset, parameters, **when)]
    kept = parameters.max_visits_per_user
    towers = dataset.truth_by_tower
    return [
        density.truth(dataset),
        towers,
        towers.sum(axis=1),
        density.presampled(dataset, kept),
        density.cover_series(dataset, kept),
        density.cover_series(dataset, kept).sum(axis=1),
    ]


@every_method
def test_no_confidential_array_hangs_on_a_release(product, parameters, when, tiny_city):
    release = product.release(tiny_city, parameters, rng=rng(), **when)
    held = arrays_in(release)
    assert any(each is release.counts for each in held)
    for secret in confidential(product, parameters, tiny_city, when):
        assert secret.any()
        assert not any(
            each is secret or (each.shape == secret.shape and np.allclose(each, secret))
            for each in held
        )


@pytest.mark.parametrize("method", ["zones_laplace", "towers_laplace"])
def test_the_density_is_the_sampled_visits_where_noise_is_nothing(method, tiny_city):
    parameters = density.DensityParameters(epsilon=1e6, max_visits_per_user=168, method=method)
    release = density.release(tiny_city, parameters, rng=rng())
    sampled = density.presampled(tiny_city, 168)
    assert np.allclose(release.counts, sampled, rtol=0, atol=0.01)
    assert density.scores(sampled, release).mean_error < 0.01


@pytest.mark.parametrize("method", get_args(ODMethod))
def test_flows_are_the_truth_where_noise_is_nothing(method, tiny_city):
    parameters = od.ODParameters(
        epsilon=1000.0, suppression_threshold=0, unit="trip", method=method
    )
    true = od.truth(tiny_city, days=0)
    release = od.release(tiny_city, parameters, rng=rng(), days=0)
    assert np.abs(release.counts - true).max() < 0.01
    scored = od.scores(true, release)
    assert (scored.mean_error, scored.visible_share, scored.phantom_flows) == (0, 1, 0)


@pytest.mark.parametrize("method", get_args(ODMethod))
def test_the_expected_release_is_the_mean_of_draws(method, tiny_city):
    parameters = od.ODParameters(epsilon=0.5, max_trips_per_user=4, method=method)
    exact = od.expected(tiny_city, parameters, days=0)
    if METHODS[method].expected is None:
        assert exact is None
        return
    shown = float(exact.outcomes.revealed.cells + exact.outcomes.kept.cells)
    draws = [od.release(tiny_city, parameters, rng=rng(i), days=0) for i in range(60)]
    for drawn, mean in (
        ([release.shown.sum() for release in draws], shown),
        ([release.counts.sum() for release in draws], float(exact.grand.expected)),
    ):
        error = np.std(drawn, ddof=1) / np.sqrt(len(drawn))
        assert abs(np.mean(drawn) - mean) < 4 * error


@pytest.mark.parametrize(("product", "parameters", "when"), [CASES[2], *CASES[-2:]])
def test_a_sweep_is_releases_on_common_noise(product, parameters, when, tiny_city):
    done: list[tuple[int, int]] = []
    points = list(
        contract.sweep(
            product,
            tiny_city,
            parameters,
            (0.5, 2.0),
            2,
            rng=rng(4),
            progress=lambda *now: done.append(now),
            **when,
        )
    )
    assert [(point.repeat, point.setting) for point in points] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert done == [(1, 4), (2, 4), (3, 4), (4, 4)]
    seed = rng(4).integers(0, 2**32, size=contract.SEED_WORDS)
    release = product.release(
        tiny_city, parameters.at(2.0), rng=np.random.default_rng([*seed, 1]), **when
    )
    wanted = product.scores(product.truth(tiny_city, **when), release)
    assert repr(points[3].scores) == repr(wanted)
    stopped = contract.sweep(
        product, tiny_city, parameters, (1.0,), 3, rng=rng(), cancelled=lambda: True, **when
    )
    assert list(stopped) == []
