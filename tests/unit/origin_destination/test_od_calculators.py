import math
from functools import partial

import numpy as np
import pytest

from engine.errors import ParameterError
from engine.origin_destination import calculators
from engine.origin_destination.cell_noise import NoiseDistribution, suppressed_probability
from tests.reference import od_reference as plain

LAWS = ["rounded_laplace", "discrete_laplace"]

# α, ε by Theorem 7, the confidence it really gives, exact ε for 95% (β = 0.05, T = 1)
CHANGE_TABLE = [
    (0, 4.113, 0.768, 7.339),
    (1, 2.057, 0.875, 2.854),
    (2, 1.371, 0.908, 1.676),
    (5, 0.6855, 0.933, 0.7511),
    (10, 0.3739, 0.941, 0.3922),
    (50, 0.08065, 0.9483, 0.08145),
]


def shown(value, like):
    digits = len(str(like).split(".")[1])
    return round(float(value), digits)


def test_theorem_3_is_printed_with_the_wrong_sign_of_a_half():
    exact = calculators.stays_released_probability(15, 15, 0.5)
    printed = calculators.stays_released_probability(15, 15, 0.5, method="published")
    assert shown(exact, 0.611) == 0.611
    assert shown(printed, 0.358) == 0.358
    law = plain.released_pmf(15, 0.5, 15, "rounded_laplace", 200)
    assert exact == pytest.approx(1 - law[0], abs=1e-12)


@pytest.mark.parametrize(("alpha", "published", "confidence", "exact"), CHANGE_TABLE)
def test_table_of_theorem_7(alpha, published, confidence, exact):
    by_theorem = calculators.epsilon_for_change(alpha, 0.05, method="published")
    assert float(f"{by_theorem:.4g}") == pytest.approx(published, abs=1e-12)
    really = 1 - calculators.change_error_probability(alpha, by_theorem)
    assert shown(really, confidence) == confidence
    assert float(f"{calculators.epsilon_for_change(alpha, 0.05):.4g}") == exact


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("rate", [0.1, 0.5, 1.7, 4.0])
@pytest.mark.parametrize("alpha", [0, 1, 2, 7, 30])
def test_tails_equal_brute_force_convolution(law, rate, alpha):
    reach = math.ceil(45 / rate) + 2 * alpha
    pmf = plain.noise_pmf(rate, law, reach)
    cell = math.fsum(p for z, p in pmf.items() if abs(z) > alpha)
    exact = calculators.cell_error_probability(alpha, rate, law=law)
    assert exact == pytest.approx(cell, rel=1e-9, abs=1e-15)
    noise = np.array([pmf[z] for z in sorted(pmf)])
    change = np.convolve(noise, noise)
    middle = len(change) // 2
    tail = change[: middle - alpha].sum() + change[middle + alpha + 1 :].sum()
    exact = calculators.change_error_probability(alpha, rate, law=law)
    assert exact == pytest.approx(tail, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(
    ("count", "threshold"), [(15, 15), (18, 15), (40, 15), (5, 15), (1, 0), (3, 1)]
)
@pytest.mark.parametrize("alpha", [0, 2, 10])
def test_conditional_tails_equal_brute_force(law, count, threshold, alpha):
    rate, noise = 0.4, plain.noise_pmf(0.4, law, 120)
    released = {z: p for z, p in noise.items() if count + z >= max(threshold, 1)}
    wrong = math.fsum(p for z, p in released.items() if abs(z) > alpha)
    expected = wrong / math.fsum(released.values())
    tail = partial(calculators.released_error_probability, alpha, law=law)
    assert tail(rate, count, threshold) == pytest.approx(expected, rel=1e-9)
    by_epsilon = tail(np.geomspace(1e-3, 20, 100), count, threshold)
    assert (np.diff(by_epsilon) <= 0).all()  # where the error is sure, it stays 1
    assert (by_epsilon[-1] < by_epsilon[0]) == (alpha >= threshold - count)


BETAS = np.array([1e-200, 1e-6, 0.05, 0.3, 0.7, 0.999])


@pytest.mark.parametrize("how", [*({"law": law} for law in LAWS), {"method": "published"}])
@pytest.mark.parametrize("alpha", [0, 1, 10, 1000])
def test_epsilon_and_probability_are_inverse(how, alpha):
    pairs = [
        (calculators.epsilon_for_change, calculators.change_error_probability),
        (calculators.epsilon_for_cell_error, calculators.cell_error_probability),
    ]
    for epsilon_for, probability in pairs[: 1 if "method" in how else 2]:
        epsilon = epsilon_for(alpha, BETAS, 3, **how)
        assert (np.diff(epsilon) < 0).all()
        assert probability(alpha, epsilon, 3, **how) == pytest.approx(BETAS, rel=1e-8)


for_cell, for_change = calculators.epsilon_for_cell_error, calculators.epsilon_for_change


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: for_cell(1.5, 0.05), "alpha must be a whole number"),
        (lambda: for_change(1, 0), "beta must be a number above 0 and below 1"),
        (lambda: for_change([1, 2], [0.1, 1.2]), "given: 1.2"),
        (lambda: for_change(1, 0.1, 0), "max_trips_per_user must be a whole"),
        (lambda: calculators.cell_error_probability(1, 0), "epsilon must be a finite number above"),
        (lambda: calculators.stays_suppressed_probability(15, 15, 1), "count must be below"),
        (lambda: calculators.stays_released_probability(14, 15, 1), "count must be at least"),
        (lambda: for_change(1, 0.1, method="printed"), "method must be one of"),
        (lambda: for_change(1, 0.1, method="published", law=LAWS[1]), "law must be one of"),
        (lambda: for_change(1, 0.1, law="gaussian"), "law must be one of"),
        (lambda: for_change([1, 2], [0.1, 0.2, 0.3]), "shapes that fit"),
    ],
)
def test_wrong_arguments_are_refused_with_rule_value_and_remedy(call, message):
    with pytest.raises(ParameterError, match=message):
        call()


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(("count", "threshold"), [(0, 0), (5, 0), (5, 5), (6, 1), (20, 5)])
def test_released_and_suppressed_are_each_others_complement(law, count, threshold):
    """Also at τ = 0, where a released 0 reads as suppressed."""
    shown = calculators.stays_released_probability(count, threshold, 0.5, law=law)
    hidden = suppressed_probability(NoiseDistribution(0.5, law), count, threshold)
    assert float(shown) == pytest.approx(1 - float(hidden), rel=1e-12)
    assert (count == 0) == (float(shown) < 0.5)
