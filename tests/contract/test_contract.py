"""Every product and method answers the same verbs, with the same arguments: `engine.contract`."""

from dataclasses import fields, is_dataclass, replace
from typing import Any, get_args

import numpy as np
import pytest

from engine import density, origin_destination as od, report
from engine.contract import Selection, Setting, TimeSelection
from engine.datasets import Dataset
from engine.errors import ParameterError
from engine.parameters import DensityMethod, ODMethod
from engine.report.settings import ReportMethod

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
REPORTS: list[tuple[Any, Any, dict[str, Any]]] = [
    (report, report.ReportParameters(epsilon=1.0, method=method), {})
    for method in get_args(ReportMethod)
]
every_method = pytest.mark.parametrize(
    ("product", "parameters", "when"),
    [*CASES, *REPORTS],
    ids=lambda case: case.method if hasattr(case, "method") else "",
)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


OTHERS: dict[Any, dict[str, Any]] = {
    density: {
        "delta": 1e-4,
        "max_visits_per_user": 3,
        "cluster_minimum": 7.0,
        "scaling": False,
        "smoothing": False,
        "gaussian": "analytic",
    },
    od: {"max_trips_per_user": 2, "suppression_threshold": 3, "unit": "person"},
}


@pytest.mark.parametrize(("product", "parameters", "when"), CASES)
def test_a_row_names_the_settings_that_its_method_uses(product, parameters, when, tiny_city):
    def outcome(settings):
        release = product.release(tiny_city, settings, rng=rng(), **when)
        return release.counts, product.compute_cost(tiny_city, settings)

    usual = outcome(parameters)
    for name, value in OTHERS[product].items():
        counts, ledger = outcome(replace(parameters, **{name: value}))
        alike = np.array_equal(counts, usual[0]) and ledger == usual[1]
        assert alike == (name not in product.METHODS[parameters.method].used_fields), name


def test_equal_settings_are_equal_keys_whatever_is_not_used():
    """A density has its week and a report its period, whatever days are seen; flows have them."""
    seen = Selection(
        dataset_id="one",
        zone_level="province",
        time=TimeSelection(aggregation="week", first_position=7),
    )
    plain = replace(seen, time=TimeSelection())
    for _, parameters, _ in [*CASES, *REPORTS]:
        one, other = (Setting(selection=each, parameters=parameters) for each in (seen, plain))
        assert (one == other) == (not isinstance(parameters, od.ODParameters))
        assert one.zone_level == "province"


@every_method
def test_the_state_of_the_generator_fixes_a_release_whose_cost_is_the_setting(
    product, parameters, when, tiny_city
):
    first, again, other = (
        product.release(tiny_city, parameters, rng=rng(seed), **when) for seed in (1, 1, 2)
    )
    drawn = [arrays_in(release.counts) for release in (first, again, other)]
    assert all(np.array_equal(*pair) for pair in zip(drawn[0], drawn[1], strict=True))
    assert not all(np.array_equal(*pair) for pair in zip(drawn[0], drawn[2], strict=True))
    assert first.parameters == parameters
    assert all(np.isfinite(counts).all() for counts in drawn[0])
    truth = product.truth(tiny_city, **when)
    if product is not report:
        assert first.counts.shape == truth.shape
        for name in ("is_shown", "low", "high"):  # absent, or an array; never None
            assert getattr(first, name, truth).shape == truth.shape
    if product is od:  # one number a flow, and what is shown of it
        assert np.array_equal(
            first.shown_counts, np.where(first.is_shown, first.point_estimates, 0)
        )
    assert repr(product.scores(truth, first)) == repr(product.scores(truth, again))
    ledger = first.cost
    # a report's shares are whole millionths, rounded down
    charged = pytest.approx(parameters.epsilon, rel=1.5e-5 if product is report else 1e-6)
    assert ledger.paper_epsilon == charged
    assert ledger.stages
    assert sum(stage.epsilon for stage in ledger.stages) == charged
    if product is od:
        assert ledger.proved_epsilon == pytest.approx(parameters.epsilon)
        assert product.compute_cost(tiny_city, parameters) == ledger


CONFIDENTIAL = (
    *("homes", "trips", "trips_by_person", "truth_by_tower", "single_visit_by_tower"),
    *("multiscale_tables", "_read_presampled_slices", "_read"),
)


@pytest.mark.parametrize(
    ("product", "parameters", "when"),
    [
        *CASES,
        (od, replace(CASES[-1][1], unit="person"), {"sum_days": True}),
        (report, report.ReportParameters(epsilon=1.0), {}),
    ],
)
def test_the_plan_is_what_a_release_costs_and_reads_no_count(
    product, parameters, when, tiny_city, monkeypatch
):
    released = product.release(tiny_city, parameters, rng=rng(), **when)
    for name in CONFIDENTIAL:
        monkeypatch.setattr(Dataset, name, property(lambda _: pytest.fail("a count was read")))
    assert product.compute_cost(tiny_city, parameters) == released.cost


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
        return [od.truth(dataset, **when), od.truncated_matrices(dataset, parameters, **when)]
    if product is report:
        truth = report.truth(dataset)
        return [
            report.count_analysis(truth, analysis, parameters, is_truncated=kept)
            for analysis in report.Analysis
            for kept in (False, True)
        ]
    kept = parameters.max_visits_per_user
    towers = dataset.truth_by_tower
    return [
        density.truth(dataset),
        towers,
        towers.sum(axis=1),
        density.presampled_counts(dataset, kept),
        density.cover_series(dataset, kept),
        density.cover_series(dataset, kept).sum(axis=1),
    ]


@every_method
def test_no_confidential_array_hangs_on_a_release(product, parameters, when, tiny_city):
    release = product.release(tiny_city, parameters, rng=rng(), **when)
    held = arrays_in(release)
    drawn = [release.counts]
    if product is report:
        drawn = [result.noisy for result in release.results.values()]
    assert all(any(each is one for each in held) for one in drawn)
    for secret in confidential(product, parameters, tiny_city, when):
        if not secret.any():  # a true 0 is no secret that could be told from a private one
            continue
        assert not any(
            each is secret or (each.shape == secret.shape and np.allclose(each, secret))
            for each in held
        )


@pytest.mark.parametrize("method", get_args(ODMethod))
def test_flows_are_the_truth_where_noise_is_nothing(method, tiny_city):
    parameters = od.ODParameters(
        epsilon=1000.0, suppression_threshold=0, unit="trip", method=method
    )
    true = od.truth(tiny_city, days=0)
    release = od.release(tiny_city, parameters, rng=rng(), days=0)
    assert np.abs(release.counts - true).max() < 0.01
    scored = od.scores(true, release)
    assert (scored.mean_error, scored.common_part, scored.phantom_flows) == (0, 1, 0)


@every_method
def test_noise_that_was_drawn_before_gives_the_release_of_its_generator(
    product, parameters, when, tiny_city
):
    noise = product.draw_noise(tiny_city, parameters, rng=rng(7), **when)
    one = product.release(tiny_city, parameters, noise=noise, **when)
    other = product.release(tiny_city, parameters, rng=rng(7), **when)
    both = zip(arrays_in(one.counts), arrays_in(other.counts), strict=True)
    assert all(np.array_equal(*pair) for pair in both)
    with pytest.raises(ParameterError, match="exactly one of rng and noise"):
        product.release(tiny_city, parameters, **when)
    with pytest.raises(ParameterError, match="exactly one of rng and noise"):
        product.release(tiny_city, parameters, rng=rng(7), noise=noise, **when)
