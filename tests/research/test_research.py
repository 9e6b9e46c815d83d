"""The studies of the documents run, and their figures are those of plain sums."""

import itertools
import math

import numpy as np
import pytest

from engine import datasets, origin_destination as od
from engine.datasets.multiscale_tables import MultiscaleClips
from engine.density import multiscale
from research import methods, papers
from research.rows import row, write


def test_a_row_holds_the_mean_and_deviation_of_the_draws_that_exist(tmp_path):
    one = row("t", "w, v", "s", [0.2, 0.5, math.nan, 0.8], 0.4)
    assert (one.ours, one.deviation) == (pytest.approx(0.5), pytest.approx(0.3))
    lines = write("some", [one, row("t", "w", "s", 2.0)], tmp_path).read_text().splitlines()
    assert lines[1:] == ['t,"w, v",s,0.5,0.3,0.4', "t,w,s,2,,"]


def test_shares_below_15_are_those_of_a_plain_count_and_of_the_laplace_law():
    before, *after = papers.small_shares("rwanda-districts", (0, 0, 0, 0))
    days = od.truth(datasets.load("rwanda-districts"))
    cells = days[:, ~np.eye(30, dtype=bool)].ravel()
    assert before.ours == pytest.approx(100 * (cells < 15).mean())
    for one, epsilon in zip(after, papers.P2_EPSILONS, strict=True):
        reach = 14.5 - cells
        tail = 0.5 * np.exp(-epsilon * np.abs(reach))
        assert one.ours == pytest.approx(100 * np.where(reach >= 0, 1 - tail, tail).mean())


def test_our_methods_stand_beside_the_papers_on_the_same_noise():
    city = datasets.load("rwanda-districts")
    flows = list(itertools.islice(methods.flows("rwanda-districts", city), 6))
    errors = {one.what.split(": ")[1]: one.ours for one in flows if "error" in one.what}
    assert errors["estimate"] < min(errors["τ = 15"], errors["τ = 0"])


def test_shares_chosen_by_the_noisy_number_of_visits_stand_beside_fixed_ones():
    rows = list(itertools.islice(methods.densities("demo-city", datasets.load("demo-city"), 2), 6))
    fixed, chosen = ([one.ours for one in rows[start : start + 2]] for start in (0, 3))
    assert (np.array(chosen) < (0.99, 0.9) * np.array(fixed)).all()
    assert {one.setting for one in rows} == {"demo-city, ε = 0.1"}
    assert multiscale.list_shares(MultiscaleClips()) is multiscale.SHARES_BY_RATIO


def test_changes_of_the_week_of_the_shock_are_those_of_the_documents():
    rows = methods.changes("rwanda-districts", datasets.load("rwanda-districts"))
    every = [(one.table, one.what, one.setting.split(", ")[-1], one.ours) for one in rows]
    ours = {(what, at): value for table, what, at, value in every if table == "changes"}
    split = [value for table, what, _, value in every
             if (table, what) == ("random split beyond chance", "changed")]  # fmt: skip
    assert len(split) == 4
    assert max(split) <= 1
    truth = od.truth(datasets.load("rwanda-districts"))
    before, after = truth[:3].sum(axis=0), truth[4:].sum(axis=0)
    large = (np.maximum(before, after) >= 100) & (np.abs(after - before) >= 0.2 * before)
    assert ours["true_positives", "ε = 1"] + ours["false_negatives", "ε = 1"] == pytest.approx(
        large.sum()
    )
    assert ours["true_positives", "ε = 1"] == pytest.approx(26.0, abs=0.06)
    assert ours["changed", "ε = 1"] == pytest.approx(155.9, abs=0.06)
