"""A third method of flows and a further one of density are worded by their rows on every page."""

import ast
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import pytest

from engine import density, frontier, origin_destination as od, parameters
from engine.contract import Method
from engine.density.accounting import simple_cost
from engine.density.mechanism import DensityRelease
from engine.origin_destination.empirical_bayes.measurement import discrete_laplace
from engine.origin_destination.matrices import clear_diagonal, truncated_matrices
from engine.origin_destination.mechanism import ODRelease, draw_variates, laplace_cost
from engine.privacy_cost import Noise, Norm, PrivacyUnit, Query, Stage
from engine.text.setting_text import describe_candidate
from pages._ui.answers import recommendation
from pages._ui.release import release_job
from pages._ui.settings import fields
from tests.support.charts import drawn as drawn
from tests.support.page import bodies, tables, text
from tests.unit.frontier.test_frontier import need


def geometric_cost(settings):
    counted = Query.FLOWS, settings.max_trips_per_user, settings.epsilon
    return laplace_cost(settings, Noise.DISCRETE_LAPLACE, counted)


def geometric_release(dataset, settings, **draw):
    standard, days, is_sum = draw_variates(dataset, **draw)
    counts = truncated_matrices(dataset, settings, days=days, sum_days=is_sum)
    counts = np.maximum(counts + discrete_laplace(standard, 1 / settings.noise_scale), 0)
    clear_diagonal(counts)
    cost = geometric_cost(settings)
    return ODRelease(parameters=settings, counts=counts, days=days, cost=cost)


GEOMETRIC = Method(
    name="Geometric noise (Ghosh et al. 2009)",
    short_name="Geometric",
    description="Adds whole-number noise to every flow.",
    limitations=("Empty flows show noise.",),
    used_fields=frozenset({"unit", "max_trips_per_user"}),
    release=geometric_release,
    cost=geometric_cost,
    describe_numbers=lambda cost: f"Every flow has noise of scale {cost.stages[0].noise_scale:g}.",
)


def uniform_cost(settings, **_):
    limit, epsilon = settings.max_visits_per_user, settings.epsilon
    stage = Stage(Query.ALL_VISITS, Noise.LAPLACE, limit, Norm.L1, limit / epsilon, epsilon)
    return simple_cost((stage,), unit=PrivacyUnit.PERSON_WEEK)


def uniform_release(dataset, settings, noise):
    counts = density.presampled_counts(dataset, settings.max_visits_per_user)
    cost = uniform_cost(settings)
    total = counts.sum() + cost.stages[0].noise_scale * noise["visit_total"][0]
    shares = np.full(counts.shape, max(total, 0.0) / counts.size)
    return DensityRelease(parameters=settings, counts=shares, cost=cost)


UNIFORM = Method(
    name="Uniform shares of a noisy total",
    short_name="Uniform",
    description="Spreads one noisy total evenly.",
    limitations=("Every place has the same rhythm.",),
    used_fields=frozenset({"max_visits_per_user"}),
    release=uniform_release,
    cost=uniform_cost,
    visit_limits=(30,),
)


@pytest.fixture(autouse=True)
def _add_methods(monkeypatch):
    for product, kind, field, key, row in (
        (od, "ODMethod", fields.OD_METHOD, "geometric", GEOMETRIC),
        (density, "DensityMethod", fields.DENSITY_METHOD, "uniform", UNIFORM),
    ):
        names = (*get_args(getattr(parameters, kind)), key)
        monkeypatch.setattr(parameters, kind, Literal[names])
        monkeypatch.setitem(parameters.USED_FIELDS, key, row.used_fields)
        monkeypatch.setitem(product.METHODS, key, row)
        monkeypatch.setitem(vars(field), "options", names)
        monkeypatch.setitem(field.to_text.__self__, key, row.name)
    judge, own = recommendation.judge_batch, ("geometric", "uniform")
    monkeypatch.setattr(
        recommendation, "judge_batch", lambda b, seed: judge(b, seed) if b.method in own else ()
    )
    monkeypatch.setattr(release_job, "is_served_locally", lambda: True)


FLOWS = f"{GEOMETRIC.name}: at most T = 4 trips per person and day, ε = 1."
VISITS = f"{UNIFORM.name}: at most ℓ = 30 visits per person, ε = 1."
SHOWN = "Every flow has noise of scale 4", "trips shown are", "Pairs that read 0"
EPIDEMIC = {"unit": "trip", "decisions_threshold_fast": 2.0, "decisions_view": "Epidemic"}
AID = {"unit": "person", "decisions_view": "Aid after a shock"}
REFUSED = "for a release, got '{}'"
FIRST_FLOWS, FIRST_DENSITY = "Laplace with suppression", "Fourier, joint choice"


@pytest.mark.parametrize(
    ("page", "settings", "words"),
    [
        ("0_Home", {}, [FLOWS, *SHOWN]),
        ("0_Home", {"home_shown": "density"}, [VISITS, "visits shown"]),
        ("1_Density", {}, [VISITS, "Uniform: Spreads one noisy total evenly.", "visits shown"]),
        ("2_Origin_Destination", {}, [FLOWS, *SHOWN]),
        ("2_Origin_Destination", {"od_view": "Outcomes"}, ["Phantoms carry"]),
        ("2_Origin_Destination", {"od_view": "Errors"}, ["**Geometric**: Empty flows show noise."]),
        ("2_Origin_Destination", {"od_view": "Days and totals"}, ["states no range"]),
        ("2_Origin_Destination", {"od_view": "Change"}, ["Told from the private counts"]),
        ("3_Choose", {"choose_view": "All settings"}, [FLOWS[:50], "you are here"]),
        ("4_Decisions", EPIDEMIC, ["decisions_accuracy", "Grey: true data. Blue: releases"]),
        ("4_Decisions", AID, ["decisions_aid_epsilon"]),
        ("6_Release", {}, [REFUSED.format("geometric"), f"Release by {FIRST_FLOWS}"]),
        (
            "6_Release",
            {"release_product": "Density"},
            [REFUSED.format("uniform"), f"Release by {FIRST_DENSITY}"],
        ),
    ],
)
def test_pages_say_what_the_row_says(open_set, settled, drawn, own_root, page, settings, words):
    methods = {"od_method": "geometric", "variant": "uniform"}
    app = settled(
        open_set(f"pages/{page}.py", **methods, epsilon=1.0, od_data="demo-city", **settings)
    )
    if "decisions_aid_epsilon" in words:
        area = app.multiselect[0]
        app = settled(area.set_value(area.options[:10]).run())
    labels = [button.label for button in app.button]
    said = "\n".join([text(app), *bodies(app), *labels, *drawn, str(drawn)])
    assert not [each for each in words if each not in said]
    other = (
        "Empirical Bayes",
        "Multiscale",
        "estimated",
        "uncertain",
        "Dashed orange",
        "stays in all",
    )
    if settings.get("od_view") != "Errors":
        assert not [each for each in other if each in said]
    elif tables(app):
        assert GEOMETRIC.name in set(tables(app)[0].iloc[:, 0])
        assert "Exact, without drawing" not in said
    if page == "6_Release":
        said = text(app.button(key="release_mend").click().run())
        assert "Noisy numbers" in said


@pytest.mark.parametrize(
    ("product", "key", "row"), [("flows", "geometric", GEOMETRIC), ("density", "uniform", UNIFORM)]
)
def test_the_frontier_tries_it_and_says_its_name(tiny_city, product, key, row):
    batches = frontier.plan_batches(tiny_city, need(tiny_city.id, step="day", product=product))
    batch = next(batch for batch in batches if batch.method == key)
    candidate, *_ = frontier.evaluate_batch(tiny_city, batch)
    assert candidate.utility.draws
    assert row.name in describe_candidate(candidate)


def test_no_page_or_judge_compares_a_method_with_its_key():
    keys = {*get_args(parameters.ODMethod), *get_args(parameters.DensityMethod)}
    root = Path(__file__).parents[2]
    own = [root / "engine" / name for name in ("origin_destination", "density", "release")]
    for path in [*root.glob("pages/**/*.py"), *root.glob("engine/**/*.py")]:
        if not {*own} & {*path.parents}:
            nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            compares = [node for node in nodes if isinstance(node, ast.Compare)]
            parts = [part for node in compares for part in ast.walk(node)]
            texts = {part.value for part in parts if isinstance(part, ast.Constant)}
            assert not keys & texts, path
