"""A third method of flows and a further one of density are worded by their rows on every page."""

import ast
import re
from dataclasses import replace
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import pytest

from engine import density, frontier, origin_destination as od, parameters
from engine.contract import Method
from engine.text.setting_text import describe_candidate
from pages._ui.answers import recommendation
from pages._ui.release import release_job
from pages._ui.settings import fields
from tests.support.charts import drawn as drawn
from tests.support.page import bodies, tables, text
from tests.unit.frontier.test_frontier import need


def without_suppression(settings):
    return replace(settings, method="laplace_suppression", suppression_threshold=0)


def release_uniform(dataset, settings, noise):
    cells = density.release(dataset, replace(settings, method="lpa"), noise=noise)
    return replace(cells, counts=np.full_like(cells.counts, cells.counts.mean()))


PLAIN = Method(
    name="Laplace noise alone (test)",
    short_name="Plain",
    description="Adds noise to every flow.",
    limitations=("Empty flows show noise.",),
    used_fields=frozenset({"unit", "max_trips_per_user"}),
    release=lambda data, settings, **draw: od.release(data, without_suppression(settings), **draw),
    cost=lambda settings: od.METHODS["laplace_suppression"].cost(settings),
    describe_numbers=lambda cost: f"Every flow has noise of scale {cost.stages[0].noise_scale:g}.",
)
UNIFORM = Method(
    name="Uniform shares of a noisy total (test)",
    short_name="Uniform",
    description="Spreads one noisy total evenly.",
    limitations=("Every place has the same rhythm.",),
    used_fields=frozenset({"max_visits_per_user"}),
    release=release_uniform,
    cost=lambda settings: density.METHODS["lpa"].cost(replace(settings, method="lpa")),
    visit_limits=(30,),
)


@pytest.fixture(autouse=True)
def _add_methods(monkeypatch):
    for product, kind, field, key, row in (
        (od, "ODMethod", fields.OD_METHOD, "plain", PLAIN),
        (density, "DensityMethod", fields.DENSITY_METHOD, "uniform", UNIFORM),
    ):
        names = (*get_args(getattr(parameters, kind)), key)
        monkeypatch.setattr(parameters, kind, Literal[names])
        monkeypatch.setitem(parameters.USED_FIELDS, key, row.used_fields)
        monkeypatch.setitem(product.METHODS, key, row)
        monkeypatch.setitem(vars(field), "options", names)
        monkeypatch.setitem(field.to_text.__self__, key, row.name)
    judge, own = recommendation.judge_batch, ("plain", "uniform")
    monkeypatch.setattr(
        recommendation, "judge_batch", lambda b, seed: judge(b, seed) if b.method in own else ()
    )
    monkeypatch.setattr(release_job, "is_served_locally", lambda: True)


FLOWS = f"{PLAIN.name}: at most T = 4 trips per person and day, ε = 1."
VISITS = f"{UNIFORM.name}: at most ℓ = 30 visits per person, ε = 1."
SHOWN = "Every flow has noise of scale 4", "trips shown are", "Shown as 0", "pairs shown as 0"
EPIDEMIC = {"unit": "trip", "decisions_threshold_fast": 2.0, "decisions_view": "Epidemic"}
AID = {"unit": "person", "decisions_view": "Aid after a shock"}
DENSITY = {"release_product": "Density"}


@pytest.mark.parametrize(
    ("page", "settings", "words"),
    [
        ("0_Home", {}, SHOWN),
        ("0_Home", {"home_shown": "density"}, (UNIFORM.name, "visits shown")),
        ("1_Density", {}, (VISITS, "Uniform: Spreads one noisy total evenly.", "visits shown")),
        ("2_Origin_Destination", {}, (FLOWS, *SHOWN)),
        ("2_Origin_Destination", {"od_view": "Outcomes"}, ("Phantoms carry",)),
        ("2_Origin_Destination", {"od_view": "Errors"}, ("**Plain**: Empty flows show noise.",)),
        ("2_Origin_Destination", {"od_view": "Days and totals"}, ("Plain states no range",)),
        ("2_Origin_Destination", {"od_view": "Change"}, ("Reported from the private counts",)),
        ("3_Choose", {"choose_view": "All settings"}, (PLAIN.name, "current setting")),
        ("4_Decisions", EPIDEMIC, ("decisions_accuracy", "Grey: true data. Blue: releases")),
        ("4_Decisions", AID, ("decisions_aid_epsilon",)),
        ("6_Release", {}, ("given: 'plain'", "Release by Laplace with suppression")),
        ("6_Release", DENSITY, ("given: 'uniform'", "Release by Fourier, joint choice")),
    ],
)
def test_pages_say_what_the_row_says(open_set, settled, drawn, own_root, page, settings, words):
    del own_root  # a page of releases makes a ledger
    methods = {"od_method": "plain", "variant": "uniform", "od_zones": "zones", "max_trips": 4}
    app = settled(open_set(f"pages/{page}.py", **methods, epsilon=1.0, **settings))
    if "decisions_aid_epsilon" in words:
        area = app.multiselect[0]
        app = settled(area.set_value(area.options[:10]).run())
    labels = [button.label for button in app.button]
    chosen = [one.options[one.index] for one in app.main.selectbox if one.index is not None]
    said = "\n".join([text(app), *bodies(app), *labels, *chosen, str(drawn)])
    assert not [each for each in words if each not in said]
    if settings.get("od_view") == "Errors":
        assert PLAIN.name in set(tables(app)[0].iloc[:, 0])
    else:
        assert not re.search(
            "Empirical Bayes|Multiscale|estimated|uncertain|Dashed|in all su|95% from"
            "|count is below|over τ|larger τ",
            said,
        )
    if page == "6_Release":
        assert "Noisy numbers" in text(app.button(key="release_mend").click().run())


@pytest.mark.parametrize(
    ("product", "key", "row"), [("flows", "plain", PLAIN), ("density", "uniform", UNIFORM)]
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
