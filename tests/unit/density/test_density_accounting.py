import math
from dataclasses import replace

import numpy as np
import pytest

from engine import density
from engine.density import accounting, mechanism
from engine.density.gaussian import analytic_sigma
from engine.errors import ParameterError
from engine.privacy_cost import Noise, Norm, PrivacyDefinition, Query, is_above
from tests.reference.density_reference import gaussian_delta

CHECK = density.DensityParameters(epsilon=0.3, delta=2e-6, max_visits_per_user=30)
COVER = 934


def ledger_of(**changes):
    parameters = replace(CHECK, **changes)
    compute_cost = density.METHODS[parameters.method].cost
    return compute_cost(parameters, cover_size=COVER, max_visits_cap=732)


def test_check_figures():
    """The figures that the scheme's specification fixes, to four digits."""
    assert accounting.coefficient_scale(CHECK) == pytest.approx(393.4, abs=0.05)
    assert accounting.cluster_minimum(CHECK) == pytest.approx(509_900, abs=50)
    efpa = replace(CHECK, method="efpa")
    assert accounting.cluster_minimum(efpa) == pytest.approx(1_735_000, abs=500)
    analytic = replace(CHECK, gaussian="analytic")
    assert accounting.coefficient_scale(analytic) == pytest.approx(248.2, abs=0.05)
    rho = accounting.fourier_rho(CHECK)
    assert rho == pytest.approx(3.52e-4 + 9.69e-5, rel=2e-3)
    assert accounting.convert_zcdp_to_epsilon(rho, 2e-6) == pytest.approx(0.1144, abs=5e-5)
    for method, composed in (("efpag", 2.12), ("efpa", 3.24), ("efpag_joint", 1.0)):
        assert ledger_of(method=method).composed_epsilon / 0.3 == pytest.approx(composed, abs=0.005)
    assert ledger_of(method="efpag").proved_epsilon == pytest.approx(0.264, abs=5e-4)
    assert ledger_of(method="efpag_joint").proved_epsilon / 0.3 == pytest.approx(0.829, abs=5e-4)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-7), (0.3, 2e-6), (1.0, 1e-7), (3.9, 1e-9)])
def test_one_joint_choice_costs_its_range_and_the_gaussian_its_exact_loss(epsilon, delta):
    """Balle and Wang's condition at the rest of the total; the range from the scores themselves."""
    joint = replace(CHECK, method="efpag_joint", epsilon=epsilon, delta=delta)
    total = density.proved_epsilon(joint, COVER)
    ratio = math.sqrt(joint.max_visits_per_user) / accounting.coefficient_scale(joint)
    rest = total - epsilon / 2 - epsilon / (4 * math.sqrt(2))
    assert gaussian_delta(rest, ratio) == pytest.approx(delta, rel=1e-6)
    assert 0.8 * epsilon < total < density.proved_epsilon(replace(joint, method="efpag"), COVER)
    one, other = np.zeros((2, 1, 168))
    other[0, 0] = math.sqrt(joint.max_visits_per_user)  # all that a person may change, at k = 1
    loss = np.diff([mechanism.selection_logits(each, joint)[0] for each in (one, other)], axis=0)
    assert np.ptp(loss) <= epsilon / (4 * math.sqrt(2)) * (1 + 1e-12)


@pytest.mark.parametrize("rho", [1e-8, 4.5e-4, 0.05, 2.0, 50.0])
@pytest.mark.parametrize("delta", [1e-12, 2e-6, 1e-3, 0.3])
def test_conversion_is_the_least_over_all_orders(rho, delta):
    """Canonne, Kamath and Steinke 2020, Proposition 12, by search over a fine grid of orders."""
    around = math.sqrt(max(-math.log(delta), 1.0) / rho)
    orders = 1 + around * np.exp(np.linspace(-6, 6, 400_001))
    bounds = rho * orders + np.log1p(-1 / orders) - np.log(delta * orders) / (orders - 1)
    expected = max(float(bounds.min()), 0.0)
    ours = accounting.convert_zcdp_to_epsilon(rho, delta)
    assert expected * (1 - 1e-9) <= ours <= expected * (1 + 2e-5)  # on the safe side


@pytest.mark.parametrize("epsilon", [1e-3, 0.075, 1.0, 2.5, 10.0])
@pytest.mark.parametrize("delta", [1e-12, 2e-6, 0.1])
def test_analytic_sigma_is_the_least(epsilon, delta):
    sigma = analytic_sigma(epsilon, delta, 3.0)
    assert gaussian_delta(epsilon, 3.0 / sigma) <= delta * (1 + 1e-6)
    assert gaussian_delta(epsilon, 3.0 / (sigma * 0.999)) > delta
    classical = 3.0 * math.sqrt(2 * math.log(4 / delta)) / epsilon
    assert epsilon > 1 or sigma < classical


def test_laplace_coefficients_are_charged_what_their_divergence_is():
    """A person changes ℓ clusters by one visit each: ℓ Laplace mechanisms of ε_E/(2√ℓ)."""
    gaussian = CHECK.max_visits_per_user / (2 * accounting.coefficient_scale(CHECK) ** 2)
    choices = accounting.fourier_rho(CHECK) - gaussian
    charged = accounting.fourier_rho(replace(CHECK, method="efpa")) - choices
    kept = CHECK.max_visits_per_user
    loss, order = 0.15 / (2 * math.sqrt(kept)), 2.0
    # Rényi divergence of two Laplace laws one sensitivity apart (Mironov 2017, table II)
    mean = order * math.exp((order - 1) * loss) + (order - 1) * math.exp(-order * loss)
    divergence = kept * math.log(mean / (2 * order - 1)) / (order - 1)
    assert divergence <= order * charged
    assert divergence == pytest.approx(order * charged, rel=0.03)
    assert ledger_of(method="efpa").proved_epsilon / 0.3 == pytest.approx(1.58, abs=0.005)


@pytest.mark.parametrize("method", ["efpa", "efpag", "efpag_joint"])
@pytest.mark.parametrize("delta", [1e-300, 2e-6])
def test_nothing_is_proved_beyond_simple_composition(method, delta):
    for kept in (1, 30):
        ledger = ledger_of(method=method, max_visits_per_user=kept, delta=delta)
        assert ledger.proved_epsilon <= ledger.composed_epsilon
        if (delta < 1e-100 and method != "efpag_joint") or (method == "efpa" and kept == 1):
            assert ledger.proved_epsilon == ledger.composed_epsilon
            assert ledger.proved_definition == ledger.paper_definition


@pytest.mark.parametrize("scaling", [True, False])
@pytest.mark.parametrize("method", ["zones_laplace", "lpa", "efpa", "efpag", "efpag_joint"])
def test_stages_state_what_one_person_changes_and_the_noise_for_it(method, scaling):
    stages = ledger_of(method=method, scaling=scaling).stages
    changes = {
        Query.ZONE_COUNTS: (30, Norm.L1),
        Query.COVER_COUNTS: (30, Norm.L1),
        Query.COVER_TOTALS: (30, Norm.L1),
        Query.SINGLE_VISITS: (1, Norm.L1),
        Query.ALL_VISITS: (732, Norm.L1),
        Query.CHOICE_BY_CLUSTER: (math.sqrt(30), Norm.L2),
        Query.JOINT_CHOICE: (math.sqrt(30), Norm.L2),
        Query.COEFFICIENTS: (math.sqrt(30), Norm.L2),
    }
    choices = {
        "efpa": Query.CHOICE_BY_CLUSTER,
        "efpag": Query.CHOICE_BY_CLUSTER,
        "efpag_joint": Query.JOINT_CHOICE,
    }
    chosen = [stage.query for stage in stages if stage.noise is Noise.EXPONENTIAL]
    assert chosen == ([choices[method]] if method in choices else [])
    for stage in stages:
        assert (stage.sensitivity, stage.norm) == changes[stage.query]
        gaussian = stage.noise is Noise.CLASSICAL_GAUSSIAN
        assert stage.delta == (2e-6 if gaussian else 0)
        if stage.noise is Noise.EXPONENTIAL:
            assert stage.noise_scale is None
            continue
        spread = math.sqrt(2 * math.log(4 / 2e-6)) if gaussian else 1.0
        assert stage.noise_scale == pytest.approx(spread * stage.sensitivity / stage.epsilon)


def test_notions():
    assert ledger_of(method="lpa").proved_definition is PrivacyDefinition.PURE
    assert ledger_of(method="lpa").delta == 0.0
    efpa = ledger_of(method="efpa")
    assert efpa.paper_definition is PrivacyDefinition.PURE
    assert efpa.proved_definition is PrivacyDefinition.APPROXIMATE
    assert is_above(efpa.proved_epsilon, efpa.paper_epsilon)
    classical, analytic = ledger_of(), ledger_of(gaussian="analytic")
    assert classical.paper_definition is PrivacyDefinition.PROBABILISTIC
    assert analytic.paper_definition is PrivacyDefinition.APPROXIMATE
    assert classical.proved_definition is PrivacyDefinition.APPROXIMATE
    assert not is_above(classical.proved_epsilon, classical.paper_epsilon)
    assert not is_above(0.1 + 0.2, 0.3)
    assert is_above(0.3, 0.29)


@pytest.mark.parametrize("method", ["lpa", "efpa", "efpag", "efpag_joint"])
@pytest.mark.parametrize("target", [0.01, 0.3, 2.0])
def test_equal_proved_totals(method, target):
    fair = density.match_proved_epsilon(replace(CHECK, method=method), target, COVER)
    assert density.proved_epsilon(fair, COVER) == pytest.approx(target, rel=1e-9)


def test_equal_proved_total_beyond_theorem_three_takes_the_analytic_gaussian():
    fair = density.match_proved_epsilon(CHECK, 9.0, COVER)
    assert fair.gaussian == "analytic"
    assert fair == density.match_proved_epsilon(replace(CHECK, gaussian="analytic"), 9.0, COVER)
    assert density.proved_epsilon(fair, COVER) == pytest.approx(9.0)
    assert density.match_proved_epsilon(CHECK, 2.0, COVER).gaussian == "classical"
    with pytest.raises(ParameterError, match="above 0"):
        density.match_proved_epsilon(CHECK, float("nan"), COVER)
